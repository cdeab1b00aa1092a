//! `fullstack-1` at some point of its work, and Ada, an admin of whom `people.yaml` says something.

use std::time::Duration;

use serde_json::{Value, json};

use super::rows::{Door, Row};
use crate::domain::ids::PrincipalId;
use crate::domain::principal::Scope;
use crate::settings::{Person, Settings};
use crate::transport::http::tests::guarded_hub::{Answer, GuardedHub};

/// Whose work it is.
pub(super) const WORKER: &str = "fullstack-1";

/// How far the work is.
/// What the program in the terminal of the scene asks.
const PROMPT: &str = "Go on? (yes/no) ";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scene {
    /// It has nothing to do.
    Idle,
    /// A task waits for it.
    Queued,
    /// It works on one.
    Working,
    /// A program in its terminal asks whether to go on.
    AtAPrompt,
    /// It waits for an answer to its task.
    Blocked,
    /// It waits for an answer to its question.
    Asking,
    /// It handed its work in, and there is a comment on it.
    InReview,
    /// It gave up.
    Failed,
    /// Every attempt ran out.
    DeadLetter,
}

/// The hub at that point.
pub(super) struct Stage {
    house: GuardedHub,
    scene: Scene,
    ada: String,
    agent: String,
    agents_token: String,
    task: Option<String>,
    pub(super) question: Option<String>,
    pub(super) comment: Value,
    pub(super) session: Value,
    /// A run of a workflow that the worker began.
    workflow: String,
}

fn settings() -> Settings {
    let mut settings = Settings::defaults();
    settings.hub.leases.max_attempts = 1;
    settings
}

impl Stage {
    pub(super) async fn set(scene: Scene) -> Self {
        let house = GuardedHub::with(|given| *given = settings()).await;
        let ada = house.token_of("ada", Scope::Admin);
        let (agent, agents_token) = house.token_until(WORKER, None);
        let mut stage = Self {
            house,
            scene,
            ada,
            agent,
            agents_token,
            task: None,
            question: None,
            comment: Value::Null,
            session: Value::Null,
            workflow: String::new(),
        };
        let registers = json!({"agentId": WORKER, "role": "full-stack-engineer"});
        stage.session = stage.worker("register_agent", registers).await.body["sessionId"].clone();
        stage.workflow = stage.begins_a_workflow().await;
        stage.plays(scene).await;
        stage
    }

    async fn begins_a_workflow(&self) -> String {
        let asked = json!({"name": "triage", "arguments": {"report": "It is slow."}});
        let begun = self.house.orders("POST", "/api/v1/workflows", &self.agent, asked).await;
        assert_eq!(begun.status, 201, "{}", begun.text);
        begun.body["workflowId"].as_str().expect("an id").to_owned()
    }

    async fn plays(&mut self, scene: Scene) {
        if scene == Scene::Idle {
            return;
        }
        let made = self.ada("POST", "/api/v1/tasks", json!({"targetAgentId": WORKER, "prompt": "Build it."})).await;
        let task = made.body["taskId"].clone();
        self.task = task.as_str().map(str::to_owned);
        if scene == Scene::Queued {
            return;
        }
        self.works_on(&task).await;
        match scene {
            Scene::Idle | Scene::Queued | Scene::Working => {}
            Scene::AtAPrompt => {
                let session = self.session.as_str().expect("it has one");
                self.house.asks_in_the_terminal_of(session, PROMPT).await;
            }
            Scene::Blocked | Scene::Failed => {
                let status = if scene == Scene::Blocked { "BLOCKED" } else { "FAILED" };
                let more = if scene == Scene::Blocked { json!("which port?") } else { Value::Null };
                let report = json!({"taskId": task, "status": status, "message": "x", "blockedReason": more});
                self.worker("send_response", report).await;
            }
            Scene::Asking => {
                let ask = json!({"question": "Old or new?", "options": ["old", "new"], "default_action": "old",
                    "wait_seconds": 0});
                let asked = self.worker("request_input", ask).await;
                self.question = asked.body["question_id"].as_str().map(str::to_owned);
            }
            Scene::InReview => {
                self.worker("submit_for_review", json!({"pr_url": "https://forge.example/1"})).await;
                let path = format!("/api/v1/reviews/{}/comments", self.task());
                self.comment = self.ada("POST", &path, json!({"text": "Why?"})).await.body["commentId"].clone();
            }
            Scene::DeadLetter => tokio::time::sleep(Duration::from_secs(2 * 60 * 60)).await,
        }
    }

