//! Webhooks that are added over the API: told once, checked as those of hub.yaml, heard from their own record on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use http::StatusCode;
use rstest::rstest;
use serde_json::{Value, json};

use super::guarded_hub::{Answer, GuardedHub};
use crate::domain::principal::Scope;
use crate::journal::Seq;
use crate::webhooks::MOST_ADDED;

/// A port of this machine at which nobody listens.
const NOWHERE: &str = "http://127.0.0.1:9/hook/barracuda?key=swordfish";

struct Stage {
    house: GuardedHub,
    admin: String,
}

impl Stage {
    async fn set() -> Self {
        let house = GuardedHub::new().await;
        let admin = house.token_of("ann", Scope::Admin);
        Self { house, admin }
    }

    async fn says(&self, method: &str, path: &str, body: Value) -> Answer {
        self.house.orders(method, path, &self.admin, body).await
    }

    async fn adds(&self, name: &str, events: &[&str]) -> Answer {
        let wanted = json!({"name": name, "url": NOWHERE, "events": events, "allowPrivate": true});
        self.says("POST", "/api/v1/webhooks", wanted).await
    }

    /// Somebody asks for work: an event `task.created`.
    async fn happens(&self) {
        let asked = json!({"targetAgentId": "role:designer", "prompt": "x"});
        assert_eq!(self.says("POST", "/api/v1/tasks", asked).await.status, 201);
    }

    /// What is written for a destination, the newest first, without what is done with it.
    async fn log(&self, destination: &str) -> Vec<Value> {
        let listed = self.says("GET", &format!("/api/v1/outbox?destination={destination}"), Value::Null).await;
        listed.body["items"].as_array().unwrap_or_else(|| panic!("{}", listed.text)).clone()
    }

