//! Idle, slow, large and many: each is refused by name, and never at the cost of another client.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::raw::{Stage, hears, request};
use crate::support::pause;

/// The door's patience is ten seconds; only a hang takes three times as long.
const HANG: Duration = Duration::from_secs(30);

/// How many say nothing.
const IDLE: usize = 2_000;

/// SEC-40: two thousand connections that say nothing keep nobody out, and are closed; neither where there is room for
/// all of them nor where there is for a tenth.
#[test]
fn who_says_nothing_keeps_nobody_out_and_is_closed() {
    let files = rlimit::increase_nofile_limit(8_192).unwrap();
    assert!(files > 3_000, "this test needs as many open files, and may have {files}");
    for stage in [Stage::open(), Stage::with("limits:\n  connections: 200\n")] {
        let mut idle: Vec<_> = (0..IDLE).map(|_| TcpStream::connect(("127.0.0.1", stage.port())).unwrap()).collect();
        assert_eq!(stage.hub.get("/api/v1/tasks").0, 200);
        for stream in [0, IDLE / 2, IDLE - 1].map(|at| idle.swap_remove(at.min(IDLE - 3))) {
            is_closed(stream, "a connection without a byte");
        }
    }
}

/// Returns once the hub has closed it.
fn is_closed(mut stream: TcpStream, what: &str) {
    stream.set_read_timeout(Some(HANG)).unwrap();
    match stream.read(&mut [0; 1024]) {
        Ok(0) => {}
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        other => panic!("{what} is not closed: {other:?}"),
    }
}

