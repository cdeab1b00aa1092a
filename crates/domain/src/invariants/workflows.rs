//! The promises about runs of workflows: W1 to W5.

use super::{Broken, hold};
use crate::workflow::run::{RunStatus, StepStatus, WorkflowRecord, WorkflowRun};

/// Every promise about one change of a run: W1 to W5.
pub fn workflow_moves(before: &WorkflowRun, record: &WorkflowRecord, after: &WorkflowRun) -> Result<(), Broken> {
    w1_ended_stays_ended(before)?;
    w2_step_begins_once(before, record)?;
    w3_last_result_wins(record, after)?;
    w4_results_are_kept(before, record, after)?;
    w5_every_run_ends(after)
}

/// W1: nothing happens to a run that was completed, cancelled or expired.
pub fn w1_ended_stays_ended(before: &WorkflowRun) -> Result<(), Broken> {
    hold(before.status == RunStatus::Working, "W1 ended-stays-ended", || {
        format!("workflow `{}` was {} and went on", before.id, before.status.as_str())
    })
}

/// W2: the hub begins a step once; again only with the arguments that it began it with, so under the same key.
pub fn w2_step_begins_once(before: &WorkflowRun, record: &WorkflowRecord) -> Result<(), Broken> {
    let WorkflowRecord::StepBegan { step, asked } = record else { return Ok(()) };
    let allowed = before.steps.get(*step).is_some_and(|state| match state.status {
        StepStatus::Pending => state.outcome.is_none(),
        StepStatus::Running => state.asked.as_ref() == Some(asked),
        StepStatus::Completed | StepStatus::Failed => false,
    });
    hold(allowed && !before.handed_over, "W2 step-begins-once", || {
        format!("workflow `{}` begins step {step} again, or one that is the client's", before.id)
    })
}

/// W3: a result that came for a step is what the step came to, whatever was there before.
pub fn w3_last_result_wins(record: &WorkflowRecord, after: &WorkflowRun) -> Result<(), Broken> {
    let (WorkflowRecord::StepCompleted { step, outcome } | WorkflowRecord::StepFailed { step, outcome }) = record
    else {
        return Ok(());
    };
    let failed = matches!(record, WorkflowRecord::StepFailed { .. });
    let status = if failed { StepStatus::Failed } else { StepStatus::Completed };
    let state = after.steps.get(*step);
    let holds = state.is_some_and(|state| state.status == status && state.outcome.as_ref() == Some(&**outcome))
        && outcome.is_error == failed;
    hold(holds, "W3 last-result-wins", || format!("step {step} of workflow `{}` is not what came last", after.id))
}

/// W4: no change drops what another step came to, or what was recorded beside the plan.
pub fn w4_results_are_kept(before: &WorkflowRun, record: &WorkflowRecord, after: &WorkflowRun) -> Result<(), Broken> {
    let of_step = |index: usize| {
        let (WorkflowRecord::StepCompleted { step, .. } | WorkflowRecord::StepFailed { step, .. }) = record else {
            return false;
        };
        *step == index
    };
    let both = before.steps.iter().zip(&after.steps).enumerate();
    let steps = before.steps.len() == after.steps.len()
        && both.filter(|(index, _)| !of_step(*index)).all(|(_, (a, b))| a.outcome == b.outcome);
    let extra = before.extra.iter().all(|(tool, outcome)| {
        let replaced = matches!(record, WorkflowRecord::ExtraRecorded { tool: named, .. } if named == tool);
        replaced || after.extra.get(tool) == Some(outcome)
    });
    hold(steps && extra, "W4 results-are-kept", || format!("a result of workflow `{}` is gone", after.id))
}

/// W5: a run that goes on expires at some moment unless somebody calls.
pub fn w5_every_run_ends(run: &WorkflowRun) -> Result<(), Broken> {
    hold(run.is_working() == run.next_deadline().is_some(), "W5 every-run-ends", || {
        format!("workflow `{}` is {} and has no end", run.id, run.status.as_str())
    })
}

#[cfg(test)]
mod tests;
