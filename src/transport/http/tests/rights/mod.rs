//! Every door through which a person changes what is another's, held to `people.yaml`: each row of the table of routes,
//! each verb over plain HTTP and over MCP, each action of the inbox.

mod rows;
mod scene;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::guarded_hub::Answer;
use crate::domain::permission::{Deed, Right};
use crate::domain::task::RightsSet;
use crate::settings::Person;
use crate::tools;
use rows::{Door, Row, rows};
use scene::{Scene, Stage, WORKER};

/// Verbs about what is nobody's in particular: tried by themselves.
const OF_EVERYBODY: [&str; 4] =
    ["start_session_monitor", "stop_session_monitor", "cleanup_old_sessions", "forget_pattern"];

/// Verbs that a person may call, that are no mere looking, and that change nothing for one who is no agent.
const HARMLESS: [&str; 1] = ["get_task_context"];

/// A verb about what is the caller's own: nobody else's changes by it.
const OF_ONES_OWN: [&str; 1] = ["workflow_complete"];

/// What `people.yaml` says of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PolicyCase {
    /// The needed right reaches the worker; no other right reaches anybody.
    Covered,
    /// Every right reaches everybody, and the needed one only somebody else.
    Uncovered,
    /// Every right reaches everybody, and the worker is denied.
    Denied,
}

fn person(said: PolicyCase, deed: Deed) -> Person {
    let only = |name: &str| Some(RightsSet::Only([name.to_owned()].into()));
    // Who gives a task away gives it to somebody, too.
    let also = |right: Right| said == PolicyCase::Covered && deed == Deed::ReassignTask && right == Right::Assign;
    let list = |right: Right| match (said, deed.rights().contains(&right) || also(right)) {
        (PolicyCase::Covered, true) => only(WORKER),
        (PolicyCase::Covered, false) => Some(RightsSet::none()),
        (PolicyCase::Uncovered, true) => only("somebody-else"),
        (PolicyCase::Uncovered, false) | (PolicyCase::Denied, _) => Some(RightsSet::All),
    };
    Person {
        can_assign_to: list(Right::Assign),
        can_answer: list(Right::Answer),
        can_approve: list(Right::Approve),
        can_operate: list(Right::Operate),
        deny: if said == PolicyCase::Denied { RightsSet::Only([WORKER.to_owned()].into()) } else { RightsSet::none() },
        ..Person::default()
    }
}

/// What is wrong with a refusal. It is said in each door's own way; its code, its advice and the key are the same.
fn refused(row: &Row, said: PolicyCase, answer: &Answer) -> Option<&'static str> {
    let (no, status) = match row.door {
        Door::Route(..) | Door::Tool(_) => (answer.body.clone(), answer.status.as_u16()),
        Door::Mcp(_) => (answer.body["result"]["structuredContent"].clone(), 403),
        Door::Inbox(..) => (answer.body["results"][0].clone(), 403),
    };
    let prompt = if no["prompt"].is_string() { &no["prompt"] } else { &no["details"]["prompt"] };
    let key = if said == PolicyCase::Denied { "deny" } else { row.deed.rights()[0].key() };
    let (right, agent) = (&no["details"]["right"], &no["details"]["agent"]);
    // To whom work may be handed the dispatcher says, with those who are allowed.
    let named = row.deed == Deed::AssignTask || (right == &json!(key) && agent == &json!(WORKER));
    if no["code"] != "NOT_PERMITTED" || status != 403 {
        Some("is not refused")
    } else if !prompt.as_str().is_some_and(|prompt| prompt.contains("people.yaml")) {
        Some("does not say what to do")
    } else {
        (!named).then_some("does not say which key says so, and of whom")
    }
}

fn done(row: &Row, answer: &Answer) -> Option<&'static str> {
    let ok = match row.door {
        Door::Route(..) | Door::Tool(_) => answer.status.is_success(),
        Door::Mcp(_) => answer.body["result"]["structuredContent"]["success"] == true,
        Door::Inbox(..) => answer.body["results"][0]["ok"] == true,
    };
    (!ok).then_some("is refused")
}

