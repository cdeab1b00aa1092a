//! `clients.yaml`, as values: what each MCP client tolerates.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::span::{Span, maybe_span};
use crate::domain::agent::{ClientDoor, DeclaredClient, WakeWay};

/// The row for a client that no other row names.
pub(super) const UNKNOWN: &str = "unknown";

/// What an MCP client tolerates.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientConfig {
    /// The longest wait that it survives, with room to spare.
    #[serde(with = "Span")]
    pub wait_cap: Duration,
    /// The same over HTTP or a WebSocket of its own, where that is another than through the proxy.
    #[serde(default, deserialize_with = "maybe_span")]
    #[schemars(with = "Option<Span>")]
    pub wait_cap_http: Option<Duration>,
    /// The same where it does not declare the MCP Tasks extension, as some do only with a user in front of them.
    #[serde(default, deserialize_with = "maybe_span")]
    #[schemars(with = "Option<Span>")]
    pub wait_cap_without_tasks: Option<Duration>,
    /// Whether progress notices reset its own clock.
    #[serde(default)]
    pub progress: bool,
    /// Whether it is known to follow the MCP Tasks extension.
    #[serde(default)]
    pub tasks: bool,
    /// How it is woken when it is idle.
    #[serde(default)]
    pub wake: WakeWay,
    /// The first version that is known to be woken so.
    #[serde(default)]
    pub wake_since: Option<String>,
    /// How it hands over what its user typed for a prompt.
    #[serde(default)]
    pub prompt_arguments: PromptArguments,
    /// Whether it is given the schemas of what tools answer; not where it sends them to its model, which pays for them.
    #[serde(default = "yes")]
    pub output_schemas: bool,
    /// The day the fact was last looked up: `2026-10-20`.
    pub checked: String,
    /// The version of the client with which the hub measured it; `None` where it was only looked up.
    #[serde(default)]
    pub measured: Option<String>,
    /// Where it was found: how it was measured, or who says so.
    pub source: String,
}

impl ClientConfig {
    /// The longest wait that the client survives, over its door and with what it declares.
    pub(super) fn cap(&self, client: Option<&DeclaredClient>) -> Duration {
        let by_door = self.wait_cap_http.filter(|_| client.is_some_and(|client| client.door == ClientDoor::Http));
        let without_tasks = self.wait_cap_without_tasks.filter(|_| client.is_some_and(|client| !client.tasks));
        by_door.or(without_tasks).unwrap_or(self.wait_cap)
    }
}

/// How a client hands over what its user typed for a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PromptArguments {
    /// As it was typed.
    #[default]
    Whole,
    /// Cut at blanks: a text of several words arrives as its first.
    Cut,
}

type Rows = BTreeMap<String, ClientConfig>;

/// The file as a whole.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Clients {
    /// Rows by the beginning of the declared name, in lower case.
    pub(super) clients: BTreeMap<String, ClientConfig>,
}

/// The row of a client, with its key: the longest that begins the declared name, in lower case; else `unknown`.
pub(super) fn row<'a>(clients: &'a Rows, name: Option<&str>) -> Option<(&'a str, &'a ClientConfig)> {
    named(clients, name).or_else(|| clients.get_key_value(UNKNOWN).map(|(key, row)| (key.as_str(), row)))
}

pub(super) fn named<'a>(clients: &'a Rows, name: Option<&str>) -> Option<(&'a str, &'a ClientConfig)> {
    let name = name.map(|name| name.trim().to_lowercase()).unwrap_or_default();
    clients
        .iter()
        .filter(|(key, _)| key.as_str() != UNKNOWN && name.starts_with(key.as_str()))
        .max_by_key(|(key, _)| key.len())
        .map(|(key, row)| (key.as_str(), row))
}

const fn yes() -> bool {
    true
}
