//! The typed door to the alarm.

use super::message::{AlarmKey, AlarmMessage, ArmedTimer, Ring};
use crate::actors::common::{ActorHandle, Result};
use crate::domain::time::Deadline;

#[derive(Debug, Clone)]
pub struct AlarmRef(pub(super) ActorHandle<AlarmMessage>);

impl AlarmRef {
    pub const fn new(line: ActorHandle<AlarmMessage>) -> Self {
        Self(line)
    }

    pub fn set(&self, key: AlarmKey, deadline: Deadline, ring: Ring) {
        self.0.tell(AlarmMessage::Set { key, deadline, ring });
    }

    pub fn clear(&self, key: AlarmKey) {
        self.0.tell(AlarmMessage::Clear { key });
    }

    /// Every armed deadline, earliest first, at most `limit`.
    pub async fn list(&self, limit: usize) -> Result<Vec<ArmedTimer>> {
        self.0.ask(|reply| AlarmMessage::List { limit, reply }).await
    }
}
