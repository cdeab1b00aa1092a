//! Carries a plan out, one step after the other, until one cannot run, fails, is the client's, or the time is over.
//!
//! Each step is on disk before it runs and after it ran. Whoever asks again while this goes on waits for it, and reads
//! the same. A request that is dropped on the way leaves the step as begun: the next one that asks under the same key
//! goes on there.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::step::{self, Came, Resources};
use crate::actors::HubRef;
use crate::actors::workflow::WorkflowError;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::{Next, Outcome, PauseReason, Prepared, WorkflowCommand, WorkflowRun};
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
        loop {
            let commands = match run.next() {
                Next::Rest => return Ok(run),
                Next::Finish => vec![WorkflowCommand::Finish],
                Next::Step { index, .. } => match self.step(&run, index).await? {
                    Some(commands) => commands,
                    None => return self.stands().await,
                },
            };
            for command in commands {
                match self.order(command).await? {
                    Some(after) => run = after,
                    None => return self.stands().await,
                }
            }
        }
    }

    /// Runs a step. What is to be said of it; none where a client went on meanwhile, and nothing ran.
    async fn step(&self, run: &WorkflowRun, index: usize) -> Result<Option<Vec<WorkflowCommand>>, Refusal> {
        let Some(step) = run.plan.steps.get(index) else { return Ok(None) };
        let name = step.name.clone();
        let left = self.until.saturating_duration_since(Instant::now());
        if left < LEAST {
            return Ok(Some(vec![WorkflowCommand::Pause(PauseReason::TimeBudget { step: name })]));
        }
        let facts = step.tool().and_then(step::facts);
        let prepared = match run.prepare(index, facts) {
            Ok(prepared) => prepared,
            Err(reason) => return Ok(Some(vec![WorkflowCommand::Pause(reason)])),
        };
        let asked = match &prepared {
            Prepared::Call { arguments, .. } => Value::Object(arguments.clone()),
            Prepared::Read { uri } => json!(uri),
        };
        if self.order(WorkflowCommand::Begin { step: index, asked }).await?.is_none() {
            return Ok(None);
        }
        Ok(Some(match prepared {
            Prepared::Call { tool, arguments } => self.calls(run, index, (name, tool), arguments, left).await,
            Prepared::Read { uri } => {
                let outcome = step::read(self.hub, self.caller, &uri, self.resources).await;
                let failed =
                    outcome.is_error.then(|| PauseReason::ResourceError { step: name, uri, error: outcome.error() });
                ended(index, outcome, failed)
            }
        }))
    }

    async fn calls(
        &self,
        run: &WorkflowRun,
        index: usize,
        (step, tool): (String, String),
        arguments: Map<String, Value>,
        left: Duration,
    ) -> Vec<WorkflowCommand> {
        let retryable = run.plan.steps.get(index).is_some_and(|step| step.retryable);
        match step::run(self.hub, self.caller, (self.id, &step, &tool), arguments, left).await {
            Came::Waits(follow_up) => vec![
                WorkflowCommand::Wait { step: index, follow_up },
                WorkflowCommand::Pause(PauseReason::TimeBudget { step }),
            ],
            Came::Misfit(outcome) => {
                let error = Some(outcome.error());
                ended(index, outcome, Some(PauseReason::SchemaMismatch { step, tool, missing: Vec::new(), error }))
            }
            Came::Outcome(outcome) => {
                let error = outcome.error();
                let failed = outcome.is_error.then_some(PauseReason::ToolError { step, tool, error, retryable });
                ended(index, outcome, failed)
            }
        }
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

/// A step came to this, and the hub stops where it failed.
fn ended(step: usize, outcome: Outcome, failed: Option<PauseReason>) -> Vec<WorkflowCommand> {
    let end = WorkflowCommand::End { step, outcome };
    [end].into_iter().chain(failed.map(WorkflowCommand::Pause)).collect()
}
