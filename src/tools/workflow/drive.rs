//! Carries a plan out, one step after the other, until one cannot run, fails, is the client's, or the time is over.
//!
//! Each step is on disk before it runs and after it ran. Whoever asks again while this goes on waits for it, and reads
//! the same. A request that is dropped on the way leaves the step as begun: the next one that asks under the same key
//! goes on there.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::step::{self, Came, Resources};
use crate::actors::HubRef;
use crate::actors::workflow::WorkflowError;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::{Next, PauseReason, Prepared, WorkflowCommand, WorkflowRun};
use crate::tools::blame;
use crate::tools::caller::Caller;
use crate::tools::refusal::Refusal;

/// How long one request carries a plan out.
const BUDGET: Duration = Duration::from_secs(45);

/// No step begins with less time left.
const LEAST: Duration = Duration::from_secs(1);

/// One request at work on a run.
struct Driver<'a, R> {
    hub: &'a HubRef,
    caller: &'a Caller,
    id: &'a WorkflowId,
    resources: &'a R,
    until: Instant,
}

/// Carries the plan out as far as the hub can, unless somebody else does so: then it is waited for.
///
/// # Errors
/// When there is no such run of the caller's, or the hub is busy.
pub(super) async fn drive(
    hub: &HubRef,
    caller: &Caller,
    id: &WorkflowId,
    resources: &impl Resources,
) -> Result<WorkflowRun, Refusal> {
    let until = Instant::now() + BUDGET;
    let driver = Driver { hub, caller, id, resources, until };
    let gone = CancellationToken::new();
    // The right to drive ends with this request, however it ends.
    let _guard = gone.clone().drop_guard();
    while let Some(line) = hub.supervisor.workflow(id).await.map_err(blame::fault)? {
        match line.drive(caller.principal.id.clone(), gone.clone()).await {
            Ok(Ok(run)) => return driver.goes_on(*run).await,
            Ok(Err(other)) => {
                if timeout_at(until, other.cancelled()).await.is_err() {
                    break;
                }
            }
            // It came to its end meanwhile.
            Err(WorkflowError::Fault(_)) => break,
            Err(error) => return Err(blame::workflow(error)),
        }
    }
    driver.stands().await
}

impl<R: Resources> Driver<'_, R> {
    async fn goes_on(&self, mut run: WorkflowRun) -> Result<WorkflowRun, Refusal> {
        while let Next::Step { index, .. } = run.next() {
            let after = match self.step(&run, index).await? {
                Some(command) => self.order(command).await?,
                None => None,
            };
            let Some(after) = after else { return self.stands().await };
            run = after;
        }
        Ok(run)
    }

    /// Runs a step. What is to be said of it; none where a client went on meanwhile, and nothing ran.
    async fn step(&self, run: &WorkflowRun, index: usize) -> Result<Option<WorkflowCommand>, Refusal> {
        let Some(step) = run.plan.steps.get(index) else { return Ok(None) };
        let left = self.until.saturating_duration_since(Instant::now());
        if left < LEAST {
            return Ok(Some(WorkflowCommand::Pause(PauseReason::TimeBudget { step: step.name.clone() })));
        }
        let facts = step.tool().and_then(step::facts);
        let prepared = match run.prepare(index, facts) {
            Ok(prepared) => prepared,
            Err(reason) => return Ok(Some(WorkflowCommand::Pause(reason))),
        };
        let asked = match &prepared {
            Prepared::Call { arguments, .. } => Value::Object(arguments.clone()),
            Prepared::Read { uri } => json!(uri),
        };
        if self.order(WorkflowCommand::Begin { step: index, asked }).await?.is_none() {
            return Ok(None);
        }
        let came = match prepared {
            Prepared::Call { tool, arguments } => {
                step::run(self.hub, self.caller, (self.id, &step.name, &tool), arguments, left).await
            }
            Prepared::Read { uri } => Came::Outcome(step::read(self.hub, self.caller, &uri, self.resources).await),
        };
        Ok(Some(match came {
            Came::Waits(follow_up) => WorkflowCommand::Wait { step: index, follow_up },
            Came::Misfit(outcome) => WorkflowCommand::End { step: index, outcome, misfit: true },
            Came::Outcome(outcome) => WorkflowCommand::End { step: index, outcome, misfit: false },
        }))
    }

    /// None where the run moved under this request: a client went on, or ended it.
    async fn order(&self, command: WorkflowCommand) -> Result<Option<WorkflowRun>, Refusal> {
        let request = Some(self.caller.request.clone());
        match self.hub.order_workflow(self.id, command, self.caller.by(), request).await {
            Ok(done) => Ok(Some(*done.run)),
            Err(WorkflowError::Refused(_)) => Ok(None),
            Err(error) => Err(blame::workflow(error)),
        }
    }

    async fn stands(&self) -> Result<WorkflowRun, Refusal> {
        let run = self.hub.workflow(self.id).await.map_err(blame::fault)?;
        let own = run.filter(|run| run.owner == self.caller.principal.id);
        own.ok_or_else(|| blame::workflow(WorkflowError::Unknown))
    }
}
