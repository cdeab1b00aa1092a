//! What `show` does, tried.

use serde_json::json;

use super::*;

#[test]
fn why_it_stands_still_reads_as_a_sentence_and_stands_there_once() {
    let now = Timestamp::parse("2026-11-21T13:10:00Z").unwrap();
    let shown = |waits_for: &str, reason: &str| {
        let task = json!({ "taskId": "0196abcd", "state": "BLOCKED", "waitsFor": waits_for, "reason": reason });
        describe(&task, &[], now)
    };
    let repair = "it depends on `0196abce`, which is FAILED: retry that one, or cancel this one";
    let words = shown(repair, repair);
    assert!(words.contains(&format!("\nbecause   {repair}\n")), "{words}");
    assert!(!words.contains("waits for") && !words.contains("\nreason"), "{words}");
    let words = shown("`boss` must answer: which\ndatabase?", "which\ndatabase?");
    assert!(words.contains("\nbecause   `boss` must answer: which database?\n") && !words.contains("\nreason"));
    let words = shown("the lease ran out: retry, reassign or cancel it", "no word for 30m");
    assert!(words.contains("\nbecause   the lease ran out") && words.contains("\nreason    no word for 30m\n"));
}

#[test]
fn what_others_wrote_is_indented_and_drives_no_terminal() {
    let task = json!({
        "taskId": "0196abcd", "state": "IN_PROGRESS", "prompt": "first\ntask      forged  COMPLETED\u{1b}[1A",
        "target": "fullstack-1", "priority": "high", "createdAt": "2026-11-21T13:00:00.000Z",
        "from": { "kind": "cli", "id": "operator", "displayName": "operator" }, "via": [], "dependencies": [],
        "lease": { "agentId": "fullstack-1", "epoch": 3, "expiresAt": "2026-11-21T13:40:00.000Z" },
        "attempts": [{ "number": 1, "agentId": "fullstack-1", "outcome": "running" }], "comments": [],
    });
    let now = Timestamp::parse("2026-11-21T13:10:00Z").unwrap();
    let expected = "\
task      0196abcd  IN_PROGRESS
target    fullstack-1
priority  high
from      operator (cli)
created   10m ago
lease     fullstack-1, number 3, runs out in 30m

    first
    task      forged  COMPLETED\\u{1b}[1A
";
    assert_eq!(describe(&task, &[], now), expected);
}
