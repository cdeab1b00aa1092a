//! Handshakes in numbers: who is nobody leaves nothing behind, and who is somebody a few sessions.

use std::thread;

use serde_json::json;

use super::raw::{RawResponse, Stage};

/// How many handshakes.
const MANY: usize = 500;

/// How many sessions a principal may have.
const LIVE: usize = 16;

/// The most by which refusals may make it grow, less than half a page for each: it was seen to grow by 32.
const NOTHING_KIB: u64 = 768;

/// The most by which sessions may that made room for others: it was seen to grow by 950.
const LITTLE_KIB: u64 = 4 * 1024;

const ENGINEER: &str = "full-stack-engineer";

fn posts(stage: &Stage, token: Option<&str>, session: Option<&str>, body: &str) -> RawResponse {
    let bearer = format!("Bearer {}", token.unwrap_or_default());
    let mut headers = vec![("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")];
    headers.extend(token.map(|_| ("Authorization", bearer.as_str())));
    headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
    headers.extend(session.map(|_| ("MCP-Protocol-Version", "2025-06-18")));
    stage.asks("POST", "/mcp", &headers, body)
}

fn hello() -> String {
    let client = json!({ "name": "tests", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

/// So many handshakes with this token, a few at a time; the sessions that they opened.
fn shakes(stage: &Stage, token: &str, many: usize) -> Vec<String> {
    let some = || {
        let opened = (0..many.div_ceil(4)).map(|_| {
            let said = posts(stage, Some(token), None, &hello());
            assert_eq!(said.status, 200, "{}", said.body);
            said.header("mcp-session-id").to_owned()
        });
        opened.collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let shaking: Vec<_> = (0..4).map(|_| scope.spawn(some)).collect();
        shaking.into_iter().flat_map(|shaken| shaken.join().unwrap()).collect()
    })
}

/// How many of these sessions are there still.
fn live(stage: &Stage, token: &str, sessions: &[String]) -> usize {
    let lists = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string();
    let answers = sessions.iter().map(|id| posts(stage, Some(token), Some(id), &lists).status);
    answers.filter(|status| *status == 200).count()
}

/// SEC-43: handshakes without a credential open nothing; with one, a principal has at most sixteen sessions.
#[test]
fn a_flood_of_handshakes_opens_a_few_sessions_and_costs_no_memory() {
    let stage = Stage::with("limits:\n  requestsPerSecond: 100000\n  burst: 100000\n");
    let (token, other) = (stage.agent("a1", ENGINEER), stage.agent("a2", ENGINEER));
    let (another, _) = stage.token(&json!({ "agent": "a1" }));
    let others = shakes(&stage, &other, 4);
    let refused = |many: usize| {
        for _ in 0..many {
            let said = posts(&stage, None, None, &hello());
            assert_eq!((said.status, said.header("mcp-session-id")), (401, ""), "{}", said.body);
        }
    };
    // What the first ones take, the hub takes once.
    refused(MANY / 5);
    let mut opened = shakes(&stage, &token, MANY / 5);
    let before = stage.memory_kib();
    refused(MANY);
    let of_nobody = stage.memory_kib();
    assert!(of_nobody < before + NOTHING_KIB, "the hub had {before} KiB and has {of_nobody}");
    opened.extend(shakes(&stage, &token, MANY));
    let of_somebody = stage.memory_kib();
    assert!(of_somebody < of_nobody + LITTLE_KIB, "the hub had {of_nobody} KiB and has {of_somebody}");
    opened.extend(shakes(&stage, &another, 20));
    assert_eq!(live(&stage, &token, &opened), LIVE, "by whichever of its tokens");
    assert_eq!(live(&stage, &other, &others), others.len(), "nobody else makes room for them");
}
