//! What is refused before a method is known: in JSON-RPC, with our code and what to do.

use super::*;

/// The status of an answer, its number, and its code.
async fn said(response: Response<Body>) -> (u16, i64, String) {
    let status = response.status().as_u16();
    assert_eq!(response.headers()["content-type"], "application/json");
    let body = answer(response).await;
    let error = &body["error"];
    assert!(error["message"].as_str().is_some_and(|said| !said.is_empty()), "{body}");
    assert!(error["data"]["prompt"].as_str().is_some_and(|advice| advice.ends_with('.')), "{body}");
    (status, error["code"].as_i64().expect("a number"), error["data"]["code"].as_str().expect("a code").to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_no_message_is_refused_as_that_in_json() {
    let house = McpFixture::new().await;
    let caller = house.desk.agent("a1", "coding").await;
    let send = async |body: &'static str, session: Option<&str>| {
        let request = post(&caller, LEGACY, session, &json!({})).map(|_| Body::from(body));
        said(house.asked(request).await).await
    };
    assert_eq!(send("{x", None).await, (400, -32700, "INVALID_JSON".to_owned()));
    assert_eq!(send("[]", None).await, (400, -32600, "INVALID_REQUEST".to_owned()));
    let advice = async |body: &'static str| {
        let request = post(&caller, LEGACY, None, &json!({})).map(|_| Body::from(body));
        answer(house.asked(request).await).await["error"]["data"]["prompt"].as_str().expect("words").to_owned()
    };
    assert!(advice(" [1]").await.contains("a list is not read"));
    let of_an_id = advice(r#"{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}"#).await;
    assert!(of_an_id.contains("`id` is a string or a whole number") && !of_an_id.contains("list"), "{of_an_id}");
    let listing = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
    assert_eq!(send(listing, Some("nobody-s")).await, (404, -32600, "SESSION_NOT_FOUND".to_owned()));
    let mut wants_text = post(&caller, LEGACY, None, &json!({}));
    wants_text.headers_mut().insert("accept", "text/plain".parse().expect("a value"));
    assert_eq!(said(house.asked(wants_text).await).await, (406, -32600, "INVALID_REQUEST".to_owned()));
    let mut is_text = post(&caller, LEGACY, None, &json!({}));
    is_text.headers_mut().insert("content-type", "text/plain".parse().expect("a value"));
    assert_eq!(said(house.asked(is_text).await).await, (415, -32600, "UNSUPPORTED_MEDIA_TYPE".to_owned()));
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_ended_is_gone_at_once_and_says_so() {
    let house = McpFixture::new().await;
    let caller = house.desk.agent("a1", "coding").await;
    let session = house.session(&caller).await;
    let end = || {
        let mut request = post(&caller, LEGACY, Some(&session), &json!({}));
        *request.method_mut() = http::Method::DELETE;
        request
    };
    assert_eq!(house.asked(end()).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(said(house.asked(end()).await).await, (404, -32600, "SESSION_NOT_FOUND".to_owned()));
    house.desk.ends().await;
}

/// The call of a program that said which task it means, and then another one.
const IN_TWO_MINDS: &str =
    r#""arguments": {"targetAgentId": "a1", "prompt": "look", "context": {"to": 1, "to": 2}, "prompt": "delete"}"#;

#[tokio::test(start_paused = true)]
async fn a_call_in_which_a_key_stands_twice_does_nothing_and_hears_which_key_in_every_era() {
    let house = McpFixture::new().await;
    let caller = house.desk.agent("a1", "coding").await;
    let session = house.session(&caller).await;
    let in_two_minds = |mut request: Request<Body>, arguments: &str| {
        let meta = format!(
            r#""_meta": {{"io.modelcontextprotocol/protocolVersion": "{MODERN}",
                "io.modelcontextprotocol/clientCapabilities": {{}}}}"#
        );
        let params = format!(r#"{{"name": "assign_task", {meta}, {arguments}}}"#);
        let body = format!(r#"{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}"#);
        *request.body_mut() = Body::from(body);
        request
    };
    let call = tool("assign_task", json!({}));
    let long = |request| in_two_minds(request, IN_TWO_MINDS);
    let asked = [
        long(modern(&caller, "tools/call", call.clone())),
        long(super::short::by_the_library(modern(&caller, "tools/call", call.clone()))),
        long(legacy(&caller, Some(&session), "tools/call", call.clone())),
        in_two_minds(modern(&caller, "tools/call", call.clone()), &IN_TWO_MINDS.replacen("prompt", "pro\\u006dpt", 1)),
    ];
    for request in asked {
        let response = house.asked(request).await;
        let status = response.status();
        let body = answer(response).await;
        assert_eq!((status, &body["id"]), (StatusCode::OK, &json!(7)), "{body}");
        let error = &body["error"];
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32602), &json!("INVALID_JSON")), "{body}");
        let said = error["message"].as_str().expect("words");
        assert!(said.contains("`to` stands twice"), "{said}");
    }
    let listed = answer(house.modern(&caller, "tools/call", tool("get_agent_status", json!({}))).await).await;
    assert_eq!(listed["result"]["structuredContent"]["queued"], 0, "{listed}");
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_key_that_stands_twice_in_what_a_call_says_of_itself_is_refused_on_every_way() {
    let house = McpFixture::new().await;
    let about = format!(
        r#"{{"io.modelcontextprotocol/protocolVersion": "{MODERN}", "io.modelcontextprotocol/clientCapabilities": {{}},
            "example.org/mark": {{"of": 1, "of": 2}}}}"#
    );
    let params = format!(r#"{{"name": "list_agents", "arguments": {{}}, "_meta": {about}}}"#);
    let body = format!(r#"{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}"#);
    let call = || modern(&operator(), "tools/call", tool("list_agents", json!({})));
    for mut request in [call(), super::short::by_the_library(call())] {
        *request.body_mut() = Body::from(body.clone());
        let body = answer(house.asked(request).await).await;
        assert_eq!(body["error"]["data"]["code"], "INVALID_JSON", "{body}");
    }
    house.desk.ends().await;
}