#[tokio::test(start_paused = true)]
async fn a_person_changes_what_the_rights_cover_and_nothing_else_through_whatever_door() {
    let mut complaints = Vec::new();
    for row in rows() {
        let stage = Stage::set(row.scene).await;
        for said in [PolicyCase::Uncovered, PolicyCase::Denied, PolicyCase::Covered] {
            stage.says_of_ada(person(said, row.deed));
            let before = stage.everything().await;
            let answer = stage.tries(&row).await;
            let moved = stage.everything().await != before;
            let wrong = match (said, moved) {
                (PolicyCase::Covered, _) => done(&row, &answer),
                (PolicyCase::Uncovered | PolicyCase::Denied, true) => Some("changes something"),
                (PolicyCase::Uncovered | PolicyCase::Denied, false) => refused(&row, said, &answer),
            };
            complaints.extend(wrong.map(|wrong| format!("{:?}, {said:?}: {wrong}: {}", row.door, answer.text)));
        }
        stage.ends().await;
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn what_a_terminal_asks_is_shown_to_who_answers_and_to_who_types_and_offered_to_who_types() {
    let stage = Stage::set(Scene::AtAPrompt).await;
    let cases = [(Deed::AnswerQuestion, 1, Value::Null), (Deed::TypeInTerminal, 1, json!("answer"))];
    for (deed, total, action) in cases.into_iter().chain([(Deed::JudgeWork, 0, Value::Null)]) {
        stage.says_of_ada(person(PolicyCase::Covered, deed));
        let inbox = stage.ada("GET", "/api/v1/inbox?kind=input_prompt", Value::Null).await.body;
        assert_eq!((&inbox["total"], &inbox["items"][0]["actions"][0]), (&json!(total), &action), "{deed:?}: {inbox}");
    }
    // Whoever stands at a prompt makes no calls, and counts as gone by then.
    stage.says_of_ada(person(PolicyCase::Covered, Deed::TypeInTerminal));
    tokio::time::sleep(std::time::Duration::from_secs(6 * 60)).await;
    let agent = stage.ada("GET", &format!("/api/v1/agents/{WORKER}"), Value::Null).await.body;
    let inbox = stage.ada("GET", "/api/v1/inbox?kind=input_prompt", Value::Null).await.body;
    assert_eq!((&agent["availability"], &inbox["total"]), (&json!("offline"), &json!(1)), "{inbox}");
    stage.ends().await;
}

#[tokio::test]
async fn no_door_is_left_out() {
    let rows = rows();
    let routes: BTreeSet<String> = rows.iter().filter_map(|row| row.door.route()).collect();
    let table = crate::transport::http::router::rooms();
    // The tools are looked at below, and the inbox action by action; logging in and out changes nothing of anybody's.
    let changing = table.rows().iter().filter(|route| route.method.changes());
    let named = changing.map(|route| format!("{} {}", route.method.as_str(), route.path));
    let named: BTreeSet<String> = named
        .filter(|name| {
            !name.contains("/api/v1/log")
                && !name.ends_with("/tools/{name}")
                && !name.ends_with("/inbox/actions")
                && !name.ends_with("/promote")
                && !name.contains("/outbox/")
                && !name.contains("/webhooks")
                // A device is one's own, and what is pressed on it goes the way of an answer on the page.
                && !name.contains("/push/")
                // Held to whom one may assign, as told in the tests of schedules.
                && !name.contains("/schedules")
                // These two are about a run of one's own; each step is held to what its tool needs.
                && name != "POST /api/v1/workflows"
                && !name.ends_with("/continue")
                // Of a webhook the signature decides, and what it does is done by a verb.
                && !name.contains("/hooks/in/")
        })
        .collect();
    assert_eq!(routes, named, "each route that changes something stands in the table of rights");
    let actions: BTreeSet<&str> = rows.iter().filter_map(|row| row.door.action()).collect();
    assert_eq!(
        actions,
        BTreeSet::from(["answer", "approve", "cancel", "reassign", "request-changes", "requeue", "retry"])
    );
    let deeds: BTreeSet<Deed> = rows.iter().map(|row| row.deed).collect();
    let untold: Vec<Deed> = Deed::ALL.into_iter().filter(|deed| !deeds.contains(deed)).collect();
    // It is about nobody's work, and is tried with the outbox.
    assert_eq!(untold, [Deed::SettleDelivery], "each other deed has a door that was tried");
}

#[tokio::test(start_paused = true)]
async fn each_verb_is_in_the_table_or_only_looks_or_is_for_agents_alone() {
    let rows = rows();
    let tools: BTreeSet<&str> = rows.iter().filter_map(|row| row.door.tool()).collect();
    let over_mcp: BTreeSet<&str> = rows.iter().filter_map(|row| row.door.mcp()).collect();
    assert_eq!(tools, over_mcp, "a verb is tried through both doors");
    let stage = Stage::set(Scene::Working).await;
    stage.says_of_ada(Person::default());
    for tool in tools::table().iter().filter(|tool| !tools.contains(tool.name)) {
        if tool.read_only
            || HARMLESS.contains(&tool.name)
            || OF_EVERYBODY.contains(&tool.name)
            || OF_ONES_OWN.contains(&tool.name)
        {
            continue;
        }
        let answer = stage.ada("POST", &format!("/api/v1/tools/{}", tool.name), json!({})).await;
        assert_eq!(
            answer.code(),
            "INSUFFICIENT_SCOPE",
            "{} changes something for a person: {}",
            tool.name,
            answer.text
        );
    }
    for name in HARMLESS {
        let before = stage.everything().await;
        let looked = stage.ada("POST", &format!("/api/v1/tools/{name}"), json!({"taskId": stage.task()})).await;
        assert!(looked.status.is_success(), "{name}: {}", looked.text);
        assert_eq!(stage.everything().await, before, "{name}");
    }
    stage.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_of_everybodys_terminals_needs_a_right_that_nothing_narrows() {
    let stage = Stage::set(Scene::Working).await;
    let _folder = stage.follows("f").await;
    stage.says_of_ada(person(PolicyCase::Covered, Deed::PrintInTerminal));
    let follows = json!({"session_id": "m", "session_type": "file", "log_file": "/x"});
    for (path, body) in [
        ("/api/v1/tools/start_session_monitor", follows),
        ("/api/v1/tools/stop_session_monitor", json!({"session_id": "f"})),
        ("/api/v1/tools/cleanup_old_sessions", json!({})),
        ("/api/v1/tools/forget_pattern", json!({"pattern_id": "p_00000000"})),
        ("/api/v1/patterns/p_00000000/promote", json!({})),
    ] {
        assert_eq!(stage.ada("POST", path, body).await.code(), "NOT_PERMITTED", "{path}");
    }
    let wide = Person { deny: RightsSet::none(), ..person(PolicyCase::Denied, Deed::PrintInTerminal) };
    stage.says_of_ada(wide);
    let stopped = stage.ada("POST", "/api/v1/tools/stop_session_monitor", json!({"session_id": "f"})).await;
    assert!(stopped.status.is_success(), "{}", stopped.text);
    stage.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_everybodys_needs_a_right_that_nothing_narrows() {
    let stage = Stage::set(Scene::Working).await;
    let narrow = person(PolicyCase::Covered, Deed::ManageToken);
    let wide = Person { deny: RightsSet::none(), ..person(PolicyCase::Denied, Deed::ManageToken) };
    for (path, body) in [
        ("/api/v1/tokens", json!({"scope": "admin", "name": "second-self"})),
        ("/admin/actors/dispatcher/restart", json!({})),
        ("/api/v1/tools/cleanup_old_sessions", json!({})),
    ] {
        for kept_back in [narrow.clone(), person(PolicyCase::Denied, Deed::ManageToken)] {
            stage.says_of_ada(kept_back);
            assert_eq!(stage.ada("POST", path, body.clone()).await.code(), "NOT_PERMITTED", "{path}");
        }
        stage.says_of_ada(wide.clone());
        let answer = stage.ada("POST", path, body).await;
        assert!(answer.status.is_success(), "{path}: {}", answer.text);
    }
    stage.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_given_only_to_whom_one_may_assign_and_goes_on_only_to_those() {
    let stage = Stage::set(Scene::Working).await;
    let only = |names: &[&str]| Some(RightsSet::Only(names.iter().map(|name| (*name).to_owned()).collect()));
    let rights = Person { can_assign_to: only(&["full-stack-engineer", "designer"]), ..Person::default() };
    stage.says_of_ada(rights);
    let reassign = format!("/api/v1/tasks/{}/reassign", stage.task());
    for target in ["role:test-engineer", "any"] {
        let no = stage.ada("POST", &reassign, json!({"targetAgentId": target})).await;
        assert_eq!(no.code(), "NOT_PERMITTED", "{target}: {}", no.text);
        assert!(no.body["error"].as_str().unwrap().contains("`designer`, `full-stack-engineer`"), "{}", no.text);
    }
    assert!(stage.ada("POST", &reassign, json!({"targetAgentId": "role:designer"})).await.status.is_success());
    stage.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_person_begins_goes_no_further_than_they_do_by_whatever_hands() {
    let test_engineer = RightsSet::Only(["test-engineer".to_owned()].into());
    let coders = RightsSet::Only(["full-stack-engineer".to_owned()].into());
    for (rights, goes_on) in [
        (Person::default(), true),
        (Person { can_assign_to: Some(coders), ..Person::default() }, false),
        (Person { deny: test_engineer, ..Person::default() }, false),
    ] {
        let stage = Stage::set(Scene::Idle).await;
        stage.says_of_ada(rights);
        let made = stage.ada("POST", "/api/v1/tasks", json!({"targetAgentId": WORKER, "prompt": "Build it."})).await;
        stage.works_on(&made.body["taskId"]).await;
        let asked = json!({"targetAgentId": "role:test-engineer", "prompt": "Test it."});
        let answer = stage.worker("assign_task", asked).await;
        let code = if goes_on { "" } else { "DELEGATION_DENIED" };
        assert_eq!(answer.code(), code, "{}", answer.text);
        stage.ends().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_repeat_under_its_key_is_answered_although_another_has_the_task_by_now() {
    let stage = Stage::set(Scene::Queued).await;
    let only = |name: &str| Some(RightsSet::Only([name.to_owned()].into()));
    stage.says_of_ada(Person { can_operate: only(WORKER), can_assign_to: only("designer"), ..Person::default() });
    let path = format!("/api/v1/tasks/{}/reassign", stage.task());
    let body = json!({"targetAgentId": "role:designer"});
    for _ in 0..2 {
        let answer = stage.ada_once(&path, "k-1", body.clone()).await;
        assert!(answer.status.is_success(), "{}", answer.text);
    }
    let other = stage.ada_once(&path, "k-2", body).await;
    assert_eq!(other.code(), "NOT_PERMITTED", "{}", other.text);
    // Counted, and so a line of the audit.
    let shown = stage.ada("GET", "/metrics", Value::Null).await.text;
    assert!(shown.contains("callboard_auth_denied_total{reason=\"NOT_PERMITTED\"} 1"), "{shown}");
    stage.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_role_covers_an_agent_that_never_had_the_task() {
    let stage = Stage::set(Scene::Queued).await;
    let coding = Some(RightsSet::Only(["full-stack-engineer".to_owned()].into()));
    stage.says_of_ada(Person { can_operate: coding, ..Person::default() });
    let answer = stage.ada("POST", &format!("/api/v1/tasks/{}/cancel", stage.task()), Value::Null).await;
    assert!(answer.status.is_success(), "{}", answer.text);
    stage.ends().await;
}
