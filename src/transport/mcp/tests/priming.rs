//! The empty event that begins a stream, byte by byte, for each revision of the protocol that has sessions.

use rstest::rstest;

use super::*;

/// What is sent until the first message with content is whole, and that message.
async fn begins(response: Response<Body>) -> String {
    let mut body = response.into_body();
    let mut text = String::new();
    while !text.lines().any(|line| line.starts_with("data: {")) {
        let Some(frame) = body.frame().await else { break };
        text.push_str(std::str::from_utf8(&frame.expect("a frame").into_data().expect("data")).expect("text"));
    }
    text
}

fn has_an_empty_event(text: &str) -> bool {
    text.lines().any(|line| line.strip_prefix("data:").is_some_and(|data| data.trim().is_empty()))
}

#[rstest]
#[case("2024-11-05", false)]
#[case("2025-03-26", false)]
#[case("2025-06-18", false)]
#[case("2025-11-25", true)]
#[tokio::test(start_paused = true)]
async fn an_empty_event_begins_a_stream_only_for_who_can_read_it(#[case] version: &str, #[case] primed: bool) {
    let house = McpFixture::new().await;
    let caller = operator();
    let client = json!({"name": "gemini-cli-mcp-client", "version": "0.61.0"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    // Clients before 2025-06-18 send no header with the version.
    let says = |session: Option<&str>, body: &Value| {
        let mut request = post(&caller, version, session, body);
        if version < "2025-06-18" {
            request.headers_mut().remove("mcp-protocol-version");
        }
        request
    };
    let response = house.asked(says(None, &hello)).await;
    let session = response.headers()["mcp-session-id"].to_str().expect("text").to_owned();
    let welcome = begins(response).await;
    assert!(welcome.contains(&format!("\"protocolVersion\":\"{version}\"")), "{welcome}");
    assert_eq!(has_an_empty_event(&welcome), primed, "{welcome}");
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(house.asked(says(Some(&session), &ready)).await.status(), StatusCode::ACCEPTED);
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
    let listed = begins(house.asked(says(Some(&session), &list)).await).await;
    assert!(listed.contains("wait_for_prompt"), "{listed}");
    assert_eq!(has_an_empty_event(&listed), primed, "{}", &listed[..200]);

    let mut listens = says(Some(&session), &Value::Null);
    *listens.method_mut() = http::Method::GET;
    *listens.body_mut() = Body::empty();
    let response = house.asked(listens).await;
    assert_eq!(response.status(), StatusCode::OK);
    let mut body = response.into_body();
    let first = tokio::time::timeout(Duration::from_secs(2), body.frame()).await.ok().flatten();
    let first = first.map(|frame| frame.expect("a frame").into_data().expect("data"));
    let first = first.map(|data| String::from_utf8(data.to_vec()).expect("text")).unwrap_or_default();
    assert_eq!(has_an_empty_event(&first), primed, "{first}");
    house.desk.ends().await;
}
