//! The disk takes nothing any more: what would change something is refused, reads go on, and what was acknowledged
//! stays. The kernel refuses the writes here, by a cap on the size of the process's files; that there is no room at all
//! is told by another code, and tried beside the store.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::{HubProcess, callboard};
use crate::support::pause;
use crate::support::plain_http;

/// How often it is looked, a tenth of a second apart, whether the hub is ready again.
const TIMEOUT: usize = 100;

#[test]
fn a_disk_that_takes_nothing_stops_changes_and_not_reads_until_it_takes_them_again() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start_to_be_capped(data_dir.path());
    let (_, made) = hub.post("/api/v1/tokens", &json!({ "agent": "fullstack-1" }));
    let token = made["token"].as_str().unwrap().to_owned();
    let uses = |hub: &HubProcess, tool: &str, arguments: &Value| {
        hub.post_as(&token, &format!("/api/v1/tools/{tool}"), arguments)
    };
    uses(&hub, "register_agent", &json!({ "agentId": "fullstack-1", "role": "full-stack-engineer" }));
    let held = asks(&hub, "held", None).1["taskId"].clone();
    let offer = uses(&hub, "wait_for_prompt", &json!({ "timeout": 10 })).1;
    assert_eq!(offer["taskId"], held);
    assert_eq!(uses(&hub, "ack_task", &json!({ "taskId": held })).0, 200);
    let queued = asks(&hub, "queued", None).1["taskId"].clone();

    hub.caps_files(Some(1));
    let report = json!({ "taskId": held, "status": "COMPLETED", "message": "done" });
    for _ in 0..3 {
        for (status, body) in [asks(&hub, "refused", Some("key-1")), uses(&hub, "send_response", &report)] {
            assert_eq!((status, &body["code"]), (503, &json!("STORAGE_FAILED")), "{body}");
            assert!(body["error"].as_str().unwrap().contains("did nothing"), "{body}");
        }
    }
    assert_eq!(hub.get("/healthz").0, 200);
    let (status, ready) = hub.get("/readyz");
    assert_eq!(status, 503, "{ready}");
    assert!(ready["reasons"][0].as_str().unwrap().contains("journal"), "{ready}");
    assert_eq!(hub.get("/admin/journal").1["failing"], true);
    // A denial is a line of the audit, which the disk does not take either.
    assert_eq!(hub.get_as(&token, "/api/v1/overview").0, 403);
    let warned = (0..TIMEOUT).any(|_| {
        pause(100);
        warnings(&hub) == ["STORAGE_FAILING", "AUDIT_DEGRADED"]
    });
    assert!(warned, "{:?}", warnings(&hub));
    assert_eq!(states(&hub), [("held", "IN_PROGRESS"), ("queued", "QUEUED")].map(owned));
    assert_eq!(uses(&hub, "list_agents", &json!({})).0, 200);
    assert_eq!(uses(&hub, "wait_for_prompt", &json!({ "timeout": 1 })).0, 200);

    hub.caps_files(None);
    // Nobody asks for a change: the hub finds out by itself.
    let again = (0..TIMEOUT).any(|_| {
        pause(100);
        hub.get("/readyz").0 == 200
    });
    assert!(again, "{}", hub.get("/readyz").1);
    assert_eq!(hub.get_as(&token, "/api/v1/overview").0, 403);
    let mended = (0..TIMEOUT).any(|_| {
        pause(100);
        warnings(&hub).is_empty()
    });
    assert!(mended, "{:?}", warnings(&hub));
    assert_eq!(uses(&hub, "send_response", &report).1["success"], true, "the lease went on");
    let (status, first) = asks(&hub, "refused", Some("key-1"));
    assert!((200..300).contains(&status), "{first}");
    assert_eq!(asks(&hub, "refused", Some("key-1")).1["taskId"], first["taskId"]);
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    let expected = [("held", "COMPLETED"), ("queued", "QUEUED"), ("refused", "QUEUED")].map(owned);
    assert_eq!(states(&hub), expected);
    assert_eq!(hub.get(&format!("/api/v1/tasks/{}", queued.as_str().unwrap())).0, 200);
    assert_eq!(hub.terminate().code(), Some(0));
    let verified = callboard(data_dir.path()).args(["journal", "verify"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let told = callboard(data_dir.path()).args(["journal", "export"]).output().unwrap();
    assert!(String::from_utf8_lossy(&told.stdout).contains("hub.journal_mended"), "people see how long it lasted");
}

#[test]
fn a_hub_that_cannot_write_at_its_start_says_so_and_what_it_had_stays() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    asks(&hub, "kept", None);
    assert_eq!(hub.terminate().code(), Some(0));
    let end = HubProcess::never_serves_capped(data_dir.path());
    assert_eq!(end.status.code(), Some(1));
    let words = String::from_utf8_lossy(&end.stderr);
    assert!(words.contains("failed to begin") || words.contains("failed to open"), "{words}");
    let hub = HubProcess::start(data_dir.path());
    assert_eq!(states(&hub), [("kept", "QUEUED")].map(owned));
}

fn asks(hub: &HubProcess, prompt: &str, key: Option<&str>) -> (u16, Value) {
    let headers = key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
    let body = json!({ "targetAgentId": "role:full-stack-engineer", "prompt": prompt });
    let token = hub.operator_token();
    plain_http::send_with(hub.port(), "POST", "/api/v1/tasks", &token, &headers, &body).unwrap()
}

/// The codes of what the overview warns of.
fn warnings(hub: &HubProcess) -> Vec<String> {
    let overview = hub.get("/api/v1/overview").1;
    let warnings = overview["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning["code"].as_str().unwrap().to_owned()).collect()
}

/// Every task's text and state, by text.
fn states(hub: &HubProcess) -> Vec<(String, String)> {
    let (status, page) = hub.get("/api/v1/tasks");
    assert_eq!(status, 200, "{page}");
    let text = |task: &Value, field: &str| task[field].as_str().unwrap().to_owned();
    let items = page["items"].as_array().unwrap().iter();
    let mut states: Vec<_> = items.map(|task| (text(task, "prompt"), text(task, "state"))).collect();
    states.sort();
    states
}

fn owned((prompt, state): (&str, &str)) -> (String, String) {
    (prompt.to_owned(), state.to_owned())
}
