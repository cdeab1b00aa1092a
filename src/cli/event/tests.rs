//! What `event` does, tried.

use serde_json::json;

use super::*;

#[test]
fn a_family_of_types_is_meant_by_its_name_and_no_other_that_begins_so() {
    let event = json!({"type": "task.created", "subject": {"task": "t1"}});
    let only = |types: &[&str], task: Option<&str>| OnlyArgs {
        types: types.iter().map(|&kind| kind.to_owned()).collect(),
        task: task.map(str::to_owned),
        agent: None,
    };
    for (only, means) in [
        (only(&[], None), true),
        (only(&["task"], None), true),
        (only(&["question", "task.created"], Some("t1")), true),
        (only(&["tas"], None), false),
        (only(&["task"], Some("t2")), false),
    ] {
        assert_eq!(only.means(&event), means, "{only:?}");
    }
}
