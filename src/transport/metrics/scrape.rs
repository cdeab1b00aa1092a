//! `GET /metrics`: counted when it is asked for, from what the actors say of themselves. No label holds a name that
//! agents or people chose, except of roles in the settings: so their number is bounded and nothing leaks.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::actors::HubRef;
use crate::actors::common::{ActorView, Counters};
use crate::actors::dispatcher::QueueCounts;
use crate::actors::journal::JournalView;
use crate::domain::agent::Availability;
use crate::domain::node::NodeState;
use crate::domain::on_call::SlotView;
use crate::domain::task::{TaskStateName, Usage};
use crate::transport::web::{ApiError, ApiResult, Denials, Route, Routes};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Names of a metric's labels, and their values.
type Labels = Vec<(&'static str, String)>;

/// The most actors of a kind that are asked.
const ASKED: usize = 1_000;

/// The rows of this file.
pub(super) fn routes() -> Routes {
    Routes::new()
        .add(Route::get::<String>("/metrics", "counts and gauges, as OpenMetrics").answers_text(OPEN_METRICS), scrape)
}

async fn scrape(State(hub): State<HubRef>, denials: Option<Extension<Denials>>) -> ApiResult<Response> {
    let text = text(&hub, denials.as_deref()).await?;
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response())
}

/// What is counted now. Fails while an actor that is asked does not answer.
pub async fn text(hub: &HubRef, denials: Option<&Denials>) -> ApiResult<String> {
    let mut registry = Registry::with_prefix("callboard");
    let version = vec![("version", env!("CARGO_PKG_VERSION"))];
    registry.register("build", "What runs", Info::new(version));
    outbox(&mut registry, hub).await?;
    tasks(&mut registry, &hub.journal.read(|reader| reader.task_counts()).await?);
    let availabilities = hub.agent_views().await?.into_iter().map(|agent| agent.availability);
    agents(&mut registry, availabilities);
    slots(&mut registry, hub);
    nodes(&mut registry, hub);
    queues(&mut registry, &hub.dispatcher.counts().await?);
    if let Ok(view) = hub.journal.view().await {
        journal(&mut registry, &view);
    }
    actors(&mut registry, &hub.supervisor.tree(ASKED).await?);
    counters(&mut registry, &hub.counters, hub.journal.rejected());
    usage(&mut registry, hub);
    if let Ok(board) = hub.noticeboard.view().await {
        counted(&mut registry, "events_dropped", "Events that did not fit into a reader's buffer", board.dropped);
    }
    if let Some(denials) = denials {
        denied(&mut registry, denials);
    }
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|error| ApiError::new("INTERNAL", error.to_string()))?;
    Ok(text)
}

fn tasks(registry: &mut Registry, counts: &BTreeMap<TaskStateName, u64>) {
    let family = gauges(registry, "tasks", "Tasks in each state");
    for state in TaskStateName::ALL {
        set(&family, vec![("state", state.to_string())], counts.get(&state).copied().unwrap_or_default());
    }
}

fn slots(registry: &mut Registry, hub: &HubRef) {
    let hosts = hub.on_call.hosts(hub.clock.now());
    let family = gauges(registry, "on_call_slots", "Slots of connected hosts, by what they do");
    for state in SlotView::STATES {
        let count = hosts.iter().flat_map(|host| &host.slots).filter(|slot| slot.state() == state).count();
        set(&family, vec![("state", state.to_owned())], u64::try_from(count).unwrap_or(u64::MAX));
    }
}

fn nodes(registry: &mut Registry, hub: &HubRef) {
    let nodes = hub.ownership.nodes();
    if nodes.is_empty() {
        return;
    }
    let family = gauges(registry, "nodes", "Hubs on the database, by what they are to the journal");
    for (state, name) in [(NodeState::Owner, "owner"), (NodeState::Standby, "standby"), (NodeState::Gone, "gone")] {
        let count = nodes.iter().filter(|node| node.state == state).count();
        set(&family, vec![("state", name.to_owned())], wide(count));
    }
}

async fn outbox(registry: &mut Registry, hub: &HubRef) -> ApiResult<()> {
    let read = hub.journal.read(|reader| Ok((reader.delivery_counts()?, reader.waiting_deliveries(None, 1)?)));
    let (counts, waiting) = read.await?;
    let family = gauges(registry, "deliveries", "What must reach the outside, by destination and state");
    for ((destination, state), count) in counts {
        set(&family, vec![("destination", destination), ("state", state.as_str().to_owned())], count);
    }
    let oldest = waiting.first().map(|delivery| hub.clock.now().since(delivery.created_at).as_secs());
    let age = Gauge::<i64>::default();
    age.set(narrow(oldest.unwrap_or_default()));
    registry.register_with_unit("oldest_delivery", "Age of the oldest delivery that waits", Unit::Seconds, age);
    Ok(())
}

fn agents(registry: &mut Registry, availabilities: impl Iterator<Item = Availability>) {
    let family = gauges(registry, "agents", "Registered agents by what they are doing");
    let mut counts = BTreeMap::from([
        (Availability::Waiting, 0_u64),
        (Availability::Working, 0),
        (Availability::Offline, 0),
        (Availability::Evicted, 0),
    ]);
    for availability in availabilities {
        *counts.entry(availability).or_default() += 1;
    }
    for (availability, count) in counts {
        let name = match availability {
            Availability::Waiting => "waiting",
            Availability::Working => "working",
            Availability::Offline => "offline",
            Availability::Evicted => "evicted",
        };
        set(&family, vec![("availability", name.to_owned())], count);
    }
}

