//! A run as programs read it.

use serde_json::{Map, Value, json};

use super::{FollowUp, StepState, WorkflowRun};
use crate::workflow::Step;

/// The version of the form of `_workflow.progress`.
const SCHEMA_VERSION: u32 = 1;

impl WorkflowRun {
    /// What goes with `prompts/get`: no results, so that it stays small.
    pub fn handle(&self) -> Value {
        let mut handle = json!({
            "taskId": self.id,
            "status": self.status.as_str(),
            "steps": self.step_names(),
            "schemaVersion": SCHEMA_VERSION,
        });
        if let Some(reason) = &self.pause {
            handle["pauseReason"] = json!(reason);
        }
        handle
    }

    pub fn view(&self) -> Value {
        let mut view = json!({
            "taskId": self.id,
            "name": self.plan.name,
            "status": self.status.as_str(),
            "statusMessage": self.status_message(),
            "owner": self.owner,
            "steps": self.step_names(),
            "startedAt": self.started_at,
            "updatedAt": self.updated_at,
            "expiresAt": self.next_expiry(),
            "variables": self.variables(),
        });
        if let Some(result) = &self.result {
            view["result"] = result.clone();
        }
        view
    }

    /// The variables `_workflow.progress`, `_workflow.result.*`, `_workflow.extra.*` and `_workflow.pause_reason`.
    pub fn variables(&self) -> Map<String, Value> {
        let goal = format!("{}: {}", self.plan.name, self.plan.description.trim());
        let progress = json!({"goal": goal, "steps": self.step_names(), "schemaVersion": SCHEMA_VERSION});
        let results = self.both().filter_map(|(step, state)| {
            Some((format!("_workflow.result.{}", step.name), state.outcome.as_ref()?.view()))
        });
        let extra = self.extra.iter().map(|(tool, outcome)| (format!("_workflow.extra.{tool}"), outcome.view()));
        let pause = self.pause.iter().map(|reason| ("_workflow.pause_reason".to_owned(), json!(reason)));
        [("_workflow.progress".to_owned(), progress)].into_iter().chain(results).chain(extra).chain(pause).collect()
    }

    /// Where it stands, in a line: "2 of 3 steps, waiting for deploy".
    pub fn status_message(&self) -> String {
        let all = self.steps.len();
        let left: Vec<&Step> =
            self.both().filter(|(step, state)| self.is_left(step, state)).map(|(step, _)| step).collect();
        let (done, next) = (all - left.len(), left.first().map(|step| step.name.as_str()));
        match next.filter(|_| self.is_working()) {
            Some(step) => format!("{done} of {all} steps, waiting for {step}"),
            None if self.is_working() => format!("{done} of {all} steps, waiting to be completed"),
            None => format!("{done} of {all} steps, {}", self.status.as_str()),
        }
    }

    fn step_names(&self) -> Vec<Value> {
        let shown = |(step, state): (&Step, &StepState)| {
            let mut shown = json!({"name": step.name, "status": self.status_of(step, state)});
            if let Some(tool) = step.tool() {
                shown["tool"] = json!(tool);
            }
            if let Some(FollowUp { tool, .. }) = &state.follow_up {
                shown["followUp"] = json!(tool);
            }
            shown
        };
        self.both().map(shown).collect()
    }
}
