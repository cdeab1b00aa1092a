//! Webhooks in, on the whole hub behind its guard: who is let in, and what becomes of a repeat.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use axum::body::Body;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Request;
use serde_json::json;
use sha2::Sha256;
use tempfile::TempDir;

use super::house::{Answer, House};
use crate::settings::{HookFields, InboundWebhook, Settings, WebhookScheme};
use crate::transport::http::hooks::HOOK_BODY;

const SECRET: &str = "a secret that both know";

pub(super) fn with_github(folder: &TempDir) -> impl FnOnce(&mut Settings) {
    let secret_file = folder.path().join("github.secret");
    fs::write(&secret_file, SECRET).unwrap();
    fs::set_permissions(&secret_file, fs::Permissions::from_mode(0o600)).unwrap();
    move |settings| {
        let set = InboundWebhook { scheme: WebhookScheme::Github, secret_file, fields: HookFields::default() };
        settings.hub.webhooks.inbound.insert("github".to_owned(), set);
    }
}

fn signed(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

fn comment(text: &str) -> String {
    comment_by("ada-l", text)
}

/// A comment on acme/web#12.
pub(super) fn comment_by(login: &str, text: &str) -> String {
    json!({
        "action": "created", "issue": {"number": 12}, "repository": {"full_name": "acme/web"},
        "comment": {"body": text, "user": {"login": login, "type": "User"}},
    })
    .to_string()
}

fn delivery(source: &str, id: &str, signature: Option<&str>, body: &str) -> Request<Body> {
    signed_delivery(source, "issue_comment", id, signature, body)
}

fn signed_delivery(source: &str, event: &str, id: &str, signature: Option<&str>, body: &str) -> Request<Body> {
    let request = Request::post(format!("/hooks/in/{source}"))
        .header("host", "127.0.0.1:7420")
        .header("content-type", "application/json")
        .header("x-github-event", event)
        .header("x-github-delivery", id);
    let request = match signature {
        Some(signature) => request.header("x-hub-signature-256", signature),
        None => request,
    };
    request.body(Body::from(body.to_owned())).unwrap()
}

/// What the hub answers to a delivery of this event.
pub(super) async fn tells(house: &House, event: &str, id: &str, body: &str) -> Answer {
    house.whole(signed_delivery("github", event, id, Some(&signed(SECRET, body)), body)).await
}

pub(super) async fn posts(house: &House, id: &str, body: &str) -> Answer {
    house.whole(delivery("github", id, Some(&signed(SECRET, body)), body)).await
}

#[tokio::test(start_paused = true)]
async fn a_delivery_is_kept_once_whatever_its_sender_repeats() {
    let folder = TempDir::new().unwrap();
    let house = House::with(with_github(&folder)).await;
    let (first, before) = (comment("keep it"), house.position().await);
    let kept = posts(&house, "d1", &first).await;
    assert_eq!((kept.status.as_u16(), &kept.body), (202, &json!({"received": "kept", "delivery": "d1"})));
    let again = posts(&house, "d1", &first).await;
    assert_eq!((again.status.as_u16(), &again.body["received"]), (200, &json!("repeat")), "{}", again.text);
    assert_eq!(posts(&house, "d1", &comment("drop it")).await.body["received"], "repeat", "one id, one delivery");
    // The id is not signed by this scheme: whoever saw the call can send it under another.
    assert_eq!(posts(&house, "d2", &first).await.body["received"], "repeat", "one body, one delivery");
    assert_eq!(house.position().await, before + 1);
    assert_eq!(posts(&house, "d3", &comment("drop it")).await.status, 202);
    assert_eq!(house.position().await, before + 2);
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_is_not_the_source_is_refused_with_a_code_and_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let house = House::with(with_github(&folder)).await;
    let (body, before) = (comment("keep it"), house.position().await);
    let good = signed(SECRET, &body);
    for (request, status, code) in [
        (delivery("nobody", "d1", Some(&good), &body), 404, "HOOK_NOT_FOUND"),
        (delivery("github", "d1", None, &body), 401, "SIGNATURE_MISSING"),
        (delivery("github", "d1", Some(&signed("another secret", &body)), &body), 401, "SIGNATURE_INVALID"),
        (delivery("github", "d1", Some(&good), &comment("drop it")), 401, "SIGNATURE_INVALID"),
        (delivery("github", "d1", Some(&good), &"x".repeat(HOOK_BODY + 1)), 413, "BODY_TOO_LARGE"),
    ] {
        let refused = house.whole(request).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (status, code), "{}", refused.text);
        assert!(refused.body["details"]["prompt"].as_str().is_some_and(|prompt| prompt.len() > 20), "{}", refused.text);
        if status == 401 {
            assert!(refused.body["error_description"].is_string(), "{}", refused.text);
        }
    }
    for (body, status, code) in [
        ("{", 400, "INVALID_JSON"),
        (r#"{"action": "created", "action": "x"}"#, 400, "INVALID_JSON"),
        (r#"{"action": "created", "comment": {}, "issue": {}}"#, 422, "HOOK_PAYLOAD_INVALID"),
    ] {
        let refused = posts(&house, "d1", body).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (status, code), "{body}: {}", refused.text);
    }
    assert_eq!(posts(&house, "a b", &body).await.code(), "INVALID_REQUEST");
    assert_eq!(house.position().await, before);
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_source_may_send_so_many_a_second_and_strangers_use_up_none_of_it() {
    let folder = TempDir::new().unwrap();
    let set = with_github(&folder);
    let house = House::with(|settings| {
        set(settings);
        (settings.hub.limits.burst, settings.hub.limits.requests_per_second) = (20, 1);
    })
    .await;
    let ping = r#"{"action": "edited"}"#;
    for _ in 0..40 {
        let refused = house.whole(delivery("github", "d1", Some("sha256=00"), ping)).await;
        assert_eq!(refused.code(), "SIGNATURE_INVALID");
    }
    let mut limited = None;
    for number in 0..25 {
        let answer = posts(&house, &format!("d{number}"), ping).await;
        if answer.status == 429 {
            limited = Some((number, answer));
            break;
        }
        assert_eq!(answer.body["received"], "unused", "{}", answer.text);
    }
    let (number, answer) = limited.expect("a limit");
    assert!(number >= 20 && answer.code() == "RATE_LIMITED" && answer.headers.contains_key("retry-after"), "{number}");
    house.ends().await;
}
