//! Whether the answers to its questions have reached the agent: what its session and the page show.
//!
//! The answer itself is a notice, told until it was heard (N1). Here is only what is known of its way: it left with a
//! result (`delivered`), the result could not be written out (`undelivered` again), the next call showed that it
//! arrived (`acknowledged`, in the append that ends the notice).
//!
//! An open wait gets the answer at once, and its result stands for the notice: no notice tells the answer beside it or
//! after it, unless that result is known to be lost. If the wait is gone, the next call of any kind brings the notice.
//! Who asks the same once more is told the answer as one that it has heard. When the last token of its agent is
//! revoked, the answer ends as `undeliverable`: nobody is left to hear it.

use std::collections::BTreeSet;

use super::state::State;
use crate::actors::supervisor::SupervisorMessage;
use crate::domain::ids::{NoticeId, SessionId};
use crate::domain::session::question::{Delivery, QuestionRecord, Way};
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, Record};

impl State {
    /// The session whose questions it asks.
    pub(super) fn session(&self) -> Option<&SessionId> {
        self.agent.registration.as_ref().map(|registration| &registration.session)
    }

    /// What becomes of the questions that these notices answer.
    pub(super) fn answers_among(
        &self,
        notices: &BTreeSet<NoticeId>,
        delivery: Delivery,
        way: impl Fn(&NoticeId) -> Option<Way>,
    ) -> Vec<Entry> {
        let Some(session) = self.session() else { return Vec::new() };
        let told = notices.iter().filter_map(|id| self.agent.notices.get(id));
        let answers = told.filter_map(|notice| Some((notice, notice.answers()?.clone(), notice.task_id.as_ref())));
        answers
            .map(|(notice, id, task)| {
                let record = Record::Question(QuestionRecord::DeliveryMoved { id, delivery, way: way(&notice.id) });
                Entry::of_session(session, Some(&self.agent.id), task, record)
            })
            .collect()
    }

    /// Writes down which answers have left since the last turn, and which have come back.
    pub(super) async fn note_deliveries(&mut self, now: Timestamp) {
        if self.unread.shown().len() == 0 && self.delivered.is_empty() {
            return;
        }
        // Of what was typed it is known already that it left.
        let answers = |id: &&NoticeId| {
            self.agent.notices.get(*id).is_some_and(|it| it.answers().is_some()) && !self.agent.was_typed(id)
        };
        let left: BTreeSet<NoticeId> = self.unread.shown().filter(answers).cloned().collect();
        let back: BTreeSet<NoticeId> = self.delivered.difference(&left).filter(answers).cloned().collect();
        let new: BTreeSet<NoticeId> = left.difference(&self.delivered).cloned().collect();
        let mut entries = self.answers_among(&new, Delivery::Delivered, |id| self.unread.way_of(id));
        entries.extend(self.answers_among(&back, Delivery::Undelivered, |_| None));
        if entries.is_empty() {
            self.delivered = left;
            return;
        }
        match self.journal.append(Append::new(now, self.hub.clone(), entries)).await {
            Ok(_) => {
                self.delivered = left;
                if let Some(id) = self.session().cloned() {
                    self.supervisor.tell(SupervisorMessage::SessionMoved { id });
                }
            }
            // Noted with the next turn: the notice itself is told again until it was heard.
            Err(error) => self.refusals.note(now, "UNAVAILABLE", error.to_string()),
        }
    }
}
