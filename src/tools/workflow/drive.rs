//! Carries a plan out, one step after the other, until one cannot run, fails, is the client's, or the time is over.
//!
//! A step that changes something is on disk before it runs, in one append with what the steps before it came to; one
//! that only looks is written down with what comes next. Whoever asks again meanwhile waits, and reads the same. A
//! request that is dropped leaves the step as begun: the next one under the same key goes on there.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::step::{self, Came, Resources, StepNature};
use crate::actors::HubRef;
use crate::actors::workflow::WorkflowError;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::{Next, PauseReason, Prepared, WorkflowCommand, WorkflowRun};
use crate::tools::caller::Caller;
use crate::tools::refusal::Result;
use crate::tools::refuse;

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

/// Carries the plan out as far as the hub can; where somebody else does, waits for that. Fails without such a run.
pub async fn drive(hub: &HubRef, caller: &Caller, id: &WorkflowId, resources: &impl Resources) -> Result<WorkflowRun> {
    let until = Instant::now() + BUDGET;
    let driver = Driver { hub, caller, id, resources, until };
    let gone = CancellationToken::new();
    // The right to drive ends with this request, however it ends.
    let _guard = gone.clone().drop_guard();
    while let Some(line) = hub.supervisor.workflow(id).await.map_err(refuse::fault)? {
        match line.drive(caller.principal.id.clone(), gone.clone()).await {
            Ok(Ok(run)) => return driver.goes_on(*run).await,
            Ok(Err(other)) => {
                if timeout_at(until, other.cancelled()).await.is_err() {
                    break;
                }
            }
            // It came to its end meanwhile.
            Err(WorkflowError::Fault(_)) => break,
            Err(error) => return Err(refuse::workflow(error)),
        }
    }
    driver.stands().await
}

/// A run as it will be once what is unsaid is on disk.
struct Ahead {
    run: WorkflowRun,
    unsaid: Vec<WorkflowCommand>,
}

impl<R: Resources> Driver<'_, R> {
    async fn goes_on(&self, run: WorkflowRun) -> Result<WorkflowRun> {
        let mut ahead = Ahead { run, unsaid: Vec::new() };
        while let Next::Step { index, .. } = ahead.run.next() {
            if !self.step(&mut ahead, index).await? {
                return self.stands().await;
            }
        }
        if self.says(&mut ahead).await? { Ok(ahead.run) } else { self.stands().await }
    }

    /// Runs a step. False where a client went on meanwhile.
    async fn step(&self, ahead: &mut Ahead, index: usize) -> Result<bool> {
        let Some(step) = ahead.run.plan.steps.get(index) else { return Ok(false) };
        let name = step.name.clone();
        let left = self.until.saturating_duration_since(Instant::now());
        if left < LEAST {
            return Ok(self.takes(ahead, WorkflowCommand::Pause(PauseReason::TimeBudget { step: name })));
        }
        let (facts, nature) = (step.tool().and_then(step::facts), step::nature(step));
        let prepared = match ahead.run.prepare(index, facts) {
            Ok(prepared) => prepared,
            Err(reason) => return Ok(self.takes(ahead, WorkflowCommand::Pause(reason))),
        };
        let asked = match &prepared {
            Prepared::Call { arguments, .. } => Value::Object(arguments.clone()),
            Prepared::Read { uri } => json!(uri),
        };
        if let Some(reports) = &self.caller.reports {
            reports.show(format!("Step {} of {}: {name}.", index + 1, ahead.run.steps.len()));
        }
        let begins = self.takes(ahead, WorkflowCommand::Begin { step: index, asked });
        if !begins || (nature != StepNature::Looks && !self.says(ahead).await?) {
            return Ok(false);
        }
        let came = match prepared {
            Prepared::Call { tool, arguments } => {
                step::run(self.hub, self.caller, (self.id, &name, &tool), arguments, left).await
            }
            Prepared::Read { uri } => Came::Outcome(step::read(self.hub, self.caller, &uri, self.resources).await),
        };
        // What a client brought meanwhile for the same run is seen when this is said.
        let took = self.takes(
            ahead,
            match came {
                Came::Waits(follow_up) => WorkflowCommand::Wait { step: index, follow_up },
                Came::Misfit(outcome) => WorkflowCommand::End { step: index, outcome, misfit: true },
                Came::Outcome(outcome) => WorkflowCommand::End { step: index, outcome, misfit: false },
            },
        );
        Ok(took && (nature != StepNature::OnlyOnce || self.says(ahead).await?))
    }

    /// Moves ahead by this order; it is not on disk yet. False where the run, as it is known here, does not take it.
    fn takes(&self, ahead: &mut Ahead, command: WorkflowCommand) -> bool {
        let now = self.hub.clock.now();
        let Ok(decision) = ahead.run.decide(now, &command) else { return false };
        decision.records.iter().for_each(|record| ahead.run.apply(now, record));
        ahead.unsaid.push(command);
        true
    }

    /// Puts on disk what is not there yet. False where the run moved under this request: a client went on, or ended it.
    async fn says(&self, ahead: &mut Ahead) -> Result<bool> {
        let commands = std::mem::take(&mut ahead.unsaid);
        if commands.is_empty() {
            return Ok(true);
        }
        match self.order(commands.clone()).await? {
            Some(run) => {
                ahead.run = run;
                Ok(true)
            }
            None => {
                // What ran is kept all the same, where the run still takes it.
                for command in commands.into_iter().filter(|command| matches!(command, WorkflowCommand::End { .. })) {
                    self.order(vec![command]).await?;
                }
                Ok(false)
            }
        }
    }

    /// None where the run does not take all of it.
    async fn order(&self, commands: Vec<WorkflowCommand>) -> Result<Option<WorkflowRun>> {
        let request = Some(self.caller.request.clone());
        match self.hub.order_workflow_all(self.id, commands, self.caller.by(), request).await {
            Ok(done) => Ok(Some(*done.run)),
            Err(WorkflowError::Refused(_)) => Ok(None),
            Err(error) => Err(refuse::workflow(error)),
        }
    }

    async fn stands(&self) -> Result<WorkflowRun> {
        let run = self.hub.workflow(self.id).await.map_err(refuse::fault)?;
        let own = run.filter(|run| run.owner == self.caller.principal.id);
        own.ok_or_else(|| refuse::workflow(WorkflowError::Unknown))
    }
}
