//! What was said is found by whoever looks for it next, told to the real binary: its search index follows behind.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;

/// How often something is said and looked for in the next call: an index that lags is caught by the first.
const TIMES: usize = 10;

#[test]
fn a_word_is_found_in_the_history_and_among_the_tasks_by_the_call_after_it() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    for time in 0..TIMES {
        let word = format!("quartz{time}");
        agent.calls(&hub, "update_status", &json!({ "status": "working", "message": format!("I polish {word}") }));
        let found = agent.calls(&hub, "get_session_history", &json!({ "query": word }));
        assert_eq!(said(&found), [format!("I polish {word}")], "{found}");
        let order = json!({ "targetAgentId": "fullstack-1", "prompt": format!("Weigh {word}.") });
        let (status, made) = hub.post("/api/v1/tasks", &order);
        assert_eq!(status, 201, "{made}");
        let (_, listed) = hub.get(&format!("/api/v1/tasks?q={word}"));
        let ids: Vec<&Value> = listed["items"].as_array().unwrap().iter().map(|task| &task["taskId"]).collect();
        assert_eq!(ids, [&made["taskId"]], "{listed}");
    }
    let all = agent.calls(&hub, "get_session_history", &json!({ "query": "polish", "limit": TIMES - 1 }));
    assert_eq!(said(&all).len(), TIMES - 1, "{all}");
    let older = json!({ "query": "polish", "before_seq": all["next_before_seq"] });
    let older = agent.calls(&hub, "get_session_history", &older);
    assert_eq!(said(&older), ["I polish quartz0"], "the newest come first: {older}");
    assert_eq!(hub.terminate().code(), Some(0));
}

fn said(history: &Value) -> Vec<String> {
    let events = history["events"].as_array().unwrap();
    events.iter().map(|event| event["data"]["message"].as_str().unwrap().to_owned()).collect()
}
