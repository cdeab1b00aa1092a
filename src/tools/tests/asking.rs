//! Statuses and questions by their verbs: every branch of an answer, and bad input of every kind.

use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{ToolFixture, agent, operator, viewer};
use crate::actors::session::SessionOrder;
use crate::domain::ids::{PrincipalId, QuestionId, SessionId};
use crate::domain::principal::{By, Surface};
use crate::domain::session::SessionCommand;
use crate::domain::session::question::Answerer;
use crate::domain::task::Origin;
use crate::tools::Caller;

const ASK: &str = "Which database, the old or the new one?";

fn question(more: &Value) -> Value {
    let mut whole = json!({"question": ASK, "options": ["old", "new"], "default_action": "new", "wait_seconds": 0});
    if let (Value::Object(into), Value::Object(more)) = (&mut whole, more.clone()) {
        into.extend(more);
    }
    whole
}

pub(super) async fn answers(desk: &ToolFixture, session: &str, question: &str, value: &str) {
    let principal = PrincipalId::parse("person:ada").unwrap();
    let by = Answerer { principal: principal.clone(), display_name: "Ada".to_owned(), surface: Surface::Page };
    let order = SessionOrder {
        command: SessionCommand::Answer {
            question: QuestionId::parse(question).unwrap(),
            value: value.to_owned(),
            own_words: false,
            by,
        },
        by: By { principal, surface: Surface::Page },
        who: Origin::hub(),
        request: None,
        blobs: Vec::new(),
        key: None,
    };
    let id = crate::domain::ids::SessionId::parse(session).unwrap();
    desk.hub.supervisor.session(&id).await.unwrap().unwrap().order(order).await.unwrap();
}

/// The session of an agent, and the question that is open in it.
pub(super) async fn open_question(desk: &ToolFixture, who: &Caller) -> (String, String) {
    let session = desk.call(who, "get_session", json!({})).await.0["session"].clone();
    let text = |path: &str| session.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    (text("/sessionId"), text("/openQuestion/id"))
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_for_its_person_and_the_answer_says_who() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let session = desk.call(&me, "get_session", json!({})).await.0["session"]["sessionId"].clone();
    let asking = desk.begins(&me, "request_input", question(&json!({"wait_seconds": 40})));
    tokio::time::sleep(Duration::from_secs(5)).await;
    let shown = desk.call(&operator(), "get_session", json!({"session_id": session})).await;
    let id = shown.0["session"]["openQuestion"]["id"].as_str().unwrap().to_owned();
    answers(&desk, session.as_str().unwrap(), &id, "old").await;
    let said = asking.await.unwrap();
    assert_eq!((&said.0["state"], &said.0["message"]), (&json!("resolved"), &json!("Ada answered: old")));
    let resolution = &said.0["resolution"];
    assert_eq!((&resolution["type"], &resolution["value"]), (&json!("human"), &json!("old")));
    assert_eq!((&resolution["by"]["displayName"], &resolution["surface"]), (&json!("Ada"), &json!("page")));
    assert!(!said.text("prompt").contains("Ada"), "the words of others stay out of the prompt");
    let again = desk.call(&me, "request_input", question(&json!({}))).await;
    assert_eq!((&again.0["question_id"], &again.0["state"]), (&json!(id), &json!("resolved")));
}

#[tokio::test(start_paused = true)]
async fn whose_default_never_applies_is_told_at_once_and_why() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let found =
        question(&json!({"question": "Drop the old table?", "options": ["yes", "no"], "default_action": "yes"}));
    let acts = question(&json!({"question": "Format /dev/sdb?", "options": ["yes", "no"], "default_action": "yes"}));
    let declared = question(&json!({"dangerous": true}));
    let approval = question(&json!({"kind": "approval"}));
    let held = [(found, "it says `drop"), (acts, "not known to be harmless")];
    for (asked, why) in held.into_iter().chain([(declared, "declared by the agent"), (approval, "for approval")]) {
        let told = desk.call(&me, "request_input", asked).await;
        assert!(told.text("danger").contains(why), "{told:?}");
        let message = told.text("message");
        assert!(message.contains("is never applied") && message.contains(why), "{message}");
        assert_eq!(
            told.text("prompt").contains("default that does not act"),
            why.starts_with("it says") || why.starts_with("not")
        );
        desk.call(&me, "withdraw_question", json!({"question_id": told.text("question_id")})).await;
    }
    let plain = desk.call(&me, "request_input", question(&json!({}))).await;
    assert_eq!(plain.0.get("danger"), None);
    assert!(plain.text("message").contains(" is open until "), "{plain:?}");
}

