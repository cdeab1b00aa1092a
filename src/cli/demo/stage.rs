//! What is left to look at after the round: agents that work, wait, ask and are reviewed, as real clients; a
//! delegation, ended tasks, a terminal at its prompt, and a workflow that waits for an answer.

use std::convert::Infallible;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::agent::{Agent, Era};
use super::asker::{self, gives};
use super::life;
use super::scene::{ARCHITECT, DESIGNER, OPS, PLANNER, Part, SECOND_FULLSTACK};
use super::script::{Played, expect, operator_of, token_for};
use crate::cli::client::HubClient;
use crate::cli::output::cell::str_at;
use crate::cli::problem::Problem;
use crate::hub::Hub;

const LIMIT: Duration = Duration::from_secs(30);
/// How long the terminal may take to come to its prompt. Without one the rest is looked at.
const TERMINAL_LIMIT: Duration = Duration::from_secs(10);
const GOODBYE: Duration = Duration::from_secs(2);
const CHANGE: &str = include_str!("change.diff");
const PROGRAM: &str = include_str!("terminal.sh");

/// The agents that stay, and the terminal, which is closed when this is dropped.
pub(crate) struct Stage {
    cast: Cast,
    reviewed: String,
    parts: [String; 2],
    main: String,
    asked: String,
    moving: String,
    _terminal: Option<Child>,
}

struct Cast {
    fullstack: Agent,
    tester: Agent,
    architect: Agent,
    second: Agent,
    ops: Agent,
    designer: Agent,
    planner: Agent,
}

/// Sets the stage, with the agents of the round and five more. Fails when a step is refused, or takes too long.
pub(crate) async fn set(hub: &Hub, played: Played) -> Result<Stage, Problem> {
    let late = |_| Problem::failed(format!("the stage was not set within {LIMIT:?}"));
    tokio::time::timeout(LIMIT, setting(hub, played)).await.map_err(late)?
}

async fn setting(hub: &Hub, played: Played) -> Result<Stage, Problem> {
    let operator = operator_of(hub)?;
    let cast = Cast {
        fullstack: played.first,
        tester: played.second,
        architect: enters(hub, ARCHITECT, Era::Session).await?,
        second: enters(hub, SECOND_FULLSTACK, Era::Stateless).await?,
        ops: enters(hub, OPS, Era::Session).await?,
        designer: enters(hub, DESIGNER, Era::Stateless).await?,
        planner: enters(hub, PLANNER, Era::Session).await?,
    };
    cast.has_a_history(&operator).await?;
    let (main, parts) = cast.delegates(&operator).await?;
    let reviewed = parts[0].clone();
    cast.submits(&operator, &reviewed).await?;
    let asked = cast.asks().await?;
    let moving = cast.moves(&operator).await?;
    let terminal = cast.opens_a_terminal(hub, &operator).await;
    for (target, prompt, priority) in [
        (SECOND_FULLSTACK.id, "Say in the mail which address was changed", "normal"),
        (ARCHITECT.id, "Draw how the shop and the search talk to each other", "normal"),
        (OPS.id, "Renew the certificate of the mail host", "critical"),
    ] {
        let body = json!({ "targetAgentId": target, "prompt": prompt, "priority": priority });
        gives(&operator, &body).await?;
    }
    Ok(Stage { cast, reviewed, parts, main, asked, moving, _terminal: terminal })
}

impl Stage {
    /// The agents go on for as long as this is polled: they take what they are given, and go on once they are answered.
    pub(crate) async fn goes_on(&self) -> Infallible {
        let cast = &self.cast;
        tokio::join!(
            life::reviewed(&cast.fullstack, &self.reviewed),
            life::works(&cast.tester),
            life::works(&cast.designer),
            life::delegates(&cast.architect, &self.main, &self.parts),
            life::asks(&cast.second, &self.asked, &self.parts[1]),
            life::attends(&cast.ops, &self.moving),
            life::triages(&cast.planner),
        );
        std::future::pending().await
    }

    /// The terminal is closed, and every agent says goodbye, as long as there is somebody to say it to.
    pub(crate) async fn over(self) {
        let Cast { fullstack, tester, architect, second, ops, designer, planner } = self.cast;
        let all = [fullstack, tester, architect, second, ops, designer, planner];
        let goodbyes = futures_util::future::join_all(all.map(Agent::leaves));
        // The hub ends all the same.
        drop(tokio::time::timeout(GOODBYE, goodbyes).await);
    }
}

impl Cast {
    /// Tasks that ended in each of the ways, and one that nobody can go on with.
    async fn has_a_history(&self, operator: &HubClient) -> Result<(), Problem> {
        for (agent, prompt, status, message) in [
            (
                &self.tester, "Run all tests of the release branch", "COMPLETED",
                "All 412 pass; the slowest takes 3.1 s.",
            ),
            (&self.designer, "Choose an icon for log-in", "COMPLETED", "A door that stands open; it reads at 16 px."),
            (
                &self.ops,
                "Renew the certificate of the staging host",
                "FAILED",
                "The DNS challenge is refused: the zone is locked.",
            ),
        ] {
            gives(operator, &json!({ "targetAgentId": agent.part.id, "prompt": prompt })).await?;
            let task = takes(agent).await?;
            let report = json!({ "taskId": task, "status": status, "message": message });
            agent.calls("send_response", report).await?;
        }
        let body = json!({ "targetAgentId": SECOND_FULLSTACK.id, "prompt": "Export all orders as one spreadsheet" });
        let stopped = gives(operator, &body).await?;
        let reason = json!({ "reason": "the shop asks for it no more" });
        operator.post(&["api", "v1", "tasks", &stopped, "cancel"], &reason).await?;
        let prompt = "Try the checkout page with a screen reader";
        gives(operator, &json!({ "targetAgentId": self.tester.part.id, "prompt": prompt, "priority": "high" })).await?;
        let blocked = takes(&self.tester).await?;
        let report = json!({
            "taskId": blocked, "status": "BLOCKED", "message": "No screen reader is installed here.",
            "blockedReason": "a machine with a screen reader",
        });
        self.tester.calls("send_response", report).await.map(drop)
    }

