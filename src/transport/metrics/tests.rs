//! What machines see of a hub on the journal in memory.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use axum::body::Body;
use http::Request;
use serde_json::{Value, json};

use crate::domain::principal::{Scope, Surface};
use crate::domain::trace::Trace;
use crate::journal::EventFilter;
use crate::tools::{self, Caller, Follows};
use crate::transport::web::tests::{Answered, RouteFixture, agent, person};

async fn desk() -> RouteFixture {
    RouteFixture::with(super::routes()).await
}

#[tokio::test(start_paused = true)]
async fn the_metrics_count_and_name_nobody() {
    let desk = desk().await;
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let shown = desk.get_as(&person(Scope::View), "/metrics").await;
    assert_eq!(shown.status, 200);
    assert!(shown.headers["content-type"].to_str().unwrap().starts_with("application/openmetrics-text"));
    for line in [
        "callboard_tasks{state=\"DEAD_LETTER\"} 0",
        "callboard_agents{availability=\"working\"} 1",
        "callboard_agents{availability=\"evicted\"} 0",
        "callboard_queue_depth{target=\"role\"} 0",
        "callboard_actors{kind=\"agent\"} 1",
        "callboard_actor_restarts_total{kind=\"agent\"} 0",
        "callboard_mailbox_depth{kind=\"dispatcher\"} 0",
        "callboard_journal_write_seconds{quantile=\"0.99\"}",
    ] {
        assert!(shown.text.contains(line), "{line}\n{}", shown.text);
    }
    assert!(shown.text.contains("callboard_build_info{version=") && shown.text.ends_with("# EOF\n"));
    assert!(!shown.text.contains("fullstack-1"), "no label holds a name");
    desk.get_as(&agent("fullstack-1"), "/metrics").await.is_no(403, "INSUFFICIENT_SCOPE");
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_works_is_ready_and_one_that_goes_down_says_so() {
    let desk = desk().await;
    let ask = async |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        Answered::of(desk.ask_nobody(request).await).await
    };
    assert_eq!(ask("/healthz").await.body, json!({"status": "ok"}));
    let ready = ask("/readyz").await;
    assert_eq!((ready.status.as_u16(), ready.body), (200, json!({"status": "ok"})));
    desk.backstage.drain();
    let ready = ask("/readyz").await;
    assert_eq!(ready.status, 503);
    assert_eq!(ready.body, json!({"status": "unavailable", "reasons": ["the hub is going down"]}));
    assert_eq!(ask("/healthz").await.status, 200, "it still runs");
}

