//! The data of a workflow run's event: names, but never arguments and results, which belong to the run's owner.

use serde_json::{Map, Value, json};

use crate::domain::text::shorten;
use crate::domain::workflow::run::WorkflowRecord;

/// The longest error that an event shows, in characters.
const LONGEST: usize = 200;

/// The data of the event of this record.
pub(super) fn of(record: &WorkflowRecord) -> Map<String, Value> {
    let data = match record {
        WorkflowRecord::Started { owner, plan, .. } => {
            json!({"name": plan.name, "owner": owner, "steps": plan.steps.len()})
        }
        WorkflowRecord::StepBegan { step, .. } => json!({"step": step + 1}),
        WorkflowRecord::StepWaits { step, follow_up } => json!({"step": step + 1, "waitsFor": follow_up.tool}),
        WorkflowRecord::StepCompleted { step, outcome } => json!({"step": step + 1, "matchedBy": outcome.matched_by}),
        WorkflowRecord::StepFailed { step, outcome } => {
            json!({"step": step + 1, "matchedBy": outcome.matched_by, "error": shorten(&outcome.error(), LONGEST)})
        }
        WorkflowRecord::ExtraRecorded { tool, outcome } => json!({"tool": tool, "matchedBy": outcome.matched_by}),
        WorkflowRecord::Paused { reason } => json!({"reason": reason.name(), "step": reason.step()}),
        WorkflowRecord::Completed { .. } | WorkflowRecord::Cancelled | WorkflowRecord::Expired => json!({}),
    };
    data.as_object().cloned().unwrap_or_default()
}