#[tokio::test(start_paused = true)]
async fn a_pending_question_says_what_to_do_and_its_default_is_told_to_the_letter() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let pending = desk.call(&me, "request_input", question(&json!({"timeout_minutes": 1}))).await;
    assert_eq!(pending.0["state"], "pending");
    assert!(pending.text("prompt").contains("wait_for_answer"), "{pending:?}");
    let id = pending.text("question_id");
    let waited = desk.call(&me, "wait_for_answer", json!({"questionId": id, "timeout": 100})).await;
    assert_eq!(waited.0["state"], "pending", "an unknown client waits no longer than it tolerates");
    let waited = desk.call(&me, "wait_for_answer", json!({"question_id": id})).await;
    assert_eq!(waited.text("message"), "No response received; proceeding with default: new");
    assert_eq!(
        (&waited.0["resolution"]["type"], &waited.0["resolution"]["surface"]),
        (&json!("timeout"), &json!("timer"))
    );
    assert_eq!(waited.notices().len(), 0, "this result is how it is told");
    assert_eq!(desk.call(&me, "get_session", json!({})).await.notices().len(), 0);
}

/// Neither the same question nor the same wait tells an answer as if it were new, and no notice does.
#[tokio::test(start_paused = true)]
async fn an_answer_is_told_once_and_who_asks_again_hears_that_it_was() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let session = desk.call(&me, "get_session", json!({})).await.0["session"]["sessionId"].clone();
    let id = desk.call(&me, "request_input", question(&json!({}))).await.text("question_id");
    let waiting = desk.begins(&me, "wait_for_answer", json!({"question_id": id}));
    tokio::time::sleep(Duration::from_secs(1)).await;
    answers(&desk, session.as_str().unwrap(), &id, "old").await;
    let told = waiting.await.unwrap();
    assert_eq!((told.text("message").as_str(), told.notices().len()), ("Ada answered: old", 0), "{told:?}");
    for (verb, arguments) in [
        ("request_input", question(&json!({}))),
        ("wait_for_answer", json!({"question_id": id})),
        ("request_input", question(&json!({"wait_seconds": 20}))),
    ] {
        let again = desk.call(&me, verb, arguments).await;
        let message = again.text("message");
        assert!(
            message.starts_with("You asked this before, and have heard the answer: Ada answered `old` at "),
            "{message}"
        );
        assert!(again.text("prompt").contains("do nothing twice"), "{again:?}");
        assert_eq!((&again.0["resolution"]["value"], again.notices().len()), (&json!("old"), 0));
        assert_eq!(again.0["resolution"]["isOption"], true, "{again:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_whose_result_is_lost_is_told_again_and_then_once() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let session = desk.call(&me, "get_session", json!({})).await.0["session"]["sessionId"].clone();
    let id = desk.call(&me, "request_input", question(&json!({}))).await.text("question_id");
    answers(&desk, session.as_str().unwrap(), &id, "old").await;
    let wait = json!({"question_id": id});
    let lost = crate::tools::call(&desk.hub, &me, "wait_for_answer", wait.clone()).await.unwrap();
    assert_eq!((lost.message.as_str(), lost.notices.len()), ("Ada answered: old", 0));
    lost.guard.expect("an answer in it").lost();
    let told = desk.call(&me, "get_session", json!({})).await;
    assert_eq!(told.notices()[0]["questionId"], json!(id), "{told:?}");
    assert_eq!(desk.call(&me, "get_session", json!({})).await.notices().len(), 0);
    assert!(desk.call(&me, "wait_for_answer", wait).await.text("message").starts_with("You asked this before"));
}

/// Nobody has to wait for a deadline to learn that it will not help.
#[tokio::test(start_paused = true)]
async fn a_default_that_acts_is_held_back_at_once_and_one_that_rests_applies() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let acts = |default: &str| {
        json!({"question": "Transfer 2 BTC to this address?", "options": ["yes", "no"], "default_action": default,
            "timeout_minutes": 0.05})
    };
    let began = tokio::time::Instant::now();
    let held = desk.call(&me, "request_input", acts("yes")).await;
    assert_eq!((&held.0["state"], began.elapsed()), (&json!("pending"), Duration::ZERO), "{held:?}");
    assert!(held.text("danger").contains("not known to be harmless"), "{held:?}");
    let id = held.text("question_id");
    let waited = desk.call(&me, "request_input", acts("yes")).await;
    assert_eq!((&waited.0["question_id"], &waited.0["state"]), (&json!(id), &json!("pending")), "{waited:?}");
    assert!(began.elapsed() >= Duration::from_secs(3), "asked again it waits");
    desk.call(&me, "withdraw_question", json!({"question_id": id})).await.done();
    let rests = desk.call(&me, "request_input", acts("no")).await;
    assert_eq!((&rests.0["resolution"]["type"], &rests.0["resolution"]["value"]), (&json!("timeout"), &json!("no")));
}

