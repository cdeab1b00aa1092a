//! What comes of comments and news by webhook, on the whole hub: who may answer answers, all others are heard.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::hooks::{comment_by, posts, tells, with_github};
use super::house::House;
use crate::clock::FakeMachine;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::DeliveryStateName;
use crate::domain::principal::Scope;
use crate::domain::task::RightsSet;
use crate::domain::time::Timestamp;
use crate::settings::{Person, Settings};

struct Stage {
    house: House,
    operator: String,
    agent: String,
    _folder: TempDir,
}

/// Ada may answer everybody, Bob nobody; Eve has no principal.
fn people(settings: &mut Settings) {
    let person = |login: &str, principal: Option<&str>| Person {
        github: Some(login.to_owned()),
        principal: principal.map(|id| PrincipalId::parse(id).unwrap()),
        ..Person::default()
    };
    let bob = Person {
        can_answer: Some(RightsSet::Only(["test-engineer".to_owned()].into())),
        ..person("bob-b", Some("person:bob"))
    };
    let all = [("ada", person("Ada-L", Some("person:ada"))), ("bob", bob), ("eve", person("eve-e", None))];
    settings.people.people.extend(all.map(|(name, person)| (name.to_owned(), person)));
}

impl Stage {
    async fn set() -> Self {
        Self::on(&FakeMachine::showing(Timestamp(1_800_000_000_000))).await
    }

    /// An agent that is linked to acme/web#12.
    async fn on(machine: &FakeMachine) -> Self {
        let folder = TempDir::new().unwrap();
        let github = with_github(&folder);
        let house = House::on(machine, |settings| {
            github(settings);
            people(settings);
        })
        .await;
        let (operator, agent) = (house.token_of("ann", Scope::Operate), house.agent_token("fullstack-1"));
        let stage = Self { house, operator, agent, _folder: folder };
        stage.calls("register_agent", json!({"agentId": "fullstack-1", "role": "full-stack-engineer"})).await;
        let linked = stage.calls("link_task", json!({"work_item": " acme/web#12 "})).await;
        assert_eq!(linked["work_item"], "acme/web#12", "{linked}");
        stage
    }

    async fn calls(&self, tool: &str, arguments: Value) -> Value {
        let said = self.house.orders("POST", &format!("/api/v1/tools/{tool}"), &self.agent, arguments).await;
        assert_eq!(said.status, 200, "{tool}: {}", said.text);
        said.body
    }

