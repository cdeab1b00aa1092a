//! `callboard serve --demo --big`: a full hub for whoever changes the page, filled through the hub's own API.

use std::convert::Infallible;
use std::ops::Range;
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::agent::{Agent, Era};
use super::asker::gives;
use super::life;
use super::scene::Part;
use super::script::{operator_of, token_for};
use crate::cli::client::HubClient;
use crate::cli::output::cell::str_at;
use crate::cli::problem::Problem;
use crate::domain::task::OnTimeout;
use crate::hub::Hub;
use crate::settings::Settings;

const AGENTS: usize = 30;
const TASKS: usize = 300;
const ASKS: usize = 5;
const REVIEWED: usize = 9;
/// The agent whose lease runs out once and stays so.
const HELD: usize = 10;
/// The agent whose leases run out until the task is a dead letter.
const LATE: usize = 11;
/// The agents that are at work, on what is older than all that is queued for them.
const BUSY: Range<usize> = 12..18;
const OFFERED: usize = 18;
/// The first of the agents that wait for work.
const PARKED: usize = 25;
/// Tasks that no agent can take.
const STRANDED: usize = 3;
/// Deliveries to a receiver that wants none.
const DEAD: usize = 3;
const FILES: usize = 40;
const LIMIT: Duration = Duration::from_secs(120);
/// How often an agent gives a sign of life: within the time after which it shows as offline, and within its offers'.
const SIGN_OF_LIFE: Duration = Duration::from_secs(120);
/// How long a lease lives that is to run out, in seconds.
const SHORT_LEASE: u64 = 1;
/// What a receiver says that wants no delivery, now or later.
const GONE: &[u8] = b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The role whose tasks are held when their time is over.
const HELD_ROLE: &str = "designer";
/// What no agent can do.
const NOBODYS: [&str; 1] = ["dance"];

/// What each agent asks: several answers, a default that destroys, a default that is in doubt, and free text.
const QUESTIONS: [(&str, &[&str], &str, bool); 4] = [
    ("Which colour for the button?", &["red", "blue"], "blue", false),
    ("Delete the old database?", &["delete", "keep"], "delete", true),
    ("Which of the two is deployed?", &["blue", "green"], "blue", false),
    ("How is the new table called?", &[], "ledger_entries", false),
];

pub(crate) struct Crowd {
    agents: Vec<Agent>,
    /// What those at work hold, in their order.
    busy: Vec<String>,
}

/// Sets what filling needs: room for its requests, and a role whose tasks are held when their time is over.
pub(crate) fn prepare(settings: &mut Settings) {
    (settings.hub.limits.requests_per_second, settings.hub.limits.burst) = (10_000, 10_000);
    for (_, role) in settings.roles.roles.iter_mut().filter(|(id, _)| id.to_string() == HELD_ROLE) {
        role.on_timeout = OnTimeout::Hold;
    }
}

/// Fills the hub. Fails when a step is refused, or takes too long.
pub(crate) async fn fill(hub: &Hub) -> Result<Crowd, Problem> {
    let late = |_| Problem::failed(format!("the hub was not full within {LIMIT:?}"));
    tokio::time::timeout(LIMIT, filling(hub)).await.map_err(late)?
}

async fn filling(hub: &Hub) -> Result<Crowd, Problem> {
    let operator = operator_of(hub)?;
    let agents = try_join_all((0..AGENTS).map(|n| enters(hub, n))).await?;
    let mut crowd = Crowd { agents, busy: Vec::new() };
    let before = tasks(&operator).await?;
    crowd.has_a_history(&operator).await?;
    crowd.submits(&operator).await?;
    crowd.asks(&operator).await?;
    for agent in &crowd.agents[BUSY] {
        crowd.busy.push(takes(&operator, agent, "At work: what the ledger rounds", None).await?);
    }
    let agent = &crowd.agents[OFFERED];
    gives(&operator, &json!({ "targetAgentId": agent.part.id, "prompt": "Offered: count the rows" })).await?;
    offered(agent).await?;
    dead_deliveries(&operator).await?;
    crowd.time_out(&operator).await?;
    let made = tasks(&operator).await? - before;
    for n in 0..TASKS.saturating_sub(made) {
        let prompt = format!("Queued {n}: a long word {}", "x".repeat(80));
        let body = if n < STRANDED {
            json!({ "targetAgentId": "any", "capabilities": NOBODYS, "prompt": prompt })
        } else {
            let target = crowd.agents[BUSY.start + n % BUSY.len()].part.id;
            let priority = ["normal", "high", "critical"][n % 3];
            json!({ "targetAgentId": target, "prompt": prompt, "priority": priority })
        };
        gives(&operator, &body).await?;
    }
    Ok(crowd)
}

