//! The state of a run, and its turn.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::message::{Done, Start, Started, WorkflowError, WorkflowOrder};
use super::open_steps::OpenSteps;
use crate::actors::common::{ActorView, Fault, MailboxMetrics, Refusals, Timer};
use crate::actors::journal::{AppendError, JournalRef};
use crate::broken::{self, Break};
use crate::clock::Clock;
use crate::domain::ids::{PrincipalId, WorkflowId};
use crate::domain::invariants;
use crate::domain::principal::By;
use crate::domain::time::{Deadline, Timestamp};
use crate::domain::workflow::run::{WorkflowCommand, WorkflowRecord, WorkflowRun};
use crate::journal::{Append, Entry, IdempotencyKey, Row, WriteError};

/// How long after a failed write what is due is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The state. `run` is what the journal has of it; the rest begins anew with the actor.
#[derive(Debug)]
pub struct State {
    pub(super) id: WorkflowId,
    pub(super) run: Option<WorkflowRun>,
    pub(super) journal: JournalRef,
    pub(super) clock: Clock,
    pub(super) hub: By,
    pub(super) timer: Timer,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) open: OpenSteps,
    /// Cancelled once whoever drives the run is gone; none where nobody did yet.
    pub(super) driver: Option<CancellationToken>,
    pub(super) refusals: Refusals,
    pub(super) retry_at: Option<Timestamp>,
    pub(super) started_at: Timestamp,
}

impl State {
    /// The run begins, unless the same was asked for under the same key.
    pub(super) async fn start(&mut self, start: Start) -> Result<Started, WorkflowError> {
        if self.run.is_some() {
            return Ok(Started::Begun);
        }
        let Start { owner, plan, parameters, unsure, by, request, key } = start;
        let now = self.clock.now();
        let record = WorkflowRecord::Started { owner, plan: Box::new(plan), parameters, unsure };
        let Some(run) = WorkflowRun::from_started(self.id.clone(), now, &record) else {
            return Err(WorkflowError::Unknown);
        };
        match self.write(&run, vec![record], (by, request), key).await {
            Ok(()) => {
                self.run = Some(run);
                Ok(Started::Begun)
            }
            Err(AppendError::Write(WriteError::Repeated { receipt })) => {
                let first = receipt["workflow"].as_str().and_then(|id| WorkflowId::parse(id).ok());
                first.map(Started::Repeated).ok_or(WorkflowError::KeyReused)
            }
            Err(AppendError::Write(WriteError::KeyReused)) => Err(WorkflowError::KeyReused),
            Err(error) => Err(Fault::from(error).into()),
        }
    }

    pub(super) async fn order(&mut self, order: WorkflowOrder) -> Result<Done, WorkflowError> {
        let done = self.turn(order).await;
        if let Err(WorkflowError::Refused(refusal)) = &done {
            self.refusals.note(self.clock.now(), refusal.code(), refusal.to_string());
        }
        done
    }

    async fn turn(&mut self, order: WorkflowOrder) -> Result<Done, WorkflowError> {
        let WorkflowOrder { commands, owner, by, request, key } = order;
        let run = self.of(&owner)?;
        let now = self.clock.now();
        let (mut after, mut records, mut recorded) = (run.clone(), Vec::new(), None);
        for command in &commands {
            let decision = after.decide(now, command)?;
            for record in decision.records {
                let before = after.clone();
                after.apply(now, &record);
                debug_assert_eq!(invariants::workflow_moves(&before, &record, &after), Ok(()));
                records.push(record);
            }
            recorded = decision.recorded.or(recorded);
        }
        if records.is_empty() {
            return Ok(Done { run: Box::new(after), recorded });
        }
        if broken::by(Break::LosesResults) {
            records.retain(|record| !matches!(record, WorkflowRecord::StepCompleted { step: 1, .. }));
        }
        match self.write(&after, records, (by, request), key).await {
            Ok(()) => self.run = Some(after.clone()),
            // It was done before, and is done no second time.
            Err(AppendError::Write(WriteError::Repeated { .. })) => after = self.of(&owner)?.clone(),
            Err(AppendError::Write(WriteError::KeyReused)) => return Err(WorkflowError::KeyReused),
            Err(error) => return Err(Fault::from(error).into()),
        }
        Ok(Done { run: Box::new(after), recorded })
    }

    /// The right to drive, or what fires when whoever has it is gone.
    pub(super) fn drive(
        &mut self,
        owner: &PrincipalId,
        gone: CancellationToken,
    ) -> Result<Result<Box<WorkflowRun>, CancellationToken>, WorkflowError> {
        let run = Box::new(self.of(owner)?.clone());
        if let Some(driver) = self.driver.as_ref().filter(|driver| !driver.is_cancelled()) {
            return Ok(Err(driver.clone()));
        }
        self.driver = Some(gone);
        Ok(Ok(run))
    }

    pub(super) async fn tick(&mut self) {
        self.timer.rang();
        self.retry_at = None;
        let Some(owner) = self.run.as_ref().map(|run| run.owner.clone()) else { return };
        let commands = vec![WorkflowCommand::Tick];
        let order = WorkflowOrder { commands, owner, by: self.hub.clone(), request: None, key: None };
        if let Err(error) = self.order(order).await {
            tracing::warn!("workflow `{}` could not expire: {error}", self.id);
            self.retry_at = Some(self.clock.now() + RETRY_AFTER);
        }
    }

    /// What is open is known to whoever looks, and the deadline is armed. Whether it is over.
    pub(super) fn settle(&mut self) -> bool {
        let own = self.run.as_ref().and_then(WorkflowRun::next_deadline);
        self.timer.set(match self.retry_at {
            Some(at) => own.map(|deadline| Deadline { at: at.max(deadline.at), ..deadline }),
            None => own,
        });
        let Some(run) = &self.run else { return true };
        let shown = run.is_working() && run.handed_over;
        let tools = shown.then(|| run.open_tools().map(ToOwned::to_owned).collect());
        self.open.put(&run.owner, &self.id, tools);
        !run.is_working()
    }

    pub(super) fn actor_view(&self) -> ActorView {
        let mut actor_view =
            ActorView::of(format!("workflow:{}", self.id), "workflow", &self.mailbox_metrics, self.started_at);
        actor_view.deadline = self.timer.armed();
        actor_view.last_refusals = self.refusals.list();
        if let Some(run) = &self.run {
            run.status.as_str().clone_into(&mut actor_view.state);
            let driven = self.driver.as_ref().is_some_and(|driver| !driver.is_cancelled());
            actor_view.detail = json!({
                "name": run.plan.name,
                "owner": run.owner,
                "statusMessage": run.status_message(),
                "pauseReason": run.pause,
                "driven": driven,
            });
        }
        actor_view
    }

    fn of(&self, owner: &PrincipalId) -> Result<&WorkflowRun, WorkflowError> {
        self.run.as_ref().filter(|run| run.owner == *owner).ok_or(WorkflowError::Unknown)
    }

    async fn write(
        &self,
        after: &WorkflowRun,
        records: Vec<WorkflowRecord>,
        (by, request): (By, Option<String>),
        key: Option<IdempotencyKey>,
    ) -> Result<(), AppendError> {
        let idempotency = key.map(|key| key.keeps(json!({"workflow": self.id})));
        let entries = records.into_iter().map(|record| Entry::of_workflow(after, record)).collect();
        let rows = vec![Row::Workflow(Box::new(after.clone()))];
        let append = Append { request, rows, idempotency, ..Append::new(after.updated_at, by, entries) };
        self.journal.append(append).await.map(drop)
    }
}
