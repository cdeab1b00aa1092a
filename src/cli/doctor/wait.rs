//! A real wait, by the way that the client would go, measured. Nobody is disturbed by it: an agent that somebody speaks
//! for just now is shown as it is, and one that has work waiting is left alone.

use std::time::Duration;

use serde_json::{Value, json};

use super::finding::Finding;
use crate::cli::client::HubClient;
use crate::cli::connect::Client;
use crate::cli::exit::Exit;
use crate::cli::output::cell::str_at;

/// How long is waited, in seconds, and how much longer an answer may take.
pub(super) const SECONDS: u64 = 1;
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// What came of it.
#[derive(Debug)]
pub(super) struct Trial {
    /// How long the handshake took.
    pub(super) shook: Duration,
    /// How many tools the client is shown.
    pub(super) tools: usize,
    /// How long the wait took.
    pub(super) waited: Duration,
    /// Whether the hub knows the agent: a wait of one that nobody registered is refused at once.
    pub(super) known: bool,
}

/// Why nothing came of it.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    pub(super) why: String,
    /// What the program said to people, line by line.
    pub(super) said: Vec<String>,
}

impl Failure {
    pub(super) fn of(why: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, why: why.into(), said: Vec::new() }
    }
}

/// Why this agent is left alone, if it is.
pub(super) async fn left_alone(check: &str, hub: &HubClient, client: Client, agent: &str) -> Option<Finding> {
    let shown = hub.post(&["api", "v1", "tools", "get_agent_status"], &json!({ "agentId": agent })).await;
    let known = match shown {
        Ok(known) => known,
        // Nobody waits for work by that name.
        Err(problem) if problem.exit() == Exit::NotFound => return None,
        Err(problem) => {
            let message = format!("the hub does not say how `{agent}` is, so nothing was tried: {}", problem.told());
            return Some(Finding::skipped(check, message).next("callboard doctor again"));
        }
    };
    let availability = str_at(&known, "availability").unwrap_or("unknown");
    if availability != "offline" {
        return Some(Finding::good(check, format!("agent `{agent}` is {availability} just now: nothing was tried")));
    }
    if known["queued"].as_u64().unwrap_or(0) > 0 {
        let message = format!("agent `{agent}` is offline with work waiting: nothing was tried");
        return Some(Finding::doubtful(check, message).next(format!("start {}", client.name())));
    }
    None
}

/// What is to be said of a trial by `way`; and `next`, of one that came to nothing.
pub(super) fn outcome(check: &str, way: &str, tried: Result<Trial, Failure>, next: String) -> Finding {
    match tried {
        Ok(Trial { shook, tools, waited, known: false }) => {
            let said = format!("{way} shook hands in {shook:?}, shows {tools} tools, and was answered in {waited:?}");
            let message = format!("{said}; its agent is not registered, so that its wait was refused");
            Finding::doubtful(check, message)
                .code("AGENT_NOT_REGISTERED")
                .next("let the agent call register_agent: `callboard prompt show ROLE` tells it to")
        }
        Ok(Trial { shook, tools, waited, known: true }) => {
            let wait = format!("a wait of {SECONDS} s came back after {waited:?}");
            Finding::good(check, format!("{way} shook hands in {shook:?}, shows {tools} tools, and {wait}"))
        }
        Err(Failure { exit, why, said }) => {
            Finding::wrong(check, exit, format!("a wait by {way} came to nothing: {why}")).said(said).next(next)
        }
    }
}

/// The client's handshake.
pub(super) fn hello(client: Client) -> Value {
    let about = json!({ "name": client.declared(), "version": "doctor" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

pub(super) fn ready() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

pub(super) fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })
}

pub(super) fn wait() -> Value {
    let params = json!({ "name": "wait_for_prompt", "arguments": { "timeout": SECONDS } });
    json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params })
}

/// How many tools an answer lists, among them the one that is waited by.
pub(super) fn listed(said: &Value) -> Result<usize, Failure> {
    let tools = said["result"]["tools"].as_array().ok_or_else(|| Failure::of("it lists no tools"))?;
    if !tools.iter().any(|tool| tool["name"] == "wait_for_prompt") {
        return Err(Failure::of("it lists no `wait_for_prompt`"));
    }
    Ok(tools.len())
}

/// Whether an answer is that of a wait; false of one that is refused because nobody registered the agent. The way to
/// the hub is as it is to be then, too.
pub(super) fn waited(said: &Value) -> Result<bool, Failure> {
    let fields = &said["result"]["structuredContent"];
    match (str_at(fields, "status"), str_at(fields, "code")) {
        (Some("IDLE" | "TASK" | "NOTICE" | "EVICTED"), _) => Ok(true),
        (_, Some("NOT_REGISTERED")) => Ok(false),
        (_, _) => {
            let why = str_at(fields, "message").or_else(|| str_at(&said["error"], "message"));
            Err(Failure::of(why.unwrap_or("it answers as no hub does")))
        }
    }
}