/// SEC-41: headers that dribble and bodies that stall are given up.
#[test]
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn who_dribbles_or_stalls_is_given_up() {
    let stage = Stage::open();
    let host = format!("127.0.0.1:{}", stage.port());
    let bearer = format!("Bearer {}", stage.hub.operator_token());
    let mut dribbles = stage.begins(&format!("GET /api/v1/tasks HTTP/1.1\r\nHost: {host}\r\nX-Slow: "));
    let head = [("Host", host.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
    let whole = request("POST", "/api/v1/tasks", &head, &"x".repeat(100));
    let mut stalls = stage.begins(&whole[..whole.len() - 50]);
    let began = Instant::now();
    // A byte now and then does not make it younger: it is counted from the first one.
    while dribbles.write_all(b"x").is_ok() {
        assert!(began.elapsed() < HANG, "it may dribble for ever");
        pause(500);
    }
    let said = hears(&mut stalls);
    assert_eq!((said.status, said.code().as_str()), (408, "TIMEOUT"), "{}", said.body);
    assert_eq!(stage.hub.get("/api/v1/tasks").0, 200);
}

/// SEC-42: a body beyond its limit is refused whether it says so or not, and none is decompressed.
#[test]
fn bodies_beyond_their_limit_and_compressed_ones_are_refused() {
    let stage = Stage::with("limits:\n  mcpBody: 1048576\n");
    let bearer = format!("Bearer {}", stage.hub.operator_token());
    let host = format!("127.0.0.1:{}", stage.port());
    let limits = [
        ("/mcp", 1_048_576),
        ("/api/v1/questions/x/answer", 65_536),
        // Three texts of 64 KiB, each of them in escapes.
        ("/api/v1/tasks", 65_536 + 9 * 65_536),
        ("/api/v1/sessions/x/output", 8_388_608),
    ];
    for (path, limit) in limits {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let said = stage.asks("POST", path, &headers, &"x".repeat(limit + (4 << 20)));
        assert_eq!((said.status, said.code().as_str()), (413, "BODY_TOO_LARGE"), "{path}: {}", said.body);
        let mut chunked = stage.begins(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        ));
        let piece = format!("10000\r\n{}\r\n", "x".repeat(65_536));
        // Far more than the kernel keeps: all of it can be written, and then the answer is read.
        for _ in 0..=limit / 65_536 + 128 {
            chunked.write_all(piece.as_bytes()).unwrap();
        }
        chunked.write_all(b"0\r\n\r\n").unwrap();
        let said = hears(&mut chunked);
        assert_eq!((said.status, said.code().as_str()), (413, "BODY_TOO_LARGE"), "{path}: {}", said.body);
        for coding in ["gzip", "br", "deflate, gzip"] {
            let zipped = [headers[0], headers[1], ("Content-Encoding", coding)];
            let said = stage.asks("POST", path, &zipped, "{}");
            assert_eq!((said.status, said.code().as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"), "{path} {coding}");
        }
    }
    assert_eq!(stage.hub.get("/api/v1/tasks").0, 200);
}

#[test]
fn a_text_of_the_longest_kind_fits_the_body_that_brings_it_however_it_is_written() {
    let stage = Stage::open();
    let bearer = format!("Bearer {}", stage.hub.operator_token());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let asks = |prompt: &str| {
        let body = format!(r#"{{"targetAgentId": "any", "prompt": "{prompt}"}}"#);
        stage.asks("POST", "/api/v1/tasks", &headers, &body)
    };
    for (character, bytes) in [("x", 1), ("é", 2), ("\\u00e9", 2), ("\\u20ac", 3), ("\\n", 1)] {
        let text = format!("x{}x", character.repeat((64 * 1024 - 2) / bytes));
        let said = asks(&text);
        assert_eq!(said.status, 201, "{character}: {}", said.body);
        let said = asks(&format!("{text}{}", character.repeat(3)));
        assert_eq!((said.status, said.code().as_str()), (413, "TEXT_TOO_LONG"), "{character}: {}", said.body);
    }
}

/// SEC-43: handshakes without a credential open nothing; with one, a principal has at most sixteen sessions.
#[test]
fn a_flood_of_handshakes_opens_a_few_sessions() {
    let stage = Stage::with("limits:\n  requestsPerSecond: 10000\n  burst: 10000\n");
    let bearer = format!("Bearer {}", stage.agent("a1", "full-stack-engineer"));
    let client = json!({ "name": "tests", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string();
    let kind = [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")];
    for _ in 0..200 {
        assert_eq!(stage.asks("POST", "/mcp", &kind, &hello).status, 401);
    }
    let with = |more: &[(&'static str, &str)], body: &str| {
        let mut headers = vec![kind[0], kind[1], ("Authorization", bearer.as_str())];
        headers.extend(more);
        stage.asks("POST", "/mcp", &headers, body)
    };
    let sessions: Vec<_> = (0..40).map(|_| with(&[], &hello).header("mcp-session-id").to_owned()).collect();
    let lists = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string();
    let live = sessions.iter().filter(|id| {
        let of = [("Mcp-Session-Id", id.as_str()), ("MCP-Protocol-Version", "2025-06-18")];
        with(&of, &lists).status == 200
    });
    assert_eq!(live.count(), 16);
}

/// SEC-44: who calls too often hears when to come again, and nobody else does.
#[test]
fn a_flood_of_one_principal_is_its_own_affair() {
    let stage = Stage::with("limits:\n  requestsPerSecond: 5\n  burst: 5\n");
    // Two names for the operator's own requests: its bucket is as small as any.
    let (busy, calm) = (stage.token(&json!({ "agent": "a1" })).0, stage.token(&json!({ "agent": "a2" })).0);
    let asks = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        stage.asks("POST", "/api/v1/tools/list_agents", &headers, "{}")
    };
    // The bucket fills while it is emptied: the awaited event is the refusal.
    let refused = (0..10_000).map(|_| asks(&busy)).find(|said| said.status == 429).expect("a flood is refused");
    assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("RATE_LIMITED", "1"));
    for _ in 0..4 {
        assert_ne!(asks(&calm).status, 429);
    }
    assert_eq!(stage.until_audited("RATE_LIMITED")[0]["who"], "agent:a1");
}

/// SEC-46: a full queue is said by name, and loses nothing that was accepted.
#[test]
fn a_full_queue_is_said_by_name() {
    let stage = Stage::with("limits:\n  queuePerAgent: 3\n  queueTotal: 5\n");
    let assigns = |target: &str| {
        let (status, said) = stage.hub.post("/api/v1/tasks", &json!({ "targetAgentId": target, "prompt": "work" }));
        (status, said["code"].as_str().unwrap_or_default().to_owned())
    };
    stage.agent("a1", "full-stack-engineer");
    stage.agent("a2", "full-stack-engineer");
    let full = (429, "QUEUE_FULL".to_owned());
    let accepted: Vec<_> = (0..3).map(|_| assigns("a1")).collect();
    assert!(accepted.iter().all(|(status, _)| *status == 201), "{accepted:?}");
    assert_eq!(assigns("a1"), full, "for one agent");
    assert_eq!((assigns("a2").0, assigns("a2").0), (201, 201));
    assert_eq!(assigns("a2"), full, "in all");
    let queued = stage.hub.get("/api/v1/tasks?state=QUEUED").1;
    assert_eq!(queued["items"].as_array().map(Vec::len), Some(5));
    assert_ne!(queued["items"][0]["taskId"], Value::Null);
}
