//! Was an answer read? What the answers to one agent carry, and how far each of them has come.
//!
//! ```text
//!             ┌──lost──────────────────────────────────► lost: its offer goes back, its notices are news again
//!             │                              ┌──lost───► the same
//!  tells or ──► handed ──left──► left ───────┤
//!  hands out                                 └──read───► read: the agent has heard its notices
//! ```
//!
//! - *handed*: with the hub's door. No second answer tells the same notices beside it.
//! - *left*: the door has begun to write it. The agent's next call shows that it arrived.
//! - *read*: a call came after the answer had left. Nothing of it is kept here.
//! - *lost*: its guard was dropped without a word, or its connection is known to have died with the answer unread.
//!
//! An offer's deadline (`ackBy`) is the task's. Nothing of this is in the journal: after a restart of the agent's actor
//! a lost answer may name an offer that this ledger never handed out. It is remembered until the task says that the
//! agent holds it, and goes back then ([`Unread::goes_back`]).

use std::collections::{BTreeMap, BTreeSet};

use super::state::Notice;
use crate::ids::{LeaseEpoch, NoticeId, TaskId};
use crate::session::question::AnswerRoute;

/// The number of one call, unique within the hub's run: the end of an old wait never ends a newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// What an answer carries that must not get lost with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    pub offer: Option<(TaskId, LeaseEpoch)>,
    pub notices: BTreeSet<NoticeId>,
}

impl Carried {
    pub fn is_empty(&self) -> bool {
        self.offer.is_none() && self.notices.is_empty()
    }
}

/// The most that the notices of one answer take, in bytes: each text stands there twice. The rest comes with the next.
const AT_ONCE: usize = 36_000;
/// What a notice takes beside its text, in bytes.
const ABOUT_A_NOTICE: usize = 450;
/// How many lost offers are remembered until their tasks name the holder; one that is forgotten goes back at `ackBy`.
const REMEMBERED: usize = 16;

/// The answers to one agent that are not known to have been read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// Answers that have not left, with what they carry.
    handed: BTreeMap<CallId, Carried>,
    /// Notices in answers that were handed out or have left.
    shown: BTreeMap<NoticeId, NoticeProgress>,
    /// Lost offers of tasks that have not said yet that the agent holds them.
    lost: BTreeMap<TaskId, LeaseEpoch>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NoticeProgress {
    /// By which way it went first.
    way: AnswerRoute,
    left: bool,
}

impl Unread {
    /// What of `notices` an answer to this call may tell: not what another answer brings, and one at least.
    pub fn tellable(&self, call: CallId, notices: impl Iterator<Item = Notice>) -> Vec<Notice> {
        let others = || self.handed.iter().filter(|(other, _)| **other != call);
        let elsewhere = |id: &NoticeId| others().any(|(_, carried)| carried.notices.contains(id));
        let mut taken = 0;
        let told = notices.filter(|notice| !elsewhere(&notice.id)).enumerate().take_while(|(index, notice)| {
            taken += ABOUT_A_NOTICE + 2 * notice.text.len();
            *index == 0 || taken <= AT_ONCE
        });
        told.map(|(_, notice)| notice).collect()
    }

    pub fn tells(&mut self, call: CallId, way: AnswerRoute, notices: impl Iterator<Item = NoticeId>) {
        for notice in notices {
            self.shown.entry(notice.clone()).or_insert(NoticeProgress { way, left: false });
            self.handed.entry(call).or_default().notices.insert(notice);
        }
    }

    /// The answer to this call carries this offer.
    pub fn hands_out(&mut self, call: CallId, offer: (TaskId, LeaseEpoch)) {
        self.lost.remove(&offer.0);
        self.handed.entry(call).or_default().offer = Some(offer);
    }

    pub fn left(&mut self, call: CallId) {
        for id in self.handed.remove(&call).unwrap_or_default().notices {
            if let Some(shown) = self.shown.get_mut(&id) {
                shown.left = true;
            }
        }
    }

    /// The answer is lost, with what it carried (`carried` when it had left before). Returns its offer. A notice stays
    /// shown where another answer brings it, or has left with it.
    pub fn lost(&mut self, call: CallId, carried: Carried) -> Option<(TaskId, LeaseEpoch)> {
        let known = self.handed.remove(&call);
        let had_left = known.is_none();
        let known = known.unwrap_or_default();
        for id in known.notices.union(&carried.notices) {
            let left_with_another = !had_left && self.shown.get(id).is_some_and(|shown| shown.left);
            if left_with_another {
                continue;
            }
            if !self.handed.values().any(|other| other.notices.contains(id)) {
                self.shown.remove(id);
            } else if let Some(shown) = self.shown.get_mut(id) {
                // It left with this one alone, and that did not arrive.
                shown.left = false;
            }
        }
        carried.offer.or(known.offer)
    }

    /// Keeps a lost offer whose task has not said yet that the agent holds it.
    pub fn remember(&mut self, (task, epoch): (TaskId, LeaseEpoch)) {
        self.lost.insert(task, epoch);
        if self.lost.len() > REMEMBERED {
            self.lost.pop_first();
        }
    }

    /// Whether this unacknowledged offer, by which a task says that the agent holds it, goes back: its answer was lost.
    pub fn goes_back(&mut self, task: &TaskId, offered: Option<LeaseEpoch>) -> bool {
        let lost = self.lost.remove(task);
        lost.is_some() && lost == offered
    }

    /// The agent calls: notices in answers that have left are read, and forgotten here.
    pub fn read(&mut self) -> BTreeSet<NoticeId> {
        self.shown.extract_if(.., |_, shown| shown.left).map(|(id, _)| id).collect()
    }

    /// Whether an answer tells it that is not known to be lost or read.
    pub fn is_shown(&self, id: &NoticeId) -> bool {
        self.shown.contains_key(id)
    }

    pub fn way_of(&self, id: &NoticeId) -> Option<AnswerRoute> {
        self.shown.get(id).map(|shown| shown.way)
    }

    pub fn shown(&self) -> impl ExactSizeIterator<Item = &NoticeId> {
        self.shown.keys()
    }
}

#[cfg(test)]
mod tests;
