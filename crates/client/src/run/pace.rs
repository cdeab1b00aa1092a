//! When the system is asked next who sleeps on the terminal: soon after something happened, then ever later.
//!
//! Who waited, and runs at the next look, may collect its garbage, and of who ends nothing is known: it is asked four
//! times more, within 160 ms, before that is believed.

use std::time::Duration;

use tokio::time::Instant;

use crate::domain::prompt::Reader;

/// Pauses after something happened: a waiting program sleeps within milliseconds; a silent one is found later.
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

/// After which pauses a program that waited, and runs at the next look, is looked at again before that is believed. One
/// that collects its garbage or winds its clock sleeps again within milliseconds (seen at 2 of 40 looks at programs of
/// Bun's whose user was waited for).
const DOUBTS: [Duration; 4] =
    [Duration::from_millis(5), Duration::from_millis(15), Duration::from_millis(40), Duration::from_millis(100)];

/// By how much, and how often, a look is put off while output is on its way; a terminal held by its user takes none.
const PUT_OFF: Duration = Duration::from_millis(3);
const AT_MOST: usize = 20;

#[derive(Debug)]
pub(super) struct Pace {
    since: Instant,
    looks: usize,
    /// Whether the last look that was believed found that somebody waits.
    waited: bool,
    /// How many looks were not believed since.
    doubts: usize,
    /// How often this look was put off.
    put_off: usize,
    next: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { since: now, looks: 0, waited: false, doubts: 0, put_off: 0, next: now + PAUSES[0] }
    }

    pub(super) fn restart(&mut self, now: Instant) {
        *self = Self::new(now);
    }

    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// Puts the look off, since the program has printed more than is known here; false when it was often enough.
    pub(super) fn puts_off(&mut self, now: Instant) -> bool {
        self.put_off += 1;
        self.next = now + PUT_OFF;
        self.put_off <= AT_MOST
    }

    /// Whether the last look was not believed.
    pub(super) const fn is_in_doubt(&self) -> bool {
        self.doubts > 0
    }

    /// A look found this. Whether that is to be believed: nothing happened, so who waited is likely to wait still.
    pub(super) fn looked(&mut self, now: Instant, reader: Reader) -> bool {
        self.put_off = 0;
        // Of who runs nothing is known, nor of who ends: its end is told on another way, a moment later.
        let may_pass = matches!(reader, Reader::Busy | Reader::Unknown);
        if let Some(doubt) = DOUBTS.get(self.doubts).filter(|_| self.waited && may_pass) {
            self.doubts += 1;
            self.next = now + *doubt;
            return false;
        }
        self.waited = matches!(reader, Reader::Reads | Reader::Polls);
        self.doubts = 0;
        self.looks += 1;
        let pause = PAUSES.get(self.looks).map(|pause| self.since + *pause).filter(|at| *at > now);
        self.next = match (reader, pause) {
            (Reader::Reads | Reader::Gone, _) => now + CALM,
            (Reader::Unknown | Reader::Busy | Reader::Polls, Some(at)) => at,
            (Reader::Unknown | Reader::Busy | Reader::Polls, None) => now + WATCHFUL,
        };
        true
    }
}

#[cfg(test)]
mod tests;
