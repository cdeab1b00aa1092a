//! Whom a hub calls: nobody. That its rooms have no way out is held by `tests/it/tidy/outward.rs`; here it is looked at
//! while it works, by what the kernel says of its sockets.

use std::collections::BTreeSet;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::json;

use super::raw::Stage;
use crate::support::pause;

/// SEC-33: whatever is done with a hub, it has no connection but those that came to it: no token that came in goes out,
/// and nobody hears of an address that somebody writes.
#[test]
fn a_hub_at_work_calls_nobody() {
    let stage = Stage::open();
    let (pid, port) = (stage.hub.pid(), stage.port());
    let named = TcpListener::bind("127.0.0.1:0").unwrap();
    named.set_nonblocking(true).unwrap();
    let address = format!("http://{}/pull/1", named.local_addr().unwrap());
    let (over, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let found = thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut found = BTreeSet::new();
            while !over.load(Ordering::Relaxed) {
                found.extend(sockets(pid, port));
                looks.fetch_add(1, Ordering::Relaxed);
            }
            found
        });
        a_round(&stage, &address);
        while looks.load(Ordering::Relaxed) < 10 {
            pause(1);
        }
        over.store(true, Ordering::Relaxed);
        looking.join().unwrap()
    });
    assert_eq!(found, BTreeSet::new(), "sockets of the hub that nobody opened to it");
    let heard = named.accept().map(|(_, from)| from);
    assert!(heard.is_err(), "somebody asked for {address}: {heard:?}");
}

#[test]
fn a_look_sees_a_call() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let called = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let own = format!(":{:04X} ", called.local_addr().unwrap().port());
    assert!(sockets(std::process::id(), port).iter().any(|line| line.contains(&own)));
}

/// Work is asked for, done, shown and judged, with an address wherever one may stand.
fn a_round(stage: &Stage, address: &str) {
    let worker = stage.agent("a1", "full-stack-engineer");
    let prompt = format!("look at {address}");
    let (status, made) = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": "a1", "prompt": prompt }));
    assert_eq!(status, 201, "{made}");
    let task = stage.uses(&worker, "wait_for_prompt", &json!({}))["taskId"].clone();
    assert_eq!(task, made["taskId"]);
    let asked = json!({ "prompt": address, "message": address, "options": ["yes", "no"], "wait_seconds": 1 });
    stage.uses(&worker, "request_input", &asked);
    let handed_in = stage.uses(&worker, "submit_for_review", &json!({ "pr_url": address, "message": address }));
    let path = format!("/api/v1/tasks/{}/request-changes", task.as_str().unwrap());
    let comments = json!({ "comments": [{ "text": address }] });
    let (_, judged) = stage.hub.post(&path, &comments);
    let artifacts = json!([{ "kind": "pr", "url": address }]);
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": address, "artifacts": artifacts });
    stage.uses(&worker, "wait_for_prompt", &json!({}));
    let done = stage.uses(&worker, "send_response", &done);
    assert_eq!(done["success"], true, "{done} after {handed_in} and {judged}");
}

/// The lines of the kernel's tables for sockets of a process, but for those at the port where it listens.
fn sockets(pid: u32, port: u16) -> Vec<String> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let open = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let numbers: BTreeSet<String> =
        open.filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())).collect();
    let tables = ["tcp", "tcp6", "udp", "udp6"].map(|kind| fs::read_to_string(format!("/proc/{pid}/net/{kind}")));
    let lines = tables.iter().flatten().flat_map(|table| table.lines().skip(1));
    let elsewhere = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let own = fields.get(1).and_then(|own| u16::from_str_radix(own.rsplit_once(':')?.1, 16).ok());
        fields.get(9).is_some_and(|number| numbers.contains(*number)) && own != Some(port)
    };
    lines.filter(elsewhere).map(str::to_owned).collect()
}
