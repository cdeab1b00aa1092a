//! stub

use super::command::{Cause, TaskCommand};
use super::effect::TaskDecision;
use super::refusal::TaskRefusal;
use super::state::Task;
use crate::domain::time::{Deadline, Timestamp};

impl Task {
    /// Decides what a new task begins with: `Created`, and `Offered` with it when an agent is parked.
    ///
    /// # Errors
    /// `WrongState` when the command is not `Create`.
    pub fn begin(now: Timestamp, command: &TaskCommand) -> Result<TaskDecision, TaskRefusal> {
        let _ = (now, command);
        unimplemented!()
    }

    /// Decides; changes nothing.
    ///
    /// # Errors
    /// A refusal.
    pub fn decide(&self, now: Timestamp, command: &TaskCommand, cause: &Cause) -> Result<TaskDecision, TaskRefusal> {
        let _ = (now, command, cause);
        unimplemented!()
    }

    /// When this state ends by itself, and why.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Deadline> {
        unimplemented!()
    }
}
