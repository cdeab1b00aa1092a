//! The asker of the round: plain HTTP, as the command line and any script use it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::client::{HubClient, StreamItem};
use crate::cli::output::cell::str_at;
use crate::cli::problem::Problem;

/// How often the hub is asked whether something is so; less often than `limits.requestsPerSecond` allows.
const EVERY: Duration = Duration::from_millis(25);

/// Returns once every one of these agents is parked.
pub(super) async fn all_wait(hub: &HubClient, agents: &[&str]) -> Result<(), Problem> {
    loop {
        let known = hub.list(&["api", "v1", "agents"], &[], 0).await?.items;
        let waits = |id: &&str| {
            known
                .iter()
                .any(|agent| str_at(agent, "agentId") == Some(*id) && str_at(agent, "availability") == Some("waiting"))
        };
        if agents.iter().all(waits) {
            return Ok(());
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Asks for something; gives the task's id.
pub(super) async fn asks(hub: &HubClient, target: &str, prompt: &str) -> Result<String, Problem> {
    gives(hub, &json!({ "targetAgentId": target, "prompt": prompt })).await
}

/// The same with all that a task may have.
pub(super) async fn gives(hub: &HubClient, body: &Value) -> Result<String, Problem> {
    let receipt = hub.post(&["api", "v1", "tasks"], body).await?;
    let id = str_at(&receipt, "taskId").map(str::to_owned);
    id.ok_or_else(|| Problem::failed("the answer to `POST /api/v1/tasks` has no `taskId`"))
}

/// Returns once the terminal of this agent waits for a person.
pub(super) async fn terminal_waits(hub: &HubClient, agent: &str) -> Result<(), Problem> {
    loop {
        let items = hub.list(&["api", "v1", "inbox"], &[], 0).await?.items;
        let is_it =
            |item: &Value| str_at(item, "kind") == Some("input_prompt") && str_at(item, "agentId") == Some(agent);
        if items.iter().any(is_it) {
            return Ok(());
        }
        tokio::time::sleep(EVERY).await;
    }
}

pub(super) async fn reads(hub: &HubClient, task: &str) -> Result<Value, Problem> {
    hub.get(&["api", "v1", "tasks", task], &[]).await
}

/// Follows the events behind `after` until this one happens to this task.
pub(super) async fn hears(hub: &HubClient, after: u64, kind: &str, task: &str) -> Result<(), Problem> {
    let mut stream = hub.events(after, Vec::new());
    loop {
        if let StreamItem::Event(event) = stream.next().await?
            && str_at(&event, "type") == Some(kind)
            && str_at(&event, "subject.task") == Some(task)
        {
            return Ok(());
        }
    }
}

/// Reads the open question that was asked for the sake of a task.
pub(super) async fn question_of(hub: &HubClient, task: &str) -> Result<Value, Problem> {
    let open = hub.list(&["api", "v1", "questions"], &[], 0).await?.items;
    let ours = open.into_iter().find(|question| str_at(question, "taskId") == Some(task));
    ours.ok_or_else(|| Problem::failed("no question of that task is open"))
}

pub(super) async fn answers(hub: &HubClient, question: &Value, value: &str) -> Result<(), Problem> {
    let id = str_at(question, "id").unwrap_or_default();
    hub.post(&["api", "v1", "questions", id, "answer"], &json!({ "value": value })).await.map(drop)
}
