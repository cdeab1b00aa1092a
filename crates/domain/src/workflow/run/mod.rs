//! A run of a workflow: the plan as it was when it began, and how far it came.
//!
//! ```text
//!   started ──► WORKING ──(every step done while the hub runs them)──► COMPLETED
//!                │   │
//!                │   └─ paused: the hub stops, and the client goes on with calls of its own;
//!                │      so it does [`LEFT_AFTER`] its last step, when nobody carries the plan out any more
//!                ├── completed with a result of the client ──► COMPLETED
//!                ├── cancelled ──► CANCELLED
//!                └── no call for [`EXPIRES_AFTER`] ──► EXPIRED
//!
//!   a step:  PENDING ──begun──► RUNNING ──► COMPLETED | FAILED      the last result wins, also over an earlier one
//!               ▲                  │
//!               └────── waits ─────┘   what it waits for is not there yet: another call brings it
//! ```
//!
//! A run is guidance: it records what calls came to, and never refuses, orders or alters one. A step that was begun is
//! on disk before its tool runs. After a crash it runs again only where that does no harm: under the key that follows
//! from run and step, or because the tool changes nothing. Whoever asks for the prompt again under the same key goes on
//! with it; when nobody does for a while, what is left is the client's, and it is told which step may have run.
//! Promises W1 to W5 stand in `domain::invariants`.

mod decide;
mod handoff;
mod matching;
mod messages;
mod outcome;
mod pause;
mod prepare;
mod record;
#[cfg(test)]
mod tests;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use decide::{Decision, Recorded, WorkflowCommand, WorkflowRefusal};
pub use messages::{PlanMessage, Speaker};
pub use outcome::{Content, MatchedBy, Outcome};
pub use pause::PauseReason;
pub use prepare::{Prepared, ToolFacts};
pub use record::WorkflowRecord;

use super::plan::{Plan, Step};
use super::resolve::{PlanValues, judged};
use crate::ids::{PrincipalId, WorkflowId};
use crate::names::names;
use crate::time::{Deadline, Timestamp};

/// How long a run waits for its next call.
pub const EXPIRES_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a plan that the hub carries out may lie still before the rest is the client's: as long as a repeat finds
/// its run. One request carries it out for less than a minute.
pub const LEFT_AFTER: Duration = Duration::from_secs(10 * 60);

/// The largest result with which a client may complete a run, in bytes of JSON.
pub const RESULT_LIMIT: usize = 256 * 1024;

/// The most results of tools that no step of the plan calls: later ones of other tools are not kept.
pub const MOST_EXTRA: usize = 100;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkflowRun {
    pub id: WorkflowId,
    /// Whose it is; to anybody else it does not exist.
    pub owner: PrincipalId,
    /// The plan as it was when the run began: a reload changes no run.
    pub plan: Plan,
    /// The arguments of the prompt, as their types say.
    pub parameters: Map<String, Value>,
    /// Those of them that the client may not have handed over as the user typed them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unsure: BTreeSet<String>,
    pub status: RunStatus,
    /// Each step, in the order of the plan.
    pub steps: Vec<StepState>,
    /// Results of tools that no step of the plan calls, by tool.
    pub extra: BTreeMap<String, Outcome>,
    /// Why the hub stopped; none before that, and once a call went on.
    pub pause: Option<PauseReason>,
    /// Whether the rest is the client's: the hub runs no step any more, also when it is asked for the prompt again.
    pub handed_over: bool,
    pub result: Option<Value>,
    pub started_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// There is something left to do, or nobody said yet that it is done.
    Working,
    Completed,
    Cancelled,
    Expired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun, or begun and waiting for what another call brings.
    Pending,
    /// The hub runs it, or stopped while it ran it.
    Running,
    Completed,
    /// Its last result is an error.
    Failed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepState {
    pub status: StepStatus,
    /// The arguments that the hub called its tool with, or the URI that it read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up: Option<FollowUp>,
}

/// A call that brings what a step waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FollowUp {
    pub tool: String,
    pub arguments: Map<String, Value>,
}

/// What the hub does next with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Runs this step, counted from 0; `again` after it was stopped while the step ran.
    Step {
        index: usize,
        /// Whether it may have run already.
        again: bool,
    },
    /// Nothing: the run is paused, or over.
    Rest,
}

impl StepState {
    const PENDING: Self = Self { status: StepStatus::Pending, asked: None, outcome: None, follow_up: None };

