//! What the gateway tells the door.

use serde_json::Value;

#[derive(Debug, Clone)]
pub enum GatewayEvent {
    /// A session began: what was said before it must be read.
    Began,
    /// Something happened: the name of the event, and what came with it.
    Happened(String, Value),
}
