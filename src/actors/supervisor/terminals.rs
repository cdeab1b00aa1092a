//! Terminals: opened when somebody writes into one, found again after a restart.

use ractor::ActorRef;

use super::child::ChildSlot;
use super::kinds::TerminalKind;
use super::message::SupervisorMessage;
use super::state::State;
use crate::actors::common::Result;
use crate::actors::terminal::TerminalRef;
use crate::domain::ids::TerminalId;
use crate::domain::terminal::TerminalSpec;

impl State {
    /// A line to a terminal, which is opened if it is not there; and whether it was opened now.
    pub(super) async fn open_terminal(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        spec: TerminalSpec,
    ) -> Result<(TerminalRef, bool)> {
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
    ) -> Result<Option<TerminalRef>> {
        if let Some(slot) = self.slot::<TerminalKind>(&format!("terminal:{id}")) {
            return Ok(Some(TerminalRef::new(slot.line.clone())));
        }
        match self.spawner.shelf.read(&id).await? {
            Some((kept, _)) if kept.stopped_at.is_none() => Ok(Some(self.build_terminal(myself, kept.spec).await?)),
            Some(_) | None => Ok(None),
        }
    }

    /// Lines to every terminal that is open, by id.
    pub(super) fn terminals(&self) -> Vec<TerminalRef> {
        self.slots().map(|slot: &ChildSlot<TerminalKind>| TerminalRef::new(slot.line.clone())).collect()
    }

    async fn build_terminal(
        &mut self,
        myself: &ActorRef<SupervisorMessage>,
        spec: TerminalSpec,
    ) -> Result<TerminalRef> {
        let (spawned, line) = self.spawner.start(TerminalKind { spec: Box::new(spec) }, ()).await?;
        self.spawned(myself, spawned);
        Ok(TerminalRef::new(line))
    }
}
