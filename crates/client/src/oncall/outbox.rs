//! What the hub has not kept yet: numbered, in order, and said again after a loss of the connection.

use std::collections::VecDeque;

use crate::domain::ids::RunId;
use crate::domain::on_call::{FromHost, Numbered};

/// Messages of a host, from the first that the hub has not kept.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    last: u64,
    unkept: VecDeque<Numbered>,
}

impl Outbox {
    /// Numbers a message, and keeps it until the hub does.
    pub(super) fn put(&mut self, message: FromHost) -> Numbered {
        self.last += 1;
        let numbered = Numbered { number: self.last, message };
        self.unkept.push_back(numbered.clone());
        numbered
    }

    /// The hub keeps this one from here on; none where it was not waited for.
    pub(super) fn kept(&mut self, number: u64) -> Option<FromHost> {
        let at = self.unkept.iter().position(|unkept| unkept.number == number)?;
        self.unkept.remove(at).map(|unkept| unkept.message)
    }

    /// What a new connection is told again. Which slots are free is left out: that is told anew.
    pub(super) fn again(&mut self) -> impl Iterator<Item = &Numbered> {
        let passes = |message: &FromHost| {
            matches!(message, FromHost::Parked { .. } | FromHost::Paused { .. } | FromHost::Active { .. })
        };
        self.unkept.retain(|unkept| !passes(&unkept.message));
        self.unkept.iter()
    }

    /// Whether the end of a process of this run is on its way.
    pub(super) fn tells_end_of(&self, run: &RunId) -> bool {
        self.unkept.iter().any(|unkept| matches!(&unkept.message, FromHost::Ended(ended) if ended.run == *run))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unkept.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::AgentId;

    #[test]
    fn what_was_not_kept_is_told_again_in_order() {
        let mut outbox = Outbox::default();
        let run = RunId::parse("run_01abcdef").unwrap();
        let parked = FromHost::Parked { slot: AgentId::parse("fs-1").unwrap() };
        let told = |outbox: &mut Outbox| outbox.again().map(|told| told.number).collect::<Vec<_>>();
        assert_eq!(outbox.put(parked.clone()).number, 1);
        outbox.put(FromHost::Started { run: run.clone(), pid: 7 });
        outbox.put(FromHost::Conversation { run: run.clone(), id: "c1".to_owned() });
        assert_eq!(told(&mut outbox), [2, 3], "a slot may be free no more");
        assert_eq!(outbox.kept(2), Some(FromHost::Started { run, pid: 7 }));
        assert_eq!(outbox.kept(2), None, "kept once");
        assert_eq!(outbox.put(parked).number, 4, "a number is never used again");
        assert_eq!(told(&mut outbox), [3]);
    }
}
