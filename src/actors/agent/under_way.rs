//! Answers on their way to the agent: from the moment in which one of them carries something until its door lets go of
//! it, or loses it.
//!
//! The agent may have several calls open at once. One that begins while another's answer is in our hands says nothing
//! of that answer: what it carries is neither heard by then nor told by a second answer beside it. When the answer has
//! left, the next call shows that it arrived; when it is lost, its offer goes back and its notices are news again.

use std::collections::BTreeSet;

use super::message::{CallId, Carried, HeldState};
use super::state::{Shown, State};
use crate::domain::agent::Notice;
use crate::domain::ids::{LeaseEpoch, NoticeId, TaskId};
use crate::domain::session::question::Way;
use crate::domain::task::ReturnReason;
use crate::domain::time::Timestamp;

/// The most that the notices of one answer take, in bytes as they are written: each text stands there twice, as
/// structure and as text. What does not fit comes with the next answer.
const AT_ONCE: usize = 36_000;
/// What a notice takes beside its text, in bytes.
const ABOUT_A_NOTICE: usize = 450;

impl State {
    /// What an answer to this call may tell: all but what another answer brings at this moment.
    pub(super) fn tellable(&self, call: CallId, now: Timestamp) -> Vec<Notice> {
        let others = || self.under_way.iter().filter(|(other, _)| **other != call);
        let elsewhere = |id: &NoticeId| others().any(|(_, carried)| carried.notices.contains(id));
        let progress = self.progress.values().cloned();
        let all = self.agent.tellable(now).chain(progress).filter(|notice| !elsewhere(&notice.id));
        let mut taken = 0;
        let told = all.enumerate().take_while(|(index, notice)| {
            taken += ABOUT_A_NOTICE + 2 * notice.text.len();
            *index == 0 || taken <= AT_ONCE
        });
        told.map(|(_, notice)| notice).collect()
    }

    /// The same, where something in it is a reason to end a wait.
    pub(super) fn news(&self, call: CallId, now: Timestamp) -> Option<Vec<Notice>> {
        let told = self.tellable(call, now);
        let is_kept = |id: &NoticeId| self.agent.notices.contains_key(id);
        let is_new = |id: &NoticeId| is_kept(id) && !self.shown.contains_key(id) && self.agent.is_news(id, now);
        told.iter().any(|notice| is_new(&notice.id)).then_some(told)
    }

    /// The answer to this call carries these.
    pub(super) fn tells(&mut self, call: CallId, way: Way, notices: &[Notice]) {
        if notices.is_empty() {
            return;
        }
        let carried = self.under_way.entry(call).or_default();
        for notice in notices {
            carried.notices.insert(notice.id.clone());
            self.shown.entry(notice.id.clone()).or_insert(Shown { way, left: false });
        }
    }

    /// The answer to this call carries this offer.
    pub(super) fn hands_out(&mut self, call: CallId, offer: (TaskId, LeaseEpoch)) {
        self.under_way.entry(call).or_default().offer = Some(offer);
    }

    /// The answer has left.
    pub(super) fn left(&mut self, call: CallId) {
        for id in self.under_way.remove(&call).unwrap_or_default().notices {
            if let Some(shown) = self.shown.get_mut(&id) {
                shown.left = true;
            }
        }
    }

    /// The answer is lost, with what is known to be in it, or with `carried` when it had left before.
    pub(super) fn undelivered(&mut self, call: CallId, carried: Carried) {
        let known = self.under_way.remove(&call);
        let had_left = known.is_none();
        let known = known.unwrap_or_default();
        for id in known.notices.union(&carried.notices) {
            let left_with_another = !had_left && self.shown.get(id).is_some_and(|shown| shown.left);
            if left_with_another {
                continue;
            }
            if !self.under_way.values().any(|other| other.notices.contains(id)) {
                self.shown.remove(id);
            } else if let Some(shown) = self.shown.get_mut(id) {
                // It left with this one alone, and that did not arrive.
                shown.left = false;
            }
        }
        if let Some(offer) = carried.offer.or(known.offer) {
            self.offer_unread(offer);
        }
    }

    /// What left with answers of which a call now shows that they arrived. Reports of progress are forgotten with that:
    /// the journal has nothing to keep of them.
    pub(super) fn arrived(&mut self) -> BTreeSet<NoticeId> {
        let arrived: BTreeSet<NoticeId> = self.shown.extract_if(.., |_, shown| shown.left).map(|(id, _)| id).collect();
        self.progress.retain(|_, notice| !arrived.contains(&notice.id));
        self.show_news();
        arrived.into_iter().filter(|id| self.agent.notices.contains_key(id)).collect()
    }

    fn offer_unread(&mut self, (id, epoch): (TaskId, LeaseEpoch)) {
        let lost = self.held.get(&id).filter(|held| held.state == HeldState::Offered && held.epoch == epoch);
        if let Some(task) = lost.map(|held| held.task.clone()) {
            self.held.remove(&id);
            self.give_back(&task, epoch, ReturnReason::ConnectionLost);
        }
    }
}
