//! Idle and large: each is refused by name, and never at the cost of another client.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::raw::{Stage, hears};

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
pub(super) fn is_closed(mut stream: TcpStream, what: &str) {
    stream.set_read_timeout(Some(HANG)).unwrap();
    match stream.read(&mut [0; 1024]) {
        Ok(0) => {}
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        other => panic!("{what} is not closed: {other:?}"),
    }
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
