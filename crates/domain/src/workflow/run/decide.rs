//! What an order to a run comes to.

use serde_json::{Value, json};
use thiserror::Error;

use super::matching::ResultSlot;
use super::{
    FollowUp, MOST_EXTRA, Next, Outcome, PauseReason, RESULT_LIMIT, RunStatus, StepState, StepStatus, WorkflowRecord,
    WorkflowRun,
};
use crate::names::codes;
use crate::time::Timestamp;
use crate::workflow::Step;

#[derive(Debug, Clone, PartialEq)]
pub enum WorkflowCommand {
    /// The hub is about to run the next step.
    Begin {
        /// Which, from 0.
        step: usize,
        /// The arguments of the tool, or the URI.
        asked: Value,
    },
    /// The step that the hub ran came to this.
    End {
        step: usize,
        /// What it came to; the hub stops where that is an error.
        outcome: Outcome,
        /// Whether it failed because its arguments do not fit its tool.
        misfit: bool,
    },
    /// What the step that the hub ran waits for is not there yet: the hub stops.
    Wait { step: usize, follow_up: FollowUp },
    /// The hub stops carrying out the plan.
    Pause(PauseReason),
    /// A tool was called, and this came of it.
    Record { tool: String, outcome: Outcome },
    /// The client says that it is done.
    Complete(Value),
    /// Its owner ends it.
    Cancel,
    /// Time passed: it may be over.
    Tick,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    pub records: Vec<WorkflowRecord>,
    /// Where the result of a call is recorded; none for other orders.
    pub recorded: Option<Recorded>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    Step(String),
    Extra,
}

/// Why an order to a run came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorkflowRefusal {
    #[error("the workflow is {} already", .status.as_str())]
    Ended { status: RunStatus },
    /// The hub may not run this step now: a client went on meanwhile.
    #[error("step {} is not the next one that the hub runs", .step + 1)]
    NotNext { step: usize },
    #[error("the result has {bytes} bytes; {RESULT_LIMIT} are the most")]
    ResultTooLarge { bytes: usize },
    #[error("the workflow has results of {MOST_EXTRA} tools beside its plan already")]
    TooManyExtra,
}

codes!(WorkflowRefusal {
    Ended = "WORKFLOW_ENDED", NotNext = "WORKFLOW_MOVED", ResultTooLarge = "TEXT_TOO_LONG",
    TooManyExtra = "WORKFLOW_FULL",
});

impl WorkflowRun {
    /// What follows from `command`; changes nothing. Fails when the run is over, or the order is not for this moment.
    pub fn decide(&self, now: Timestamp, command: &WorkflowCommand) -> Result<Decision, WorkflowRefusal> {
        if let WorkflowCommand::Tick = command {
            return Ok(self.tick(now).into_iter().collect());
        }
        if !self.is_working() {
            return Err(WorkflowRefusal::Ended { status: self.status });
        }
        match command {
            WorkflowCommand::Begin { step, asked } => self.begin(*step, asked),
            WorkflowCommand::End { step, outcome, misfit } => self.end(*step, outcome, *misfit),
            WorkflowCommand::Wait { step, follow_up } => self.wait(*step, follow_up),
            WorkflowCommand::Pause(reason) => {
                let record = WorkflowRecord::Paused { reason: reason.clone() };
                Ok((!self.handed_over).then_some(record).into_iter().collect())
            }
            WorkflowCommand::Record { tool, outcome } => self.record(tool, outcome),
            WorkflowCommand::Complete(result) => match result.to_string().len() {
                bytes if bytes > RESULT_LIMIT => Err(WorkflowRefusal::ResultTooLarge { bytes }),
                _ => Ok(one(WorkflowRecord::Completed { result: result.clone() })),
            },
            WorkflowCommand::Cancel => Ok(one(WorkflowRecord::Cancelled)),
            WorkflowCommand::Tick => Ok(Decision::default()),
        }
    }