    pub fn is_open(&self) -> bool {
        self.status != StepStatus::Completed
    }
}

names!(RunStatus { Working = "working", Completed = "completed", Cancelled = "cancelled", Expired = "expired" });

names!(StepStatus { Pending = "pending", Running = "running", Completed = "completed", Failed = "failed" });

impl WorkflowRun {
    /// A run as its first record begins it; none where that is no beginning.
    pub fn from_started(id: WorkflowId, at: Timestamp, record: &WorkflowRecord) -> Option<Self> {
        let WorkflowRecord::Started { owner, plan, parameters, unsure } = record else { return None };
        Some(Self {
            id,
            owner: owner.clone(),
            plan: (**plan).clone(),
            parameters: parameters.clone(),
            unsure: unsure.clone(),
            status: RunStatus::Working,
            steps: vec![StepState::PENDING; plan.steps.len()],
            extra: BTreeMap::new(),
            pause: None,
            handed_over: false,
            result: None,
            started_at: at,
            updated_at: at,
        })
    }

    pub fn is_working(&self) -> bool {
        self.status == RunStatus::Working
    }

    /// What its time brings next; none once it is over.
    pub fn next_deadline(&self) -> Option<Deadline> {
        if self.handed_over {
            let at = self.next_expiry()?;
            return Some(Deadline { at, reason: "a workflow that nobody goes on with expires" });
        }
        let at = self.updated_at + LEFT_AFTER;
        let reason = "the rest of a workflow that nobody carries out any more is its client's";
        self.is_working().then_some(Deadline { at, reason })
    }

    /// When it expires unless something happens before; none once it is over.
    pub fn next_expiry(&self) -> Option<Timestamp> {
        self.is_working().then_some(self.updated_at + EXPIRES_AFTER)
    }

    pub fn next(&self) -> Next {
        if !self.is_working() || self.handed_over {
            return Next::Rest;
        }
        let first = self.both().enumerate().find(|(_, (step, state))| self.is_left(step, state));
        match first.map(|(index, (_, state))| (index, state.status)) {
            Some((index, StepStatus::Pending)) => Next::Step { index, again: false },
            Some((index, StepStatus::Running)) => Next::Step { index, again: true },
            Some((_, StepStatus::Failed | StepStatus::Completed)) | None => Next::Rest,
        }
    }

    /// The steps of the plan beside their states, in order.
    pub(super) fn both(&self) -> impl Iterator<Item = (&Step, &StepState)> {
        self.plan.steps.iter().zip(&self.steps)
    }

    pub(super) fn is_left(&self, step: &Step, state: &StepState) -> bool {
        state.is_open() && !self.skips(step, None)
    }

    /// Whether there is nothing to do in a step, by what an earlier one came to. `ending` is one that ends just now.
    pub(super) fn skips(&self, step: &Step, ending: Option<(usize, &Outcome)>) -> bool {
        let Some(when) = &step.when else { return false };
        let bound =
            |(_, (step, _)): &(usize, (&Step, &StepState))| step.binding.as_deref() == Some(when.binding.as_str());
        let Some((index, (_, state))) = self.both().enumerate().find(bound) else { return false };
        let outcome = match ending {
            Some((ends, outcome)) if ends == index => Some(outcome),
            Some(_) | None => state.outcome.as_ref(),
        };
        let output = outcome.and_then(Outcome::value);
        output.and_then(|output| judged(when, &output).map(|value| !when.test.holds(value))).unwrap_or_default()
    }

    /// Where a step is, as it is written.
    pub fn status_of(&self, step: &Step, state: &StepState) -> &'static str {
        let skipped = state.status == StepStatus::Pending && self.skips(step, None);
        if skipped { "skipped" } else { state.status.as_str() }
    }

    /// What steps came to, by their bindings: of those that are done and whose result was kept whole.
    pub(super) fn outputs(&self) -> BTreeMap<String, Value> {
        let done = self.both().filter(|(_, state)| state.status == StepStatus::Completed);
        done.filter_map(|(step, state)| Some((step.binding.clone()?, state.outcome.as_ref()?.value()?))).collect()
    }

    pub(super) fn known<'a>(&'a self, outputs: &'a BTreeMap<String, Value>) -> PlanValues<'a> {
        PlanValues { plan: &self.plan, parameters: &self.parameters, outputs, unsure: &self.unsure }
    }
}
