//! REST faults on demand.

use std::time::Duration;

use serde_json::json;
use twilight_http::error::ErrorType;

use super::kit::{Kit, id, refusal};
use crate::discord::{LimitScope, Options, RestFault, RestRule};

const MESSAGES: &str = "/channels/:channel/messages";

#[tokio::test]
async fn statuses_pages_resets_and_refusals_come_as_often_as_asked() {
    let kit = Kit::new().await;
    let rule = || RestRule::on("POST", MESSAGES);
    let send = || kit.http.create_message(id(kit.dev)).content("a");
    let sent = || kit.discord.view(|view| view.messages(kit.dev).len());

    kit.discord.fault(rule(), RestFault::Html502);
    assert!(matches!(send().await.unwrap_err().kind(), ErrorType::Parsing { body } if body.starts_with(b"<html>")));
    kit.discord.fault(rule(), RestFault::ResetBefore);
    assert!(matches!(send().await.unwrap_err().kind(), ErrorType::RequestError));
    assert_eq!(sent(), 0);
    kit.discord.fault(rule(), RestFault::ResetAfter);
    assert!(matches!(send().await.unwrap_err().kind(), ErrorType::RequestError));
    assert_eq!(sent(), 1, "it was handled, and only the answer is lost");
    kit.discord.fault(rule(), RestFault::Refused { status: None, code: 50_013 });
    assert_eq!(refusal(&send().await.unwrap_err()), (403, 50_013));
    kit.discord.fault(rule(), RestFault::Status(503));
    send().await.unwrap_err();
    kit.discord.fault(rule().after(1), RestFault::Status(503));
    send().await.unwrap();
    send().await.unwrap_err();
    send().await.unwrap();
    let statuses: Vec<_> = kit.discord.view(|view| view.requests()).iter().map(|one| one.status).collect();
    assert_eq!(statuses, [502, 0, 200, 403, 503, 200, 503, 200]);
}

#[tokio::test]
async fn a_429_of_a_route_is_waited_for() {
    let kit = Kit::new().await;
    for (scope, at_least) in [(LimitScope::User, 300), (LimitScope::Shared, 1_000)] {
        let after = Duration::from_millis(300);
        kit.discord.fault(RestRule::on("POST", MESSAGES), RestFault::RateLimited { after, scope });
        let began = tokio::time::Instant::now();
        kit.http.create_message(id(kit.dev)).content("a").await.unwrap();
        let waited = began.elapsed();
        assert!(waited >= Duration::from_millis(at_least), "{scope:?}: {waited:?}; a shared one counts whole seconds");
    }
    assert_eq!(kit.discord.view(|view| view.invalid_requests()), 2);
}

#[tokio::test]
async fn a_429_of_the_application_names_no_bucket() {
    let kit = Kit::new().await;
    let (after, scope) = (Duration::from_millis(1_500), LimitScope::Global);
    kit.discord.fault(RestRule::any(), RestFault::RateLimited { after, scope });
    let (status, body) = kit.posts(json!({ "content": "a" })).await;
    assert_eq!((status, &body["global"], &body["retry_after"]), (429, &json!(true), &json!(1.5)));
    // twilight 0.18 does not wait for this one: it asks again at once, until it is over.
    kit.discord.fault(RestRule::any().times(3), RestFault::RateLimited { after, scope });
    kit.http.create_message(id(kit.dev)).content("a").await.unwrap();
    assert_eq!(kit.discord.view(|view| view.invalid_requests()), 4);
}

#[tokio::test]
async fn the_usual_limits_refuse_who_does_not_read_the_headers() {
    let kit = Kit::with(Options { usual_limits: true, ..Options::default() }).await;
    for _ in 0..5 {
        assert_eq!(kit.posts(json!({ "content": "a" })).await.0, 200);
    }
    let (status, body) = kit.posts(json!({ "content": "a" })).await;
    assert_eq!((status, &body["global"]), (429, &json!(false)));
    kit.discord.later(Duration::from_secs(5));
    assert_eq!(kit.posts(json!({ "content": "a" })).await.0, 200);
}

#[tokio::test]
async fn a_slow_answer_comes_after_what_it_did() {
    let kit = Kit::new().await;
    kit.discord.fault(RestRule::any(), RestFault::SlowAnswer(Duration::from_millis(200)));
    let send = kit.http.create_message(id(kit.dev)).content("a");
    let (answer, ()) = tokio::join!(async { send.await.unwrap() }, async {
        kit.discord.until(|view| (view.messages(kit.dev).len() == 1).then_some(())).await;
    });
    assert_eq!(answer.status().get(), 200);
}
