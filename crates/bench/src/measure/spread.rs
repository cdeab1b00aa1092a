//! The spread of measured times: median and tail.

use std::time::Duration;

/// Measured times, sorted when they are asked.
#[derive(Debug, Default, Clone)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// How many there are.
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// The time that `percent` of them do not exceed, in microseconds; 0 when there are none.
    pub(super) fn micros_at(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e6)
    }
}

/// The middle of some numbers; 0 when there are none.
pub(super) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_tail_are_measured_times_and_no_mixture() {
        let mut times = Times::default();
        (1..=1000).rev().for_each(|micros| times.push(Duration::from_micros(micros)));
        assert_eq!(times.micros_at(50).round(), 500.0);
        assert_eq!(times.micros_at(99).round(), 990.0);
        assert_eq!(Times::default().micros_at(99), 0.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    }
}
