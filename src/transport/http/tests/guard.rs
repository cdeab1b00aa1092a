//! The guard: who is let in, who is not, and that it says the same to everybody whom it does not know.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http_body_util::BodyExt as _;
use rstest::rstest;
use serde_json::json;
use tokio::time::timeout;

use super::guarded_hub::{Answer, GuardedHub, in_pieces, request, with_header};
use crate::domain::node::{NodeState, NodeView};
use crate::domain::principal::Scope;
use crate::domain::time::Timestamp;

const EVERYWHERE: [&str; 8] =
    ["/mcp", "/mcp/", "/ws", "/api/v1/tasks", "/api/v1/no-such", "/admin/actors", "/metrics", "/room"];

#[tokio::test]
async fn nobody_comes_in_without_a_credential_except_to_ask_for_its_health() {
    let house = GuardedHub::new().await;
    for path in EVERYWHERE {
        let answer = house.asks(request("GET", path, None)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (401, "UNAUTHENTICATED"), "{path}");
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(house.asks(request("GET", path, None)).await.status, 200, "{path}");
    }
    house.ends().await;
}

#[tokio::test]
async fn a_hub_that_may_have_been_taken_from_answers_nobody() {
    let house = GuardedHub::new().await;
    let (good, _) = house.token_until("a", None);
    house.backstage.hub.ownership.is_unsure();
    for path in EVERYWHERE {
        let answer = house.asks(request("GET", path, Some(&good))).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (503, "NOT_OWNER"), "{path}");
        assert_eq!(answer.headers["retry-after"], "2", "{path}");
    }
    house.ends().await;
}

#[tokio::test]
async fn every_way_of_being_wrong_gets_one_and_the_same_answer() {
    let house = GuardedHub::new().await;
    let (good, _) = house.token_until("a", None);
    let (expired, _) = house.token_until("b", Some(Duration::ZERO));
    let (revoked, id) = house.token_until("c", None);
    house.tokens.revoke(&id).unwrap();
    let other = house.agent_token("d");
    let mistyped = good.replacen(&good[30..31], if &good[30..31] == "x" { "y" } else { "x" }, 1);
    let other_secret = format!("{}{}", &good[..18], &other[18..]);
    assert_eq!(house.asks(request("GET", "/room", Some(&good))).await.status, 200);
    let first = without_name(house.asks(request("GET", "/room", None)).await);
    let challenge = first.headers["www-authenticate"].to_str().unwrap();
    let told = first.body["error_description"].as_str().unwrap();
    let refused = "Bearer realm=\"callboard\", error=\"invalid_token\"";
    assert_eq!(challenge, format!("{refused}, error_description=\"{told}\""));
    for wrong in [&expired, &revoked, &mistyped, &other_secret, "", "nonsense"] {
        let answer = without_name(house.asks(request("GET", "/room", Some(wrong))).await);
        assert_eq!((answer.status, &answer.headers, &answer.body), (first.status, &first.headers, &first.body));
    }
    house.ends().await;
}

fn without_name(mut answer: Answer) -> Answer {
    let id = answer.headers.remove("x-request-id").unwrap();
    assert_eq!(answer.body["requestId"], id.to_str().unwrap(), "one name for a request");
    answer.body["requestId"] = json!("");
    answer
}

#[tokio::test]
async fn a_token_counts_in_its_header_alone() {
    let house = GuardedHub::new().await;
    let token = house.agent_token("a");
    for path in [format!("/mcp?access_token={token}"), format!("/api/v1/agents?token={token}")] {
        assert_eq!(house.asks(request("GET", &path, None)).await.status, 401);
    }
    let basic = request("GET", "/room", None);
    let (mut parts, body) = basic.into_parts();
    parts.headers.insert("authorization", format!("Basic {token}").parse().unwrap());
    assert_eq!(house.asks(axum::extract::Request::from_parts(parts, body)).await.status, 401);
    house.ends().await;
}

