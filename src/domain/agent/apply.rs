//! Records into the state. Cannot fail, and asks nothing.

use std::collections::BTreeMap;

use super::record::AgentRecord;
use super::state::Agent;
use crate::domain::ids::AgentId;
use crate::domain::time::Timestamp;

impl Agent {
    /// An agent of whom nothing is known yet.
    #[must_use]
    pub fn unknown(id: AgentId) -> Self {
        Self {
            id,
            registration: None,
            notices: BTreeMap::new(),
            eviction: None,
            eviction_heard: false,
            updated_at: Timestamp::default(),
        }
    }

    /// A record into the state; cannot fail.
    pub fn apply(&mut self, at: Timestamp, record: &AgentRecord) {
        self.updated_at = at;
        match record {
            AgentRecord::Registered { registration } => {
                self.registration = Some(registration.clone());
                self.eviction = None;
                self.eviction_heard = false;
            }
            AgentRecord::NoticePosted { notice } => {
                self.notices.insert(notice.id.clone(), notice.clone());
            }
            AgentRecord::NoticesHeard { ids } => self.notices.retain(|id, _| !ids.contains(id)),
            AgentRecord::Evicted { eviction } => {
                self.eviction = Some(eviction.clone());
                self.eviction_heard = false;
            }
            AgentRecord::EvictionHeard => self.eviction_heard = self.eviction.is_some(),
        }
    }
}