    fn secrets(&self) -> Vec<PathBuf> {
        let folder = self.house.folder.path().join("webhooks");
        let mut files: Vec<_> = fs::read_dir(folder).into_iter().flatten().map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {value}"))
}

#[tokio::test]
async fn a_webhook_hears_from_its_own_record_on_until_that_of_its_removal() {
    let stage = Stage::set().await;
    stage.happens().await;
    let added = stage.adds("builds", &["task.created", "hub.webhook_changed"]).await;
    assert_eq!(added.status, StatusCode::CREATED, "{}", added.text);
    let first = text(&added.body["webhook"], "destination").to_owned();
    assert_eq!(stage.log(&first).await, [] as [Value; 0], "what was before it, and itself, is not for it");
    stage.happens().await;
    let kinds = |log: &[Value]| -> Vec<String> { log.iter().map(|row| text(row, "summary").to_owned()).collect() };
    let heard = kinds(&stage.log(&first).await);
    assert!(heard.len() == 1 && heard[0].starts_with("task.created"), "{heard:?}");

    // From its record on, a change counts; the change itself is told to who heard until then.
    let changed = stage.says("PATCH", "/api/v1/webhooks/builds", json!({"events": ["question"]})).await;
    assert_eq!((changed.status.as_u16(), &changed.body["webhook"]["events"]), (200, &json!(["question"])));
    stage.happens().await;
    let heard = kinds(&stage.log(&first).await);
    assert!(heard.len() == 2 && heard[0].starts_with("hub.webhook_changed"), "{heard:?}");

    let removed = stage.says("DELETE", "/api/v1/webhooks/builds", Value::Null).await;
    assert_eq!((removed.status.as_u16(), &removed.body["name"]), (200, &json!("builds")), "{}", removed.text);
    while stage.log(&first).await.iter().any(|row| row["state"] != "dropped") {
        tokio::task::yield_now().await;
    }
    for row in stage.log(&first).await {
        assert_eq!(row["reason"], "the webhook `builds` was removed", "{row}");
    }
    assert_eq!(stage.says("GET", "/api/v1/webhooks", Value::Null).await.body["items"], json!([]));
    assert_eq!(stage.secrets(), [] as [PathBuf; 0]);

    // Another one of its name has a log of its own.
    let again = stage.adds("builds", &[]).await;
    let second = text(&again.body["webhook"], "destination").to_owned();
    assert_ne!(first, second);
    stage.happens().await;
    assert_eq!((stage.log(&first).await.len(), stage.log(&second).await.len()), (2, 1));
    stage.house.ends().await;
}

#[tokio::test]
async fn a_secret_is_told_once_and_is_nowhere_but_in_its_file() {
    let stage = Stage::set().await;
    let wanted = json!({"name": "builds", "url": NOWHERE, "allowPrivate": true});
    let post =
        |key: &'static str| stage.house.orders_once("POST", "/api/v1/webhooks", &stage.admin, key, wanted.clone());
    let made = post("k1").await;
    let secret = text(&made.body, "secret").to_owned();
    assert!(secret.starts_with("whsec_") && secret.len() > 40, "{secret}");
    let files = stage.secrets();
    assert_eq!(files.len(), 1);
    assert_eq!(fs::read_to_string(&files[0]).unwrap().trim(), secret);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&files[0]), mode(files[0].parent().unwrap())), (0o600, 0o700));
    let again = post("k1").await;
    assert_eq!((again.status, &again.body["repeated"], again.body.get("secret")), (made.status, &json!(true), None));

    let changed = stage.says("PATCH", "/api/v1/webhooks/builds", json!({"newSecret": true})).await;
    let newer = text(&changed.body, "secret").to_owned();
    assert_ne!(secret, newer);
    let given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let changed = stage.says("PATCH", "/api/v1/webhooks/builds", json!({ "secret": given })).await;
    assert_eq!(changed.body.get("secret"), None, "whoever gave it knows it: {}", changed.text);
    let files = stage.secrets();
    let kept: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap().trim().to_owned()).collect();
    assert_eq!(kept, [newer.as_str(), given], "the one before signs for a day, and the older ones are gone");

    stage.happens().await;
    let mut shown = format!("{:?}", stage.house.backstage.hub.journal.read(|reader| reader.records(Seq(0), 999)).await);
    for path in ["/api/v1/webhooks", "/api/v1/outbox", "/admin/actors", "/admin/settings", "/api/v1/overview"] {
        shown.push_str(&stage.says("GET", path, Value::Null).await.text);
    }
    for secret in [secret.as_str(), newer.as_str(), given] {
        assert!(!shown.contains(secret.trim_start_matches("whsec_")), "a secret is shown");
    }
    let listed = stage.says("GET", "/api/v1/webhooks", Value::Null).await;
    assert_eq!(listed.body["items"][0]["url"], "http://127.0.0.1:9/hook/…");
    let viewer = stage.house.token_of("vera", Scope::View);
    stage.house.has_a_webhook("settings");
    for path in ["/api/v1/webhooks", "/api/v1/snapshot", "/admin/settings"] {
        let shown = stage.house.orders("GET", path, &viewer, Value::Null).await.text;
        assert!(!shown.contains("swordfish") && !shown.contains("barracuda"), "{path}: {shown}");
    }
    let asked = stage.house.orders("GET", "/api/v1/webhooks/builds", &viewer, Value::Null).await;
    assert_eq!(asked.status, 403, "{}", asked.text);
    assert_eq!(stage.says("GET", "/api/v1/webhooks/builds", Value::Null).await.body["url"], NOWHERE);
    assert_eq!(
        (&listed.body["items"][0]["addedBy"], &listed.body["items"][0]["stopped"]),
        (&json!("person:ann"), &json!(false))
    );
    stage.house.ends().await;
}

#[rstest]
#[case::a_private_address(json!({"url": "https://10.0.0.1/"}), "url", "no public address")]
#[case::plain_http(json!({"url": "http://example.com/"}), "url", "allowPrivate")]
#[case::a_password(json!({"url": "https://ann:pw@example.com/"}), "url", "no password")]
#[case::no_url(json!({"url": "nowhere"}), "url", "is no URL")]
#[case::an_unknown_type(json!({"url": "https://example.com/", "events": ["task.made"]}), "events", "task.made")]
#[case::a_weak_secret(json!({"url": "https://example.com/", "secret": "hush"}), "secret", "whsec_")]
#[case::a_name(json!({"name": "../up", "url": "https://example.com/"}), "name", "a name has")]
#[tokio::test]
async fn what_hub_yaml_refuses_is_refused_here_with_the_field(
    #[case] wanted: Value,
    #[case] field: &str,
    #[case] word: &str,
) {
    let stage = Stage::set().await;
    let mut whole = json!({"name": "builds"});
    whole.as_object_mut().unwrap().extend(wanted.as_object().unwrap().clone());
    let refused = stage.says("POST", "/api/v1/webhooks", whole).await;
    assert_eq!((refused.code(), &refused.body["details"]["field"]), ("INVALID_ARGUMENTS", &json!(field)));
    assert!(refused.text.contains(word) && !refused.text.contains("hush"), "{}", refused.text);
    assert_eq!(stage.secrets(), [] as [PathBuf; 0], "nothing is left of it");
    assert_eq!(stage.says("GET", "/api/v1/webhooks", Value::Null).await.body["items"], json!([]));
    stage.house.ends().await;
}

