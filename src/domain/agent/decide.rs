//! stub

use super::command::AgentCommand;
use super::record::AgentRecord;
use super::refusal::AgentRefusal;
use super::state::Agent;
use crate::domain::session::SessionRecord;
use crate::domain::ids::SessionId;
use crate::domain::time::Timestamp;

/// What an agent decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentDecision {
    /// For the agent's own stream.
    pub records: Vec<AgentRecord>,
    /// For its session's stream, in the same append.
    pub session: Option<(SessionId, SessionRecord)>,
}

impl Agent {
    /// Decides; changes nothing.
    ///
    /// # Errors
    /// A refusal.
    pub fn decide(&self, now: Timestamp, command: &AgentCommand) -> Result<AgentDecision, AgentRefusal> {
        let _ = (now, command);
        unimplemented!()
    }
}
