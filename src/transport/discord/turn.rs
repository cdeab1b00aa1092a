//! Turns: what comes from one channel or thread is judged in the order in which the gateway told it.
//!
//! Each event has a future of its own, so a slow answer of Discord to one of them would let a later one be first. An
//! event takes its turn when it comes, and waits for those before it right before it asks an actor. Nobody waits for
//! ever: whoever is slower than that loses its place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// How long an event waits for those before it, counted from when it came.
const WITHIN: Duration = Duration::from_secs(10);

/// By channel: the numbers of the turns that have not ended, which count up.
pub(super) type Turns = Arc<watch::Sender<BTreeMap<u64, BTreeSet<u64>>>>;

/// The turn of one event. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    turns: Turns,
    channel: u64,
    number: u64,
    until: Instant,
}

impl Turn {
    /// Takes the last place in the line of a channel.
    pub(super) fn take(turns: &Turns, channel: u64) -> Self {
        let mut number = 0;
        turns.send_modify(|turns| {
            let line = turns.entry(channel).or_default();
            number = line.last().map_or(0, |last| last + 1);
            line.insert(number);
        });
        Self { turns: Arc::clone(turns), channel, number, until: Instant::now() + WITHIN }
    }

    /// Waits until every turn before it has ended, or for as long as anybody waits.
    pub(super) async fn comes(&self) {
        let mut turns = self.turns.subscribe();
        let is_first = |turns: &BTreeMap<u64, BTreeSet<u64>>| {
            turns.get(&self.channel).and_then(BTreeSet::first).is_none_or(|first| *first >= self.number)
        };
        drop(timeout_at(self.until, turns.wait_for(is_first)).await);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.send_modify(|turns| {
            let Some(line) = turns.get_mut(&self.channel) else { return };
            line.remove(&self.number);
            if line.is_empty() {
                turns.remove(&self.channel);
            }
        });
    }
}