#[tokio::test]
async fn names_are_one_webhooks_own_and_those_of_hub_yaml_are_changed_there() {
    let stage = Stage::set().await;
    stage.house.has_a_webhook("settings");
    for (method, path) in [("PATCH", "/api/v1/webhooks/settings"), ("DELETE", "/api/v1/webhooks/settings")] {
        let refused = stage.says(method, path, json!({})).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (409, "WEBHOOK_IN_SETTINGS"), "{}", refused.text);
    }
    assert_eq!(stage.adds("settings", &[]).await.code(), "WEBHOOK_IN_SETTINGS");
    assert_eq!(stage.adds("builds", &["agent"]).await.status, 201);
    assert_eq!(stage.adds("builds", &[]).await.code(), "WEBHOOK_EXISTS");
    for (method, path) in [("PATCH", "/api/v1/webhooks/nobody"), ("DELETE", "/api/v1/webhooks/nobody")] {
        assert_eq!(stage.says(method, path, json!({})).await.code(), "WEBHOOK_NOT_FOUND");
    }
    let operator = stage.house.token_of("olga", Scope::Operate);
    for (method, path) in [("POST", "/api/v1/webhooks"), ("DELETE", "/api/v1/webhooks/builds")] {
        let body = if method == "POST" { json!({"name": "x", "url": "https://example.com/"}) } else { Value::Null };
        assert_eq!(stage.house.orders(method, path, &operator, body).await.status, 403);
    }
    for number in 1..MOST_ADDED {
        assert_eq!(stage.adds(&format!("more-{number}"), &["agent"]).await.status, 201);
    }
    let refused = stage.adds("one-too-many", &[]).await;
    assert_eq!((refused.code(), &refused.body["details"]["limit"]), ("WEBHOOK_LIMIT", &json!(MOST_ADDED)));
    stage.house.ends().await;
}

/// The device of RFC 8291, appendix A.
const POINT: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

#[tokio::test]
async fn a_browser_is_added_with_its_keys_and_no_answer_shows_them() {
    let stage = Stage::set().await;
    let [key, again] =
        [stage.says("GET", "/api/v1/push", Value::Null).await, stage.says("GET", "/api/v1/push", Value::Null).await];
    assert_eq!(key.status, 200, "{}", key.text);
    assert_eq!((text(&key.body, "applicationServerKey").len(), &again.body), (87, &key.body));
    let push = json!({"p256dh": POINT, "auth": AUTH});
    let added = stage
        .says("POST", "/api/v1/webhooks", json!({"name": "phone", "url": NOWHERE, "allowPrivate": true, "push": push}))
        .await;
    assert_eq!(added.status, 201, "{}", added.text);
    assert_eq!((&added.body["webhook"]["push"], &added.body["webhook"]["events"]), (&json!(true), &key.body["events"]));
    assert!(added.body["secret"].is_null() && !added.text.contains(AUTH), "{}", added.text);
    let events = stage.says("GET", "/api/v1/events?type=hub.webhook_added", Value::Null).await;
    assert!(!events.text.contains(AUTH) && !events.text.contains("swordfish"), "{}", events.text);
    let changed = stage.says("PATCH", "/api/v1/webhooks/phone", json!({"newSecret": true})).await;
    assert_eq!(changed.status, 400, "{}", changed.text);
    let tried = stage.says("POST", "/api/v1/webhooks/phone/test", json!({})).await;
    assert_eq!((tried.status, &tried.body["delivered"]), (StatusCode::OK, &json!(false)), "{}", tried.text);
    assert_eq!(stage.says("DELETE", "/api/v1/webhooks/phone", json!({})).await.status, 200);
    let left = stage.secrets();
    assert!(left.len() == 1 && left[0].ends_with("push.key"), "{left:?}");
}

