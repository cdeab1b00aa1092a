//! The typed door to one session.

use tracing::Span;

use super::message::{SessionError, SessionMessage, SessionOrder, SessionReceipt};
use super::view::SessionView;
use crate::actors::common::{ActorHandle, Fault};
use crate::domain::ids::QuestionId;
use crate::domain::session::question::Question;
use crate::domain::session::{Lifecycle, Session};

/// A line to one session; stays good when its actor is built anew.
#[derive(Debug, Clone)]
pub struct SessionRef(ActorHandle<SessionMessage>);

impl SessionRef {
    pub const fn new(line: ActorHandle<SessionMessage>) -> Self {
        Self(line)
    }

    /// Orders, and waits until what was decided is on disk. Fails with the machine's refusal, its task's, or a fault:
    /// then nothing is known, and the call may be repeated.
    pub async fn order(&self, order: SessionOrder) -> Result<SessionReceipt, SessionError> {
        let (order, span) = (Box::new(order), Span::current());
        self.0.ask(|reply| SessionMessage::Order { order, span, reply }).await?
    }

    /// Waits until the question has its answer, or is overdue. Dropping the future ends the wait. Fails when there is
    /// no such question in this session, or the actor is busy or gone.
    pub async fn await_answer(&self, question: QuestionId) -> Result<Question, SessionError> {
        self.0.ask(|reply| SessionMessage::AwaitAnswer { question, reply }).await?
    }

    /// As it stands.
    pub async fn show(&self) -> Result<(Session, Lifecycle), Fault> {
        self.0.ask(|reply| SessionMessage::Show { reply }).await
    }

    /// What others may see of it.
    pub async fn view(&self) -> Result<SessionView, Fault> {
        let (session, lifecycle) = self.show().await?;
        Ok(SessionView::of(&session, lifecycle))
    }

    pub fn tell(&self, message: SessionMessage) -> bool {
        self.0.tell(message)
    }
}
