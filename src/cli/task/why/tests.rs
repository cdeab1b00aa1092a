//! What `why` does, tried.

use serde_json::json;

use super::*;

#[test]
fn each_reason_has_its_line() {
    let why = json!({
        "taskId": "0196abcd", "state": "QUEUED", "position": 2,
        "summary": "waits for an agent that fits fullstack-1 to call wait_for_prompt",
        "reachable": true,
        "agents": [
            { "agentId": "ann", "eligible": false, "reasons": ["has a task", "is to call wait_for_prompt"] },
            { "agentId": "tester-2", "eligible": true, "reasons": ["fits, and waits"] },
            { "agentId": "tester-1", "eligible": false, "reasons": ["is not the target"] },
        ],
    });
    let expected = "\
QUEUED: waits for an agent that fits fullstack-1 to ask for work
place 2 in its queue

could take it:
  tester-2
    fits, and waits

could not:
  ann
    has a task
    is to ask for work
  tester-1
    is not the target
";
    assert_eq!(words(&why), expected);
}

#[test]
fn of_a_closed_task_nobody_is_told_of_and_of_an_open_one_that_there_is_nobody() {
    let why = |state: &str| json!({"state": state, "summary": "so it is", "reachable": true, "agents": []});
    assert_eq!(words(&why("DEAD_LETTER")), "DEAD_LETTER: so it is\n");
    assert_eq!(words(&why("QUEUED")), "QUEUED: so it is\nno agent is registered\n");
}

#[test]
fn what_answers_a_blocked_task_is_a_whole_command_and_nobody_takes_it_before() {
    let why = json!({
        "taskId": "0196abcd", "state": "BLOCKED", "reachable": true,
        "summary": "ann needs an answer: use `answer_task`",
        "agents": [{ "agentId": "bob", "eligible": true, "reasons": ["fits, and waits"] }],
    });
    let said = words(&why);
    assert!(said.contains("use `callboard task answer 0196abcd ANSWER`"), "{said}");
    assert!(said.contains("could take it, once it waits for nothing:\n  bob"), "{said}");
}