#[rstest]
#[case::of_a_resource("/.well-known/oauth-protected-resource/mcp")]
#[case::of_a_server("/.well-known/oauth-authorization-server")]
#[case::of_openid("/.well-known/openid-configuration")]
#[case::below_mcp("/mcp/.well-known/openid-configuration")]
#[case::registration("/register")]
#[case::page("/authorize")]
#[case::exchange("/token")]
#[tokio::test]
async fn who_looks_for_an_oauth_server_hears_how_to_get_a_token(#[case] path: &str) {
    let house = GuardedHub::new().await;
    let token = house.agent_token("a");
    for token in [None, Some(token.as_str()), Some("nonsense")] {
        let answer = house.asks(request("POST", path, token)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (404, "NO_OAUTH"));
        let told = answer.body["error_description"].as_str().unwrap();
        assert!(told.contains("callboard token create --agent ID"), "{told}");
        assert!(told.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')), "{told}");
    }
    let elsewhere = house.asks(with_header(request("GET", path, None), "origin", "http://evil.example")).await;
    assert_eq!(elsewhere.code(), "FORBIDDEN", "it is one guard");
    house.ends().await;
}

#[tokio::test]
async fn who_only_looks_does_not_drive_the_hub_by_mcp() {
    let house = GuardedHub::new().await;
    let view = house.token_of("eve", Scope::View);
    for path in ["/mcp", "/mcp/", "/mcp/anything"] {
        let answer = house.asks(request("POST", path, Some(&view))).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (403, "INSUFFICIENT_SCOPE"), "{path}");
        let challenge = "Bearer realm=\"callboard\", error=\"insufficient_scope\", scope=\"operate\"";
        assert_eq!(answer.headers["www-authenticate"], challenge);
        for may in [house.agent_token("a"), house.token_of("ann", Scope::Operate)] {
            assert_eq!(house.asks(request("POST", path, Some(&may))).await.status, 200, "{path}");
        }
    }
    house.ends().await;
}

#[rstest]
#[case::api("/api/v1/agents/a/evict", 65_536)]
#[case::texts("/api/v1/tasks", 10 * 65_536)]
#[case::answers("/api/v1/questions/q/answer", 10 * 65_536)]
#[case::comments("/api/v1/reviews/r/comments", 10 * 65_536)]
#[case::tools("/api/v1/tools/send_response", 8 * 1024 * 1024)]
#[case::output("/api/v1/sessions/s1/output", 8 * 1024 * 1024)]
#[case::mcp("/mcp", 8 * 1024 * 1024)]
#[tokio::test]
async fn a_body_is_held_to_its_size_whether_it_says_it_or_not(#[case] path: &str, #[case] limit: usize) {
    let house = GuardedHub::new().await;
    let token = house.agent_token("a");
    let piece = limit / 4;
    let fits = house.asks(in_pieces(request("POST", path, Some(&token)), 4, piece)).await;
    assert_eq!(fits.status, 200);
    for method in ["POST", "GET", "DELETE"] {
        // Only POST reads what came; the others are refused before or answer without a look.
        let answer = house.asks(in_pieces(request(method, path, Some(&token)), 5, piece)).await;
        assert!(method != "POST" || answer.code() == "BODY_TOO_LARGE", "{answer:?}");
    }
    let mut said = request("POST", path, Some(&token)).map(|_| Body::from("x"));
    said.headers_mut().insert("content-length", (limit + 1).into());
    let answer = house.asks(said).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (413, "BODY_TOO_LARGE"));
    assert_eq!(answer.body["details"]["limit"], limit);
    house.ends().await;
}

