//! Schedules over the API: added, shown, paused, run and removed; each wrong one has its sentence.

use http::StatusCode;
use serde_json::{Value, json};

use super::guarded_hub::{Answer, GuardedHub};
use crate::domain::ids::PrincipalId;
use crate::domain::principal::Scope;
use crate::domain::task::RightsSet;
use crate::settings::Person;

struct Stage {
    house: GuardedHub,
    token: String,
}

impl Stage {
    async fn set() -> Self {
        let house = GuardedHub::new().await;
        let token = house.token_of("ann", Scope::Operate);
        Self { house, token }
    }

    async fn says(&self, method: &str, path: &str, body: Value) -> Answer {
        self.house.orders(method, path, &self.token, body).await
    }

    async fn adds(&self, fields: Value) -> Answer {
        let mut all = json!({"name": "nightly", "every": "6h", "target": "role:designer", "prompt": "draw"});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.says("POST", "/api/v1/schedules", all).await
    }
}

#[tokio::test]
async fn a_schedule_is_added_shown_paused_changed_run_and_removed() {
    let stage = Stage::set().await;
    let added = stage.adds(json!({"prompt": "draw on {date}"})).await;
    assert_eq!(added.status, StatusCode::CREATED, "{}", added.text);
    let view = &added.body["schedule"];
    assert_eq!(
        (&view["state"], &view["when"], &view["madeBy"]),
        (&json!("active"), &json!("every 6h"), &json!("person:ann"))
    );
    assert!(view["nextLocal"].as_str().unwrap().ends_with(" UTC"), "{view}");
    let paused = stage.says("PATCH", "/api/v1/schedules/nightly", json!({"paused": true})).await;
    assert_eq!(paused.body["schedule"]["state"], "paused", "{}", paused.text);
    let changed = stage
        .says(
            "PATCH",
            "/api/v1/schedules/nightly",
            json!({"cron": "0 9 * * *", "timezone": "Asia/Tokyo", "paused": false}),
        )
        .await;
    assert_eq!(changed.body["schedule"]["when"], "0 9 * * * Asia/Tokyo", "{}", changed.text);
    let ran = stage.says("POST", "/api/v1/schedules/nightly/run", json!({})).await;
    let task = stage.says("GET", &format!("/api/v1/tasks/{}", ran.body["taskId"].as_str().unwrap()), Value::Null).await;
    assert_eq!(task.body["from"]["kind"], "schedule", "{}", task.text);
    assert_eq!(task.body["from"]["displayName"], "the schedule nightly of person:ann");
    let shown = stage.says("GET", "/api/v1/schedules/nightly", Value::Null).await;
    assert_eq!((&shown.body["fired"], &shown.body["lastTask"]), (&json!(1), &ran.body["taskId"]));
    assert_eq!(stage.says("DELETE", "/api/v1/schedules/nightly", Value::Null).await.status, 200);
    assert_eq!(stage.says("GET", "/api/v1/schedules", Value::Null).await.body["items"], json!([]));
    for (method, path) in [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/run")] {
        let gone = stage.says(method, &format!("/api/v1/schedules/nightly{path}"), json!({})).await;
        assert_eq!(gone.code(), "SCHEDULE_NOT_FOUND", "{method}: {}", gone.text);
    }
    stage.house.ends().await;
}

#[tokio::test]
async fn whoever_runs_or_changes_one_does_so_in_their_own_name() {
    let stage = Stage::set().await;
    assert_eq!(stage.adds(json!({"target": "any"})).await.status, StatusCode::CREATED);
    let bob = stage.house.token_of("bob", Scope::Operate);
    let ran = stage.house.orders("POST", "/api/v1/schedules/nightly/run", &bob, json!({})).await;
    let path = format!("/api/v1/tasks/{}", ran.body["taskId"].as_str().unwrap());
    let task = stage.says("GET", &path, Value::Null).await;
    assert_eq!(task.body["from"]["displayName"], "the schedule nightly of person:bob", "{}", task.text);
    assert_eq!(stage.says("GET", "/api/v1/schedules/nightly", Value::Null).await.body["madeBy"], "person:ann");
    let words = json!({"prompt": "other words"});
    let changed = stage.house.orders("PATCH", "/api/v1/schedules/nightly", &bob, words).await;
    assert_eq!(changed.body["schedule"]["madeBy"], "person:bob", "{}", changed.text);
    stage.house.ends().await;
}

#[tokio::test]
async fn null_clears_a_title_as_an_empty_text_does_and_what_is_left_out_stays() {
    let stage = Stage::set().await;
    assert_eq!(stage.adds(json!({"title": "Nightly checks"})).await.status, StatusCode::CREATED);
    for (change, title) in
        [(json!({"prompt": "other words"}), json!("Nightly checks")), (json!({"title": null}), Value::Null)]
    {
        let changed = stage.says("PATCH", "/api/v1/schedules/nightly", change).await;
        assert_eq!(changed.body["schedule"]["definition"]["title"], title, "{}", changed.text);
    }
    stage.house.ends().await;
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_its_sentence() {
    let stage = Stage::set().await;
    for (fields, code, said) in [
        (json!({"every": "1s"}), "INVALID_ARGUMENTS", "60 s is the smallest span"),
        (json!({"every": null, "cron": "0 0 30 2 *", "timezone": "UTC"}), "INVALID_ARGUMENTS", "no month has that day"),
        (json!({"target": "role:nobody"}), "TARGET_UNKNOWN", "nobody"),
        (json!({"every": null, "after": {"role": "nobody"}}), "INVALID_ARGUMENTS", "no role is called `nobody`"),
        (json!({"prompt": "a".repeat(65_537)}), "TEXT_TOO_LONG", "65536 is the most"),
    ] {
        let no = stage.adds(fields.clone()).await;
        assert_eq!(no.code(), code, "{}", no.text);
        assert!(no.text.contains(said), "{}", no.text);
    }
    assert_eq!(stage.adds(json!({})).await.status, 201);
    assert_eq!(stage.adds(json!({"every": "7h"})).await.code(), "SCHEDULE_EXISTS");
    stage.house.ends().await;
}

#[tokio::test]
async fn who_may_not_assign_to_its_target_neither_adds_nor_runs_nor_removes_it() {
    let stage = Stage::set().await;
    assert_eq!(stage.adds(json!({})).await.status, 201);
    let only = RightsSet::Only(["test-engineer".to_owned()].into());
    let mut settings = (*stage.house.backstage.hub.settings()).clone();
    let ann = Person {
        principal: Some(PrincipalId::parse("person:ann").unwrap()),
        can_assign_to: Some(only),
        ..Person::default()
    };
    settings.people.people.insert("ann".to_owned(), ann);
    stage.house.reloads(settings);
    assert_eq!(stage.adds(json!({"name": "other"})).await.code(), "NOT_PERMITTED");
    for (method, path, body) in [
        ("PATCH", "", json!({"target": "role:test-engineer"})),
        ("DELETE", "", Value::Null),
        ("POST", "/run", json!({})),
    ] {
        let no = stage.says(method, &format!("/api/v1/schedules/nightly{path}"), body).await;
        assert_eq!(no.code(), "NOT_PERMITTED", "{method}: {}", no.text);
    }
    stage.house.ends().await;
}