fn queues(registry: &mut Registry, counts: &QueueCounts) {
    let family = gauges(registry, "queue_depth", "Queued tasks by the kind of their target");
    let mut by_kind = BTreeMap::from([("agent", 0_usize), ("role", 0), ("any", 0)]);
    for (target, count) in &counts.by_target {
        let kind = match target.split_once(':') {
            Some(_) => "role",
            None if target == "any" => "any",
            None => "agent",
        };
        *by_kind.entry(kind).or_default() += count;
    }
    for (kind, count) in by_kind {
        set(&family, vec![("target", kind.to_owned())], wide(count));
    }
}

fn journal(registry: &mut Registry, view: &JournalView) {
    one(registry, "journal_position", "The last number that is durable", view.position.0);
    one(registry, "journal_waiting", "Appends that are not answered yet", wide(view.depth));
    counted(registry, "journal_batches", "Transactions that were written", view.batches);
    counted(registry, "journal_appends", "Appends that were kept", view.appends);
    let sizes = gauges(registry, "journal_batch_size", "Appends in a transaction, over the newest of them");
    let spans = Family::<Labels, Gauge<f64, std::sync::atomic::AtomicU64>>::default();
    let help = "How long a transaction took with its fsync, over the newest of them";
    registry.register_with_unit("journal_write", help, Unit::Seconds, spans.clone());
    for (quantile, size, micros) in [
        ("0.5", view.batch_size.p50, view.write_micros.p50),
        ("0.99", view.batch_size.p99, view.write_micros.p99),
        ("1", view.batch_size.max, view.write_micros.max),
    ] {
        let labels = || vec![("quantile", quantile.to_owned())];
        set(&sizes, labels(), size);
        let micros = u32::try_from(micros).unwrap_or(u32::MAX);
        spans.get_or_create(&labels()).set(f64::from(micros) / 1e6);
    }
}

/// Mailboxes and restarts, added up by kind over the whole tree.
fn actors(registry: &mut Registry, tree: &ActorView) {
    let mut by_kind: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    let mut rest = vec![tree];
    while let Some(actor) = rest.pop() {
        let (count, depth, restarts) = by_kind.entry(actor.kind).or_default();
        *count += 1;
        *depth += wide(actor.mailbox.depth);
        *restarts += u64::from(actor.restarts.count);
        rest.extend(&actor.children);
    }
    let counts = gauges(registry, "actors", "Actors by kind");
    let depths = gauges(registry, "mailbox_depth", "Messages that wait, by kind of actor");
    let restarts = Family::<Labels, Counter>::default();
    registry.register("actor_restarts", "How often actors of a kind were built anew", restarts.clone());
    for (kind, (count, depth, restarted)) in by_kind {
        let labels = || vec![("kind", kind.to_owned())];
        set(&counts, labels(), count);
        set(&depths, labels(), depth);
        restarts.get_or_create(&labels()).inc_by(restarted);
    }
}

/// What the guard said no to. A denial before the start of this hub is not counted.
fn denied(registry: &mut Registry, denials: &Denials) {
    let family = Family::<Labels, Counter>::default();
    registry.register("auth_denied", "Requests that were denied, by code", family.clone());
    for (reason, count) in denials.iter() {
        family.get_or_create(&vec![("reason", reason.to_owned())]).inc_by(count);
    }
}

/// What was counted as it happened.
fn counters(registry: &mut Registry, counters: &Counters, appends: u64) {
    let rejected = counters.rejected.get() + appends;
    counted(registry, "mailbox_rejected", "Messages and appends that found a full mailbox", rejected);
    let help = "How long agents waited, whatever their wait ended with";
    registry.register_with_unit("wait", help, Unit::Seconds, counters.waits.clone());
    let help = "How long tasks took from their creation to their end";
    registry.register_with_unit("task", help, Unit::Seconds, counters.tasks.clone());
}

fn usage(registry: &mut Registry, hub: &HubRef) {
    let (settings, usage) = (hub.settings(), &hub.counters.usage);
    for role in settings.roles.roles.keys() {
        usage.count(role.as_str(), &Usage { turns: Some(0), ..Usage::default() });
    }
    registry.register("usage_tokens", "Tokens that runs on call used, by role", usage.tokens.clone());
    let (help, unit) = ("What runs on call cost, by role", Unit::Other("usd".to_owned()));
    registry.register_with_unit("usage_cost", help, unit, usage.dollars.clone());
    let help = "Processes on call that did not say what they used, by role";
    registry.register("usage_unknown_processes", help, usage.silent.clone());
}

fn counted(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let counter = Counter::<u64>::default();
    counter.inc_by(value);
    registry.register(name, help, counter);
}

fn gauges(registry: &mut Registry, name: &str, help: &str) -> Family<Labels, Gauge> {
    let family = Family::<Labels, Gauge>::default();
    registry.register(name, help, family.clone());
    family
}

fn one(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let gauge = Gauge::<i64>::default();
    gauge.set(narrow(value));
    registry.register(name, help, gauge);
}

fn set(family: &Family<Labels, Gauge>, labels: Labels, value: u64) {
    family.get_or_create(&labels).set(narrow(value));
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn narrow(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
