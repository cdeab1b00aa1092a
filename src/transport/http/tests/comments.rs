//! What comes of comments and news by webhook, on the whole hub: who may answer answers, all others are heard.

use std::time::Duration;

use callboard_standin::forge::{ForgeStandIn, Kind};
use callboard_standin::time::{Clock, Timestamp as There};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::guarded_hub::{Answer, GuardedHub};
use super::hooks::{comes, comment_by, posts, tells, with_github};
use crate::clock::FakeMachine;
use crate::domain::ids::PrincipalId;
use crate::domain::outbox::DeliveryStateName;
use crate::domain::principal::Scope;
use crate::domain::task::RightsSet;
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;
use crate::journal::{HubRecord, Record, Seq};
use crate::settings::{Person, Settings, TrackerKind};

use crate::webhooks::{OwnKey, comment_id, remember_own};

struct Stage {
    house: GuardedHub,
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
        Self::with(|_| ()).await
    }

    async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        Self::made(&FakeMachine::showing(Timestamp(1_800_000_000_000)), change).await
    }

    /// Beside a machine whose wall clock a test sets.
    async fn on(machine: &FakeMachine) -> Self {
        Self::made(machine, |_| ()).await
    }

    /// An agent that is linked to acme/web#12.
    async fn made(machine: &FakeMachine, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = TempDir::new().unwrap();
        let github = with_github(&folder);
        let house = GuardedHub::on(machine, |settings| {
            github(settings);
            people(settings);
            // People are told on the work item what came of their comments.
            settings.hub.tracker.kind = TrackerKind::Github;
            change(settings);
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

    /// A delivery of GitHub about a comment; what the hub says of it.
    async fn says(&self, source: &str, id: &str, payload: &Value) -> Answer {
        comes(&self.house, source, "issue_comment", id, &payload.to_string()).await
    }

    async fn posts(&self, id: &str, payload: Value) -> String {
        let answer = self.says("github", id, &payload).await;
        answer.body["received"].as_str().unwrap_or(&answer.text).to_owned()
    }

    /// The same, kept and done.
    async fn tells(&self, id: &str, payload: Value) {
        assert_eq!(self.posts(id, payload).await, "kept");
        self.settles().await;
    }

    /// What authors of comments were told, by its reason.
    async fn replies(&self) -> Vec<&'static str> {
        let records = self.house.backstage.hub.journal.read(|reader| reader.records(Seq(0), 100_000)).await.unwrap();
        let reason = |record: &Record| {
            let Record::Hub(HubRecord::CommentReplied { reason, .. }) = record else { return None };
            Some(reason.as_str())
        };
        records.iter().filter_map(|kept| reason(&kept.record)).collect()
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
    let known = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!((&known["resolution"], &known["lateAnswers"]), (resolution, &json!([])), "it is talk");
    let heard = stage.hears().await;
    assert!(heard.len() == 1 && heard[0].1.contains("nothing was open when it came"), "{heard:?}");
    stage.comments("d3", "ada-l", "**Old.**").await;
    let known = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!((&known["resolution"], &known["lateAnswers"][0]["value"]), (resolution, &json!("old")), "{known}");
    let heard = stage.hears().await;
    assert!(heard.len() == 1 && heard[0].1.contains("too late: ada answered `new` at "), "{heard:?}");
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
    for (id, talk) in [("d4", "Neither; ask me on Monday."), ("d5", "What? Why? Who asked for that?")] {
        stage.comments(id, "ada-l", talk).await;
        let open = stage.looks(&format!("/api/v1/questions/{question}")).await;
        assert_eq!(open["state"], "open", "talk is no answer: {open}");
        let heard = stage.hears().await;
        assert!(heard.len() == 1 && heard[0].1.contains("names none of the options"), "{heard:?}");
    }
    assert_eq!(stage.replies().await, ["not_an_option"], "its author hears the options once");
    stage.comments("d6", "ada-l", "> **fullstack-1** asks:\n> Old or new?\n\n@callboard 2.").await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!((&answered["state"], &answered["resolution"]["value"]), (&json!("resolved"), &json!("new")));
    stage.comments("d7", "ada-l", "1").await;
    assert_eq!(stage.replies().await, ["not_an_option", "too_late"]);
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_edited_comment_answers_what_is_open_and_else_the_agent_hears_what_it_says_now() {
    let stage = Stage::set().await;
    let question = stage.asks().await;
    stage.tells("d1", comment(7, "ada-l", "odl")).await;
    assert_eq!(stage.looks(&format!("/api/v1/questions/{question}")).await["state"], "open");
    stage.hears().await;
    stage.tells("d2", edited(7, "ada-l", "old")).await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!((&answered["state"], &answered["resolution"]["value"]), (&json!("resolved"), &json!("old")));
    stage.hears().await;
    stage.tells("d3", edited(7, "ada-l", "new")).await;
    let heard = stage.hears().await;
    assert!(
        heard.len() == 1 && heard[0].1.contains("was edited") && heard[0].1.ends_with("It now says: new"),
        "{heard:?}"
    );
    let known = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!((&known["resolution"]["value"], &known["lateAnswers"]), (&json!("old"), &json!([])), "{known}");
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn the_hubs_own_comment_is_known_by_id_and_text_and_whoever_quotes_it_is_heard() {
    let stage = Stage::set().await;
    let question = stage.asks().await;
    let hub = &stage.house.backstage.hub;
    let item = WorkItem::parse("Acme/Web#12").unwrap();
    let own = "**fullstack-1** asks:\n\n> Old or new?\n\n1. old\n2. new\n\n<!-- callboard:00ff -->\n";
    // Before the forge has answered, and with a person's token, it comes back.
    assert!(remember_own(hub, OwnKey::Text(&item, own), None).await.unwrap());
    assert_eq!(stage.posts("d1", comment(7, "ada-l", own)).await, "unused");
    // By then its id is known: whatever becomes of its text, it is the hub's.
    let id = comment_id("https://github.com/acme/web/issues/12#issuecomment-7", 7, "acme/web");
    assert!(remember_own(hub, OwnKey::Id(&id), None).await.unwrap());
    assert_eq!(stage.posts("d2", edited(7, "ada-l", "old")).await, "unused");
    assert!(stage.hears().await.is_empty());
    // A reply by mail quotes all of it, and somebody copies the mark.
    let quotes = own.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n");
    let mail = format!("new\n\nOn Fri, 27 Nov 2026 at 10:00, callboard <hub@example.com> wrote:\n\n{quotes}");
    stage.tells("d3", comment(8, "ada-l", &mail)).await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!(
        (&answered["state"], &answered["resolution"]["value"]),
        (&json!("resolved"), &json!("new")),
        "{answered}"
    );
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn no_source_takes_away_what_another_one_says() {
    let stage = Stage::with(|settings| {
        let github = settings.hub.webhooks.inbound["github"].clone();
        settings.hub.webhooks.inbound.insert("mirror".to_owned(), github);
    })
    .await;
    let question = stage.asks().await;
    // The login is somebody else's there; the comment bears the same id, on the same host, in the same words.
    assert_eq!(stage.says("mirror", "m1", &comment(7, "ada-l", "old")).await.body["received"], "kept");
    stage.settles().await;
    assert_eq!(stage.looks(&format!("/api/v1/questions/{question}")).await["state"], "open");
    stage.tells("d1", comment(7, "ada-l", "old")).await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!(answered["resolution"]["by"]["principal"], "person:ada", "{answered}");
    // What means the same is heard once.
    assert_eq!(stage.says("github", "d2", &comment(9, "mallory", "x")).await.body["received"], "kept");
    assert_eq!(stage.says("mirror", "m2", &comment(9, "mallory", "x")).await.body["received"], "repeat");
    stage.settles().await;
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_sixty_thousand_bytes_arrives_whole() {
    let stage = Stage::set().await;
    let ask = json!({"question": "What does the log say?", "default_action": "skip", "wait_seconds": 0});
    let question = stage.calls("request_input", ask).await["question_id"].as_str().unwrap().to_owned();
    let log = "line of the log\n".repeat(3_750);
    stage.tells("d1", comment(7, "ada-l", &log)).await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!(answered["resolution"]["value"], json!(log.trim()), "{} bytes", log.len());
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_forges_clock_that_is_behind_makes_no_answer_early() {
    let stage = Stage::set().await;
    let hub = &stage.house.backstage.hub;
    let (now, behind) = (hub.clock.now(), Duration::from_secs(90));
    let question = stage.asks().await;
    let written = |text: &str, id: u64, at: Timestamp| {
        let mut said = comment(id, "ada-l", text);
        said["comment"]["created_at"] = json!(at);
        said
    };
    // Nothing is known of its clock: the comment seems to be from before the question.
    stage.tells("d1", written("new", 7, now - behind)).await;
    assert_eq!(stage.looks(&format!("/api/v1/questions/{question}")).await["state"], "open");
    // Its answers tell.
    let forge = ForgeStandIn::new(Kind::GitHub, "t", Clock::starting_at(There(now.0)));
    forge.is_ahead(-90_000);
    let about = http::Request::get("https://api.github.com/user").body(bytes::Bytes::new()).unwrap();
    hub.forge.clocks().hear("api.github.com", forge.answers(&about).unwrap().headers(), now);
    stage.tells("d2", written("new", 8, now - behind + Duration::from_secs(5))).await;
    let answered = stage.looks(&format!("/api/v1/questions/{question}")).await;
    assert_eq!(
        (&answered["state"], &answered["resolution"]["value"]),
        (&json!("resolved"), &json!("new")),
        "{answered}"
    );
    stage.house.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_repository_with_a_new_name_is_in_the_inbox_with_both_until_settings_name_it() {
    let stage = Stage::with(|settings| settings.hub.tracker.repositories = vec!["acme/web".to_owned()]).await;
    let renamed = json!({"action": "renamed", "changes": {"repository": {"name": {"from": "web"}}},
        "repository": {"full_name": "acme/site"}});
    assert_eq!(tells(&stage.house, "repository", "d1", &renamed.to_string()).await.status, 202);
    let inbox = loop {
        let inbox = stage.looks("/api/v1/inbox").await;
        if inbox["items"].as_array().is_some_and(|items| !items.is_empty()) {
            break inbox.to_string();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert!(inbox.contains("acme/web") && inbox.contains("acme/site"), "{inbox}");
    let heard = stage.hears().await;
    assert!(heard.len() == 1 && heard[0].1.contains("is called acme/site now: call link_task"), "{heard:?}");
    stage.house.ends().await;
}

/// A comment on acme/web#12 that GitHub calls so.
fn comment(id: u64, login: &str, text: &str) -> Value {
    json!({
        "action": "created", "issue": {"number": 12}, "repository": {"full_name": "acme/web"},
        "comment": {"id": id, "html_url": format!("https://github.com/acme/web/issues/12#issuecomment-{id}"),
            "body": text, "user": {"login": login, "type": "User"}},
    })
}

/// The same, which says something else now.
fn edited(id: u64, login: &str, text: &str) -> Value {
    let mut edited = comment(id, login, text);
    (edited["action"], edited["changes"]) = (json!("edited"), json!({"body": {"from": "something else"}}));
    edited
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
        // The hub looks at the machine's clock every five seconds: it sees that it was set, and then that it slept.
        tokio::time::sleep(minute / 6).await;
        machine.sleeps(slept);
        tokio::time::sleep(minute).await;
        dated(&stage, "d1", "new", asked - 2 * Duration::from_secs(1)).await;
        assert_eq!(state().await, "open", "{fast:?}: written before");
        dated(&stage, "d2", "new", asked + slept.min(minute) / 2).await;
        assert_eq!(state().await, "resolved", "{fast:?} {slept:?}: written after");
        stage.house.ends().await;
    }
}
