//! Tokens that are wrong in every way there is: from outside they are alike, to the byte.

use serde_json::json;

use super::raw::{RawResponse, Stage};
use crate::support::plain_http;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Where a token's secret begins, behind kind and public id.
const SECRET: usize = 18;

/// Where its checksum begins.
const CHECK: usize = 61;

/// With the checksum that goes with the rest of it.
fn checked(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut check = [0; 6];
    for place in check.iter_mut().rev() {
        *place = ALPHABET[usize::try_from(rest % 62).unwrap()];
        rest /= 62;
    }
    format!("{body}{}", String::from_utf8_lossy(&check))
}

/// The same with another character there.
fn with_another(token: &str, at: usize) -> String {
    let other = if &token[at..=at] == "x" { "y" } else { "x" };
    format!("{}{other}{}", &token[..at], &token[at + 1..])
}

/// What is the same in every refusal: all but the moment and the request's own name.
fn likeness(said: &RawResponse) -> (String, String) {
    let request = said.json()["requestId"].as_str().unwrap_or_else(|| panic!("{}", said.body)).to_owned();
    let head: Vec<_> = said.head.lines().filter(|line| !line.starts_with("date: ")).collect();
    (head.join("\n").replace(&request, "ID"), said.body.replace(&request, "ID"))
}

/// SEC-06: a token that is mistyped, unknown, of another secret, expired or revoked gets one and the same answer.
#[test]
fn every_way_of_being_wrong_looks_the_same() {
    let stage = Stage::open();
    let view = json!({ "scope": "view", "name": "ann" });
    let asks = |path: &str, header: &str| {
        let headers = [("Authorization", header), ("Accept", "application/json, text/event-stream")];
        stage.asks("GET", path, &headers, "")
    };
    let good = |token: &str| asks("/api/v1/tasks", &format!("Bearer {token}")).status == 200;
    let ((own, _), (other, _), (revoked, gone)) = (stage.token(&view), stage.token(&view), stage.token(&view));
    let (expired, _) = stage.token(&json!({ "scope": "view", "name": "ann", "expires": "1ms" }));
    let (rotated, turned) = stage.token(&view);
    for token in [&own, &other, &revoked, &rotated] {
        assert!(good(token) && checked(&token[..CHECK]) == *token, "the checksum is made as the hub makes it");
    }
    let path = format!("/api/v1/tokens/{gone}");
    assert_eq!(
        plain_http::send(stage.port(), "DELETE", &path, &stage.hub.operator_token(), &json!(null)).unwrap().0,
        204
    );
    assert_eq!(stage.hub.post(&format!("/api/v1/tokens/{turned}/rotate"), &json!({ "overlap": "0s" })).0, 200);
    while good(&expired) {}
    let wrong = [
        ("mistyped in its secret", with_another(&own, SECRET)),
        ("mistyped in its checksum", with_another(&own, CHECK)),
        ("unknown", checked(&format!("cb_u_{}_{}", "0".repeat(12), &own[SECRET..CHECK]))),
        ("of one wrong character in its secret", checked(&with_another(&own[..CHECK], SECRET))),
        ("of another's secret", checked(&format!("{}{}", &own[..SECRET], &other[SECRET..CHECK]))),
        ("of another kind", checked(&own[..CHECK].replacen("cb_u_", "cb_s_", 1))),
        ("expired", expired),
        ("revoked", revoked),
        ("rotated away", rotated),
        ("cut off", "cb_u_000000000000".to_owned()),
        ("no token", "nonsense".to_owned()),
        ("nothing", String::new()),
    ];
    for path in ["/api/v1/tasks", "/mcp", "/ws", "/metrics", "/nowhere"] {
        let first = likeness(&asks(path, ""));
        assert!(first.0.starts_with("http/1.1 401 "), "{path}: {first:?}");
        for (what, token) in &wrong {
            assert_eq!(likeness(&asks(path, &format!("Bearer {token}"))), first, "{path}, {what}");
        }
        assert_eq!(likeness(&asks(path, &format!("Basic {own}"))), first, "{path}, by another scheme");
    }
    assert!(good(&own), "and no number of wrong ones ends a right one");
}
