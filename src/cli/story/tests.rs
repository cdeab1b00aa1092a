//! What `story` does, tried.

use super::*;

fn event(kind: &str, at: &str, data: Value) -> Value {
    json!({ "type": kind, "at": format!("2026-11-21T13:{at}.000Z"), "by": "agent:fullstack-1", "data": data })
}

#[test]
fn who_did_what_and_how_long_after_stands_in_one_line() {
    let mut teller = StoryWriter::default();
    let created = json!({ "target": "any", "from": { "displayName": "Ada" }, "title": "Log in", "priority": "high" });
    assert_eq!(
        teller.tell(&event("task.created", "00:00", created)),
        ["  called                  Ada, for any: Log in"]
    );
    let progressed = json!({ "percent": 40, "message": "half\u{1b}[2J of it" });
    assert_eq!(
        teller.tell(&event("task.progressed", "02:05", progressed)),
        ["  progress        +2m 5s  fullstack-1, 40 %: half\\u{1b}[2J of it"]
    );
    // As the stream has it.
    let asked = json!({ "type": "question.asked", "time": "2026-11-21T13:02:06.000Z",
        "actor": { "principal": "agent:fullstack-1" }, "data": { "question": "Which?", "options": ["old", "new"] } });
    assert_eq!(teller.tell(&asked), ["  asked              +1s  fullstack-1: Which? 1. old 2. new"]);
}

#[test]
fn what_is_of_little_weight_is_counted_and_told_only_where_all_is_wanted() {
    let renewed = event("task.lease_extended", "10:00", json!({}));
    let mut teller = StoryWriter::default();
    for _ in 0..12 {
        assert_eq!(teller.tell(&renewed), Vec::<String>::new());
    }
    assert_eq!(teller.tell(&event("question.reminded", "11:00", json!({}))), Vec::<String>::new());
    let lines = teller.tell(&event("task.completed", "12:00", json!({ "message": "done" })));
    let folded = "  …                       reminded, 12 renewals";
    assert_eq!(lines, [folded, "  completed               fullstack-1: done"]);
    assert_eq!(teller.rest(), None);
    let all = StoryWriter::new(true).tell(&renewed);
    assert_eq!(all, ["  renewed                 fullstack-1"]);
}

#[test]
fn what_is_too_long_for_the_line_stands_whole_below_it() {
    let message = format!("{}\n\u{1b}[2Jlast", "x".repeat(169));
    let lines = StoryWriter::default().tell(&event("task.progressed", "00:00", json!({ "message": message })));
    let whole = [format!("      {}", "x".repeat(169)), "      \\u{1b}[2Jlast".to_owned()];
    assert_eq!(lines[0], "  progress                fullstack-1");
    assert_eq!(lines[1..], whole);
}

#[test]
fn why_a_task_starves_is_told_without_the_name_of_a_tool() {
    let reason = "waits for an agent that fits any to call wait_for_prompt";
    let lines = StoryWriter::default().tell(&event("hub.task_starving", "00:00", json!({ "reason": reason })));
    assert!(lines[0].ends_with(": waits for an agent that fits any to ask for work"), "{lines:?}");
    let lines =
        StoryWriter::default().tell(&event("task.responded", "00:00", json!({ "message": "call wait_for_prompt" })));
    assert!(lines[0].ends_with(": call wait_for_prompt"), "{lines:?}");
}

#[test]
fn whoever_did_something_on_discord_is_called_by_name() {
    let (ann, bob) = (json!({ "kind": "discord", "id": "discord:15", "displayName": "ann" }), "discord:16");
    let mut created = event("task.created", "00:00", json!({ "target": "any", "from": ann, "title": "Log in" }));
    created["by"] = json!("discord:15");
    let mut history = vec![created];
    for (kind, at, by) in [
        ("task.approved", "01:00", bob),
        ("review.approved", "01:00", bob),
        ("task.changes_requested", "02:00", "discord:15"),
        ("task.cancelled", "03:00", bob),
        ("task.prioritised", "04:00", "discord:17"),
    ] {
        let who = json!({ "kind": "discord", "id": by, "displayName": "bob" });
        let data = if kind.starts_with("review.") { json!({ "by": who }) } else { json!({}) };
        let mut one = event(kind, at, data);
        one["by"] = json!(by);
        history.push(one);
    }
    let told = story(&json!({ "history": history }), (&[], &[]), false);
    let who: Vec<_> = told.lines().filter_map(|line| line.split_whitespace().next_back()).collect();
    assert_eq!(who, ["in", "bob", "ann", "bob", "17"], "{told}");
}