    fn begin(&self, step: usize, asked: &Value) -> Result<Decision, WorkflowRefusal> {
        match self.next() {
            Next::Step { index, .. } if index == step => {
                Ok(one(WorkflowRecord::StepBegan { step, asked: asked.clone() }))
            }
            Next::Step { .. } | Next::Rest => Err(WorkflowRefusal::NotNext { step }),
        }
    }

    /// What is due: one change at most.
    fn tick(&self, now: Timestamp) -> Option<WorkflowRecord> {
        if self.next_expiry().is_some_and(|at| at <= now) {
            return Some(WorkflowRecord::Expired);
        }
        self.next_deadline().filter(|deadline| deadline.at <= now)?;
        Some(match self.interruption() {
            Some(reason) => WorkflowRecord::Paused { reason },
            None => self.all_done(None),
        })
    }

    /// A client may have brought the result of the same step meanwhile: the later one is this. It is on disk together
    /// with what follows from it, so that no run is found between the two.
    fn end(&self, step: usize, outcome: &Outcome, misfit: bool) -> Result<Decision, WorkflowRefusal> {
        if self.steps.get(step).is_none_or(|state| state.asked.is_none()) {
            return Err(WorkflowRefusal::NotNext { step });
        }
        let mut records = vec![ended(step, outcome)];
        let ending = Some((step, outcome));
        let is_done = |(other, (planned, state)): (usize, (&Step, &StepState))| {
            other == step || !state.is_open() || self.skips(planned, ending)
        };
        let others_done = || self.both().enumerate().all(is_done);
        if !self.handed_over && outcome.is_error {
            records.extend(self.failure(step, outcome, misfit).map(|reason| WorkflowRecord::Paused { reason }));
        } else if !self.handed_over && others_done() {
            records.push(self.all_done(ending));
        }
        Ok(records.into_iter().collect())
    }

    fn wait(&self, step: usize, follow_up: &FollowUp) -> Result<Decision, WorkflowRefusal> {
        let runs = self.both().nth(step).filter(|(_, state)| state.status == StepStatus::Running);
        let Some((planned, _)) = runs else { return Err(WorkflowRefusal::NotNext { step }) };
        let waits = WorkflowRecord::StepWaits { step, follow_up: follow_up.clone() };
        let reason = PauseReason::TimeBudget { step: planned.name.clone() };
        Ok([waits, WorkflowRecord::Paused { reason }].into_iter().collect())
    }

    fn all_done(&self, ending: Option<(usize, &Outcome)>) -> WorkflowRecord {
        let skipped = self.both().filter(|(step, state)| state.is_open() && self.skips(step, ending)).count();
        WorkflowRecord::Completed { result: json!({"completed": true, "stepsCompleted": self.steps.len() - skipped}) }
    }

    fn record(&self, tool: &str, outcome: &Outcome) -> Result<Decision, WorkflowRefusal> {
        match self.place_of(tool) {
            ResultSlot::Step(index) => {
                let name = self.plan.steps.get(index).map(|step| step.name.clone()).unwrap_or_default();
                Ok(Decision { records: vec![ended(index, outcome)], recorded: Some(Recorded::Step(name)) })
            }
            ResultSlot::Extra if self.extra.len() >= MOST_EXTRA && !self.extra.contains_key(tool) => {
                Err(WorkflowRefusal::TooManyExtra)
            }
            ResultSlot::Extra => {
                let (tool, outcome) = (tool.to_owned(), Box::new(outcome.clone()));
                let records = vec![WorkflowRecord::ExtraRecorded { tool, outcome }];
                Ok(Decision { records, recorded: Some(Recorded::Extra) })
            }
        }
    }
}

impl FromIterator<WorkflowRecord> for Decision {
    fn from_iter<I: IntoIterator<Item = WorkflowRecord>>(records: I) -> Self {
        Self { records: records.into_iter().collect(), recorded: None }
    }
}

fn one(record: WorkflowRecord) -> Decision {
    [record].into_iter().collect()
}

fn ended(step: usize, outcome: &Outcome) -> WorkflowRecord {
    let outcome = Box::new(outcome.clone());
    if outcome.is_error {
        WorkflowRecord::StepFailed { step, outcome }
    } else {
        WorkflowRecord::StepCompleted { step, outcome }
    }
}
