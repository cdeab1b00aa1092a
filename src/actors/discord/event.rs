//! What the gateway tells the door.

use serde_json::Value;

#[derive(Debug, Clone)]
pub enum GatewayEvent {
    /// A session began: what was said before it must be read.
    Began,
    /// Something happened: the name of the event, and what came with it.
    Happened(String, Value),
}

impl GatewayEvent {
    /// The channel or thread in which it happened; 0 where it is of none.
    pub fn channel(&self) -> u64 {
        let Self::Happened(_, data) = self else { return 0 };
        data.get("channel_id").and_then(Value::as_str).and_then(|id| id.parse().ok()).unwrap_or_default()
    }
}
