//! What others date, on a machine that sleeps and whose clock is set: signatures and tokens are judged by the machine's
//! wall clock of that moment.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Request;
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;

use super::guarded_hub::GuardedHub;
use crate::clock::FakeMachine;
use crate::domain::principal::Scope;
use crate::domain::time::Timestamp;
use crate::settings::{HookFields, InboundWebhook, WebhookScheme};
use crate::transport::tokens::NewToken;

const NOON: Timestamp = Timestamp(1_800_000_000_000);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_hours(1);
/// The secret of the specification's own example.
const SECRET: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A hub on this machine that takes webhooks of a tracker.
async fn with_a_tracker(machine: &FakeMachine, folder: &TempDir) -> GuardedHub {
    let secret_file = folder.path().join("tracker.secret");
    fs::write(&secret_file, format!("whsec_{SECRET}")).unwrap();
    fs::set_permissions(&secret_file, fs::Permissions::from_mode(0o600)).unwrap();
    GuardedHub::on(machine, |settings| {
        let set = InboundWebhook {
            scheme: WebhookScheme::Standard,
            secret_file,
            fields: HookFields::default(),
            repositories: Vec::new(),
        };
        settings.hub.webhooks.inbound.insert("tracker".to_owned(), set);
    })
    .await
}

/// What the hub answers to a delivery that was signed at this moment.
async fn delivered(house: &GuardedHub, id: &str, at: Timestamp) -> String {
    let body = json!({"type": "something.else"}).to_string();
    let seconds = at.0 / 1_000;
    let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(SECRET).unwrap()).unwrap();
    mac.update(format!("{id}.{seconds}.{body}").as_bytes());
    let request = Request::post("/hooks/in/tracker")
        .header("host", "127.0.0.1:7420")
        .header("content-type", "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", seconds)
        .header("webhook-signature", format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
        .body(Body::from(body))
        .unwrap();
    let answer = house.whole(request).await;
    if answer.status.is_success() {
        answer.body["received"].as_str().unwrap().to_owned()
    } else {
        answer.code().to_owned()
    }
}

#[tokio::test(start_paused = true)]
async fn a_signed_call_of_now_is_taken_however_the_clock_was_set_and_an_old_one_is_not() {
    let forward: fn(&FakeMachine, Duration) = FakeMachine::set_forward;
    let back: fn(&FakeMachine, Duration) = FakeMachine::set_back;
    for (moves, by) in [(forward, 2 * HOUR), (forward, 72 * HOUR), (back, 2 * HOUR), (back, 72 * HOUR)] {
        let (machine, folder) = (FakeMachine::showing(NOON), TempDir::new().unwrap());
        let house = with_a_tracker(&machine, &folder).await;
        moves(&machine, by);
        for id in ["before-the-first-look", "after-it"] {
            assert_eq!(delivered(&house, id, machine.wall()).await, "unused", "{id}");
            let old = delivered(&house, &format!("{id}-old"), machine.wall() - 6 * MINUTE).await;
            assert_eq!(old, "SIGNATURE_TOO_OLD", "{id}");
            tokio::time::sleep(MINUTE).await;
        }
        house.ends().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_expires_by_the_machines_clock_at_which_it_was_made() {
    let machine = FakeMachine::showing(NOON + 2 * HOUR);
    let house = GuardedHub::on(&machine, |_| {}).await;
    machine.set_back(2 * HOUR);
    tokio::time::sleep(MINUTE).await;
    let new = NewToken::Named { name: "ann".to_owned(), scope: Scope::Operate, service: false };
    let (token, _) = house.tokens.create(&new, Some(HOUR), machine.wall()).unwrap();
    let status = async || house.orders("GET", "/api/v1/me", &token, Value::Null).await.status.as_u16();
    assert_eq!(status().await, 200, "made now, by the command line, though the hub is two hours ahead");
    machine.sleeps(2 * HOUR);
    assert_eq!(status().await, 401, "it expired in the sleep");
    house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_hub_whose_clock_is_ahead_of_the_machines_says_so() {
    let machine = FakeMachine::showing(NOON);
    let house = GuardedHub::on(&machine, |_| {}).await;
    let ready = async || house.orders("GET", "/readyz", "", Value::Null).await.body;
    assert_eq!(ready().await["status"], "ok");
    machine.set_back(2 * HOUR);
    tokio::time::sleep(MINUTE).await;
    let said = ready().await;
    assert_eq!(said["status"], "degraded", "{said}");
    assert!(said["reasons"][0].as_str().unwrap().contains("ahead of the machine's"), "{said}");
    house.ends().await;
}
