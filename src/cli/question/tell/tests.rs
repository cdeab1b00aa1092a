//! What `tell` does, tried.

use serde_json::json;

use super::*;
use crate::domain::session::question::permission::Permission;

fn question(more: &Value) -> Value {
    let mut question = json!({
        "id": "q_0196abcd", "agentId": "fullstack-1", "taskId": "0196abcd", "question": "Which?\n\u{1b}[2Jdatabase",
        "defaultAction": "SQLite", "askedAt": "2026-11-21T13:00:00.000Z", "expiresAt": "2026-11-21T13:30:00.000Z",
        "state": "open",
    });
    question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    question
}

#[test]
fn who_asks_the_deadline_and_the_default_are_told_and_nothing_drives_the_terminal() {
    let now = Timestamp::parse("2026-11-21T13:10:00Z").unwrap();
    let expected = "\
question  q_0196abcd
asked by  fullstack-1, on task 0196abcd, 10m ago
due       in 20m: then the agent goes on with its default
default   SQLite

    Which?
    \\u{1b}[2Jdatabase

";
    assert_eq!(describe(&question(&json!({})), now), expected);
    let dangerous = describe(&question(&json!({"dangerous": true})), now);
    assert!(dangerous.contains("DANGER    nothing happens by itself"), "{dangerous}");
    assert!(!dangerous.contains("goes on with its default"), "{dangerous}");
}

#[test]
fn who_was_first_is_told() {
    let by = json!({"principal": "person:ada", "displayName": "Ada"});
    let human = json!({"type": "human", "value": "red", "by": by, "surface": "page", "at": "now"});
    assert_eq!(resolution(&json!({"resolution": human})), "Ada answered: red (page, now)");
    let timer = json!({"type": "timeout", "value": "red", "surface": "timer", "at": "now"});
    assert_eq!(resolution(&json!({"resolution": timer})), "the default applied at the deadline: red (timer, now)");
}

#[test]
fn of_a_call_that_is_asked_for_all_arguments_and_what_may_destroy_are_told() {
    let input = "{\n  \"command\": \"ls\\nrm -rf /\u{202e}\"\n}";
    let asked = json!({"permission": {"tool": "Bash", "input": input, "risk": "rm -rf", "hidden": 12}});
    let told = describe(&question(&asked), Timestamp::parse("2026-11-21T13:10:00Z").unwrap());
    assert!(told.contains("\nRISK      `rm -rf` may destroy something\n"), "{told}");
    assert!(told.contains("\n      \"command\": \"ls\\nrm -rf /\\u{202e}\"\n    }\n"), "{told}");
    assert!(told.ends_with("  BEWARE: 12 bytes more are not shown\n\n"), "{told}");
}

#[test]
fn a_change_that_leave_is_asked_for_is_told_as_a_diff() {
    let input = json!({"file_path": "/a.rs", "old_string": "a\nb\u{202e}", "new_string": "a\nc"});
    let leave = Permission::new("Edit".to_owned(), String::new(), &input, None);
    let told = describe(&question(&json!({"permission": leave})), Timestamp::parse("2026-11-21T13:10:00Z").unwrap());
    let expected = "\
  all arguments:

    {
      \"file_path\": \"/a.rs\"
    }
\x20\x20\x20\x20
    --- /a.rs
    +++ /a.rs
    @@ -1,2 +1,2 @@
     a
    -b\\u{202e}
    +c

";
    assert!(told.ends_with(expected), "{told}");
}
