//! Who becomes a socket, and what a socket may carry.

use std::time::Duration;

use futures_util::SinkExt as _;
use http::{Request, StatusCode};
use rstest::rstest;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use super::client::{Era, Hall, upgrade, with};
use crate::domain::principal::Scope;

#[rstest]
#[case::ours(|request| with(request, "origin", "http://127.0.0.1:7420"), None)]
#[case::foreign_page(|request| with(request, "origin", "http://evil.example"), Some(StatusCode::FORBIDDEN))]
#[case::other_port(|request| with(request, "origin", "http://127.0.0.1:5173"), Some(StatusCode::FORBIDDEN))]
#[case::rebound(|request| with(request, "host", "evil.example"), Some(StatusCode::FORBIDDEN))]
#[case::cross_site(|request| with(request, "sec-fetch-site", "cross-site"), Some(StatusCode::FORBIDDEN))]
#[case::nobody(|request| with(request, "authorization", "none"), Some(StatusCode::UNAUTHORIZED))]
#[case::other_protocol(|request| with(request, "sec-websocket-protocol", "soap"), Some(StatusCode::BAD_REQUEST))]
#[case::old_protocol(|request| with(request, "sec-websocket-version", "8"), Some(StatusCode::BAD_REQUEST))]
#[tokio::test(start_paused = true)]
async fn the_guard_stands_before_every_socket(
    #[case] change: fn(Request<()>) -> Request<()>,
    #[case] refused: Option<StatusCode>,
) {
    let hall = Hall::new().await;
    let request = change(upgrade(Some(&hall.house.agent_token("a1"))));
    assert_eq!(hall.tries(request).await.map(drop).err(), refused);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_socket_needs_its_subprotocol_and_a_fitting_scope() {
    let hall = Hall::new().await;
    let mut silent = upgrade(Some(&hall.house.agent_token("a1")));
    silent.headers_mut().remove("sec-websocket-protocol");
    assert_eq!(hall.tries(silent).await.map(drop).err(), Some(StatusCode::BAD_REQUEST));
    let viewer = upgrade(Some(&hall.house.token_of("viewer", Scope::View)));
    assert_eq!(hall.tries(viewer).await.map(drop).err(), Some(StatusCode::FORBIDDEN));
    let operator = hall.house.token_of("ops", Scope::Operate);
    let mut client = hall.opens(&operator).await;
    assert_eq!(client.calls(Era::Modern, "list_agents", json!({})).await["success"], true);
    let plain = hall.house.orders("GET", "/ws", &operator, json!(null)).await;
    assert_eq!((plain.status, plain.code()), (StatusCode::BAD_REQUEST, "INVALID_REQUEST"));
    let nowhere = hall.house.orders("GET", "/ws/nowhere", &operator, json!(null)).await;
    assert_eq!((nowhere.status, nowhere.code()), (StatusCode::NOT_FOUND, "NOT_FOUND"));
    hall.ends().await;
}

#[rstest]
#[case::binary(Message::Binary(Bytes::from_static(b"{}")), 1003)]
#[case::large(Message::text("x".repeat(3_000)), 1009)]
#[tokio::test(start_paused = true)]
async fn what_a_socket_does_not_carry_ends_it_with_its_code(#[case] message: Message, #[case] code: u16) {
    let hall = Hall::with(64, |settings| settings.hub.limits.mcp_body = 2_048).await;
    let mut client = hall.opens(&hall.house.agent_token("a1")).await;
    client.ws.send(message).await.expect("sent");
    assert_eq!(client.is_closed_by().await, Some(code));
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_socket_keeps_its_place_among_the_connections() {
    let hall = Hall::with(1, |_| {}).await;
    let token = hall.house.agent_token("a1");
    let client = hall.opens(&token).await;
    let mut next = hall.dials.dial();
    // It may be turned away before it has said anything.
    let _ = next.write_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:7420\r\n\r\n").await;
    assert_eq!(next.read(&mut [0]).await.expect("an end"), 0, "nobody else has a place");
    drop(client);
    sleep(Duration::from_secs(1)).await;
    drop(hall.opens(&token).await);
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_revoked_ends_its_sockets_at_once() {
    let hall = Hall::new().await;
    let (token, id) = hall.house.token_until("a1", None);
    let mut client = hall.opens(&token).await;
    client.calls(Era::Modern, "register_agent", json!({"agentId": "a1", "role": "coding"})).await;
    client.begins(Era::Modern, "wait_for_prompt", json!({"timeout": 60})).await;
    hall.until_it_is("a1", "waiting").await;
    let begun = Instant::now();
    hall.house.tokens.revoke(&id).expect("it is revoked");
    assert_eq!(client.is_closed_by().await, Some(4401));
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert!(hall.while_it_is("a1", "waiting").await < Duration::from_secs(1));
    hall.ends().await;
}

#[tokio::test(start_paused = true)]
async fn messages_are_counted_as_requests_are() {
    let hall = Hall::with(64, |settings| {
        settings.hub.limits.requests_per_second = 1;
        settings.hub.limits.burst = 3;
    })
    .await;
    let mut client = hall.opens(&hall.house.agent_token("a1")).await;
    let mut codes = Vec::new();
    for _ in 0..4 {
        client.asks(Era::Modern, "tools/list", json!({})).await;
        codes.push(client.hears().await["error"]["data"]["code"].as_str().unwrap_or("fine").to_owned());
    }
    assert_eq!(codes, ["fine", "fine", "RATE_LIMITED", "RATE_LIMITED"]);
    hall.ends().await;
}
