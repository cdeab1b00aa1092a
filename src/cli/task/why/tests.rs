//! What `why` does, tried.

use serde_json::json;

use super::*;

#[test]
fn each_agent_has_its_line() {
    let why = json!({
        "taskId": "0196abcd", "state": "QUEUED", "position": 2,
        "summary": "waits for an agent that fits fullstack-1 to call wait_for_prompt",
        "reachable": true,
        "agents": [
            { "agentId": "ann", "eligible": false, "reasons": ["has a task", "is to call wait_for_prompt"] },
            { "agentId": "tester-1", "eligible": false, "reasons": ["is not the target"] },
        ],
    });
    let expected = "\
QUEUED: waits for an agent that fits fullstack-1 to ask for work
place 2 in its queue

AGENT     COULD TAKE IT  BECAUSE
ann       no             has a task, is to ask for work
tester-1  no             is not the target
";
    assert_eq!(words(&why), expected);
}

#[test]
fn of_a_closed_task_nobody_is_told_of_and_of_an_open_one_that_there_is_nobody() {
    let why = |state: &str| json!({"state": state, "summary": "so it is", "reachable": true, "agents": []});
    assert_eq!(words(&why("DEAD_LETTER")), "DEAD_LETTER: so it is\n");
    assert_eq!(words(&why("QUEUED")), "QUEUED: so it is\nno agent is registered\n");
}