#[tokio::test(start_paused = true)]
async fn a_data_directory_that_others_may_write_by_now_is_said() {
    let (desk, dir) = (desk().await, tempfile::tempdir().unwrap());
    let mut settings = (*desk.hub.settings()).clone();
    settings.hub.data_dir = dir.path().to_owned();
    desk.backstage.reload(settings);
    let ready = async |mode: u32| {
        fs::set_permissions(dir.path(), Permissions::from_mode(mode)).unwrap();
        let request = Request::get("/readyz").body(Body::empty()).unwrap();
        Answered::of(desk.ask_nobody(request).await).await.body
    };
    assert_eq!(ready(0o700).await["status"], "ok");
    let said = ready(0o777).await;
    assert_eq!(said["status"], "degraded", "{said}");
    assert!(said["reasons"][0].as_str().unwrap().contains("chmod go-w"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_cannot_write_makes_the_hub_unready_until_it_writes_again() {
    let desk = desk().await;
    let ready = async || {
        let request = Request::get("/readyz").body(Body::empty()).unwrap();
        Answered::of(desk.ask_nobody(request).await).await
    };
    desk.faults.fail_next("the disk is gone");
    assert!(!desk.tries_to_register("fullstack-1", "full-stack-engineer").await);
    let shown = ready().await;
    assert_eq!(shown.status, 503);
    assert!(shown.body["reasons"][0].as_str().unwrap().contains("the disk is gone"), "{}", shown.text);
    assert!(desk.tries_to_register("fullstack-1", "full-stack-engineer").await);
    assert_eq!(ready().await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn waits_tasks_full_mailboxes_and_lost_events_are_counted_as_they_happen() {
    let desk = desk().await;
    let shown = async || desk.get("/metrics").await.text;
    let before = shown().await;
    for line in ["wait_seconds_count 0", "task_seconds_count 0", "mailbox_rejected_total 0", "events_dropped_total 0"] {
        assert!(before.contains(&format!("callboard_{line}")), "{line}\n{before}");
    }
    desk.registers("fullstack-1", "full-stack-engineer").await;
    let (principal, request) = (person(Scope::Operate), "r".to_owned());
    let trace = Trace::begun(desk.hub.ids.trace());
    let caller = Caller {
        principal,
        surface: Surface::Api,
        client: None,
        instance: None,
        session: None,
        request,
        trace,
        peer: None,
        reports: None,
        follows: Follows::default(),
    };
    let order = async |name: &str, arguments: Value| {
        tools::call(&desk.hub, &caller, name, arguments).await.unwrap().structured()["taskId"].clone()
    };
    let task = order("assign_task", json!({"targetAgentId": "fullstack-1", "prompt": "Build it."})).await;
    desk.waits("fullstack-1").await;
    order("cancel_task", json!({ "taskId": task })).await;
    // One who listens and never fetches: its buffer holds so many, and no more.
    let limit = desk.hub.settings().hub.limits.event_buffer;
    let _deaf = desk.hub.noticeboard.subscribe(EventFilter::default(), None).await.unwrap();
    for _ in 0..=limit {
        desk.registers("fullstack-1", "full-stack-engineer").await;
    }
    desk.hub.counters.rejected.inc();
    desk.hub.noticeboard.view().await.unwrap();
    let after = shown().await;
    for line in ["wait_seconds_count 1", "task_seconds_count 1", "mailbox_rejected_total 1"] {
        assert!(after.contains(&format!("callboard_{line}\n")), "{line}\n{after}");
    }
    assert!(!after.contains("events_dropped_total 0\n"), "{after}");
}

#[tokio::test(start_paused = true)]
async fn the_history_has_the_samples_of_an_hour_or_a_day_for_whoever_may_look() {
    let desk = desk().await;
    let empty = desk.get("/api/v1/metrics/history").await.body;
    assert_eq!((&empty["since"], &empty["times"]), (&Value::Null, &json!([])));
    for _ in 0..3 {
        let text = super::text(&desk.hub, None).await.unwrap();
        desk.hub.counters.history.take(desk.hub.clock.now(), &text);
        tokio::time::advance(Duration::from_secs(10)).await;
    }
    let path = "/api/v1/metrics/history?span=day";
    let day = desk.get_as(&person(Scope::View), path).await.body;
    assert_eq!((day["everySeconds"].as_u64(), day["times"].as_array().unwrap().len()), (Some(300), 1));
    let hour = desk.get("/api/v1/metrics/history").await.body;
    let times = hour["times"].as_array().unwrap();
    assert_eq!((times.len(), &times[0]), (3, &hour["since"]));
    let series = |name: &str, labels: Value| {
        let all = hour["series"].as_array().unwrap();
        let found = all.iter().find(|one| one["name"] == name && one["labels"] == labels);
        found.unwrap_or_else(|| panic!("{name} {labels}: {hour}")).clone()
    };
    let queued = series("callboard_tasks", json!({"state": "QUEUED"}));
    assert_eq!((&queued["kind"], &queued["help"]), (&json!("gauge"), &json!("Tasks in each state")));
    assert_eq!(queued["values"], json!([0.0, 0.0, 0.0]));
    assert_eq!(series("callboard_journal_appends", json!({}))["kind"], "counter");
    series("callboard_journal_write_seconds", json!({"quantile": "0.99"}));
    let newer = format!("/api/v1/metrics/history?after={}", times[1].as_str().unwrap());
    assert_eq!(desk.get(&newer).await.body["times"], json!([times[2]]));
    desk.get("/api/v1/metrics/history?span=week").await.is_no(400, "INVALID_ARGUMENTS");
    desk.get_as(&agent("fullstack-1"), path).await.is_no(403, "INSUFFICIENT_SCOPE");
}
