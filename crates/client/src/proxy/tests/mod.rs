//! The relay as a table of stories: what goes in, what comes out. Nothing is connected here.

mod lost;
mod passing;
mod waking;
mod workflow;

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::relay::{Out, Relay};
use crate::domain::ids::AgentId;

/// A relay and its time.
struct Stage {
    relay: Relay,
    now: Instant,
    /// How many bytes the client has taken.
    taken: u64,
}

impl Stage {
    /// With a hub.
    fn up() -> Self {
        let mut stage = Self::down();
        assert_eq!(stage.relay.is_up(stage.now), []);
        stage
    }

    fn down() -> Self {
        let agent = AgentId::parse("a1").expect("an id");
        let relay = Relay::new(agent, Some("coding".to_owned()), "p".to_owned());
        Self { relay, now: Instant::now(), taken: u64::MAX }
    }

    fn client(&mut self, line: &str) -> Vec<Out> {
        self.relay.client_says(line.to_owned(), self.now)
    }

    fn hub(&mut self, text: &str) -> Vec<Out> {
        let out = self.relay.hub_says(text, self.now);
        self.relay.given(100);
        out
    }

    fn comes_back(&mut self) -> Vec<Out> {
        self.relay.is_down();
        self.relay.is_up(self.now)
    }

    fn after(&mut self, seconds: u64) -> Vec<Out> {
        self.now += Duration::from_secs(seconds);
        self.relay.tick(self.now, self.taken)
    }
}

fn to_hub(text: &str) -> Vec<Out> {
    vec![Out::Hub(text.to_owned())]
}

fn to_client(text: &str) -> Vec<Out> {
    vec![Out::Client(text.to_owned())]
}

/// What goes to the hub, parsed.
fn asked(out: &[Out]) -> Vec<Value> {
    let hub = |out: &Out| match out {
        Out::Hub(text) => Some(serde_json::from_str(text).expect("JSON")),
        Out::Client(_) | Out::Wake(_) => None,
    };
    out.iter().filter_map(hub).collect()
}

/// What goes to the client, parsed.
fn told(out: &[Out]) -> Vec<Value> {
    let client = |out: &Out| match out {
        Out::Client(text) => Some(serde_json::from_str(text).expect("JSON")),
        Out::Hub(_) | Out::Wake(_) => None,
    };
    out.iter().filter_map(client).collect()
}

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        .to_string()
}

fn answers(id: u32, fields: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [], "structuredContent": fields}}).to_string()
}

const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"claude-code","version":"2"}}}"#
);
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A client of the era with a handshake, which was shaken.
fn introduced() -> Stage {
    let mut stage = Stage::up();
    assert_eq!(stage.client(HELLO), to_hub(HELLO));
    let welcome = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#;
    assert_eq!(stage.hub(welcome), to_client(welcome));
    assert_eq!(stage.client(READY), to_hub(READY));
    stage
}
