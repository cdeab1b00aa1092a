//! Records into the state. Cannot fail, and asks nothing.

use std::collections::BTreeMap;

use super::record::AgentRecord;
use super::state::{Agent, Typing, TypingStage};
use crate::ids::AgentId;
use crate::time::Timestamp;

impl Agent {
    /// An agent of whom nothing is known yet.
    pub fn unknown(id: AgentId) -> Self {
        Self {
            id,
            registration: None,
            superseded: Vec::new(),
            notices: BTreeMap::new(),
            typing: BTreeMap::new(),
            eviction: None,
            eviction_heard: false,
            updated_at: Timestamp::default(),
        }
    }

    pub fn apply(&mut self, at: Timestamp, record: &AgentRecord) {
        self.updated_at = at;
        match record {
            AgentRecord::Registered { registration } => {
                self.take_over(registration.instance.as_deref());
                self.registration = Some(registration.clone());
                self.eviction = None;
                self.eviction_heard = false;
            }
            AgentRecord::NoticePosted { notice } => {
                self.notices.insert(notice.id.clone(), notice.clone());
            }
            AgentRecord::NoticesHeard { ids } | AgentRecord::NoticesUndeliverable { ids } => {
                self.notices.retain(|id, _| !ids.contains(id));
                self.typing.retain(|id, _| !ids.contains(id));
            }
            AgentRecord::NoticeMoved { id, order_id, whole, now } => {
                let orders = self.typing.get(id).map_or(0, |before| before.orders);
                let orders = orders.saturating_add(u8::from(*now == TypingStage::Ordered));
                let typing = Typing { order_id: order_id.clone(), at, stage: *now, whole: *whole, orders };
                self.typing.insert(id.clone(), typing);
            }
            AgentRecord::Evicted { eviction } => {
                self.eviction = Some(eviction.clone());
                self.eviction_heard = false;
            }
            AgentRecord::EvictionHeard => self.eviction_heard = self.eviction.is_some(),
        }
    }

    /// The connection `now` speaks for the agent from here on; the one before, if it is another, does not any more.
    fn take_over(&mut self, now: Option<&str>) {
        let before = self.registration.as_ref().filter(|_| self.supersedes(now)).and_then(|old| old.instance.clone());
        self.superseded.retain(|old| Some(old.as_str()) != now && Some(old) != before.as_ref());
        self.superseded.extend(before);
        let surplus = self.superseded.len().saturating_sub(Self::SUPERSEDED);
        self.superseded.drain(..surplus);
    }
}
