//! Status messages: edited as their tasks move, each at most every two seconds and only with the newest. Nobody misses
//! what is skipped, so this is no delivery of the outbox. What a hub that was killed did not come to is made up for
//! when the next one begins.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep_until};

use super::called::called;
use super::memory::Shared;
use super::pending::Pending;
use super::rest::{Call, DiscordRest, Fail};
use crate::actors::HubRef;
use crate::actors::service::{Look, Service};
use crate::domain::agent::Availability;
use crate::domain::discord::{DiscordOrigin, opened, status, written_at};
use crate::domain::ids::TaskId;
use crate::domain::outbox::{DeliveryState, DeliveryStateName};
use crate::domain::task::{TargetWho, Task, TaskState};
use crate::domain::time::Timestamp;
use crate::journal::{DeliveryFilter, Page, PageRequest, QuestionFilter, TaskFilter};

/// Between two edits of one message.
const APART: Duration = Duration::from_secs(2);
/// The pause after an edit that did not reach Discord.
const AGAIN: Duration = Duration::from_secs(10);
/// Older messages are edited rarely (Discord's code 30046): a new one is written instead.
const OLD: Duration = Duration::from_secs(60 * 60);

/// The most tasks that are looked at when the hub begins.
const LOOKED_AT: usize = 200;

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
}

impl Service for StatusEdits {
    fn run(&self) -> BoxFuture<'static, String> {
        let (rest, shared, hub) = (self.rest.clone(), self.shared.clone(), Arc::clone(&self.hub));
        let changes = self.changes.clone();
        async move {
            let mut known: BTreeMap<TaskId, StatusMessage> = BTreeMap::new();
            unfinished(&hub, &shared).await.into_iter().for_each(|task| changes.put(task));
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
                    let done = edit(hub, &rest, &shared, &task).await;
                    let done = done.inspect(|over| shared.ends_status(*over, &task));
                    (shown.moved, shown.next) = match done.inspect_err(|fail| shared.failed(fail.to_string())) {
                        Ok(true) => continue,
                        Ok(false) => (false, Some(Instant::now() + APART)),
                        Err(fail) => (fail.is_later(), Some(Instant::now() + AGAIN)),
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

/// The tasks whose status message may show less than there is, since the hub before was killed: those that were not
/// over, and those of the last hour whose message it forgot.
async fn unfinished(hub: &OnceLock<HubRef>, shared: &Shared) -> Vec<TaskId> {
    let open = shared.memory.borrow().statuses.keys().filter_map(|id| TaskId::parse(id).ok()).collect();
    let Some(hub) = hub.get() else { return open };
    let filter = TaskFilter { changed_since: Some(hub.clock.now() - OLD), ..TaskFilter::default() };
    let page = PageRequest { limit: LOOKED_AT, cursor: None };
    let found = hub.journal.read(move |reader| reader.tasks(&filter, &page)).await;
    let recent = found.map(|found| found.items).unwrap_or_default().into_iter();
    let forgotten = recent.filter(|task| {
        DiscordOrigin::of_task(&task.spec).is_some() && shared.message(&format!("task:{}", task.spec.id)).is_none()
    });
    open.into_iter().chain(forgotten.map(|task| task.spec.id.clone())).collect()
}

/// The status message that the hub forgot when it was killed, within a moment of posting it: the journal knows its id.
async fn recalled(hub: &HubRef, rest: &DiscordRest, shared: &Shared, task: &Task) -> Result<Option<(u64, u64)>, Fail> {
    let (Some(place), id) = (DiscordOrigin::of_task(&task.spec), task.spec.id.as_str()) else { return Ok(None) };
    let states = vec![DeliveryStateName::Delivered];
    let filter = DeliveryFilter { states, lane: Some(place.message.to_string()), ..DeliveryFilter::default() };
    let sent = hub.journal.read(move |reader| Page::all(|page| reader.deliveries(&filter, page))).await;
    let sent = sent.map_err(|error| Fail::Later(error.to_string()))?;
    let opened = sent.into_iter().find(|one| one.body["kind"] == "opened" && one.body["task"] == id);
    let Some(DeliveryState::Delivered { receipt: Some(receipt), .. }) = opened.map(|one| one.state) else {
        return Ok(None);
    };
    let Ok(message) = receipt.parse() else { return Ok(None) };
    // Where no thread could begin it was said in the channel.
    for channel in [place.room(), place.channel] {
        match rest.call(Call::Message { channel, message }, &Value::Null).await {
            Ok(_) => {
                shared.keep_message(format!("task:{id}"), channel, message);
                return Ok(Some((channel, message)));
            }
            Err(fail) if fail.is_later() => return Err(fail),
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Brings one status message up to date; whether nothing more is to come.
async fn edit(hub: &HubRef, rest: &DiscordRest, shared: &Shared, id: &TaskId) -> Result<bool, Fail> {
    let about = format!("task:{id}");
    let found = hub.task(id).await.map_err(|fault| Fail::Later(fault.to_string()))?;
    let Some(task) = found else { return Ok(true) };
    let known = match shared.message(&about) {
        None => recalled(hub, rest, shared, &task).await?,
        known => known,
    };
    // One that is not written yet is written with what is true then.
    let Some((channel, message)) = known else { return Ok(true) };
    let (content, components) = shown(hub, &task).await;
    let shows = digest(&content, &components);
    let body = json!({"content": content, "components": components, "allowed_mentions": {"parse": []}});
    let over = task.state.name().is_closed();
    if shared.status(id).as_ref() == Some(&shows) {
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
        Err(fail) if fail.is_later() => return Err(fail),
        // Somebody deleted it, or locked the thread: it is said no more.
        Err(_) => return Ok(true),
        Ok(_) => {}
    }
    shared.keep_status(id, shows);
    Ok(over)
}

/// Tells two states of a status message apart.
fn digest(content: &str, components: &Value) -> String {
    let whole = Sha256::digest(format!("{content}{components}"));
    whole.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

pub(super) async fn shown(hub: &HubRef, task: &Task) -> (String, Value) {
    let who = called(task, Some(&hub.settings()));
    let (is_queued, is_held) =
        (matches!(task.state, TaskState::Queued { .. }), matches!(task.state, TaskState::InProgress { .. }));
    let waits = match is_queued {
        true => waits(hub, task, &who).await,
        false if is_held && asks(hub, task).await => Some("needs an answer".to_owned()),
        false => None,
    };
    (status(task, &who, waits.as_deref()), opened(task))
}

/// Whether its agent asked people something that is open.
async fn asks(hub: &HubRef, task: &Task) -> bool {
    let filter = QuestionFilter { open: Some(true), task: Some(task.spec.id.clone()), ..QuestionFilter::default() };
    let page = PageRequest { limit: 1, cursor: None };
    let found = hub.journal.read(move |reader| reader.questions(&filter, &page)).await;
    found.is_ok_and(|found| !found.items.is_empty())
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
    if fitting.iter().any(|agent| matches!(agent.availability, Availability::Waiting | Availability::Working)) {
        return None;
    }
    let seen = fitting.iter().filter_map(|agent| Timestamp::parse(agent.last_seen.as_deref()?)).max();
    let seen = seen.map(|at| format!(" (last seen <t:{}:R>)", at.0 / 1_000)).unwrap_or_default();
    Some(format!("no {who} agent is connected{seen}"))
}
