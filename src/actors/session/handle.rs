//! The typed door to one session.

use tracing::Span;

use super::message::{SessionError, SessionMessage, SessionOrder, SessionReceipt};
use super::view::SessionView;
use crate::actors::common::{ActorHandle, Result};
use crate::domain::ids::QuestionId;
use crate::domain::session::question::Question;
use crate::domain::session::{Lifecycle, Session};

#[derive(Debug, Clone)]
pub struct SessionRef(ActorHandle<SessionMessage>);

impl SessionRef {
    pub const fn new(line: ActorHandle<SessionMessage>) -> Self {
        Self(line)
    }

    /// Orders, and waits until the decision is on disk. Fails with the refusal of the machine or its task, or a fault.
    pub async fn order(&self, order: SessionOrder) -> Result<SessionReceipt, SessionError> {
        let (order, span) = (Box::new(order), Span::current());
        self.0.ask(|reply| SessionMessage::Order { order, span, reply }).await?
    }

    /// Waits until the question is answered or overdue. Dropping the future ends it. Fails when there is none.
    pub async fn await_answer(&self, question: QuestionId) -> Result<Question, SessionError> {
        self.0.ask(|reply| SessionMessage::AwaitAnswer { question, reply }).await?
    }

    pub async fn show(&self) -> Result<(Session, Lifecycle)> {
        self.0.ask(|reply| SessionMessage::Show { reply }).await
    }

    pub async fn view(&self) -> Result<SessionView> {
        let (session, lifecycle) = self.show().await?;
        Ok(SessionView::of(&session, lifecycle))
    }

    pub fn tell(&self, message: SessionMessage) -> bool {
        self.0.tell(message)
    }
}
