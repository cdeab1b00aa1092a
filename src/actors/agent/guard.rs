//! The one handle of an answer, from the call that makes it to the peer that reads it.
//!
//! A verb makes it, or gets it with the end of its wait; a door keeps it until the answer is known to have been read.
//! Dropped without a word it says that the answer is lost (see `domain/agent/unread.rs` for what follows from that).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::handle::AgentRef;
use super::message::{AgentError, AgentMessage, Collected, WaitEnd, WaitRequest};
use crate::domain::agent::{CallId, Carried, Notice};
use crate::domain::ids::{NoticeId, QuestionId};

/// What an answer to an agent carries, and who hears when it leaves or is lost.
#[derive(Debug)]
pub struct AnswerGuard {
    agent: AgentRef,
    call: CallId,
    carried: Carried,
    /// It left, was lost, or carries nothing: dropping it says nothing more.
    settled: AtomicBool,
}

impl AnswerGuard {
    pub const fn new(agent: AgentRef, call: CallId) -> Self {
        let carried = Carried { offer: None, notices: BTreeSet::new() };
        Self { agent, call, carried, settled: AtomicBool::new(false) }
    }

    /// Takes along what is there for the agent to hear. `answers` is the question whose answer the result tells by
    /// itself: its notice goes with the result and is not told beside it.
    pub async fn collect(&mut self, answers: Option<QuestionId>) -> Vec<Notice> {
        let Collected { notices, told } = self.agent.collect(self.call, answers).await;
        self.carries(notices.iter().map(|notice| notice.id.clone()).chain(told));
        notices
    }

    pub fn carries(&mut self, notices: impl IntoIterator<Item = NoticeId>) {
        self.carried.notices.extend(notices);
    }

    pub const fn has_offer(&self) -> bool {
        self.carried.offer.is_some()
    }

    /// The answer is whole. None where nothing in it can be lost.
    #[must_use]
    pub fn whole(self) -> Option<Self> {
        if self.carried.is_empty() {
            self.settled.store(true, Ordering::Relaxed);
            return None;
        }
        Some(self)
    }

    /// Said before the first byte of the answer can be read: the agent's next call shows that it arrived.
    pub fn leaves(&self) {
        if !self.settled.swap(true, Ordering::Relaxed) {
            self.agent.send(AgentMessage::Left { call: self.call });
        }
    }

    pub fn lost(&self) {
        self.settled.store(true, Ordering::Relaxed);
        self.agent.send(AgentMessage::Lost { call: self.call, carried: self.carried.clone() });
    }
}

impl Drop for AnswerGuard {
    fn drop(&mut self) {
        if !*self.settled.get_mut() {
            self.lost();
        }
    }
}

impl AgentRef {
    /// Waits. When the future or the guard that it gives is dropped, the wait is over and its offer goes back. Fails
    /// with `NotRegistered`, `Superseded`, or a fault.
    pub async fn wait(&self, request: WaitRequest) -> Result<(WaitEnd, AnswerGuard), AgentError> {
        let mut guard = AnswerGuard::new(self.clone(), request.id);
        let end = self.ask_to_wait(request).await;
        match &end {
            Ok(WaitEnd::Task(offered)) => guard.carried.offer = Some((offered.spec.id.clone(), offered.epoch)),
            Ok(WaitEnd::Notices(notices)) => guard.carries(notices.iter().map(|notice| notice.id.clone())),
            Ok(
                WaitEnd::Idle | WaitEnd::Evicted(_) | WaitEnd::Superseded | WaitEnd::AtCapacity(_) | WaitEnd::Draining,
            ) => {}
            // Nothing was handed out, and no wait is open.
            Err(_) => guard.settled = AtomicBool::new(true),
        }
        Ok((end?, guard))
    }
}