impl Crowd {
    /// Those at work say so, one keeps its offer open, and those without work wait for some and do it.
    pub(crate) async fn goes_on(&self) -> Infallible {
        join_all(self.agents.iter().enumerate().map(async |(n, agent)| {
            if n >= PARKED {
                return life::works(agent).await;
            }
            if let Some(task) = n.checked_sub(BUSY.start).and_then(|n| self.busy.get(n)) {
                return life::says_so(agent, task, "still at it").await;
            }
            let (tool, arguments) = match n {
                // What was offered is offered again.
                OFFERED => ("wait_for_prompt", json!({ "timeout": 1 })),
                _ => ("list_agents", json!({})),
            };
            // Until it is evicted.
            while agent.calls(tool, arguments.clone()).await.is_ok() {
                tokio::time::sleep(SIGN_OF_LIFE).await;
            }
        }))
        .await;
        std::future::pending().await
    }

    /// Tasks that ended in each of the ways, and one that cannot go on.
    async fn has_a_history(&self, operator: &HubClient) -> Result<(), Problem> {
        for (n, status) in ["COMPLETED", "FAILED", "COMPLETED", "FAILED", "BLOCKED"].into_iter().enumerate() {
            let agent = &self.agents[n];
            let task = takes(operator, agent, "Rework what the ledger rounds", None).await?;
            let mut report = json!({
                "taskId": task, "status": status, "message": "The rounding was wrong in `ledger.rs`; see the report.",
            });
            if status == "BLOCKED" {
                report["blockedReason"] = json!("Which of the two keys of the staging bank is it?");
            }
            agent.calls("send_response", report).await?;
        }
        Ok(())
    }

    /// A pull request of many files that was sent back once, and handed in again.
    async fn submits(&self, operator: &HubClient) -> Result<(), Problem> {
        let agent = &self.agents[REVIEWED];
        let task = takes(operator, agent, "In review: forty files of the ledger", None).await?;
        let progress = json!({ "taskId": task, "percent": 40, "message": "the rounding is found" });
        agent.calls("update_progress", progress).await?;
        let hands = |round: usize| {
            json!({
                "task_id": task, "message": format!("Round {round} of it."), "diff": change(round),
                "pr_url": "https://forge.example/payments/ledger/pull/41",
            })
        };
        agent.calls("submit_for_review", hands(1)).await?;
        let comment = json!({
            "text": "Why not 2?\nThe bank rounds to cents.", "file": "src/ledger/part-3.rs", "line": 22,
        });
        operator.post(&["api", "v1", "reviews", &task, "comments"], &comment).await?;
        let verdict = json!({ "comments": [{ "text": "Round to cents." }] });
        operator.post(&["api", "v1", "reviews", &task, "request-changes"], &verdict).await?;
        accepts(agent).await?;
        agent.calls("submit_for_review", hands(2)).await.map(drop)
    }

    async fn asks(&self, operator: &HubClient) -> Result<(), Problem> {
        for (agent, (question, options, default, dangerous)) in self.agents.iter().skip(ASKS).zip(QUESTIONS) {
            takes(operator, agent, "Build the page of the ledger", None).await?;
            let asked = json!({
                "question": question, "options": options, "default_action": default, "dangerous": dangerous,
                "timeout_minutes": 60, "wait_seconds": 0,
            });
            agent.calls("request_input", asked).await?;
        }
        Ok(())
    }

