//! The typed door to the learner.

use super::message::{LearnerMessage, Order, Track, Tracked};
use crate::actors::common::{ActorHandle, Result};
use crate::domain::ids::PatternId;
use crate::domain::principal::By;
use crate::domain::prompt::book::KeptPattern;

#[derive(Debug, Clone)]
pub struct LearnerRef(ActorHandle<LearnerMessage>);

impl LearnerRef {
    pub const fn new(line: ActorHandle<LearnerMessage>) -> Self {
        Self(line)
    }

    /// Keeps what was typed, and learns from it. Secrets are to be taken out before.
    pub async fn track(&self, track: Track) -> Result<Tracked> {
        let track = Box::new(track);
        self.0.ask(|reply| LearnerMessage::Track { track, reply }).await?
    }

    pub async fn find(&self, workspace: Option<String>, prompt_text: String) -> Result<Option<KeptPattern>> {
        self.0.ask(|reply| LearnerMessage::Find { workspace, prompt_text, reply }).await
    }

    pub async fn list(&self) -> Result<Vec<KeptPattern>> {
        self.0.ask(|reply| LearnerMessage::List { reply }).await
    }

    /// Lets a pattern go, or lets the whole hub have it; the pattern, or none when there is none of that name.
    pub async fn change(
        &self,
        id: PatternId,
        order: Order,
        by: By,
        request: Option<String>,
    ) -> Result<Option<KeptPattern>> {
        self.0.ask(|reply| LearnerMessage::Change { id, order, by, request, reply }).await?
    }
}
