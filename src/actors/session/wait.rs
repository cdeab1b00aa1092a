//! Whoever waits for an answer. A waiter that is gone loses nothing: the answer is a notice too.

use ractor::RpcReplyPort;

use super::message::SessionError;
use super::state::{State, Waiter};
use crate::actors::common::Result;
use crate::domain::ids::QuestionId;
use crate::domain::session::SessionRefusal;
use crate::domain::session::question::Question;

impl State {
    /// Parks a wait; one for a question that has its answer is answered at once.
    pub(super) async fn park(&mut self, question: QuestionId, reply: RpcReplyPort<Result<Question, SessionError>>) {
        match self.question(&question).await {
            Ok(Some(known)) if known.is_open() => {
                self.waiters.push(Waiter { question, overdue: known.is_overdue(), reply });
            }
            Ok(Some(known)) => drop(reply.send(Ok(known))),
            Ok(None) => {
                let refusal = SessionRefusal::QuestionNotFound { question: question.to_string() };
                let _ = reply.send(Err(refusal.into()));
            }
            Err(fault) => drop(reply.send(Err(fault.into()))),
        }
    }

    /// Answers those whose question has its answer, or became overdue while they waited; drops those who hung up.
    pub(super) fn answer_waiters(&mut self) {
        let waiters = std::mem::take(&mut self.waiters);
        for waiter in waiters {
            let question = self.session.question(&waiter.question);
            let done = question.is_none_or(|known| !known.is_open() || (known.is_overdue() && !waiter.overdue));
            if waiter.reply.is_closed() {
                continue;
            }
            match question {
                Some(known) if done => drop(waiter.reply.send(Ok(known.clone()))),
                // Forgotten while somebody waited: they find it in the store.
                None => drop(waiter.reply),
                Some(_) => self.waiters.push(waiter),
            }
        }
    }

    /// A question of this session, also one that the session remembers no more.
    pub(super) async fn question(&self, id: &QuestionId) -> Result<Option<Question>> {
        if let Some(known) = self.session.question(id) {
            return Ok(Some(known.clone()));
        }
        let wanted = id.clone();
        let found = self.journal.read(move |reader| reader.question(&wanted)).await?;
        Ok(found.filter(|question| question.spec.session_id == self.session.id))
    }
}
