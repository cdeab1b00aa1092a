//! What `printed_run` does, tried.

use serde_json::json;

use super::*;

#[test]
fn what_was_said_is_indented_and_cannot_draw() {
    let run = json!({"details": {"trace": [
        {"role": "user", "text": "I want to ship.\n\nParameters:\n- x: \u{1b}[2J"},
        {"role": "assistant", "text": "Here's my plan:"},
    ]}});
    let said: Vec<String> = messages(&run).collect();
    assert_eq!(said[0], "user       I want to ship.\n           \n           Parameters:\n           - x: \\u{1b}[2J");
    assert_eq!(said[1], "assistant  Here's my plan:");
    assert_eq!(messages(&json!({})).count(), 0);
}

#[test]
fn only_what_is_completed_ends_well() {
    let run = |status: &str| json!({"workflowId": "w_1", "name": "x", "statusMessage": "1 of 2", "status": status});
    assert_eq!(verdict(&run("completed")), Ok(()));
    for status in ["working", "cancelled", "expired"] {
        assert_eq!(verdict(&run(status)).unwrap_err().exit(), Exit::Failed, "{status}");
    }
    assert!(verdict(&run("working")).unwrap_err().words().contains("callboard workflow cancel w_1"));
}
