//! What `review` does, tried.

use serde_json::json;

use super::*;

#[test]
fn a_change_that_was_compared_with_nothing_says_so_wherever_it_is_shown() {
    let now = Timestamp(1_800_000_000_000);
    for (from, beware) in [("agent", true), ("forge_against_agent", true), ("forge", false)] {
        let review = json!({"taskId": "t1", "diffFrom": from});
        assert_eq!(describe(&review, now).contains("BEWARE"), beware, "{from}");
        let shown = with_warning(&review, "--- a\n+++ a\n");
        assert_eq!(shown.starts_with("BEWARE: the "), beware, "{from}: {shown}");
        assert!(shown.ends_with("--- a\n+++ a\n"), "{shown}");
    }
    assert_eq!(with_warning(&json!({}), "+x"), "+x");
}
