//! Terminals: opened when somebody writes into one, found again after a restart.

use ractor::ActorRef;

use super::actor::Desk;
use super::message::SupervisorMessage;
use super::post::Post;
use crate::actors::common::Fault;
use crate::actors::terminal::TerminalRef;
use crate::domain::ids::TerminalId;
use crate::domain::terminal::TerminalSpec;

impl Desk {
    /// A line to a terminal, which is opened if it is not there; and whether it was opened now.
    pub(super) async fn open_terminal(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        spec: TerminalSpec,
    ) -> Result<(TerminalRef, bool), Fault> {
        match self.find_terminal(myself, spec.id.clone()).await? {
            Some(line) => Ok((line, false)),
            None => Ok((self.build_terminal(myself, spec).await?, true)),
        }
    }

    /// A line to a terminal that is open, or was when the hub ended.
    pub(super) async fn find_terminal(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        id: TerminalId,
    ) -> Result<Option<TerminalRef>, Fault> {
        if let Some(child) = self.children.get(&format!("terminal:{id}"))
            && let Post::Terminal { line, .. } = &child.post
        {
            return Ok(Some(TerminalRef::new(line.clone())));
        }
        match self.spawner.shelf.read(&id).await? {
            Some((kept, _)) if kept.stopped_at.is_none() => Ok(Some(self.build_terminal(myself, kept.spec).await?)),
            Some(_) | None => Ok(None),
        }
    }

    /// Lines to every terminal that is open, by id.
    pub(super) fn terminals(&self) -> Vec<TerminalRef> {
        let posts = self.children.values().map(|child| &child.post);
        posts
            .filter_map(|post| match post {
                Post::Terminal { line, .. } => Some(TerminalRef::new(line.clone())),
                Post::Alarm { .. }
                | Post::Learner { .. }
                | Post::Tickets { .. }
                | Post::Dispatcher { .. }
                | Post::Agent { .. }
                | Post::Task { .. }
                | Post::Session { .. } => None,
            })
            .collect()
    }

    async fn build_terminal(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        spec: TerminalSpec,
    ) -> Result<TerminalRef, Fault> {
        let (hired, line) = self.spawner.open_terminal(spec).await?;
        self.hired(myself, hired);
        Ok(line)
    }
}
