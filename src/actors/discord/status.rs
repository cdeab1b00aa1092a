//! Status messages: edited as their tasks move, each at most every two seconds and only with the newest. Nobody misses
//! what is skipped, so this is no delivery of the outbox.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::called::called;
use super::memory::Shared;
use super::pending::Pending;
use super::rest::{Call, DiscordRest, Fail};
use crate::actors::HubRef;
use crate::actors::service::{Look, Service};
use crate::domain::agent::Availability;
use crate::domain::discord::{opened, status, written_at};
use crate::domain::ids::TaskId;
use crate::domain::task::{TargetWho, Task, TaskState};
use crate::domain::time::Timestamp;

/// Between two edits of one message.
const APART: Duration = Duration::from_secs(2);
/// The pause after an edit that did not reach Discord.
const AGAIN: Duration = Duration::from_secs(10);
/// Older messages are edited rarely (Discord's code 30046): a new one is written instead.
const OLD: Duration = Duration::from_secs(60 * 60);

pub type Changes = Pending<TaskId>;

#[derive(Debug)]
pub struct StatusEdits {
    pub rest: DiscordRest,
    pub shared: Shared,
    pub hub: Arc<OnceLock<HubRef>>,
    pub changes: Changes,
}

#[derive(Debug, Default)]
struct StatusMessage {
    next: Option<Instant>,
    /// Whether the task moved since.
    moved: bool,
    last: Option<Value>,
}

impl Service for StatusEdits {
    fn run(&self) -> BoxFuture<'static, String> {
        let (rest, shared, hub) = (self.rest.clone(), self.shared.clone(), Arc::clone(&self.hub));
        let changes = self.changes.clone();
        async move {
            let mut known: BTreeMap<TaskId, StatusMessage> = BTreeMap::new();
            loop {
                let due = known.values().filter(|one| one.moved).filter_map(|one| one.next).min();
                let task = match due {
                    Some(at) => tokio::select! {
                        task = changes.take() => Some(task),
                        () = sleep_until(at) => None,
                    },
                    None => Some(changes.take().await),
                };
                if let Some(task) = task {
                    let shown = known.entry(task).or_default();
                    (shown.moved, shown.next) = (true, shown.next.or_else(|| Some(Instant::now())));
                }
                let Some(hub) = hub.get() else { continue };
                let now = Instant::now();
                let due = |(_, one): &(&TaskId, &mut StatusMessage)| one.moved && one.next.is_some_and(|at| at <= now);
                let ready: Vec<TaskId> = known.iter_mut().filter(due).map(|(task, _)| task.clone()).collect();
                for task in ready {
                    let mut shown = known.remove(&task).unwrap_or_default();
                    let done = edit(hub, &rest, &shared, &task, &mut shown).await;
                    (shown.moved, shown.next) = match done.inspect_err(|fail| shared.failed(fail.to_string())) {
                        Ok(true) => continue,
                        Ok(false) => (false, Some(Instant::now() + APART)),
                        Err(fail) => (matches!(fail, Fail::Later(_)), Some(Instant::now() + AGAIN)),
                    };
                    known.insert(task, shown);
                }
            }
        }
        .boxed()
    }

    fn look(&self) -> Look {
        let detail = json!({ "waiting": self.changes.len() });
        Look { state: "running".to_owned(), detail, errors: Vec::new() }
    }
}

/// Brings one status message up to date; whether nothing more is to come.
async fn edit(
    hub: &HubRef,
    rest: &DiscordRest,
    shared: &Shared,
    id: &TaskId,
    known: &mut StatusMessage,
) -> Result<bool, Fail> {
    let about = format!("task:{id}");
    // One that is not written yet is written with what is true then.
    let Some((channel, message)) = shared.message(&about) else { return Ok(true) };
    let found = hub.task(id).await.map_err(|fault| Fail::Later(fault.to_string()))?;
    let Some(task) = found else { return Ok(true) };
    let (content, components) = shown(hub, &task).await;
    let body = json!({"content": content, "components": components, "allowed_mentions": {"parse": []}});
    let over = task.state.name().is_closed();
    if known.last.as_ref() == Some(&body) {
        return Ok(over);
    }
    let age = hub.clock.machine_now().since(written_at(message));
    let edited = match age < OLD {
        true => rest.edit(channel, message, &body).await,
        false => Err(Fail::No { status: 400, code: 30_046, text: String::new() }),
    };
    match edited {
        Err(Fail::No { code: 30_046, .. }) => {
            let written = rest.call(Call::Post { channel, file: None }, &body).await?;
            let id = written.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
            id.into_iter().for_each(|id| shared.keep_message(about.clone(), channel, id));
        }
        Err(later @ Fail::Later(_)) => return Err(later),
        // Somebody deleted it, or locked the thread: it is said no more.
        Err(Fail::No { .. }) => return Ok(true),
        Ok(_) => {}
    }
    known.last = Some(body);
    Ok(over)
}

pub(super) async fn shown(hub: &HubRef, task: &Task) -> (String, Value) {
    let who = called(task, Some(&hub.settings()));
    let waits = match task.state {
        TaskState::Queued { .. } => waits(hub, task, &who).await,
        TaskState::Assigned { .. }
        | TaskState::InProgress { .. }
        | TaskState::Blocked { .. }
        | TaskState::InReview { .. }
        | TaskState::Timeout { .. }
        | TaskState::Completed { .. }
        | TaskState::Failed { .. }
        | TaskState::Cancelled { .. }
        | TaskState::DeadLetter { .. } => None,
    };
    (status(task, &who, waits.as_deref()), opened(task))
}

/// Why nobody has it yet, where that is because nobody is there.
async fn waits(hub: &HubRef, task: &Task, who: &str) -> Option<String> {
    let agents = hub.agent_views().await.ok()?;
    let fits = |agent: &&crate::domain::agent::AgentView| match &task.spec.target.who {
        TargetWho::Role(role) => agent.role.as_deref() == Some(role.as_str()),
        TargetWho::Agent(id) => agent.agent_id == id.as_str(),
        TargetWho::Any => true,
    };
    let fitting: Vec<_> = agents.iter().filter(fits).collect();
    let there = |agent: &&crate::domain::agent::AgentView| match agent.availability {
        Availability::Waiting | Availability::Working => true,
        Availability::Offline | Availability::Evicted => false,
    };
    if fitting.iter().copied().any(|agent| there(&agent)) {
        return None;
    }
    let seen = fitting.iter().filter_map(|agent| Timestamp::parse(agent.last_seen.as_deref()?)).max();
    let seen = seen.map(|at| format!(" (last seen <t:{}:R>)", at.0 / 1_000)).unwrap_or_default();
    Some(format!("no {who} agent is connected{seen}"))
}
