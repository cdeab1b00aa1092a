//! What the command line prints of a small world, at two widths and in a pipe: each a file that is read from top to
//! bottom, `snapshots/…80.snap`, `…200.snap`, `…pipe.snap`.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;

use super::*;
use crate::cli::follow;
use crate::cli::output::table::{columns, table};
use crate::cli::task::{show, why};
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::transport::http::api;
use crate::transport::web::tests::{RouteFixture, agent};

const DIFF: &str = "--- a/src/login.rs\n+++ b/src/login.rs\n@@ -1 +1 @@\n-a\n+b\n";
const LONG: &str = "Sort the issues of the last week by how many people they stop, and say of each who could mend it";

/// An agent calls a tool.
async fn calls(desk: &RouteFixture, who: &str, tool: &str, given: Value) -> Value {
    let done = desk.post_as(&agent(who), &format!("/api/v1/tools/{tool}"), given).await;
    assert!(done.status.is_success(), "{tool}: {}", done.text);
    done.body
}

async fn orders(desk: &RouteFixture, path: &str, body: Value) -> Value {
    let done = desk.post(path, body).await;
    assert!(done.status.is_success(), "{path}: {}", done.text);
    done.body
}

async fn passes(minutes: u64) {
    sleep(Duration::from_secs(minutes * 60)).await;
}

/// An agent takes the task that it is offered.
async fn takes(desk: &RouteFixture, who: &str, task: &str) {
    assert_eq!(calls(desk, who, "wait_for_prompt", json!({})).await["taskId"], task);
    calls(desk, who, "ack_task", json!({ "taskId": task })).await;
}

/// One task that went a long way, some that wait, and two agents; the id of the first.
async fn life(desk: &RouteFixture) -> String {
    for (id, role) in [("fullstack-1", "full-stack-engineer"), ("tester-with-a-long-name-1", "test-engineer")] {
        calls(desk, id, "register_agent", json!({ "agentId": id, "role": role, "capabilities": ["rust"] })).await;
    }
    let login = json!({ "targetAgentId": "fullstack-1", "title": "Implement the log-in", "priority": "high",
        "prompt": "Implement the log-in\n\nwith a remembered session" });
    let task = orders(desk, "/api/v1/tasks", login).await["taskId"].as_str().unwrap().to_owned();
    passes(3).await;
    takes(desk, "fullstack-1", &task).await;
    passes(4).await;
    let half = json!({ "taskId": task, "message": "the form is there", "percent": 40 });
    calls(desk, "fullstack-1", "update_progress", half).await;
    let ask = json!({ "question": "Which database?", "options": ["old", "new"], "default_action": "old",
        "wait_seconds": 0 });
    let asked = calls(desk, "fullstack-1", "request_input", ask.clone()).await;
    passes(2).await;
    orders(
        desk,
        &format!("/api/v1/questions/{}/answer", asked["question_id"].as_str().unwrap()),
        json!({"value": "new"}),
    )
    .await;
    calls(desk, "fullstack-1", "get_session", json!({})).await;
    orders(desk, &format!("/api/v1/tasks/{task}/comments"), json!({ "text": "mind the time zones" })).await;
    passes(5).await;
    let review = json!({ "diff": DIFF, "task_id": task, "message": "the log-in works" });
    calls(desk, "fullstack-1", "submit_for_review", review.clone()).await;
    passes(1).await;
    let wish = json!({ "comments": [{ "text": "rename it", "file": "src/login.rs", "line": 1 }], "round": 1 });
    orders(desk, &format!("/api/v1/tasks/{task}/request-changes"), wish).await;
    takes(desk, "fullstack-1", &task).await;
    passes(6).await;
    calls(desk, "fullstack-1", "submit_for_review", review).await;
    let other = desk.task("tester-with-a-long-name-1", "Try the log-in with 2,000 people at once").await;
    takes(desk, "tester-with-a-long-name-1", &other).await;
    calls(desk, "tester-with-a-long-name-1", "request_input", ask).await;
    for (target, prompt) in
        [("role:test-engineer", LONG), ("role:designer", "Draw the icon"), ("any", "Write\nit down")]
    {
        desk.task(target, prompt).await;
    }
    let nightly = json!({ "name": "nightly", "target": "role:test-engineer", "prompt": "run all tests",
        "every": "6h" });
    orders(desk, "/api/v1/schedules", nightly).await;
    passes(1).await;
    task
}

/// What the hub does not know of in this world, as it would tell it.
fn told(what: &str) -> Vec<Value> {
    let at = "2027-01-15T08:00:00.000Z";
    match what {
        "outbox" => vec![json!({ "id": "d_1042_0", "destination": "webhook:ci", "state": "dead-letter",
            "createdAt": at, "attempts": 12, "lane": "ci", 
            "summary": "task.completed of 01h455vb4pex5vsknk084sn02q",
            "reason": "https://ci.example.com/hook answered 500 for a day; nobody there reads what is sent" })],
        "webhooks" => vec![json!({ "name": "ci", "stopped": true, "waiting": 3, "delivered": 1042,
            "deadLetters": 1, "gap": { "missed": 2, "since": at, "why": "answered 500 for a day" },
            "events": ["task", "question.asked"], "url": "https://ci.example.com/hook" })],
        "tokens" => vec![
            json!({ "id": "0123abcd4567", "principal": "agent:fullstack-1", "scopes": ["agent"], "createdAt": at,
                "lastUsed": at, "expiresAt": "2027-04-15T08:00:00.000Z" }),
            json!({ "id": "89ef0123abcd", "principal": "person:operator", "scopes": ["admin"], "createdAt": at }),
        ],
        _ => vec![json!({ "seq": 7, "at": at, "who": "discord:5", "decision": "denied", "action": "discord.assign",
            "target": "role:test-engineer", "rule": "no entry allows it", "through": "discord" })],
    }
}

