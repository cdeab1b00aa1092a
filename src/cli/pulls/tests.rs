//! What `pulls` does, tried.

use serde_json::json;

use super::*;

#[test]
fn each_has_its_state_and_its_link_and_titles_drive_no_terminal() {
    let pull = json!({
        "prId": "pr_1", "state": "open", "draft": true, "outdated": true, "repository": "acme/shop", "number": 7,
        "headBranch": "feature/login", "title": "Log in\u{1b}[1A\nforged", "url": "https://git.example/7",
        "workItem": "acme/web#12", "pending": "merge",
    });
    let words = pull_requests(&json!({"pullRequests": [pull, {"prId": "pr_2", "state": "failed", "trouble": "no"}]}));
    let expected = "
pull requests
    acme/shop#7  open, draft, merge asked for, may be outdated  Log in [1A forged
        pr_1 of feature/login  https://git.example/7  for acme/web#12
    –  failed  \n        pr_2 of –  no
";
    assert_eq!(words, expected);
    assert_eq!(pull_requests(&json!({"pullRequests": []})), "");
}
