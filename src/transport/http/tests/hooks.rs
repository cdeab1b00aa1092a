//! Webhooks in, on the whole hub behind its guard: who is let in, and what becomes of a repeat.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use axum::body::Body;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Request;
use serde_json::json;
use sha2::Sha256;
use tempfile::TempDir;

use super::guarded_hub::{Answer, GuardedHub};
use crate::settings::{HookFields, InboundWebhook, Settings, WebhookScheme};
use crate::transport::http::hooks::HOOK_BODY;

const SECRET: &str = "a secret that both know";

pub(super) fn with_github(folder: &TempDir) -> impl FnOnce(&mut Settings) {
    let secret_file = folder.path().join("github.secret");
    fs::write(&secret_file, SECRET).unwrap();
    fs::set_permissions(&secret_file, fs::Permissions::from_mode(0o600)).unwrap();
    move |settings| {
        let (scheme, repositories) = (WebhookScheme::Github, Vec::new());
        let set = InboundWebhook { scheme, secret_file, repositories, fields: HookFields::default() };
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
pub(super) async fn tells(house: &GuardedHub, event: &str, id: &str, body: &str) -> Answer {
    comes(house, "github", event, id, body).await
}

/// The same from a source with the same secret.
pub(super) async fn comes(house: &GuardedHub, source: &str, event: &str, id: &str, body: &str) -> Answer {
    house.whole(signed_delivery(source, event, id, Some(&signed(SECRET, body)), body)).await
}

pub(super) async fn posts(house: &GuardedHub, id: &str, body: &str) -> Answer {
    house.whole(delivery("github", id, Some(&signed(SECRET, body)), body)).await
}

#[tokio::test(start_paused = true)]
async fn a_delivery_is_kept_once_whatever_its_sender_repeats() {
    let folder = TempDir::new().unwrap();
    let house = GuardedHub::with(with_github(&folder)).await;
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
    let house = GuardedHub::with(with_github(&folder)).await;
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
        (r#"{"action": "created", "issue": {}, "comment": {}}"#, 422, "HOOK_PAYLOAD_INVALID"),
    ] {
        let refused = posts(&house, "d1", body).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (status, code), "{body}: {}", refused.text);
    }
    assert_eq!(posts(&house, "a b", &body).await.code(), "INVALID_REQUEST");
    assert_eq!(house.position().await, before);
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_signed_is_kept_however_fast_it_comes() {
    let folder = TempDir::new().unwrap();
    let set = with_github(&folder);
    let house = GuardedHub::with(|settings| {
        set(settings);
        (settings.hub.limits.burst, settings.hub.limits.requests_per_second) = (20, 1);
    })
    .await;
    for _ in 0..40 {
        let refused = house.whole(delivery("github", "d1", Some("sha256=00"), "{}")).await;
        assert_eq!(refused.code(), "SIGNATURE_INVALID");
    }
    let before = house.position().await;
    let bodies: Vec<String> = (0..301).map(|number| comment(&format!("talk {number}"))).collect();
    let all = bodies.iter().zip(0..).map(|(body, number)| {
        let house = &house;
        async move { posts(house, &format!("d{number}"), body).await }
    });
    for answer in futures_util::future::join_all(all).await {
        assert_eq!((answer.status.as_u16(), &answer.body["received"]), (202, &json!("kept")), "{}", answer.text);
    }
    assert_eq!(house.position().await, before + 301);
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_delivery_of_25_mib_is_read_and_one_byte_more_is_not() {
    let folder = TempDir::new().unwrap();
    let house = GuardedHub::with(with_github(&folder)).await;
    let commit = json!({"id": "1".repeat(40), "message": "x".repeat(900), "added": ["a.rs", "b.rs"]}).to_string();
    let push = |size: usize| {
        let (head, tail) =
            (r#"{"ref": "refs/heads/main", "commits": ["#, r#"], "repository": {"full_name": "acme/web"}}"#);
        let count = (size - head.len() - tail.len()) / (commit.len() + 1);
        let mut body = format!("{head}{}{tail}", vec![commit.as_str(); count].join(","));
        body.push_str(&" ".repeat(size - body.len()));
        body
    };
    let body = push(HOOK_BODY);
    let kept = house.whole(signed_delivery("github", "push", "d1", Some(&signed(SECRET, &body)), &body)).await;
    assert_eq!((kept.status.as_u16(), &kept.body["received"]), (202, &json!("kept")), "{}", kept.text);
    // The signature is over all of it.
    let changed = body.replacen("b.rs", "c.rs", 1);
    let refused = house.whole(signed_delivery("github", "push", "d2", Some(&signed(SECRET, &body)), &changed)).await;
    assert_eq!(refused.code(), "SIGNATURE_INVALID");
    let body = push(HOOK_BODY + 1);
    let refused = house.whole(signed_delivery("github", "push", "d3", Some(&signed(SECRET, &body)), &body)).await;
    assert_eq!(refused.code(), "BODY_TOO_LARGE");
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_source_that_does_not_list_a_repository_is_refused_what_it_says_of_it() {
    let folder = TempDir::new().unwrap();
    let set = with_github(&folder);
    let house = GuardedHub::with(|settings| {
        set(settings);
        settings.hub.webhooks.inbound.get_mut("github").unwrap().repositories = vec!["acme/api".to_owned()];
    })
    .await;
    let refused = posts(&house, "d1", &comment("keep it")).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (403, "HOOK_REPOSITORY_NOT_LISTED"), "{}", refused.text);
    assert_eq!(refused.body["details"]["repository"], "acme/web", "{}", refused.text);
    house.ends().await;
}
