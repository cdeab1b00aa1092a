//! The arguments that every verb takes beside its own.

use schemars::JsonSchema;
use serde::Deserialize;

/// Taken by every verb.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Common {
    /// Your own agent id. Not needed: your credential says who you are.
    pub(super) agent_id: Option<String>,
    /// Your own session id, as `register_agent` returned it. Not needed.
    pub(super) session_id: Option<String>,
    /// Any text of your own, at most 256 bytes. Repeating a call with the same key within 24 hours changes nothing and
    /// returns the first result.
    pub(super) idempotency_key: Option<String>,
}

impl Common {
    pub(super) const FIELDS: [&'static str; 3] = ["agentId", "sessionId", Self::KEY];

    /// The field that only verbs that change something take.
    pub(super) const KEY: &'static str = "idempotencyKey";

    /// The longest key, in bytes.
    pub(super) const KEY_LIMIT: usize = 256;
}
