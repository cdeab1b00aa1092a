//! Whether answers to its questions reached the agent ([`crate::domain::agent::Agent::answers_on_their_way`] decides).
//!
//! An open wait gets the answer at once, and its result stands for the notice: no notice tells the answer beside it or
//! after it, unless that result is known to be lost. If the wait is gone, the next call of any kind brings the notice.
//! Who asks the same once more is told the answer as one that it has heard. When the last token of its agent is
//! revoked, the answer ends as `undeliverable`: nobody is left to hear it.

use super::state::State;
use crate::domain::agent::Answered;
use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, Record};

impl State {
    pub(super) fn session(&self) -> Option<&SessionId> {
        self.agent.registration.as_ref().map(|registration| &registration.session)
    }

    /// What becomes of answers, in its session's stream.
    pub(super) fn answered(&self, answers: Vec<Answered>) -> Vec<Entry> {
        let Some(session) = self.session() else { return Vec::new() };
        let entry = |(task, record): Answered| {
            Entry::of_session(session, Some(&self.agent.id), task.as_ref(), Record::Question(record))
        };
        answers.into_iter().map(entry).collect()
    }

    pub(super) async fn note_deliveries(&mut self, now: Timestamp) {
        if self.unread.shown().len() == 0 && self.delivered.is_empty() {
            return;
        }
        let (left, moved) = self.agent.answers_on_their_way(&self.unread, &self.delivered);
        let entries = self.answered(moved);
        if entries.is_empty() {
            self.delivered = left;
            return;
        }
        match self.journal.append(Append::new(now, self.hub.clone(), entries)).await {
            Ok(_) => {
                self.delivered = left;
                if let Some(id) = self.session().cloned() {
                    self.supervisor.session_moved(id);
                }
            }
            // Noted with the next turn: the notice itself is told again until it was heard.
            Err(error) => self.refusals.note(now, "UNAVAILABLE", error.to_string()),
        }
    }
}
