//! What `session` does, tried.

use serde_json::json;

use super::*;

#[test]
fn a_session_is_told_with_what_its_agent_wrote_indented() {
    let now = Timestamp::parse("2026-11-21T13:10:00Z").unwrap();
    let session = json!({
        "sessionId": "s_1", "agentId": "fullstack-1", "lifecycle": "running", "workflowStatus": "awaiting_input",
        "statusSince": "2026-11-21T13:00:00Z", "openedAt": "2026-11-21T12:10:00Z", "taskId": "0196abcd",
        "workItem": "acme/web#12", "message": "at it\nsession   forged",
        "openQuestion": {"id": "q_1", "question": "Old or new?"},
        "pullRequests": [
            {"prId": "pr_1", "state": "open", "repository": "acme/shop", "headBranch": "b", "title": "x"},
        ],
    });
    let expected = "\
session   s_1  running
agent     fullstack-1
says      awaiting_input, for 10m
task      0196abcd
for       acme/web#12
opened    1h ago

    at it
    session   forged

asks (q_1)
    Old or new?

pull requests
    acme/shop  open  x
        pr_1 of b
";
    assert_eq!(describe(&session, now), expected);
}
