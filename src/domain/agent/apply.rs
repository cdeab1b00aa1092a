//! stub

use super::record::AgentRecord;
use super::state::Agent;
use crate::domain::time::Timestamp;
use crate::domain::ids::AgentId;

impl Agent {
    /// An agent of whom nothing is known yet.
    #[must_use]
    pub fn unknown(id: AgentId) -> Self {
        Self { id, registration: None, notices: Default::default(), eviction: None, updated_at: Timestamp::default() }
    }

    /// A record into the state; cannot fail.
    pub fn apply(&mut self, at: Timestamp, record: &AgentRecord) {
        let _ = (at, record);
        unimplemented!()
    }
}
