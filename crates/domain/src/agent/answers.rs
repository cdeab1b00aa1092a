//! How far the answers to an agent's questions have come, as people see it. The answer itself is a notice (N1).
//!
//! It left with a result (`delivered`), the result could not be written out (`undelivered` again), the next call showed
//! that it arrived (`acknowledged`, in the append that ends the notice).

use std::collections::BTreeSet;

use super::state::Agent;
use super::unread::Unread;
use crate::ids::{NoticeId, TaskId};
use crate::session::question::{AnswerRoute, Delivery, QuestionRecord};

/// What became of a question's answer, and the task for whose sake it was asked.
pub type Answered = (Option<TaskId>, QuestionRecord);

impl Agent {
    /// What becomes of the questions that these notices answer.
    pub fn answers_among(
        &self,
        notices: &BTreeSet<NoticeId>,
        delivery: Delivery,
        way: impl Fn(&NoticeId) -> Option<AnswerRoute>,
    ) -> Vec<Answered> {
        let told = notices.iter().filter_map(|id| self.notices.get(id));
        let moved = told.filter_map(|notice| {
            let id = notice.answers()?.clone();
            let record = QuestionRecord::DeliveryMoved { id, delivery, way: way(&notice.id) };
            Some((notice.task_id.clone(), record))
        });
        moved.collect()
    }

    /// Which answers have left by now, and what that changes where `noted` is known to have left.
    pub fn answers_on_their_way(
        &self,
        unread: &Unread,
        noted: &BTreeSet<NoticeId>,
    ) -> (BTreeSet<NoticeId>, Vec<Answered>) {
        let answers =
            |id: &&NoticeId| self.notices.get(*id).is_some_and(|it| it.answers().is_some()) && !self.was_typed(id);
        let left: BTreeSet<NoticeId> = unread.shown().filter(answers).cloned().collect();
        let back: BTreeSet<NoticeId> = noted.difference(&left).filter(answers).cloned().collect();
        let new: BTreeSet<NoticeId> = left.difference(noted).cloned().collect();
        let mut moved = self.answers_among(&new, Delivery::Delivered, |id| unread.way_of(id));
        moved.extend(self.answers_among(&back, Delivery::Undelivered, |_| None));
        (left, moved)
    }
}

#[cfg(test)]
mod tests;