#[tokio::test(start_paused = true)]
async fn a_trusted_role_has_its_defaults_applied_unless_they_are_known_to_be_dangerous() {
    let desk = ToolFixture::with(|settings| {
        for role in settings.roles.roles.values_mut() {
            role.defaults = crate::settings::DefaultsPolicy::Trusted;
        }
    })
    .await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    for (asked, kind) in [("Reticulate the splines?", "timeout"), ("Drop the users table?", "")] {
        let asked = json!({"question": asked, "default_action": "yes", "timeout_minutes": 0.05});
        let id = desk.call(&me, "request_input", asked).await.text("question_id");
        let waited = desk.call(&me, "wait_for_answer", json!({"question_id": id, "timeout": 10})).await;
        assert_eq!(waited.0["resolution"]["type"].as_str().unwrap_or_default(), kind, "{waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_could_do_harm_is_found_and_waits_for_a_person() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let cases = [
        json!({"question": "Drop the users table?", "options": [], "default_action": "yes"}),
        json!({"question": "Go on?", "options": [], "default_action": "git push --force origin main"}),
        json!({"question": "Shall I go on?", "options": [], "default_action": "yes", "kind": "approval"}),
        json!({"question": "Is it fine?", "options": [], "default_action": "yes", "dangerous": true}),
    ];
    for case in cases {
        let mut short = case.clone();
        short["timeout_minutes"] = json!(0.05);
        let asked = desk.call(&me, "request_input", question(&short)).await;
        let id = asked.text("question_id");
        let waited = desk.call(&me, "wait_for_answer", json!({"question_id": id, "timeout": 10})).await;
        assert_eq!(waited.0["state"], "pending", "{case}");
        assert!(waited.text("message").starts_with("No response received"), "{waited:?}");
        assert!(waited.text("prompt").contains("wait_for_prompt"), "{waited:?}");
        let session = desk.call(&me, "get_session", json!({})).await;
        assert_eq!(session.0["session"]["workflowStatus"], "blocked");
        desk.call(&me, "withdraw_question", json!({"question_id": id})).await.done();
    }
}

#[tokio::test(start_paused = true)]
async fn bad_questions_are_refused_with_what_to_do() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let cases = [
        ("DEFAULT_NOT_AN_OPTION", json!({"default_action": "both"})),
        ("INVALID_ARGUMENTS", json!({"options": (0..21).map(|n| n.to_string()).collect::<Vec<_>>()})),
        ("INVALID_ARGUMENTS", json!({"options": ["old", "old", "new"]})),
        ("TEXT_TOO_LONG", json!({"question": "x".repeat(5 * 1024)})),
        ("TEXT_TOO_LONG", json!({"options": ["x".repeat(300), "new".to_owned()]})),
        ("INVALID_ARGUMENTS", json!({"question": "  "})),
        ("INVALID_ARGUMENTS", json!({"timeout_minutes": -1})),
        ("INVALID_ARGUMENTS", json!({"timeout_minutes": 0.01})),
        ("INVALID_ARGUMENTS", json!({"timeout_minutes": 1441})),
        ("INVALID_ARGUMENTS", json!({"timeout_minutes": 1e300})),
        ("INVALID_ARGUMENTS", json!({"kind": "whim"})),
        ("INVALID_ARGUMENTS", json!({"default_action": null})),
        ("INVALID_ARGUMENTS", json!({"colour": "blue"})),
    ];
    for (code, case) in cases {
        let refused = desk.call(&me, "request_input", question(&case)).await;
        refused.is(code);
        assert!(refused.0["prompt"].is_string(), "{refused:?}");
    }
    assert_eq!(desk.call(&me, "get_session", json!({})).await.0["session"]["openQuestion"], Value::Null);
    let first = desk.call(&me, "request_input", question(&json!({}))).await.text("question_id");
    let second = desk.call(&me, "request_input", question(&json!({"question": "And which port?"}))).await;
    assert_eq!(second.is("QUESTION_OPEN").0["details"]["questionId"], json!(first));
}

