//! A terminal left alone for `monitor.restAfter` gives back its screen and history, more than a megabyte, and reads
//! them from the transcripts when needed. Small state that stands nowhere else stays, so nothing on its way is lost.

use super::message::TerminalMessage;
use super::shelf::history_of;
use super::state::State;
use crate::actors::common::Result;
use crate::domain::time::Timestamp;

impl State {
    /// When it is to rest; never, while something is still to be looked at or written.
    pub(super) fn rests_at(&self) -> Option<Timestamp> {
        let busy = self.rest.resting || self.look_at.is_some() || self.write_at.is_some() || self.stopped_at.is_some();
        let after = self.settings.borrow().hub.monitor.rest_after;
        (!busy).then(|| self.rest.used_at.max(self.updated_at) + after)
    }

    /// Gives back what is on disk, or stays as it is when it cannot be put there.
    pub(super) async fn rests(&mut self) {
        // Its size may have changed since it was written.
        self.flush().await;
        if self.write_at.is_some() {
            return;
        }
        let pieces = self.recent.clone().take();
        match self.shelf.put_recent(&self.spec.id, pieces).await {
            Ok(()) => {
                self.recent.take();
                self.watch.rest();
                self.rest.resting = true;
            }
            Err(fault) => {
                tracing::warn!("terminal `{}` keeps its memory: {fault}", self.spec.id);
                self.rest.used_at = self.clock.now();
            }
        }
    }

    /// Takes its screen and history from disk again, if they are there.
    pub(super) async fn wakes(&mut self) -> Result<()> {
        self.rest.used_at = self.clock.now();
        if !self.rest.resting {
            return Ok(());
        }
        let lines = self.settings.borrow().hub.monitor.lines;
        // Nothing is there when somebody let go of what was kept.
        let (history, drawing) = match self.shelf.read(&self.spec.id).await? {
            Some((kept, known)) => (history_of(lines, &kept, &known), kept.drawing),
            None => (self.watch.terminal().history().emptied(), String::new()),
        };
        self.recent = self.shelf.recent(&self.spec.id, self.recent.end()).await?;
        self.watch.wake(history, &drawing);
        self.unwritten = self.watch.terminal().history().next();
        self.rest.resting = false;
        Ok(())
    }

    pub(super) fn needs_its_screen(&self, message: &TerminalMessage) -> bool {
        match message {
            TerminalMessage::Print { .. }
            | TerminalMessage::Typed
            | TerminalMessage::Detect { .. }
            | TerminalMessage::Read { .. }
            | TerminalMessage::Transcript { .. }
            | TerminalMessage::HostLeft { .. }
            | TerminalMessage::Type { .. }
            | TerminalMessage::Begin { .. }
            | TerminalMessage::Stop { .. } => true,
            TerminalMessage::Host { host } => *host != self.host,
            TerminalMessage::Await { .. }
            | TerminalMessage::Show { .. }
            | TerminalMessage::Hosted { .. }
            | TerminalMessage::WasOrdered { .. }
            | TerminalMessage::Flush { .. }
            | TerminalMessage::Tick
            | TerminalMessage::ActorView { .. } => false,
        }
    }
}
