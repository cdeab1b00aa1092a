//! Slow on purpose: whoever dribbles or stalls is given up, and others go on.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::pressure::is_closed;
use super::raw::{Stage, hears, request};
use crate::support::pause;

/// The door's patience is ten seconds; a busy machine may take some more, and only a hang twice as long.
const HANG: Duration = Duration::from_secs(20);

/// SEC-41: headers that dribble and bodies that stall are given up.
#[test]
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn who_dribbles_or_stalls_is_given_up() {
    let stage = Stage::open();
    let host = format!("127.0.0.1:{}", stage.port());
    let bearer = format!("Bearer {}", stage.hub.operator_token());
    let dribbled = format!("GET /api/v1/tasks HTTP/1.1\r\nHost: {host}\r\nX-Slow: ");
    let known = format!("GET /api/v1/tasks HTTP/1.1\r\nHost: {host}\r\nAuthorization: {bearer}\r\nX-Slow: ");
    let began = Instant::now();
    let mut dribbles = [stage.begins(&dribbled), stage.begins(&known), stage.begins("G")];
    let stalls = ["/api/v1/tasks", "/api/v1/tools/list_agents", "/mcp"].map(|path| {
        let accept = ("Accept", "application/json, text/event-stream");
        let head = [("Host", host.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json"), accept];
        let whole = request("POST", path, &head, &"x".repeat(100));
        let pieces = whole.replace("Content-Length: 100", "Transfer-Encoding: chunked");
        let pieces = pieces.replace(&"x".repeat(100), "5\r\n[1, 2\r\n");
        [(path, stage.begins(&whole[..whole.len() - 50])), (path, stage.begins(&pieces))]
    });
    // A byte now and then does not make it younger: it is counted from the first one.
    while dribbles.iter_mut().filter_map(|dribble| dribble.write_all(b"x").ok()).count() > 0 {
        assert!(began.elapsed() < HANG, "it may dribble for ever");
        pause(500);
    }
    for dribble in dribbles {
        is_closed(dribble, "a connection that dribbles");
    }
    for (path, mut stalled) in stalls.into_iter().flatten() {
        let said = hears(&mut stalled);
        assert_eq!((said.status, said.code().as_str()), (408, "TIMEOUT"), "{path}: {}", said.body);
        assert!(began.elapsed() < HANG, "{path}: after {:?}", began.elapsed());
    }
    assert_eq!(stage.hub.get("/api/v1/tasks").0, 200);
}