#[tokio::test(start_paused = true)]
async fn a_question_of_another_session_does_not_exist() {
    let desk = ToolFixture::new().await;
    let (me, other) = (desk.agent("a-1", "full-stack-engineer").await, desk.agent("b-1", "full-stack-engineer").await);
    let id = desk.call(&me, "request_input", question(&json!({}))).await.text("question_id");
    for given in [id.as_str(), "q_00000000", "nonsense", ""] {
        desk.call(&other, "wait_for_answer", json!({"question_id": given, "timeout": 1}))
            .await
            .is("QUESTION_NOT_FOUND");
        desk.call(&other, "withdraw_question", json!({"question_id": given})).await.is("QUESTION_NOT_FOUND");
    }
    desk.call(&operator(), "withdraw_question", json!({"question_id": id})).await.is("SESSION_REQUIRED");
}

#[tokio::test(start_paused = true)]
async fn a_wait_passes_over_the_key_that_a_client_adds_to_every_call() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("a-1", "full-stack-engineer").await;
    for key in ["idempotencyKey", "idempotency_key"] {
        desk.call(&me, "wait_for_prompt", json!({"timeout": 1, key: "k"})).await.done();
    }
    desk.call(&me, "wait_for_prompt", json!({"timeout": 1, "idempotencyKeys": "k"})).await.is("INVALID_ARGUMENTS");
}

#[tokio::test(start_paused = true)]
async fn the_session_is_named_or_ones_own() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("a-1", "full-stack-engineer").await;
    let other = desk.agent("b-1", "full-stack-engineer").await;
    let mine = desk.call(&me, "get_session", json!({})).await.0["session"]["sessionId"].clone();
    desk.call(&other, "get_session", json!({"session_id": mine})).await.is("SESSION_NOT_FOUND");
    desk.call(&operator(), "get_session", json!({"session_id": mine})).await.done();
    let none = desk.call(&operator(), "get_session", json!({})).await;
    assert_eq!(
        none.is("SESSION_REQUIRED").text("message"),
        "Missing session id: set CALLBOARD_SESSION_ID or pass session_id"
    );
    desk.call(&viewer(), "get_session", json!({"session_id": mine})).await.is("INSUFFICIENT_SCOPE");
    let stranger = desk.call(&agent("stranger"), "get_session", json!({})).await;
    let (message, prompt) = (stranger.is("SESSION_REQUIRED").text("message"), stranger.text("prompt"));
    assert_eq!(message, "Missing session id: set CALLBOARD_SESSION_ID or pass session_id");
    assert!(prompt.contains("register_agent"), "{prompt}");
    desk.call(&agent("stranger"), "get_session", json!({"sessionId": mine})).await.is("SESSION_NOT_FOUND");
    let named = Caller { session: SessionId::parse(mine.as_str().unwrap()).ok(), ..agent("stranger") };
    desk.call(&named, "get_session", json!({})).await.is("SESSION_NOT_FOUND");
}

