//! What a client is told when the hub stops: why, and the calls that are left to make.

use super::{FollowUp, PauseReason, StepState, StepStatus, WorkflowRun};
use crate::workflow::plan::Step;
use crate::workflow::resolve::PlanValues;
use crate::workflow::trace;

impl WorkflowRun {
    /// Why the hub stopped, and what is left to do; none where nothing is. The id of the run is not in it.
    pub fn handoff(&self) -> Option<String> {
        if !self.is_working() {
            return None;
        }
        let outputs = self.outputs();
        let known = self.known(&outputs);
        let open: Vec<(usize, (&Step, &StepState))> =
            self.both().enumerate().filter(|(_, (step, state))| self.is_left(step, state)).collect();
        let line = |(index, (step, state)): &(usize, (&Step, &StepState))| self.line(*index, step, state, known);
        let lines: Vec<String> = open.iter().map(line).collect();
        let why = self.pause.as_ref().map(PauseReason::sentence);
        let what = match lines.is_empty() {
            true => "Every step of the plan is done. If nothing else is left, call workflow_complete.".to_owned(),
            false => format!(
                "To continue, make these calls:\n{}\n\n\
                 When all of it is done, call workflow_complete with what came of it.",
                lines.join("\n")
            ),
        };
        Some(why.map_or_else(|| what.clone(), |why| format!("{why} {what}")))
    }

    fn line(&self, index: usize, step: &Step, state: &StepState, known: PlanValues<'_>) -> String {
        if let Some(FollowUp { tool, arguments }) = &state.follow_up {
            let given = serde_json::Value::Object(arguments.clone());
            let line = format!("{}. Call {tool} with {given} until it has an answer", index + 1);
            return trace::with_guidance(line, step, known);
        }
        let (number, name) = (index + 1, step.name.as_str());
        let by = step.tool().unwrap_or("a resource");
        let line = match self.pause.as_ref().filter(|reason| reason.step() == name) {
            Some(PauseReason::ToolError { interrupted: true, .. }) => {
                let call = trace::bare_call(step, known, &[]);
                format!("{number}. Look whether step '{name}' was done; if it was not, {call}")
            }
            Some(PauseReason::ToolError { retryable: false, .. } | PauseReason::ResourceError { .. })
                if !step.retryable =>
            {
                format!("{number}. Step '{name}' ({by}) needs another approach")
            }
            // The same call would be refused again.
            Some(PauseReason::SchemaMismatch { missing, .. }) if missing.is_empty() => {
                format!("{}, corrected as said above", trace::call(number, step, known, &[]))
            }
            Some(PauseReason::SchemaMismatch { missing, .. }) => trace::call(number, step, known, missing),
            Some(_) | None if state.status == StepStatus::Failed && !step.retryable => {
                format!("{number}. Step '{name}' ({by}) failed, and needs another approach")
            }
            Some(_) | None => trace::call(number, step, known, &[]),
        };
        trace::with_guidance(line, step, known)
    }
}