#[rstest]
#[case::no_point(NOWHERE, json!({"p256dh": AUTH, "auth": AUTH}), "p256dh")]
#[case::no_secret(NOWHERE, json!({"p256dh": POINT, "auth": ""}), "auth")]
#[case::more(NOWHERE, json!({"p256dh": POINT, "auth": AUTH, "x": 1}), "x")]
#[case::inner("https://169.254.169.254/push", json!({"p256dh": POINT, "auth": AUTH}), "no public address")]
#[case::plain("http://push.example/", json!({"p256dh": POINT, "auth": AUTH}), "https://")]
#[tokio::test]
async fn a_browser_whose_keys_or_address_cannot_be_used_is_refused(
    #[case] url: &str,
    #[case] push: Value,
    #[case] word: &str,
) {
    let stage = Stage::set().await;
    let refused = stage
        .says(
            "POST",
            "/api/v1/webhooks",
            json!({"name": "phone", "url": url, "push": push, "allowPrivate": url == NOWHERE}),
        )
        .await;
    assert!(refused.status == 400 && refused.text.contains(word), "{}: {}", refused.status, refused.text);
    assert_eq!(stage.secrets(), [] as [PathBuf; 0]);
}

fn browser(n: usize) -> Value {
    let keys = json!({"p256dh": POINT, "auth": AUTH});
    json!({"endpoint": format!("https://push.example/barracuda/{n}"), "keys": keys, "events": ["agent"]})
}

#[tokio::test]
async fn whoever_may_operate_has_devices_of_their_own_and_no_other_webhook() {
    let stage = Stage::set().await;
    let [olga, otto] = ["olga", "otto"].map(|name| stage.house.token_of(name, Scope::Operate));
    let looks = stage.house.token_of("vera", Scope::View);
    let devices = "/api/v1/push/devices";
    assert_eq!(stage.house.orders("GET", "/api/v1/push", &olga, Value::Null).await.status, 200);
    assert_eq!(stage.house.orders("POST", devices, &looks, browser(0)).await.code(), "INSUFFICIENT_SCOPE");
    let added = stage.house.orders("POST", devices, &olga, browser(0)).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let name = text(&added.body["webhook"], "name").to_owned();
    assert!(!added.text.contains(AUTH) && !added.text.contains("barracuda/0"), "{}", added.text);
    for endpoint in ["http://push.example/", "https://10.0.0.1/", "https://localhost/"] {
        let refused = json!({"endpoint": endpoint, "keys": browser(0)["keys"]});
        let refused = stage.house.orders("POST", devices, &olga, refused).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (400, "INVALID_ARGUMENTS"), "{}", refused.text);
    }

    // It is hers: another one's answers like one that is not there. The same browser, subscribed anew, is replaced.
    let its = format!("{devices}/{name}");
    assert_eq!(stage.house.orders("DELETE", &its, &otto, json!({})).await.code(), "WEBHOOK_NOT_FOUND");
    let again = stage.house.orders("POST", devices, &otto, browser(0)).await;
    assert_eq!((again.status.as_u16(), &again.body["webhook"]["name"]), (201, &json!(name)), "{}", again.text);
    let listed = stage.says("GET", "/api/v1/webhooks", Value::Null).await;
    assert_eq!((listed.body["items"].as_array().unwrap().len(), stage.secrets().len()), (1, 2), "{}", listed.text);
    assert_eq!(stage.house.orders("DELETE", &its, &olga, json!({})).await.code(), "WEBHOOK_NOT_FOUND");
    assert_eq!(stage.house.orders("DELETE", &its, &otto, json!({})).await.status, 200);
    assert_eq!(stage.adds("builds", &["agent"]).await.status, 201);
    let builds = format!("{devices}/builds");
    assert_eq!(stage.says("DELETE", &builds, json!({})).await.code(), "WEBHOOK_NOT_FOUND", "it is no device");

    for n in 0..10 {
        assert_eq!(stage.house.orders("POST", devices, &olga, browser(n)).await.status, 201);
    }
    let refused = stage.house.orders("POST", devices, &olga, browser(10)).await;
    assert_eq!((refused.code(), &refused.body["details"]["limit"]), ("WEBHOOK_LIMIT", &json!(10)));
    assert_eq!(stage.house.orders("POST", devices, &otto, browser(10)).await.status, 201, "others have theirs");

    let forged = json!({"device": name, "question": "q_1", "option": 0, "ticket": "v1,AAAA"});
    let refused = stage.says("POST", "/api/v1/push/answers", forged).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (401, "UNAUTHENTICATED"), "{}", refused.text);
    stage.house.ends().await;
}