    async fn asks(&self) -> String {
        let ask = json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "old",
            "timeout_minutes": 1, "wait_seconds": 0});
        self.calls("request_input", ask).await["question_id"].as_str().unwrap().to_owned()
    }

    /// The agent takes up a task of its own.
    async fn works(&self) -> String {
        let body = json!({"targetAgentId": "fullstack-1", "prompt": "Build it."});
        let made = self.house.orders("POST", "/api/v1/tasks", &self.operator, body).await;
        let task = made.body["taskId"].as_str().unwrap().to_owned();
        self.calls("wait_for_prompt", json!({})).await;
        self.calls("ack_task", json!({"taskId": task})).await;
        task
    }

    async fn comments(&self, id: &str, login: &str, text: &str) {
        let kept = posts(&self.house, id, &comment_by(login, text)).await;
        assert_eq!(kept.status, 202, "{}", kept.text);
        self.settles().await;
    }

    /// Everything that was received is done.
    async fn settles(&self) {
        loop {
            let counts = self.house.backstage.hub.journal.read(|reader| reader.delivery_counts()).await.unwrap();
            let of = |state| counts.get(&("hooks.in".to_owned(), state)).copied().unwrap_or_default();
            assert_eq!(of(DeliveryStateName::DeadLetter), 0, "nothing that came is given up");
            if of(DeliveryStateName::Pending) == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn looks(&self, path: &str) -> Value {
        self.house.orders("GET", path, &self.operator, Value::Null).await.body
    }

    /// What the agent has to hear, each with its kind.
    async fn hears(&self) -> Vec<(String, String)> {
        let told = self.calls("get_session", json!({})).await;
        let notices = told["notices"].as_array().cloned().unwrap_or_default();
        let text = |notice: &Value, name: &str| notice[name].as_str().unwrap_or_default().to_owned();
        notices.iter().map(|notice| (text(notice, "kind"), text(notice, "text"))).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_comment_of_who_may_answer_is_the_answer_and_no_default_comes_after_it() {
    let stage = Stage::set().await;
    let question = stage.asks().await;
    stage.comments("d1", "ada-l", "NEW").await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    let resolution = &answered["resolution"];
    assert_eq!((&resolution["type"], &resolution["value"]), (&json!("human"), &json!("new")), "{answered}");
    let by = (&resolution["by"]["principal"], &resolution["surface"]);
    assert_eq!(by, (&json!("person:ada"), &json!("tracker")), "{answered}");
    let session = stage.looks("/api/v1/sessions").await["items"][0].clone();
    assert_eq!(
        (&session["workflowStatus"], &session["workItem"]),
        (&json!("working"), &json!("acme/web#12")),
        "{session}"
    );
    tokio::time::sleep(Duration::from_secs(120)).await;
    let heard = stage.hears().await;
    assert!(heard.len() == 1 && heard[0].0 == "answer" && heard[0].1.ends_with(": new"), "{heard:?}");
    assert_eq!(stage.looks(&format!("/api/v1/questions/{question}")).await["resolution"], *resolution);
    // One who was faster keeps the answer; the comment that came late is kept as such.
    stage.comments("d2", "ada-l", "old, after all").await;
    assert_eq!(stage.looks(&format!("/api/v1/questions/{question}")).await["resolution"], *resolution);
    let heard = stage.hears().await;
    assert!(heard.len() == 1 && heard[0].1.contains("nothing was open when it came"), "{heard:?}");
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn comments_of_all_others_are_kept_and_heard_and_answer_nothing() {
    let stage = Stage::set().await;
    let question = stage.asks().await;
    for (id, login, why) in [
        ("d1", "mallory", "nobody in people.yaml"),
        ("d2", "eve-e", "nobody in people.yaml"),
        ("d3", "bob-b", "may not answer"),
    ] {
        stage.comments(id, login, "new").await;
        let open = stage.looks(&format!("/api/v1/questions/{question}")).await;
        assert_eq!((&open["state"], &open["lateAnswers"]), (&json!("open"), &json!([])), "{login}: {open}");
        let heard = stage.hears().await;
        let [(kind, text)] = heard.as_slice() else { panic!("{login}: {heard:?}") };
        assert!(kind == "comment" && text.contains(login) && text.contains(why), "{login}: {text}");
        assert!(text.contains("answers nothing") && text.ends_with("new"), "{text}");
    }
    stage.comments("d4", "ada-l", "Neither; ask me on Monday.").await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!((&answered["state"], &answered["resolution"]["isOption"]), (&json!("resolved"), &json!(false)));
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_that_comes_with_the_deadline_is_the_answer_or_is_late_and_never_both() {
    let stage = Stage::set().await;
    let question = stage.asks().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    stage.comments("d1", "ada-l", "new").await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    let known = stage.looks(&format!("/api/v1/questions/{question}")).await;
    match known["resolution"]["type"].as_str().unwrap() {
        "human" => assert_eq!(known["resolution"]["value"], "new", "{known}"),
        "timeout" => assert_eq!(known["resolution"]["value"], "old", "{known}"),
        other => panic!("{other}"),
    }
    let answers = stage.hears().await.into_iter().filter(|(kind, _)| kind == "answer").count();
    assert_eq!(answers, 1, "the agent hears one answer");
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_comment_lets_go_on_what_was_blocked_with_a_task_or_without() {
    let stage = Stage::set().await;
    stage.calls("mark_blocked", json!({"reason": "Which key?"})).await;
    stage.comments("d1", "mallory", "mine").await;
    assert_eq!(stage.looks("/api/v1/sessions").await["items"][0]["workflowStatus"], "blocked");
    stage.hears().await;
    stage.comments("d2", "ada-l", "the blue one").await;
    assert_eq!(stage.looks("/api/v1/sessions").await["items"][0]["workflowStatus"], "working");
    let heard = stage.hears().await;
    assert!(heard.len() == 1 && heard[0].1.ends_with("acme/web#12: the blue one"), "{heard:?}");

    let task = stage.works().await;
    let report = json!({"taskId": task, "status": "BLOCKED", "message": "?", "blockedReason": "Which port?"});
    stage.calls("send_response", report).await;
    stage.comments("d3", "mallory", "22").await;
    let blocked = stage.looks(&format!("/api/v1/tasks/{task}")).await;
    assert_eq!(blocked["state"], "BLOCKED", "{blocked}");
    let comment = &blocked["comments"][0];
    assert!(comment["text"].as_str().unwrap().ends_with("\n\n22"), "a task keeps it whole: {blocked}");
    stage.comments("d4", "ada-l", "7420").await;
    let after = stage.looks(&format!("/api/v1/tasks/{task}")).await;
    assert_ne!(after["state"], "BLOCKED", "{after}");
    assert!(after.to_string().contains("7420"), "{after}");
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn news_reach_who_works_on_the_item_and_nobody_else() {
    let stage = Stage::set().await;
    let other = stage.house.agent_token("pm-1");
    let registers = json!({"agentId": "pm-1", "role": "project-manager"});
    stage.house.orders("POST", "/api/v1/tools/register_agent", &other, registers).await;
    let repository = json!({"full_name": "acme/web"});
    let pull = json!({"number": 15, "title": "Log in", "body": "Closes #12.", "merged": true});
    let merged = json!({"action": "closed", "pull_request": pull, "repository": repository,
        "sender": {"login": "ada-l"}});
    assert_eq!(tells(&stage.house, "pull_request", "d1", &merged.to_string()).await.status, 202);
    let elsewhere = json!({"ref": "refs/heads/main", "commits": [], "repository": {"full_name": "acme/api"}});
    assert_eq!(tells(&stage.house, "push", "d2", &elsewhere.to_string()).await.status, 202);
    stage.settles().await;
    let heard = stage.hears().await;
    let [(kind, text)] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!(kind, "message");
    assert!(text.contains("pull request acme/web#15 was merged by `ada-l`: `Log in`"), "{text}");
    let told = stage.house.orders("POST", "/api/v1/tools/get_session", &other, json!({})).await;
    assert_eq!(told.body["notices"], Value::Null, "{}", told.text);
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_writes_on_its_task_and_is_refused_what_names_no_work_item() {
    let stage = Stage::set().await;
    let refused =
        stage.house.orders("POST", "/api/v1/tools/link_task", &stage.agent, json!({"work_item": "a b"})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (400, "INVALID_ARGUMENTS"), "{}", refused.text);
    let nothing =
        stage.house.orders("POST", "/api/v1/tools/post_task_comment", &stage.agent, json!({"body": "x"})).await;
    assert_eq!(nothing.code(), "TASK_NOT_FOUND", "{}", nothing.text);
    let task = stage.works().await;
    let posted = stage.calls("post_task_comment", json!({"body": "The old schema has no index."})).await;
    assert_eq!(posted["taskId"], json!(task));
    let kept = stage.looks(&format!("/api/v1/tasks/{task}")).await;
    assert_eq!(kept["comments"][0]["text"], "The old schema has no index.", "{kept}");
    assert!(stage.hears().await.is_empty(), "nobody hears of their own doing");
    stage.house.ends().await;
}

/// A comment on acme/web#12 that its forge dates so.
async fn dated(stage: &Stage, id: &str, text: &str, at: Timestamp) {
    let mut body: Value = serde_json::from_str(&comment_by("ada-l", text)).unwrap();
    body["comment"]["created_at"] = json!(at.to_string());
    let kept = posts(&stage.house, id, &body.to_string()).await;
    assert_eq!(kept.status, 202, "{}", kept.text);
    stage.settles().await;
}

#[tokio::test(start_paused = true)]
async fn whether_a_comment_was_written_before_the_question_does_not_depend_on_how_the_clock_was_set() {
    let minute = Duration::from_secs(60);
    // Two hours or three days fast at the start and then set right; set back in mid-life; asleep in between.
    for (fast, slept) in [(120 * minute, minute), (72 * 60 * minute, minute), (Duration::ZERO, 120 * minute)] {
        let now = Timestamp(1_800_000_000_000);
        let machine = FakeMachine::showing(now + fast);
        let stage = Stage::on(&machine).await;
        tokio::time::sleep(minute).await;
        let ask = json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "old",
            "timeout_minutes": 600, "wait_seconds": 0});
        let question = stage.calls("request_input", ask).await["question_id"].as_str().unwrap().to_owned();
        let state = async || stage.looks(&format!("/api/v1/questions/{question}")).await["state"].clone();
        machine.set_back(fast);
        let asked = machine.wall();
        machine.sleeps(slept);
        tokio::time::sleep(minute).await;
        dated(&stage, "d1", "new", asked - 2 * Duration::from_secs(1)).await;
        assert_eq!(state().await, "open", "{fast:?}: written before");
        dated(&stage, "d2", "new", asked + slept.min(minute) / 2).await;
        assert_eq!(state().await, "resolved", "{fast:?} {slept:?}: written after");
        stage.house.ends().await;
    }
}
