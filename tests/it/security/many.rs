//! Many: a flood of one principal and a queue without room are said by name, and are nobody else's affair.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::json;

use super::raw::Stage;
use crate::support::{pause, plain_http};

/// How often the calm one asks while another floods: fewer than a bucket holds.
const CALM: usize = 8;

/// SEC-44: who calls too often hears when to come again, and nobody else does while that goes on.
#[test]
fn a_flood_of_one_principal_is_its_own_affair() {
    let stage = Stage::with("limits:\n  requestsPerSecond: 5\n  burst: 10\n");
    // Two names for the operator's own requests: its bucket is as small as any.
    let (busy, calm) = (stage.agent("a1", "designer"), stage.agent("a2", "designer"));
    let (another, _) = stage.token(&json!({ "agent": "a1" }));
    let asks = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        stage.asks("POST", "/api/v1/tools/list_agents", &headers, "{}")
    };
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "list_agents", "arguments": {}, "_meta": meta });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let asks_by_mcp = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Mcp-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "list_agents"),
        ];
        stage.asks("POST", "/mcp", &headers, &call)
    };
    let (refused, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    // One bucket for all that is of one principal, by whichever of its tokens and doors. What is no right refusal ends
    // it.
    let floods = &|token: &str, mcp: bool| {
        while !over.load(Ordering::Relaxed) {
            let said = if mcp { asks_by_mcp(token) } else { asks(token) };
            if said.status == 429 && said.code() == "RATE_LIMITED" && said.header("retry-after") == "1" {
                refused.fetch_add(1, Ordering::Relaxed);
            } else if said.status != 200 {
                over.store(true, Ordering::Relaxed);
                return Some(said);
            }
        }
        None
    };
    thread::scope(|scope| {
        let flooding = [(&busy, false), (&another, false), (&another, true)];
        let flooding = flooding.map(|(token, mcp)| scope.spawn(move || floods(token, mcp)));
        let mut calls = Vec::new();
        // Before each call of the calm one lie so many refusals: the flood goes on all the while.
        while calls.len() < CALM && !over.load(Ordering::Relaxed) {
            if refused.load(Ordering::Relaxed) < 20 * (calls.len() + 1) {
                pause(1);
            } else {
                calls.push(asks(&calm).status);
            }
        }
        over.store(true, Ordering::Relaxed);
        let wrong: Vec<_> = flooding.into_iter().filter_map(|flood| flood.join().unwrap()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(calls, [200; CALM]);
    });
    let lines = stage.until_audited("RATE_LIMITED");
    assert!(lines.iter().all(|line| line["who"] == "agent:a1"), "{lines:?}");
    // The bucket fills while it is emptied: the awaited event is the refusal. A second was said, and is enough.
    (0..10_000).map(|_| asks(&busy)).find(|said| said.status == 429).expect("a flood is refused");
    pause(1_000);
    assert_eq!(asks_by_mcp(&another).status, 200, "who comes again when it was told is let in");
    (0..10_000).map(|_| asks_by_mcp(&busy)).find(|said| said.status == 429).expect("a flood is refused at each door");
}

/// SEC-46: a full queue is said by name, and loses nothing that was accepted.
#[test]
fn a_full_queue_is_said_by_name() {
    let stage = Stage::with("limits:\n  queuePerAgent: 3\n  queueTotal: 5\n");
    let assigns = |target: &str| {
        let (status, said) = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": target, "prompt": "work" }));
        (status, said["code"].as_str().unwrap_or_default().to_owned(), said["taskId"].as_str().map(str::to_owned))
    };
    let accepted = |target: &str| {
        let (status, code, task) = assigns(target);
        assert_eq!((status, code.as_str()), (201, ""));
        task.unwrap()
    };
    let queued = || -> BTreeSet<String> {
        let listed = stage.hub.get("/api/v1/tasks?state=QUEUED").1;
        listed["items"].as_array().unwrap().iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
    };
    let first = stage.agent("a1", "full-stack-engineer");
    stage.agent("a2", "full-stack-engineer");
    let orchestrator = stage.agent("o1", "orchestrator");
    let full = (429, "QUEUE_FULL".to_owned(), None);
    let mut kept: BTreeSet<String> = (0..3).map(|_| accepted("a1")).collect();
    assert_eq!(assigns("a1"), full, "for one agent");
    kept.extend((0..2).map(|_| accepted("a2")));
    assert_eq!(assigns("a2"), full, "in all");
    let wanted = json!({ "targetAgentId": "a1", "prompt": "work" });
    let (status, said) = plain_http::call_by_mcp(stage.port(), &orchestrator, "assign_task", &wanted).unwrap();
    assert_eq!((status, &said["success"], &said["code"]), (200, &json!(false), &json!("QUEUE_FULL")), "{said}");
    assert_eq!(queued(), kept, "what was accepted, and nothing else");
    // Each that is handed out makes room for one.
    let offered = stage.uses(&first, "wait_for_prompt", &json!({}))["taskId"].as_str().unwrap().to_owned();
    assert!(kept.remove(&offered), "{offered}");
    kept.insert(accepted("a1"));
    assert_eq!((assigns("a1"), assigns("a2")), (full.clone(), full));
    assert_eq!(queued(), kept);
}
