//! How the hub's time goes on: a table of moments, and pure. The monotonic clock and the wall clock are arguments.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::time::Timestamp;

/// A difference up to this is no news: two clocks are never read at once.
const CLOSE: Duration = Duration::from_millis(50);
/// While the hub's time is slow, it loses one part in so many.
const LOSES: u32 = 10;
/// The longest that something whose end fell into a leap is left alone.
const GRACE: Duration = Duration::from_secs(60);
/// So many stretches are remembered, to read times that others wrote.
const REMEMBERED: usize = 64;

/// The course of the hub's time since it was last changed.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// The hub's time at `from`.
    start: Timestamp,
    from: Instant,
    /// For how long from there on it is slow. It is ahead of the machine by `1 / LOSES` of that.
    slow_for: Duration,
    last_leap: Option<Leap>,
    /// Where it was slow before, or stood still, oldest first.
    slow_before: VecDeque<Stretch>,
}

/// A stretch of the hub's time over which more of the machine's went by.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    begin: Timestamp,
    end: Timestamp,
    took: Duration,
}

impl Stretch {
    const fn span(&self) -> Duration {
        self.end.since(self.begin)
    }

    /// How much more of the machine's time went by from `at` to its end.
    fn lost_since(&self, at: Timestamp) -> Duration {
        let lost = self.took.saturating_sub(self.span());
        if at <= self.begin { lost } else { share(lost, self.end.since(at), self.span()) }
    }
}

/// `part / of` of a span.
fn share(span: Duration, part: Duration, of: Duration) -> Duration {
    let nanos = (span.as_nanos() * part.as_nanos()).checked_div(of.as_nanos()).unwrap_or_default();
    u64::try_from(nanos).map_or(span, Duration::from_nanos)
}

/// The hub's time went on with the machine's, which was ahead.
#[derive(Debug, Clone, Copy)]
struct Leap {
    from: Timestamp,
    to: Timestamp,
}

impl Course {
    pub(super) const fn starting_at(start: Timestamp, from: Instant) -> Self {
        Self { start, from, slow_for: Duration::ZERO, last_leap: None, slow_before: VecDeque::new() }
    }

    /// Begins at `at` where it would begin earlier. No leap: nobody slept.
    pub(super) fn begin_at(&mut self, at: Timestamp, now: Instant) {
        if self.at(now) < at {
            (self.start, self.from) = (at, now);
        }
    }

    /// Follows the machine's wall clock. True where the course is another one now.
    pub(super) fn follow(&mut self, machine: Timestamp, now: Instant) -> bool {
        let hub = self.at(now);
        let (behind, ahead) = (machine.since(hub), hub.since(machine));
        if behind <= CLOSE && ahead.abs_diff(self.left_to_lose(now)) <= CLOSE {
            return false;
        }
        // A machine that slept while it was behind has caught up by that much, and the hub's time stood still.
        let slept = self.left_to_lose(now).saturating_sub(ahead);
        let stretches = [self.slow_until(now), Stretch { begin: hub, end: hub, took: slept }];
        self.slow_before.extend(stretches.into_iter().filter(|stretch| !stretch.took.is_zero()));
        self.slow_before.drain(..self.slow_before.len().saturating_sub(REMEMBERED));
        if behind > CLOSE {
            self.last_leap = Some(Leap { from: hub, to: machine });
        }
        (self.start, self.from, self.slow_for) = (hub.max(machine), now, ahead * LOSES);
        true
    }

    /// The hub's time at a moment.
    pub(super) fn at(&self, now: Instant) -> Timestamp {
        self.start + self.run(now)
    }

    fn run(&self, now: Instant) -> Duration {
        let elapsed = now.saturating_duration_since(self.from);
        elapsed - elapsed.min(self.slow_for) / LOSES
    }

    fn left_to_lose(&self, now: Instant) -> Duration {
        self.slow_for.saturating_sub(now.saturating_duration_since(self.from)) / LOSES
    }

    /// Where it has been slow since its last change.
    fn slow_until(&self, now: Instant) -> Stretch {
        let took = now.saturating_duration_since(self.from).min(self.slow_for);
        Stretch { begin: self.start, end: self.at(self.from + took), took }
    }

    /// The first moment that shows `at`.
    pub(super) fn instant(&self, at: Timestamp) -> Instant {
        let (run, slow) = (at.since(self.start), self.slow_for - self.slow_for / LOSES);
        if run > slow {
            return self.from + self.slow_for + (run - slow);
        }
        // Rounded up: a timer that rings before its time would ring again and again until then.
        let nanos = (run.as_nanos() * u128::from(LOSES)).div_ceil(u128::from(LOSES) - 1);
        self.from + u64::try_from(nanos).map_or(self.slow_for, Duration::from_nanos)
    }

    /// What it shows at a moment, rounded up to the next millisecond.
    pub(super) fn moment(&self, at: Instant) -> Timestamp {
        self.start + (self.run(at) + Duration::from_nanos(999_999))
    }

    pub(super) fn grace(&self, since: Timestamp, due: Timestamp) -> Option<Timestamp> {
        let leap = self.last_leap.filter(|leap| since < leap.to && leap.from < due)?;
        let until = leap.to + due.since(leap.from).min(GRACE);
        (due < until).then_some(until)
    }

    pub(super) fn leapt(&self, since: Timestamp) -> Duration {
        self.last_leap.map_or(Duration::ZERO, |leap| leap.to.since(leap.from.max(since)))
    }

    /// Where it was slow, newest first.
    fn slow(&self, now: Instant) -> impl Iterator<Item = Stretch> {
        self.slow_before.iter().copied().chain([self.slow_until(now)]).rev()
    }

    /// The hub's time at which the machine's wall clock, as it is set now, showed `foreign`. Where the hub's time was
    /// slow, more of the machine's went by; a leap counts as time that went by.
    pub(super) fn of_machine(&self, foreign: Timestamp, machine: Timestamp, now: Instant) -> Timestamp {
        let mut at = self.at(now);
        // Before the hub has looked, it is behind a machine that woke: what was dated meanwhile was dated now.
        let machine = machine.min(at);
        if foreign >= machine {
            return at + foreign.since(machine);
        }
        let mut ago = machine.since(foreign);
        for stretch in self.slow(now) {
            let fast = at.since(stretch.end);
            if ago <= fast {
                return at - ago;
            }
            (ago, at) = (ago - fast, stretch.end);
            if ago <= stretch.took {
                return at - share(stretch.span(), ago, stretch.took);
            }
            (ago, at) = (ago - stretch.took, stretch.begin);
        }
        at - ago
    }

    /// What the machine's wall clock, as it is set now, showed at a moment of the hub's time.
    pub(super) fn to_machine(&self, at: Timestamp, machine: Timestamp, now: Instant) -> Timestamp {
        let hub = self.at(now);
        let lost: Duration = self.slow(now).map(|stretch| stretch.lost_since(at)).sum();
        machine.min(hub) - hub.since(at) - lost + at.since(hub)
    }
}