/// Everything that is printed at this width.
async fn printed(screen: Option<usize>) -> String {
    let desk = RouteFixture::of(api::routes(), Ids::seeded(7)).await;
    let task = life(&desk).await;
    let now: Timestamp = desk.hub.clock.now();
    let mut read = String::new();
    let mut shows = |command: &str, said: String| {
        let plain = ["31", "32", "33", "34", "2", "0"].map(|code| format!("\u{1b}[{code}m"));
        let said = plain.iter().fold(said, |said, code| said.replace(code.as_str(), ""));
        let widest = said.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        if command.ends_with("list") || command.starts_with("task why") {
            assert!(widest <= screen.unwrap_or(usize::MAX), "{command} is {widest} wide\n{said}");
        }
        let lines = said.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>();
        read.push_str(&format!("$ callboard {command}\n{lines}\n"));
    };
    for (command, path, plan) in [
        ("task list", "tasks", TASKS),
        ("agent list", "agents", AGENTS),
        ("session list", "sessions", SESSIONS),
        ("question list", "questions", QUESTIONS),
        ("review list", "reviews", REVIEWS),
        ("inbox list", "inbox", INBOX),
        ("schedule list", "schedules", SCHEDULES),
    ] {
        let list = desk.get(&format!("/api/v1/{path}")).await.body;
        shows(command, table(&columns(plan, now), list_at(&list, "items"), false, screen));
    }
    for (command, what, plan) in [
        ("outbox list", "outbox", OUTBOX),
        ("webhook list", "webhooks", WEBHOOKS),
        ("token list", "tokens", TOKENS),
        ("audit list", "audit", AUDIT),
    ] {
        shows(command, table(&columns(plan, now), &told(what), false, screen));
    }
    let seen = desk.get(&format!("/api/v1/tasks/{task}")).await.body;
    let asked = desk.get(&format!("/api/v1/questions?task={task}&state=all")).await.body;
    let tree = desk.get(&format!("/api/v1/tasks/{task}/tree")).await.body;
    let others = (list_at(&asked, "items"), list_at(&tree, "items"));
    shows("task show TASK", show::told(&seen, others, false, now));
    shows("task why TASK", why::words(&desk.get(&format!("/api/v1/tasks/{task}/why")).await.body));
    let events: Vec<_> = list_at(&seen, "history").iter().map(follow::line).collect();
    shows("event list --task TASK", events.join("\n"));
    read
}

#[tokio::test(start_paused = true)]
async fn what_is_printed_fits_80_columns() {
    insta::assert_snapshot!("80", printed(Some(80)).await);
}

#[tokio::test(start_paused = true)]
async fn what_is_printed_fits_200_columns() {
    insta::assert_snapshot!("200", printed(Some(200)).await);
}

#[tokio::test(start_paused = true)]
async fn in_a_pipe_everything_is_whole() {
    let whole = printed(None).await;
    // What is folded away in a story stands in its margin.
    let cut = whole.lines().find(|line| line.trim_start_matches("  …").contains('…'));
    assert!(whole.contains(LONG) && cut.is_none(), "{cut:?} in {whole}");
    insta::assert_snapshot!("pipe", whole);
}

/// Heads are words: none is the name of a field alone.
#[test]
fn every_table_names_its_columns_once_and_begins_with_what_it_lists() {
    let all = [
        TASKS, AGENTS, SESSIONS, QUESTIONS, INBOX, OUTBOX, REVIEWS, SCHEDULES, WEBHOOKS, TOKENS, AUDIT, ACTORS, RUNS,
        WORKFLOWS, NODES,
    ];
    for plan in all {
        let heads: Vec<_> = plan.iter().map(|(head, ..)| *head).collect();
        let mut once = heads.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), heads.len(), "{heads:?}");
        assert!(heads.iter().all(|head| head.chars().all(|c| c.is_ascii_uppercase() || c == ' ')), "{heads:?}");
        assert!(!plan[0].2 && !plan.last().unwrap().2, "{heads:?}");
    }
}

#[test]
fn a_cell_says_who_has_a_task_in_hand_what_is_heard_and_why_nothing_arrives() {
    use crate::cli::cells::{events_of, holder, why_webhook};
    let task = |state: &str, outcome: &str, lease: Value| {
        holder(&json!({ "state": state, "lease": lease, "attempts": [
            { "agentId": "ann", "outcome": "released" }, { "agentId": "bob", "outcome": outcome },
        ] }))
    };
    for (state, outcome, lease, expected) in [
        ("IN_PROGRESS", "running", json!({ "agentId": "cy" }), "cy"),
        ("BLOCKED", "blocked", Value::Null, "bob"),
        ("IN_REVIEW", "submitted", Value::Null, "bob"),
        ("BLOCKED", "failed", Value::Null, "–"),
        ("QUEUED", "blocked", Value::Null, "–"),
    ] {
        assert_eq!(task(state, outcome, lease), expected, "{state}, {outcome}");
    }
    assert_eq!(events_of(&json!({ "events": [] })), "all");
    assert_eq!(events_of(&json!({ "events": ["task", "question"] })), "task, question");
    let why = |item: Value| why_webhook(&item, |_| "1h".to_owned());
    assert_eq!(why(json!({})), "–");
    assert_eq!(why(json!({ "lastError": "refused" })), "not taken yet: refused");
    assert_eq!(why(json!({ "lastError": "refused", "gap": { "why": "full" } })), "since 1h ago: full");
}
