//! What happened to a run, and how that changes it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{FollowUp, MatchedBy, Outcome, PauseReason, RunStatus, StepStatus, WorkflowRun};
use crate::ids::PrincipalId;
use crate::time::Timestamp;
use crate::workflow::Plan;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WorkflowRecord {
    Started {
        owner: PrincipalId,
        plan: Box<Plan>,
        parameters: Map<String, Value>,
        /// Those of them that the client may not have handed over as the user typed them.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        unsure: BTreeSet<String>,
    },
    StepBegan {
        step: usize,
        /// The arguments of the tool, or the URI.
        asked: Value,
    },
    /// What a step waits for is not there yet.
    StepWaits { step: usize, follow_up: FollowUp },
    /// A step came to this.
    StepCompleted { step: usize, outcome: Box<Outcome> },
    /// A step came to an error.
    StepFailed { step: usize, outcome: Box<Outcome> },
    /// A tool was called that no step of the plan calls.
    ExtraRecorded { tool: String, outcome: Box<Outcome> },
    /// The hub stopped.
    Paused { reason: PauseReason },
    /// The client said that it is done.
    Completed { result: Value },
    /// Its owner ended it.
    Cancelled,
    /// Nobody called for too long.
    Expired,
}

impl WorkflowRun {
    pub fn apply(&mut self, at: Timestamp, record: &WorkflowRecord) {
        self.updated_at = at;
        match record {
            WorkflowRecord::Started { .. } => {}
            WorkflowRecord::StepBegan { step, asked } => {
                if let Some(state) = self.steps.get_mut(*step) {
                    state.status = StepStatus::Running;
                    state.asked = Some(asked.clone());
                }
            }
            WorkflowRecord::StepWaits { step, follow_up } => {
                if let Some(state) = self.steps.get_mut(*step) {
                    state.status = StepStatus::Pending;
                    state.follow_up = Some(follow_up.clone());
                }
            }
            WorkflowRecord::StepCompleted { step, outcome } => self.step_ends(*step, StepStatus::Completed, outcome),
            WorkflowRecord::StepFailed { step, outcome } => self.step_ends(*step, StepStatus::Failed, outcome),
            WorkflowRecord::ExtraRecorded { tool, outcome } => {
                self.extra.insert(tool.clone(), (**outcome).clone());
                self.is_taken_over();
            }
            WorkflowRecord::Paused { reason } => {
                self.pause = Some(reason.clone());
                self.handed_over = true;
            }
            WorkflowRecord::Completed { result } => {
                self.status = RunStatus::Completed;
                self.result = Some(result.clone());
                self.pause = None;
            }
            WorkflowRecord::Cancelled => self.status = RunStatus::Cancelled,
            WorkflowRecord::Expired => self.status = RunStatus::Expired,
        }
    }

    fn step_ends(&mut self, step: usize, status: StepStatus, outcome: &Outcome) {
        if outcome.matched_by != MatchedBy::Plan {
            self.is_taken_over();
        }
        let Some(state) = self.steps.get_mut(step) else { return };
        state.status = status;
        state.outcome = Some(outcome.clone());
        state.follow_up = None;
    }

    /// The client goes on: what the hub stopped for is past.
    fn is_taken_over(&mut self) {
        self.pause = None;
        self.handed_over = true;
    }
}