    /// The architect has two parts of its work done by others. Gives the work, and its parts.
    async fn delegates(&self, operator: &HubClient) -> Result<(String, [String; 2]), Problem> {
        let body = json!({
            "targetAgentId": ARCHITECT.id, "title": "Lock accounts after five wrong passwords", "priority": "high",
            "prompt": "Lock accounts after five wrong passwords.\n\nOnly for log-in, not for the API. Say when it ends",
        });
        gives(operator, &body).await?;
        let main = takes(&self.architect).await?;
        for (target, title, prompt) in [
            (&self.fullstack, "Count failures and lock", "Count failures in `login.rs`, and lock the account at five."),
            (
                &self.second,
                "Show the lock on the log-in page",
                "Show on the log-in page that it is locked, and until when.",
            ),
        ] {
            let part = json!({ "targetAgentId": target.part.id, "title": title, "prompt": prompt });
            self.architect.calls("assign_task", part).await?;
        }
        let parts = [takes(&self.fullstack).await?, takes(&self.second).await?];
        let progress = json!({ "taskId": main, "message": "both parts are handed out", "percent": 40 });
        self.architect.calls("update_progress", progress).await?;
        let says = json!({ "status": "working", "message": "Waiting for both parts." });
        self.architect.calls("update_status", says).await?;
        Ok((main, parts))
    }

    /// One part is tested by a third agent, and waits for its review.
    async fn submits(&self, operator: &HubClient, part: &str) -> Result<(), Problem> {
        let wanted = json!({ "targetAgentId": self.tester.part.id, "prompt": "Try five failures, and a sixth log-in" });
        self.fullstack.calls("assign_task", wanted).await?;
        let tried = takes(&self.tester).await?;
        let report = json!({ "taskId": tried, "status": "COMPLETED", "message": "9 tests pass." });
        self.tester.calls("send_response", report).await?;
        let submission = json!({ "task_id": part, "diff": CHANGE, "message": "Five failures lock for 15 minutes." });
        self.fullstack.calls("submit_for_review", submission).await?;
        let comment = json!({ "text": "Is this clock the database’s or ours?", "file": "src/login.rs", "line": 12 });
        operator.post(&["api", "v1", "reviews", part, "comments"], &comment).await.map(drop)
    }

    /// The other part needs to know something. Gives the question's id.
    async fn asks(&self) -> Result<String, Problem> {
        let question = json!({
            "question": "Which colour is the notice of a locked account to have?",
            "options": ["keep it grey", "amber", "red"], "default_action": "keep it grey", "allow_free_text": true,
            "timeout_minutes": 25, "wait_seconds": 0,
        });
        id_of(&self.second.calls("request_input", question).await?)
    }

    /// What the terminal is for. Gives the task.
    async fn moves(&self, operator: &HubClient) -> Result<String, Problem> {
        gives(operator, &json!({ "targetAgentId": OPS.id, "prompt": "Move staging to the new database" })).await?;
        let task = takes(&self.ops).await?;
        let progress = json!({ "taskId": task, "message": "the image is pushed", "phase": "deploy", "percent": 60 });
        self.ops.calls("update_progress", progress).await?;
        let says = json!({ "status": "working", "message": "Deploying to staging." });
        self.ops.calls("update_status", says).await?;
        Ok(task)
    }

    /// A program under `callboard run`, at its prompt. None where no terminal can be opened here.
    async fn opens_a_terminal(&self, hub: &Hub, operator: &HubClient) -> Option<Child> {
        let child = terminal(hub.operator_token().parent()?);
        let child = child.inspect_err(|error| tracing::warn!("no terminal could be opened: {error}")).ok()?;
        let waits = tokio::time::timeout(TERMINAL_LIMIT, asker::terminal_waits(operator, OPS.id)).await;
        if !matches!(waits, Ok(Ok(()))) {
            tracing::warn!("the terminal of `{}` did not come to its prompt", OPS.id);
        }
        Some(child)
    }
}

async fn enters(hub: &Hub, part: Part, era: Era) -> Result<Agent, Problem> {
    let agent = Agent::connect(part, hub.url(), &token_for(hub, part)?, era).await?;
    agent.registers().await?;
    Ok(agent)
}

/// The agent takes what it is given. Gives the task.
async fn takes(agent: &Agent) -> Result<String, Problem> {
    let offer = agent.calls("wait_for_prompt", json!({ "timeout": 10 })).await?;
    expect(&offer, "status", "TASK")?;
    let task = str_at(&offer, "taskId").unwrap_or_default().to_owned();
    agent.calls("ack_task", json!({ "taskId": task })).await?;
    Ok(task)
}

fn id_of(question: &Value) -> Result<String, Problem> {
    let id = str_at(question, "question_id").map(str::to_owned);
    id.ok_or_else(|| Problem::failed("no question was asked"))
}

/// A terminal of its own, as any user would open it. Nobody types: what it asks is answered on the page.
fn terminal(data_dir: &Path) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--data-dir").arg(data_dir);
    command.args(["run", "--agent", OPS.id, "--inject", "--", "sh", "-c", PROGRAM]);
    command.env_remove("CALLBOARD_SESSION_ID").kill_on_drop(true);
    // An input that stays open and silent: at the end of one the program would be told that its user left.
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}
