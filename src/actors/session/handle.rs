//! The typed door to one session.

use super::message::{SessionMessage, SessionView};
use crate::actors::common::{Fault, Line, Portrait};

/// A line to one session; stays good when its actor is built anew.
#[derive(Debug, Clone)]
pub struct SessionRef(Line<SessionMessage>);

impl SessionRef {
    /// Wraps a line.
    #[must_use]
    pub const fn new(line: Line<SessionMessage>) -> Self {
        Self(line)
    }

    /// What others may see of it.
    ///
    /// # Errors
    /// When the actor is busy or gone.
    pub async fn view(&self) -> Result<SessionView, Fault> {
        let (session, lifecycle) = self.0.ask(|reply| SessionMessage::Show { reply }).await?;
        Ok(SessionView::of(&session, lifecycle))
    }

    /// Its picture.
    ///
    /// # Errors
    /// When the actor is busy or gone.
    pub async fn portrait(&self) -> Result<Portrait, Fault> {
        self.0.ask(|reply| SessionMessage::Portrait { reply }).await
    }

    /// Tells it something.
    pub fn tell(&self, message: SessionMessage) -> bool {
        self.0.tell(message)
    }
}
