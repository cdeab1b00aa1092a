//! The paths: what is so before the agent waits, and what happens then.

use serde_json::{Value, json};

use super::scene::Scene;

pub(super) struct Path {
    pub(super) name: &'static str,
    pub(super) prepare: fn(&mut Scene<'_>),
    pub(super) happens: fn(&mut Scene<'_>),
}

const fn path(name: &'static str, prepare: fn(&mut Scene<'_>), happens: fn(&mut Scene<'_>)) -> Path {
    Path { name, prepare, happens }
}

/// By hand, by another agent's work, by a reviewer, by time. Left to the table on stopped time are those that need an
/// accident, other settings, or minutes.
pub(super) const PATHS: &[Path] = &[
    path(
        "asked by name",
        |_| {},
        |s| {
            s.asks(&s.id(), &json!({}));
            s.expects_the_last();
        },
    ),
    path(
        "asked by role",
        |_| {},
        |s| {
            s.asks(&s.of_its_role(), &json!({}));
            s.expects_the_last();
        },
    ),
    path(
        "another agent hands it on",
        |s| {
            s.registers_as("full-stack-engineer", &[]);
            s.other_comes_as("project-manager");
        },
        |s| {
            s.other_delegates(&s.id());
            s.expects_the_last();
        },
    ),
    path(
        "asked after what it depends on was done",
        |s| other_works_on_the_first(s, &json!({})),
        |s| {
            s.other_reports(0, "COMPLETED");
            s.asks(&s.id(), &json!({ "dependencies": [s.task(0)] }));
            s.expects_the_last();
        },
    ),
    path("a dependency is completed", dependency, |s| s.other_reports(0, "COMPLETED")),
    path(
        "a dependency is approved, and completed by that",
        |s| {
            let other = s.other_comes_as("easy");
            s.asks(&other, &json!({}));
            s.other_takes();
            s.asks(&s.id(), &json!({ "dependencies": [s.task(0)] }));
            s.other_calls("submit_for_review", &submission());
            s.expects_the_last();
        },
        |s| s.of_task(0, "approve", &json!({})),
    ),
    path("a dependency that had failed is completed", mended, |s| s.other_reports(0, "COMPLETED")),
    path(
        "who was offered it does not acknowledge",
        |s| {
            s.registers_as("brief", &[]);
            offered_to_another(s);
        },
        |_| {},
    ),
    path("who was offered it is sent away", offered_to_another, evicts_the_other),
    path("who worked on it is sent away", |s| shared(s, &json!({})), evicts_the_other),
    path("somebody else's lease runs out", |s| shared(s, &json!({ "ttlSeconds": 1 })), |_| {}),
    path("what failed is retried", |s| own(s, "FAILED"), |s| s.of_task(0, "retry", &json!({}))),
    path("a dead letter is put back", dead_letter, |s| s.of_task(0, "requeue", &json!({}))),
    path(
        "a queued task is given to it",
        |s| {
            let other = s.other_comes();
            s.asks(&other, &json!({}));
            s.expects_the_last();
        },
        gives_it_over,
    ),
    path(
        "what somebody else works on is given to it",
        |s| {
            other_works_on_the_first(s, &json!({}));
            s.expects_the_last();
        },
        gives_it_over,
    ),
    path(
        "its question to the asker is answered",
        |s| own(s, "BLOCKED"),
        |s| {
            s.of_task(0, "answer", &json!({ "answer": "that one" }));
        },
    ),
    path(
        "what is kept for another one is kept no longer",
        |s| {
            shared(s, &json!({}));
            s.other_reports(0, "BLOCKED");
        },
        |s| s.of_task(0, "answer", &json!({ "answer": "that one" })),
    ),
    path("it holds as much as it may, and completes that", enough, |s| s.reports(0, "COMPLETED")),
    path("it holds as much as it may, and needs an answer", enough, |s| s.reports(0, "BLOCKED")),
    path("it holds as much as it may, and hands that to a reviewer", enough, |s| {
        s.calls("submit_for_review", &submission());
    }),
    path(
        "it may hold more from now on",
        |s| {
            s.registers_as("roomy", &[]);
            enough(s);
        },
        |s| s.reloads_with_room_for(2),
    ),
    path(
        "it registers anew, and can do what is asked for",
        |s| {
            s.registers_as(&s.role(), &["ink"]);
            s.asks(&s.of_its_role(), &json!({ "capabilities": ["braille"] }));
            s.expects_the_last();
        },
        |s| s.registers_as(&s.role(), &["braille"]),
    ),
    path(
        "it registers anew, in the role that is asked for",
        |s| {
            s.asks("role:designer", &json!({}));
            s.expects_the_last();
        },
        |s| s.registers_as("designer", &[]),
    ),
    path(
        "its question to people is answered",
        |s| s.expects_notice("that one"),
        |s| {
            let asked =
                json!({ "question": "Which?", "default_action": "none", "kind": "information", "wait_seconds": 0 });
            let question = s.calls("request_input", &asked)["question_id"].as_str().unwrap().to_owned();
            s.orders(&format!("/api/v1/questions/{question}/answer"), &json!({ "value": "that one" }));
        },
    ),
    path("a reviewer wants changes", submitted, |s| {
        s.of_task(0, "request-changes", &json!({ "comments": [{ "text": "rename it" }] }));
    }),
    path(
        "its work is approved",
        |s| {
            submitted(s);
            s.expects_notice("approved");
        },
        |s| s.of_task(0, "approve", &json!({})),
    ),
    path(
        "a reviewer says something",
        |s| {
            submitted(s);
            s.expects_notice("why two?");
        },
        |s| s.orders(&format!("/api/v1/reviews/{}/comments", s.task(0)), &json!({ "text": "why two?" })),
    ),
    path(
        "somebody remarks on its work",
        |s| {
            own(s, "BLOCKED");
            s.expects_notice("mind the tests");
        },
        |s| s.of_task(0, "comments", &json!({ "text": "mind the tests" })),
    ),
    path(
        "what it handed on is done",
        |s| {
            s.registers_as("project-manager", &[]);
            let other = s.other_comes_as("full-stack-engineer");
            s.delegates(&other);
            s.other_takes();
            s.expects_notice("words");
        },
        |s| s.other_reports(0, "COMPLETED"),
    ),
    path(
        "its work is called off",
        |s| {
            own(s, "BLOCKED");
            s.expects_notice("cancel");
        },
        |s| s.of_task(0, "cancel", &json!({ "reason": "not needed" })),
    ),
    path(
        "it is sent away",
        |s| s.expects_eviction(),
        |s| {
            let evict = json!({ "action": "RESTART", "reason": "a new version" });
            s.orders(&format!("/api/v1/agents/{}/evict", s.id()), &evict);
        },
    ),
];

/// Another one works on a task that only it may have.
fn other_works_on_the_first(s: &mut Scene<'_>, more: &Value) {
    let other = s.other_comes();
    s.asks(&other, more);
    s.other_takes();
}

/// What the agent is to have waits for what another one does.
fn dependency(s: &mut Scene<'_>) {
    other_works_on_the_first(s, &json!({}));
    s.asks(&s.id(), &json!({ "dependencies": [s.task(0)] }));
    s.expects_the_last();
}

fn mended(s: &mut Scene<'_>) {
    dependency(s);
    s.other_reports(0, "FAILED");
    s.until(1, "BLOCKED");
    s.of_task(0, "retry", &json!({}));
    s.other_takes_again(0);
}

/// Another one of its role has a task that both may have.
fn shared(s: &mut Scene<'_>, more: &Value) {
    s.other_comes();
    s.asks(&s.of_its_role(), more);
    s.other_takes();
    s.expects_the_last();
}

fn offered_to_another(s: &mut Scene<'_>) {
    s.other_comes();
    s.asks(&s.of_its_role(), &json!({}));
    s.other_is_offered(0);
    s.expects_the_last();
}

fn evicts_the_other(s: &mut Scene<'_>) {
    let evict = json!({ "action": "SHUTDOWN", "reason": "enough" });
    s.orders(&format!("/api/v1/agents/{}/evict", s.other_id()), &evict);
}

/// A task of its own ended so for now.
fn own(s: &mut Scene<'_>, status: &str) {
    s.asks(&s.id(), &json!({}));
    s.takes();
    s.reports(0, status);
    s.expects_the_last();
}

fn submitted(s: &mut Scene<'_>) {
    s.asks(&s.id(), &json!({}));
    s.takes();
    s.calls("submit_for_review", &submission());
    s.expects_the_last();
}

fn submission() -> Value {
    json!({ "pr_url": "https://git.example/pr/7", "message": "look" })
}

/// It works on one task, another one is queued for it, and it knows that it has enough.
fn enough(s: &mut Scene<'_>) {
    s.asks(&s.id(), &json!({}));
    s.takes();
    s.asks(&s.id(), &json!({}));
    s.hears_that_it_has_enough();
    s.expects_the_last();
}

/// Every lease of its task ran out.
fn dead_letter(s: &mut Scene<'_>) {
    s.asks(&s.id(), &json!({ "ttlSeconds": 1 }));
    for then in ["QUEUED", "QUEUED", "DEAD_LETTER"] {
        s.takes();
        s.until(0, then);
    }
    s.expects_the_last();
}

fn gives_it_over(s: &mut Scene<'_>) {
    s.of_task(0, "reassign", &json!({ "targetAgentId": s.id() }));
}