/// A verb takes the same over plain HTTP as over MCP, whatever `limits.mcpBody` says.
#[rstest]
#[case::mcp("/mcp")]
#[case::tools("/api/v1/tools/send_response")]
#[tokio::test]
async fn what_verbs_take_is_set_once(#[case] path: &str, #[values(65_536, 16 * 1024 * 1024)] limit: usize) {
    let house = GuardedHub::with(|settings| settings.hub.limits.mcp_body = limit).await;
    let token = house.agent_token("a");
    let fits = house.asks(in_pieces(request("POST", path, Some(&token)), 4, limit / 4)).await;
    let more = house.asks(in_pieces(request("POST", path, Some(&token)), 5, limit / 4)).await;
    assert_eq!((fits.status.as_u16(), more.code()), (200, "BODY_TOO_LARGE"));
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stalls_is_given_up() {
    let house = GuardedHub::new().await;
    let token = house.agent_token("a");
    for path in ["/api/v1/tasks", "/mcp"] {
        let stalls = Body::from_stream(stream::pending::<Result<Bytes, axum::Error>>());
        let answer = house.asks(request("POST", path, Some(&token)).map(|_| stalls)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (408, "TIMEOUT"), "{path}");
    }
    house.ends().await;
}

#[tokio::test]
async fn who_calls_too_often_hears_when_to_come_again_and_nobody_else_does() {
    let house = GuardedHub::with(|settings| {
        settings.hub.limits.requests_per_second = 1;
        settings.hub.limits.burst = 3;
    })
    .await;
    let (busy, calm) = (house.agent_token("busy"), house.agent_token("calm"));
    for _ in 0..3 {
        assert_eq!(house.asks(request("GET", "/room", Some(&busy))).await.status, 200);
    }
    let answer = house.asks(request("GET", "/room", Some(&busy))).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (429, "RATE_LIMITED"));
    assert_eq!(answer.headers["retry-after"], "1");
    let second_token = house.agent_token("busy");
    assert_eq!(house.asks(request("GET", "/room", Some(&second_token))).await.status, 429, "one limit for one agent");
    assert_eq!(house.asks(request("GET", "/room", Some(&calm))).await.status, 200);
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn revoking_a_token_ends_what_it_holds_open() {
    let house = GuardedHub::new().await;
    let (token, id) = house.token_until("a", None);
    let mut events = house.response(request("GET", "/events", Some(&token))).await.into_body();
    let waits = house.asks(request("GET", "/waits", Some(&token)));
    let revokes = async {
        house.sits.notified().await;
        house.tokens.revoke(&id).unwrap();
    };
    let both = async { tokio::join!(waits, revokes) };
    let (answer, ()) = timeout(Duration::from_secs(1), both).await.expect("the wait ends");
    assert_eq!((answer.status.as_u16(), answer.code()), (401, "UNAUTHENTICATED"));
    let next = timeout(Duration::from_secs(1), events.frame()).await;
    assert!(next.expect("the stream ends").is_none());
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_token_holds_open_ends_with_the_token() {
    let house = GuardedHub::new().await;
    let (token, _) = house.token_until("a", Some(Duration::from_secs(60)));
    let mut events = house.response(request("GET", "/events", Some(&token))).await.into_body();
    let waits = timeout(Duration::from_secs(61), house.asks(request("GET", "/waits", Some(&token))));
    let answer = waits.await.expect("the wait ends within a second");
    assert_eq!((answer.status.as_u16(), answer.code()), (401, "UNAUTHENTICATED"));
    let next = timeout(Duration::from_secs(1), events.frame()).await;
    assert!(next.expect("the stream ends").is_none());
    house.ends().await;
}

#[tokio::test]
async fn a_stream_asks_not_to_be_held_back_and_an_answer_of_known_length_needs_not() {
    let house = GuardedHub::new().await;
    let token = house.agent_token("a");
    let held = async |path| house.response(request("GET", path, Some(&token))).await.headers().clone();
    assert_eq!(held("/events").await["x-accel-buffering"], "no");
    assert!(!held("/room").await.contains_key("x-accel-buffering"));
    house.ends().await;
}

#[tokio::test]
async fn a_refusal_says_whether_the_connection_ends_with_it() {
    let house = GuardedHub::new().await;
    let token = house.agent_token("a");
    let closes =
        async |request| house.asks(request).await.headers.get("connection").is_some_and(|said| said == "close");
    let body = |request| in_pieces(request, 2, 1_000);
    assert!(!closes(request("POST", "/api/v1/tasks", None)).await, "there is nothing left to read");
    assert!(closes(body(request("POST", "/api/v1/tasks", None))).await, "whom nobody knows is cut off");
    assert!(closes(body(request("POST", "/register", None))).await);
    let meant = |request| with_header(request, "callboard-agent", "b");
    assert!(!closes(body(meant(request("POST", "/mcp", Some(&token))))).await, "whom we know may finish");
    let asks_first = with_header(meant(request("POST", "/mcp", Some(&token))), "expect", "100-continue");
    assert!(closes(body(asks_first)).await);
    assert!(!closes(body(request("POST", "/lacks", Some(&token)))).await, "nobody read it, and its sender may finish");
    let asks_first = with_header(request("POST", "/lacks", Some(&token)), "expect", "100-continue");
    assert!(closes(body(asks_first)).await);
    let large = in_pieces(request("POST", "/api/v1/tasks", Some(&token)), 12, 65_536);
    assert!(closes(large).await);
    house.ends().await;
}

#[tokio::test]
async fn every_answer_is_dressed() {
    let house = GuardedHub::new().await;
    let token = house.agent_token("a");
    for request in
        [request("GET", "/room", Some(&token)), request("GET", "/room", None), request("GET", "/healthz", None)]
    {
        let answer = house.asks(request).await;
        assert!(answer.headers.contains_key("x-request-id"));
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer");
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert!(answer.headers["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
        assert!(!answer.headers.contains_key("access-control-allow-origin"));
    }
    house.ends().await;
}

#[tokio::test]
async fn whoever_means_to_speak_as_another_agent_is_refused_at_every_door_before_anything_is_done() {
    let house = GuardedHub::new().await;
    let (own, person) = (house.agent_token("a1"), house.token_of("ann", Scope::Admin));
    for path in EVERYWHERE {
        for token in [&own, &person] {
            let answer = house.asks(with_header(request("GET", path, Some(token)), "callboard-agent", "a2")).await;
            assert_eq!((answer.status.as_u16(), answer.code()), (403, "IDENTITY_MISMATCH"), "{path}");
            let said = answer.body["error"].as_str().unwrap();
            assert!(said.contains("`a2`") && said.contains("belongs to"), "{said}");
        }
        let answer = house.asks(with_header(request("GET", path, Some(&own)), "callboard-agent", "a1")).await;
        assert_ne!(answer.code(), "IDENTITY_MISMATCH", "{path}");
    }
    house.ends().await;
}

#[tokio::test]
async fn a_hub_that_stands_by_names_its_owner_while_that_one_counts() {
    use tower::ServiceExt as _;

    let node = |name: &str, state, last_beat| NodeView {
        name: name.to_owned(),
        state,
        since: None,
        last_beat: Some(Timestamp(last_beat)),
        public_url: Some(format!("https://hub-{name}.example")),
        version: "1".to_owned(),
        config: None,
    };
    for (beaten, named) in [(60_000, json!("a")), (50_000, json!(null))] {
        let nodes = vec![node("a", NodeState::Owner, beaten), node("b", NodeState::Standby, 61_000)];
        let standby = crate::transport::http::standby(tokio::sync::watch::channel(nodes).1);
        let answer = standby.oneshot(request("GET", "/readyz", None)).await.unwrap();
        assert_eq!(answer.status(), 503);
        let body: serde_json::Value =
            serde_json::from_slice(&answer.into_body().collect().await.unwrap().to_bytes()).unwrap();
        assert_eq!((&body["code"], &body["details"]["owner"]), (&json!("NOT_OWNER"), &named), "{body}");
        assert_eq!(body["details"]["publicUrl"], "https://hub-a.example");
    }
}
