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
    let house = House::new().await;
    let caller = house.desk.agent("a1", "coding").await;
    let send = async |body: &'static str, session: Option<&str>| {
        let request = post(&caller, LEGACY, session, &json!({})).map(|_| Body::from(body));
        said(house.asked(request).await).await
    };
    assert_eq!(send("{x", None).await, (400, -32700, "INVALID_JSON".to_owned()));
    assert_eq!(send("[]", None).await, (400, -32600, "INVALID_REQUEST".to_owned()));
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
    let house = House::new().await;
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
