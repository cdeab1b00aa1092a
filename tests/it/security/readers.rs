//! One who listens and never reads costs the hub nothing that grows, and nobody else anything.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::{Value, json};

use super::raw::Stage;
use crate::support::{TIMEOUT, plain_http};

/// How many events a reader may leave unread.
const BUFFER: usize = 64;

/// How many agents speak at once: fewer than a reader may leave unread.
const AGENTS: usize = 8;

/// How often each speaks: some 19 MiB in all, of which the kernel was seen to keep seven.
const ROUNDS: usize = 200;

/// The most by which the hub may grow: it was seen to grow by five MiB, and would by seventeen if it kept the rest.
const GROWTH_KIB: u64 = 10 * 1024;

/// SEC-45: a reader that never reads leaves memory as it is and the others undisturbed, and hears later what it missed.
#[test]
fn who_listens_and_never_reads_is_told_later_how_much_it_missed() {
    let settings = "limits:\n  requestsPerSecond: 100000\n  burst: 100000\n";
    let stage = Stage::with(&format!("{settings}  eventBuffer: {BUFFER}\n"));
    let tokens: Vec<String> = (0..AGENTS).map(|at| stage.agent(&format!("a{at}"), "designer")).collect();
    let (silent, told) = (listens(&stage), follows(listens(&stage)));
    says(&stage, &tokens);
    let mut last = hears(&told);
    let before = stage.memory_kib();
    for _ in 0..ROUNDS {
        says(&stage, &tokens);
        last = hears(&told);
    }
    let after = stage.memory_kib();
    assert!(after < before + GROWTH_KIB, "the hub had {before} KiB and has {after}");
    let late = follows(silent);
    let (mut at, mut gaps) = (None, 0);
    while at < Some(last) {
        let event = late.recv_timeout(TIMEOUT).expect("it hears what is left for it");
        if event["type"] == "gap" {
            at = at.map(|at: u64| at + event["missed"].as_u64().unwrap());
            gaps += 1;
            continue;
        }
        let seq = event["seq"].as_u64().unwrap();
        assert!(at.is_none_or(|at| at + 1 == seq), "after {at:?} comes {seq}");
        at = Some(seq);
    }
    assert!(gaps > 0, "everything lay somewhere, until it was read");
}

/// A stream of events, as far as it is read.
fn listens(stage: &Stage) -> TcpStream {
    let headers = "Accept: application/x-ndjson\r\n";
    let token = stage.hub.operator_token();
    stage.begins(&plain_http::request(stage.port(), "GET", "/api/v1/events", &token, headers, &Value::Null))
}

/// Each event of a stream as soon as it comes.
fn follows(stream: TcpStream) -> Receiver<Value> {
    let (tells, told) = mpsc::channel();
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    // Between the lines stand the sizes of chunks.
    let mut events = lines.filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(&line).unwrap());
    thread::spawn(move || events.try_for_each(|event: Value| tells.send(event)));
    told
}

/// Every agent says something long.
fn says(stage: &Stage, tokens: &[String]) {
    let long = "x".repeat(4_000);
    let words = json!({ "status": "working", "message": long, "details": { "phase": long, "progress": long } });
    thread::scope(|scope| {
        for token in tokens {
            let words = &words;
            scope.spawn(move || assert_eq!(stage.uses(token, "update_status", words)["success"], true));
        }
    });
}

/// Hears each of them, and nothing of a gap; the number of the last event.
fn hears(told: &Receiver<Value>) -> u64 {
    let mut last = 0;
    for _ in 0..AGENTS {
        last = loop {
            let event = told.recv_timeout(TIMEOUT).expect("who reads hears each of them");
            assert_ne!(event["type"], "gap", "{event}");
            if event["type"] == "session.workflow_status" {
                break event["seq"].as_u64().unwrap();
            }
        };
    }
    last
}
