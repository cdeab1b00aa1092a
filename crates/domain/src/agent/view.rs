//! What others may see of an agent.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::client::WakeWay;
use super::presence::Availability;
use crate::on_call::SlotView;
use crate::text::Sanitized;

/// An agent, as `get_agent_status` and `/api/v1/agents` show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentView {
    pub agent_id: String,
    /// Its role; none before it registers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// How people call it.
    pub display_name: String,
    /// What it is doing.
    pub availability: Availability,
    /// Since when it is parked, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<String>,
    /// The tasks it holds.
    pub current_tasks: Vec<String>,
    /// How many tasks wait for it by name.
    pub queued: usize,
    /// When it was last heard, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
    /// When its client ended, or its connection broke for good, RFC 3339; none once something is heard of it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub departed_at: Option<String>,
    /// The same in words, with the end of the lease that it holds: `its client ended 3 s ago; lease until 10:40 UTC`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The program that it runs in, as it declared itself when it registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientView>,
    /// The slot that it is, where a connected host has it on call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_call: Option<Box<SlotView>>,
    /// What it can do.
    pub capabilities: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What was dropped from what it said of itself; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

/// The program that an agent runs in, and what the hub makes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientView {
    /// As it calls itself.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The row of `clients.yaml` that is for it; `unknown` where none names it.
    pub row: String,
    /// The longest that one of its waits may last by that row and `waits.max`, in seconds.
    pub wait_cap_seconds: u64,
    /// How it can be woken by that row; `none` where it waits in the call.
    #[serde(default)]
    pub wake: WakeWay,
}