#[tokio::test(start_paused = true)]
async fn history_knows_its_types_and_a_wrong_one_gets_the_right_name() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    desk.call(&me, "update_status", json!({"status": "working", "message": "on it"})).await.done();
    let looks = async |types: Value| desk.call(&me, "get_session_history", json!({ "types": types })).await;
    for types in
        [json!(["session.workflow_status"]), json!(["session"]), json!(["question", "session.workflow_status"])]
    {
        assert!(looks(types).await.done().0["events"].as_array().is_some_and(|events| !events.is_empty()));
    }
    for (types, near) in [
        (json!(["session", "question.askd"]), "question.asked"),
        (json!(["qestion"]), "question"),
        (json!(["status_of_work"]), ""),
    ] {
        let no = looks(types).await;
        let details = &no.is("INVALID_ARGUMENTS").0["details"];
        assert_eq!(details["field"], "types");
        assert_eq!(details["nearest"][0].as_str().unwrap_or_default(), near, "{no:?}");
        assert!(no.text("message").contains(near), "{no:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn awaiting_input_without_a_question_says_what_may_be_reported() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let reports = async || desk.call(&me, "update_status", json!({"status": "awaiting_input", "message": "?"})).await;
    let no = reports().await;
    assert!(no.is("INVALID_TRANSITION").text("prompt").contains("request_input"), "{no:?}");
    assert_eq!(no.0["details"], json!({"from": "started", "allowed": ["working"]}));
    desk.call(&me, "update_status", json!({"status": "working", "message": "on it"})).await.done();
    let allowed = json!(["blocked", "awaiting_review", "completed"]);
    assert_eq!(reports().await.0["details"], json!({"from": "working", "allowed": allowed}));
}

#[tokio::test(start_paused = true)]
async fn a_status_moves_the_task_and_a_wrong_one_names_what_is_allowed() {
    let desk = ToolFixture::new().await;
    let me = desk.agent("fullstack-1", "full-stack-engineer").await;
    let task = desk.given(&me, json!({})).await;
    let report =
        |status: &str| json!({"status": status, "message": "so it is", "details": {"phase": "2", "progress": "2/5"}});
    let early = desk.call(&me, "update_status", report("completed")).await;
    assert_eq!(early.is("INVALID_TRANSITION").0["details"]["allowed"], json!(["working"]));
    let working = desk.call(&me, "update_status", report("working")).await;
    assert_eq!((&working.0["workflow_status"], &working.0["task_id"]), (&json!("working"), &json!(task)));
    let context = desk.call(&me, "get_task_context", json!({})).await;
    assert_eq!(context.0["task"]["progress"]["percent"], 40, "{context:?}");
    desk.call(&me, "update_status", report("awaiting_input")).await.is("INVALID_TRANSITION");
    desk.call(&me, "mark_blocked", json!({"reason": " "})).await.is("INVALID_ARGUMENTS");
    desk.call(&me, "mark_blocked", json!({"reason": "no key", "blockers": ["the key"]})).await.done();
    assert_eq!(desk.call(&me, "get_task_context", json!({})).await.0["task"]["state"], "BLOCKED");
    desk.call(&me, "update_status", report("working")).await.done();
    desk.call(&me, "update_status", report("completed")).await.done();
    let history =
        desk.call(&me, "get_session_history", json!({"types": ["session.workflow_status"], "limit": 3})).await;
    let statuses: Vec<&Value> =
        history.0["events"].as_array().unwrap().iter().map(|event| &event["data"]["workflowStatus"]).collect();
    assert_eq!(statuses, [&json!("completed"), &json!("working"), &json!("blocked")], "{history:?}");
    assert!(history.0["next_before_seq"].is_number());
}