    /// The worker takes the task that is there for it.
    pub(super) async fn works_on(&self, task: &Value) {
        let waited = self.worker("wait_for_prompt", json!({})).await;
        assert_eq!(&waited.body["taskId"], task, "{}", waited.text);
        self.worker("ack_task", json!({ "taskId": task })).await;
    }

    pub(super) async fn worker(&self, tool: &str, body: Value) -> Answer {
        self.house.orders("POST", &format!("/api/v1/tools/{tool}"), &self.agent, body).await
    }

    pub(super) async fn ada(&self, method: &str, path: &str, body: Value) -> Answer {
        self.house.orders(method, path, &self.ada, body).await
    }

    pub(super) async fn ada_once(&self, path: &str, key: &str, body: Value) -> Answer {
        self.house.orders_once("POST", path, &self.ada, key, body).await
    }

    /// Ada does what the row says.
    pub(super) async fn tries(&self, row: &Row) -> Answer {
        let body = (row.body)(self);
        match row.door {
            Door::Route(method, path) => self.ada(method, &path.replace("{id}", &self.subject_of(path)), body).await,
            Door::Tool(name) => self.ada("POST", &format!("/api/v1/tools/{name}"), body).await,
            Door::Mcp(name) => self.house.calls(&self.ada, name, body).await,
            Door::Inbox(action, kind) => {
                let id = match self.session.as_str() {
                    // Behind so many bytes that it has printed.
                    Some(session) if kind == "input_prompt" => format!("{session}@{}", PROMPT.len()),
                    Some(_) | None => self.question.clone().unwrap_or_else(|| self.task().to_owned()),
                };
                let one = json!({"item": format!("{kind}:{id}"), "action": action, "value": body});
                self.ada("POST", "/api/v1/inbox/actions", json!({"actions": [one]})).await
            }
        }
    }

    /// A log file that nobody's agent wrote is followed under this name, for as long as the folder is kept.
    pub(super) async fn follows(&self, name: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("x.log");
        std::fs::write(&log, "x").expect("a file");
        self.house.follows_files_below(folder.path());
        let follows = json!({"session_id": name, "session_type": "file", "log_file": log});
        let begun = self.ada("POST", "/api/v1/tools/start_session_monitor", follows).await;
        assert!(begun.status.is_success(), "{}", begun.text);
        folder
    }

    /// What `{id}` is in a route.
    fn subject_of(&self, path: &str) -> String {
        let kind = path.trim_start_matches("/api/v1/").split('/').next().unwrap_or_default();
        match kind {
            "agents" => WORKER.to_owned(),
            "sessions" => self.session.as_str().unwrap_or_default().to_owned(),
            "questions" => self.question.clone().unwrap_or_default(),
            "tokens" => self.agents_token.clone(),
            "workflows" => self.workflow.clone(),
            "tasks" | "reviews" => self.task.clone().unwrap_or_default(),
            _ if self.scene == Scene::Blocked => format!("task:{}", self.task()),
            _ => format!("agent:{WORKER}"),
        }
    }

    pub(super) fn task(&self) -> &str {
        self.task.as_deref().expect("there is a task")
    }

    pub(super) fn says_of_ada(&self, person: Person) {
        let mut settings = settings();
        let ada = PrincipalId::parse("person:ada").unwrap();
        settings.people.people.insert("ada".to_owned(), Person { principal: Some(ada), ..person });
        self.house.reloads(settings);
    }

    /// How far the journal is, and every token: what a refusal must leave as it was.
    pub(super) async fn everything(&self) -> (u64, Vec<(String, Option<String>)>) {
        let tokens = self.house.tokens.list().into_iter().map(|token| (token.id, token.expires_at));
        (self.house.position().await, tokens.collect())
    }

    pub(super) async fn ends(self) {
        self.house.ends().await;
    }
}
