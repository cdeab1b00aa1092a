//! The short way beside the library's: the same words for what is usual, and nothing else goes it.

use http::HeaderValue;

use super::*;

/// The same request with a header that says the same in other words: the library reads it.
pub(super) fn by_the_library(mut request: Request<Body>) -> Request<Body> {
    let accept = HeaderValue::from_static("application/json;q=1, text/event-stream");
    request.headers_mut().insert("accept", accept);
    request
}

fn kind(response: &Response<Body>) -> &str {
    response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn the_short_way_says_what_the_library_says() {
    let house = McpFixture::new().await;
    let dev = house.desk.agent("a1", "coding").await;
    let calls = [
        tool("list_agents", json!({})),
        tool("get_agent_status", json!({"agentId": "a1"})),
        tool("get_agent_status", json!({"agentId": 7})),
        tool("ack_task", json!({"taskId": "nonsense"})),
        tool("send_response", json!({"taskId": "nonsense", "status": "COMPLETED", "message": "\"Done\" \u{2028} \\"})),
        tool("wait_for_prompt", json!({"timeout": 1})),
        json!({"name": "list_agents"}),
    ];
    for call in calls {
        for caller in [&dev, &operator()] {
            let short = house.modern(caller, "tools/call", call.clone()).await;
            let long = house.asked(by_the_library(modern(caller, "tools/call", call.clone()))).await;
            // A wait leaves the library too, and is answered alike when the answer is there at once.
            let streams = call["name"] != "wait_for_prompt";
            assert!(!streams || kind(&long) == "text/event-stream", "{call}");
            assert_eq!(answer(short).await, answer(long).await, "{call}");
        }
    }
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_soon_there_is_one_text_of_known_length() {
    let house = McpFixture::new().await;
    let response = house.modern(&operator(), "tools/call", tool("list_agents", json!({}))).await;
    assert_eq!((response.status(), kind(&response)), (StatusCode::OK, "application/json"));
    assert!(http_body::Body::size_hint(response.body()).exact().is_some());
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_string_is_as_good_an_id_as_a_number() {
    let house = McpFixture::new().await;
    let request = |id: Value| {
        let mut body = ordinary();
        body["id"] = id;
        post(&operator(), MODERN, None, &body)
    };
    assert_eq!(answer(house.asked(request(json!("seven"))).await).await["id"], "seven");
    assert_eq!(answer(house.asked(request(json!(-7))).await).await["id"], -7);
    house.desk.ends().await;
}

fn ordinary() -> Value {
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "list_agents", "arguments": {}, "_meta": about});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

/// Requests that differ from the ordinary one in one thing, and what the library answers.
fn deviations() -> Vec<(&'static str, Request<Body>, u16)> {
    let with_body = |change: fn(&mut Value)| {
        let mut body = ordinary();
        change(&mut body);
        let mut request = post(&operator(), MODERN, None, &ordinary());
        *request.body_mut() = Body::from(body.to_string());
        request
    };
    let with_head = |name: &'static str, value: Option<&'static str>| {
        let mut request = post(&operator(), MODERN, None, &ordinary());
        request.headers_mut().remove(name);
        if let Some(value) = value {
            request.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        request
    };
    let doubled = |name: &'static str, value: &'static str| {
        let mut request = post(&operator(), MODERN, None, &ordinary());
        request.headers_mut().append(name, HeaderValue::from_static(value));
        request
    };
    let mut torn = post(&operator(), MODERN, None, &ordinary());
    *torn.body_mut() = Body::from("{\"jsonrpc\":");
    let reads = Request::get("/").header("host", "127.0.0.1").header("accept", "text/plain");
    vec![
        ("another tool in the body", with_body(|body| body["params"]["name"] = json!("list_tasks")), 400),
        ("another method in the body", with_body(|body| body["method"] = json!("tools/list")), 400),
        ("another JSON-RPC", with_body(|body| body["jsonrpc"] = json!("1.0")), 400),
        ("no id", with_body(|body| drop(body.as_object_mut().expect("an object").remove("id"))), 202),
        ("no word of the client's abilities", with_body(|body| body["params"]["_meta"] = version(MODERN)), 400),
        ("another version in the body", with_body(|body| body["params"]["_meta"] = version("2025-11-25")), 400),
        ("arguments that are no object", with_body(|body| body["params"]["arguments"] = json!([1])), 200),
        ("an answer to what was never asked", with_body(|body| body["params"]["requestState"] = json!("x")), 200),
        ("no body that is JSON", torn, 400),
        ("another tool in the head", with_head("mcp-name", Some("ack_task")), 400),
        ("no tool in the head", with_head("mcp-name", None), 400),
        ("a tool that is none", with_head("mcp-name", Some("no_such_tool")), 400),
        ("another method in the head", with_head("mcp-method", Some("tools/list")), 400),
        ("no version in the head", with_head("mcp-protocol-version", None), 400),
        ("only plain text accepted", with_head("accept", Some("text/plain")), 406),
        ("another kind of body", with_head("content-type", Some("text/plain")), 415),
        ("two methods", doubled("mcp-method", "tools/list"), 400),
        ("no way to write", reads.body(Body::empty()).expect("a request"), 406),
    ]
}

fn version(version: &str) -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": version})
}

#[tokio::test(start_paused = true)]
async fn what_deviates_in_anything_is_answered_by_the_library() {
    let house = McpFixture::new().await;
    let mut unexpected = Vec::new();
    for ((what, request, status), (_, again, _)) in deviations().into_iter().zip(deviations()) {
        let said = house.asked(request).await;
        let (head, body) = again.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let library = house.door.by_the_library(head, body).await;
        assert_eq!((said.status(), kind(&said)), (library.status(), kind(&library)), "{what}");
        if said.status().as_u16() != status {
            unexpected.push((what, said.status()));
        }
        let text = async |response: Response<Body>| response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(text(said).await, text(library).await, "{what}");
    }
    assert_eq!(unexpected, []);
    house.desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_the_library_read_goes_on_outside_of_it_too() {
    let house = McpFixture::new().await;
    let dev = house.desk.agent("a1", "coding").await;
    let wait = modern(&dev, "tools/call", tool("wait_for_prompt", json!({"timeout": 100})));
    let response = house.asked(by_the_library(wait)).await;
    assert_eq!(kind(&response), "text/event-stream");
    #[expect(clippy::disallowed_methods, reason = "a client of its own")]
    let reading = tokio::spawn(messages(response));
    house.until_somebody_waits().await;
    house.desk.call(&operator(), "assign_task", json!({"targetAgentId": "a1", "prompt": "Go."})).await.done();
    let messages = reading.await.expect("messages");
    assert_eq!(messages.last().expect("an answer")["result"]["structuredContent"]["prompt"], "Go.");
    house.desk.ends().await;
}
