//! What a client is told without asking, across connections. In 2026-07-28 that is one request that stays open; before,
//! it is a session that knows what was subscribed to. A hub that comes back knows of neither, and nobody knows what it
//! would have told meanwhile: so the client is told that each of these may have changed, which costs it a look.

use std::collections::BTreeSet;

use serde_json::{Value, json};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
const UPDATED: &str = "notifications/resources/updated";

/// What lists a listener may want, and how their change is told.
const LISTS: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];

/// How many names are remembered: as many as the hub lets one client subscribe to.
const NAMES: usize = 256;

/// The names that a client of the elder era is subscribed to.
#[derive(Debug, Default)]
pub(super) struct Follows(BTreeSet<String>);

impl Follows {
    /// The hub has agreed to tell of a name, or to tell of it no more.
    pub(super) fn agreed(&mut self, on: bool, name: String) {
        if !on {
            self.0.remove(&name);
        } else if self.0.len() < NAMES {
            self.0.insert(name);
        }
    }

    /// A new handshake begins without any.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// All of them.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }
}

/// A subscription of the proxy's own, in its client's place.
pub(super) fn subscribes(id: &str, name: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "resources/subscribe", "params": {"uri": name}}).to_string()
}

/// That what stands under a name may have changed.
pub(super) fn updated(name: &str) -> String {
    json!({"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": name}}).to_string()
}

/// That all may have changed which the hub acknowledges to tell of, in this notification.
pub(super) fn changed(acknowledged: &str) -> Vec<String> {
    let said: Value = serde_json::from_str(acknowledged).unwrap_or_default();
    let params = &said["params"];
    let (wanted, meta) = (&params["notifications"], json!({SUBSCRIPTION: params["_meta"][SUBSCRIPTION]}));
    let note = |method: &str, mut params: Value| {
        params["_meta"].clone_from(&meta);
        json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
    };
    let lists = LISTS.iter().filter(|(field, _)| wanted[field] == true).map(|(_, method)| note(method, json!({})));
    let names = wanted["resourceSubscriptions"].as_array().into_iter().flatten();
    lists.chain(names.map(|name| note(UPDATED, json!({"uri": name})))).collect()
}
