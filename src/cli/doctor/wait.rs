//! A measured wait by the client's way: a probe of the hub's own (`dev.callboard/probe`), which disturbs no agent.

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

#[derive(Debug)]
pub(super) struct Trial {
    pub(super) shook: Duration,
    pub(super) tools: usize,
    pub(super) waited: Duration,
}

#[derive(Debug)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    pub(super) why: String,
    pub(super) said: Vec<String>,
}

impl Failure {
    pub(super) fn of(why: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, why: why.into(), said: Vec::new() }
    }
}

/// That nobody registered it, where its client's entry does not; or that work waits while it is away.
pub(super) async fn of_agent(hub: &HubClient, client: Client, agent: &str, has_role: bool) -> Option<Finding> {
    let check = format!("agent {agent}");
    let shown = hub.post(&["api", "v1", "tools", "get_agent_status"], &json!({ "agentId": agent })).await;
    match shown {
        Ok(known) => {
            let away = str_at(&known, "availability") == Some("offline") && known["queued"].as_u64() > Some(0);
            let next = format!("start {}", client.name());
            away.then(|| Finding::doubtful(check, "it is offline, and work waits for it").next(next))
        }
        Err(problem) if problem.exit() == Exit::NotFound && !has_role => {
            let finding = Finding::doubtful(check, "it is not registered: its first wait will be refused");
            let next = "let the agent call register_agent: `callboard prompt show ROLE` tells it to";
            Some(finding.code("AGENT_NOT_REGISTERED").next(next))
        }
        Err(problem) if problem.exit() == Exit::NotFound => None,
        Err(problem) => {
            let message = format!("the hub does not say how it is: {}", problem.told());
            Some(Finding::skipped(check, message).next("callboard doctor again"))
        }
    }
}

/// What is to be said of a trial by `way`; and `next`, of one that came to nothing.
pub(super) fn outcome(check: &str, way: &str, tried: Result<Trial, Failure>, next: String) -> Finding {
    match tried {
        Ok(Trial { shook, tools, waited }) => {
            let wait = format!("a wait of {SECONDS} s came back after {waited:?}");
            let said = format!("{way} shook hands in {shook:?}, shows {tools} tools, and {wait}");
            if waited >= Duration::from_secs(SECONDS) {
                return Finding::good(check, said);
            }
            let message = format!("{said}: something between the client and the hub answers in the hub's place");
            Finding::wrong(check, Exit::Failed, message)
                .code("WAIT_CUT")
                .next("look at what stands between them: docs/install.md, \"For a team\"")
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

pub(super) fn probe() -> Value {
    json!({ "jsonrpc": "2.0", "id": 3, "method": "dev.callboard/probe", "params": { "timeout": SECONDS } })
}

/// How many tools an answer lists, among them the one that is waited by.
pub(super) fn listed(said: &Value) -> Result<usize, Failure> {
    let tools = said["result"]["tools"].as_array().ok_or_else(|| refused(said))?;
    if !tools.iter().any(|tool| tool["name"] == "wait_for_prompt") {
        return Err(Failure::of("it lists no `wait_for_prompt`"));
    }
    Ok(tools.len())
}

/// Passes an answer of the hub to a handshake or a probe.
pub(super) fn answered(said: &Value) -> Result<(), Failure> {
    if said["result"].is_object() { Ok(()) } else { Err(refused(said)) }
}

fn refused(said: &Value) -> Failure {
    let why = str_at(&said["error"], "message").unwrap_or("it answers as no hub does");
    let exit = str_at(&said["error"]["data"], "code").map_or(Exit::Failed, Exit::of_code);
    Failure { exit, ..Failure::of(why) }
}
