//! What `follow` does, tried.

use serde_json::json;

use super::*;

#[test]
fn why_a_task_starves_is_told_without_the_name_of_a_tool() {
    let reason = "waits for an agent that fits any to call wait_for_prompt";
    let event = json!({ "seq": 1, "type": "hub.task_starving", "data": { "reason": reason } });
    assert!(line(&event).ends_with("reason=waits for an agent that fits any to ask for work"), "{}", line(&event));
    let event = json!({ "seq": 1, "type": "task.responded", "data": { "message": "call wait_for_prompt" } });
    assert!(line(&event).ends_with("message=call wait_for_prompt"), "{}", line(&event));
}

#[test]
fn an_event_reads_alone() {
    let event = json!({
        "seq": 41, "id": "ev_41", "type": "task.completed", "time": "2026-11-21T13:37:56.123Z",
        "subject": { "task": "0196abcd", "agent": "fullstack-1" },
        "actor": { "principal": "agent:fullstack-1", "surface": "agent" },
        "data": { "message": "done\u{1b}[2J", "messageBytes": 4, "artifacts": [],
            "from": { "displayName": "operator" } },
    });
    assert_eq!(
        line(&event),
        "    41  13:37:56.123  task.completed        task 0196abcd agent fullstack-1  \
             by agent:fullstack-1 (agent)  from=operator message=done\\u{1b}[2J"
    );
}
