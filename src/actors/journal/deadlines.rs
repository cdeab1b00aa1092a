//! The journal's deadlines at the alarm: when the search index takes in what was written, and when old records go.
//! Without an alarm, as in the journal's own tests, the former is at once and the latter never.

use ractor::ActorRef;

use super::indexing::Indexing;
use super::message::JournalMessage;
use super::pruning::Retention;
use crate::actors::alarm::AlarmRef;
use crate::actors::common::Timer;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::journal::Seq;

#[derive(Debug, Default)]
pub(super) struct Deadlines {
    timing: Option<(Timer, Clock)>,
}

impl Deadlines {
    /// From here on they stand at the alarm.
    pub(super) fn keep(&mut self, alarm: AlarmRef, clock: Clock, myself: &ActorRef<JournalMessage>) {
        let journal = myself.clone();
        let timer = Timer::new(alarm, "journal", move || {
            // Refused by a journal that ends: then nothing is due any more.
            let _ = journal.send_message(JournalMessage::Tick);
            true
        });
        self.timing = Some((timer, clock));
    }

    pub(super) fn rang(&mut self) {
        if let Some((timer, _)) = &mut self.timing {
            timer.rang();
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.timing.as_ref().map_or(Timestamp(u64::MAX), |(_, clock)| clock.now())
    }

    /// Begins what is due of the index, and arms what is not.
    pub(super) fn settle(
        &mut self,
        indexing: Option<&mut Indexing>,
        retention: Option<&Retention>,
        position: Seq,
        myself: &ActorRef<JournalMessage>,
    ) {
        let now = self.now();
        let lag = indexing.and_then(|indexing| {
            indexing.begin(now, position, myself);
            indexing.next_deadline()
        });
        let next = [lag, retention.map(Retention::next_deadline)].into_iter().flatten();
        if let Some((timer, _)) = &mut self.timing {
            timer.set(next.min_by_key(|deadline| deadline.at));
        }
    }
}