    /// Leases that run out: one that is held then, and one that is given as often as it may be.
    async fn time_out(&self, operator: &HubClient) -> Result<(), Problem> {
        for (n, end) in [(HELD, "TIMEOUT"), (LATE, "DEAD_LETTER")] {
            let agent = &self.agents[n];
            let task = takes(operator, agent, "Move the ledger to the other disk", Some(SHORT_LEASE)).await?;
            loop {
                let view = operator.get(&["api", "v1", "tasks", &task], &[]).await?;
                match str_at(&view, "state") {
                    Some(state) if state == end => break,
                    Some("QUEUED") => drop(accepts(agent).await?),
                    _ => tokio::time::sleep(Duration::from_millis(100)).await,
                }
            }
        }
        Ok(())
    }
}

async fn enters(hub: &Hub, n: usize) -> Result<Agent, Problem> {
    let role = if n == HELD { HELD_ROLE } else { ["test-engineer", "full-stack-engineer"][n % 2] };
    // Parts are for as long as the program runs, and so are these.
    let id = long_id(n).leak();
    let part = Part { id, role, name: id };
    let agent = Agent::connect(part, hub.url(), &token_for(hub, part)?, Era::Stateless).await?;
    agent.registers().await?;
    Ok(agent)
}

/// The operator hands a task to the agent, which acknowledges it. Gives the task.
async fn takes(operator: &HubClient, agent: &Agent, prompt: &str, ttl: Option<u64>) -> Result<String, Problem> {
    gives(operator, &json!({ "targetAgentId": agent.part.id, "prompt": prompt, "ttlSeconds": ttl })).await?;
    accepts(agent).await
}

async fn accepts(agent: &Agent) -> Result<String, Problem> {
    let task = offered(agent).await?;
    agent.calls("ack_task", json!({ "taskId": task })).await?;
    Ok(task)
}

/// Waits for a task, past what it is told meanwhile.
async fn offered(agent: &Agent) -> Result<String, Problem> {
    loop {
        let offer = agent.calls("wait_for_prompt", json!({ "timeout": 10 })).await?;
        if let Some(task) = str_at(&offer, "taskId") {
            return Ok(task.to_owned());
        }
    }
}

/// Subscriptions whose receiver is gone, and an event that each of them has to hear of.
async fn dead_deliveries(operator: &HubClient) -> Result<(), Problem> {
    let receiver = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", receiver.local_addr()?);
    for n in 0..DEAD {
        let body = json!({
            "name": format!("takes-nothing-{n}"), "url": url, "events": ["task.cancelled"], "allowPrivate": true,
        });
        operator.post(&["api", "v1", "webhooks"], &body).await?;
    }
    let unwanted = json!({ "targetAgentId": "any", "capabilities": NOBODYS, "prompt": "Never mind" });
    let unwanted = gives(operator, &unwanted).await?;
    operator.post(&["api", "v1", "tasks", &unwanted, "cancel"], &json!({ "reason": "not needed" })).await?;
    for _ in 0..DEAD {
        let (mut connection, _) = receiver.accept().await?;
        // Who sends hears the answer only when what it sent was read.
        let _read = connection.read(&mut [0; 8192]).await?;
        connection.write_all(GONE).await?;
    }
    Ok(())
}

async fn tasks(operator: &HubClient) -> Result<usize, Problem> {
    Ok(operator.list(&["api", "v1", "tasks"], &[], 0).await?.items.len())
}

/// An id of 64 characters, the most that there are.
fn long_id(n: usize) -> String {
    let id: String = format!("engineer-{n}-").chars().chain("of-the-payments-team-".chars().cycle()).take(63).collect();
    id + "x"
}

/// The change of a round, as `git diff` prints it.
fn change(round: usize) -> String {
    let lines: String = (0..12).map(|i| format!(" fn line_{i}() -> &'static str {{ \"{i}\" }} // kept\n")).collect();
    let file = |n: usize| {
        let path = format!("src/ledger/part-{n}.rs");
        format!(
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -10,13 +10,13 @@\n{lines}\
             -const ROUND: u8 = 0;\n+const ROUND: u8 = {round};\n"
        )
    };
    (0..FILES).map(file).collect()
}
