//! The state of the schedules, and what every turn of theirs ends with.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;

use crate::actors::Credentials;
use crate::actors::common::{ActorView, Fault, MailboxMetrics, Refusals, Result, Timer};
use crate::actors::dispatcher::DispatcherRef;
use crate::actors::journal::{AppendError, JournalRef};
use crate::clock::Clock;
use crate::domain::ids::TaskId;
use crate::domain::principal::By;
use crate::domain::schedule::{Schedule, ScheduleRecord, Trigger, due_once};
use crate::domain::time::{Deadline, Timestamp};
use crate::journal::{Append, Entry, Idempotency, Row, Seq};
use crate::settings::Settings;

/// How long after a fault what is due is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The state. `all` is what the journal has; the rest begins anew with the actor.
#[derive(Debug)]
pub struct State {
    pub(super) journal: JournalRef,
    pub(super) dispatcher: DispatcherRef,
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) clock: Clock,
    pub(super) credentials: Credentials,
    pub(super) hub: By,
    pub(super) timer: Timer,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) started_at: Timestamp,
    pub(super) all: BTreeMap<String, Schedule>,
    /// Whether `schedules.yaml` is still to be compared with what there is.
    pub(super) file_is_new: bool,
    /// When what could not be done is tried again.
    pub(super) retry_at: Option<Timestamp>,
    pub(super) errors: Refusals,
}

impl State {
    pub(super) async fn turn(&mut self) {
        let now = self.clock.now();
        if self.retry_at.is_none_or(|at| at <= now) {
            self.retry_at = None;
            if let Err(fault) = self.advance(now).await {
                self.retries(&fault);
            }
        }
        self.settle();
    }

    async fn advance(&mut self, now: Timestamp) -> Result<()> {
        if self.file_is_new {
            // At the start: whoever a task may be for is known only once the agents were heard.
            self.dispatcher.catches_up().await?;
            self.compare_with_file(now).await?;
            self.file_is_new = false;
        }
        let due = |one: &Schedule| !one.due.is_empty() || one.next().is_some_and(|next| next <= now);
        let names: Vec<String> = self.all.values().filter(|one| due(one)).map(|one| one.spec.name.clone()).collect();
        let mut outcome = Ok(());
        for name in names {
            let open = self.open_task(&name).await?;
            let records = self.all.get(&name).map(|one| one.tick(now, open.as_ref())).unwrap_or_default();
            self.write(now, records, self.hub.clone(), None, None).await?;
            // One whose queue is full keeps no other from being made.
            outcome = outcome.and(self.make(&name).await);
        }
        outcome
    }

    pub(super) fn retries(&mut self, fault: &Fault) {
        let now = self.clock.now();
        if self.retry_at.is_none() {
            tracing::warn!("schedules that are due are tried again: {fault}");
        }
        self.errors.note(now, "UNAVAILABLE", fault.to_string());
        self.retry_at = Some(now + RETRY_AFTER);
    }

    /// The task that a schedule made for its moment before, where it is open.
    pub(super) async fn open_task(&self, name: &str) -> Result<Option<TaskId>> {
        let Some(id) = self.all.get(name).and_then(|one| one.before.clone()) else { return Ok(None) };
        let wanted = id.clone();
        let task = self.journal.read(move |reader| reader.task(&wanted)).await?;
        Ok(task.filter(|task| !task.state.name().is_closed()).map(|_| id))
    }

    /// Writes records with the rows that they come to, then applies them.
    pub(super) async fn write(
        &mut self,
        now: Timestamp,
        records: Vec<ScheduleRecord>,
        by: By,
        request: Option<String>,
        idempotency: Option<Idempotency>,
    ) -> Result<(), AppendError> {
        if records.is_empty() && idempotency.is_none() {
            return Ok(());
        }
        let mut after = BTreeMap::new();
        for record in &records {
            let name = record.name().to_owned();
            let one = after.remove(&name).or_else(|| self.all.get(&name).cloned());
            let one = match (record, one) {
                (ScheduleRecord::Created { .. }, _) => Schedule::from_created(now, record),
                (_, None) => None,
                (_, Some(mut one)) => {
                    debug_assert_eq!(due_once(&one, record), Ok(()));
                    one.apply(now, record);
                    Some(one)
                }
            };
            after.extend(one.map(|one| (name, one)));
        }
        let gone = |name: &String| {
            records.iter().any(|record| matches!(record, ScheduleRecord::Removed { name: removed } if removed == name))
        };
        let row = |(name, one): (&String, &Schedule)| {
            if gone(name) { Row::ScheduleGone(name.clone()) } else { Row::Schedule(Box::new(one.clone())) }
        };
        let rows = after.iter().map(row).collect();
        let entries = records.iter().cloned().map(Entry::of_schedule).collect();
        self.journal.append(Append { request, rows, idempotency, ..Append::new(now, by, entries) }).await?;
        for (name, one) in after {
            if gone(&name) { drop(self.all.remove(&name)) } else { drop(self.all.insert(name, one)) }
        }
        Ok(())
    }

    /// From which event on the ends of tasks matter: behind the last one that each waiting schedule decided on.
    pub(super) async fn place(&self) -> Result<Seq> {
        let waiting = self.all.values().filter(|one| matches!(one.spec.trigger, Trigger::After(_)));
        match waiting.map(|one| one.seen).min() {
            Some(seen) => Ok(Seq(seen)),
            None => Ok(self.journal.read(|reader| reader.position()).await?),
        }
    }

    fn settle(&mut self) {
        let now = self.clock.now();
        let next = self.all.values().filter_map(Schedule::next).min();
        let next = if self.file_is_new { Some(now) } else { next };
        self.timer.set(self.retry_at.or(next).map(|at| Deadline { at, reason: "a schedule that is due" }));
    }

    pub(super) fn actor_view(&self) -> ActorView {
        let mut actor_view = ActorView::of("schedules", "schedules", &self.mailbox_metrics, self.started_at);
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.errors.list();
        let waiting: usize = self.all.values().map(|one| one.due.len()).sum();
        actor_view.detail = json!({ "schedules": self.all.len(), "due": waiting });
        actor_view
    }
}
