//! When the system is asked next who sleeps on the terminal: soon after something happened, then ever later.

use std::time::Duration;

use tokio::time::Instant;

use crate::domain::prompt::Reader;

/// After which pauses since something happened. A program that waits is asleep within milliseconds; one that prints
/// nothing before it waits is found by the later ones.
const PAUSES: [Duration; 7] = [
    Duration::from_millis(4),
    Duration::from_millis(15),
    Duration::from_millis(40),
    Duration::from_millis(120),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1_500),
];
/// Then so often, while nobody is blocked in a read.
const WATCHFUL: Duration = Duration::from_secs(2);
/// And so often while somebody is: it goes on when something is typed, which is known, or when its own time is up.
const CALM: Duration = Duration::from_secs(20);

/// The next look.
#[derive(Debug)]
pub(super) struct Pace {
    since: Instant,
    looks: usize,
    next: Instant,
}

impl Pace {
    /// Begins.
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, looks: 0, next: now + PAUSES[0] }
    }

    /// Something happened.
    pub(super) fn restart(&mut self, now: Instant) {
        *self = Self::new(now);
    }

    /// When.
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// A look found this.
    pub(super) fn looked(&mut self, now: Instant, reader: Reader) {
        self.looks += 1;
        let pause = PAUSES.get(self.looks).map(|pause| self.since + *pause).filter(|at| *at > now);
        self.next = match (reader, pause) {
            (Reader::Reads | Reader::Gone, _) => now + CALM,
            (Reader::Unknown | Reader::Busy | Reader::Polls, Some(at)) => at,
            (Reader::Unknown | Reader::Busy | Reader::Polls, None) => now + WATCHFUL,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_rarer_and_begin_anew() {
        let began = Instant::now();
        let mut pace = Pace::new(began);
        let mut looks = Vec::new();
        for _ in 0..9 {
            let now = pace.next();
            looks.push((now - began).as_millis());
            pace.looked(now, Reader::Busy);
        }
        assert_eq!(looks, [4, 15, 40, 120, 400, 800, 1_500, 3_500, 5_500]);
        let later = began + Duration::from_secs(60);
        pace.restart(later);
        assert_eq!(pace.next() - later, Duration::from_millis(4));
        pace.looked(pace.next(), Reader::Reads);
        assert_eq!(pace.next() - later, Duration::from_millis(20_004));
    }
}
