//! The conversation that `prompts/get` answers with: what is wanted, the plan, what the hub did, and what is left.
//!
//! It is made of the state alone, so that whoever asks again under the same key reads the same.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{MatchedBy, StepState, StepStatus, WorkflowRun};
use crate::workflow::plan::{Action, Step};
use crate::workflow::resolve::substitute;
use crate::workflow::trace::opening;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user's: what is wanted, and what tools answered.
    User,
    /// The model's: the plan, and what it calls.
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanMessage {
    pub speaker: Speaker,
    pub text: String,
}

impl WorkflowRun {
    /// The conversation so far. The id of the run is not in it.
    pub fn messages(&self) -> Vec<PlanMessage> {
        self.said(StepState::is_open, true)
    }

    /// The same for who looks on while the hub carries the plan out: what was said stays as it is, and more is said.
    pub fn trace(&self) -> Vec<PlanMessage> {
        self.said(|_| false, self.handed_over)
    }

    /// What is wanted, as it goes on after "I want to".
    pub fn wanted(&self) -> String {
        let outputs = BTreeMap::new();
        substitute(&self.plan.description, self.known(&outputs)).trim().to_owned()
    }

    /// Without the guidance of steps that `hides` it, and with what is left to do where that is `left`.
    fn said(&self, hides: fn(&StepState) -> bool, left: bool) -> Vec<PlanMessage> {
        let user = |text: String| PlanMessage { speaker: Speaker::User, text };
        let assistant = |text: String| PlanMessage { speaker: Speaker::Assistant, text };
        let outputs = self.outputs();
        let known = self.known(&outputs);
        let (wanted, planned) = opening(known);
        let mut said: Vec<PlanMessage> =
            self.plan.instructions.iter().map(|text| user(substitute(text, known))).collect();
        said.extend([user(wanted), assistant(planned)]);
        // What is said stays as it is: a step that is not needed is named once all before it are done.
        let mut reached = true;
        for (step, state) in self.both() {
            let Some((call, answer)) = told(step, state) else {
                if reached && self.skips(step, None) {
                    said.push(assistant(format!("Step '{}' is not needed.", step.name)));
                }
                reached &= !self.is_left(step, state);
                continue;
            };
            reached &= !self.is_left(step, state);
            // What is left says its guidance below, with the call to make.
            let guidance = step.guidance.as_ref().filter(|_| !hides(state));
            said.extend(guidance.map(|text| assistant(substitute(text, known).trim().to_owned())));
            said.push(assistant(call));
            said.extend(answer.map(user));
        }
        said.extend(self.handoff().filter(|_| left).map(assistant));
        said
    }
}

/// What was called, and what it answered; none where nothing was.
fn told(step: &Step, state: &StepState) -> Option<(String, Option<String>)> {
    let outcome = state.outcome.as_ref();
    let asked = match (&state.asked, outcome.map(|outcome| outcome.matched_by)) {
        (Some(asked), _) => asked.clone(),
        (None, Some(MatchedBy::Id | MatchedBy::Implicit)) => Value::Null,
        (None, Some(MatchedBy::Plan) | None) => return None,
    };
    let (call, answered) = match &step.action {
        Action::Tool { name, .. } => {
            let with = match &asked {
                Value::Object(arguments) => {
                    let written = serde_json::to_string_pretty(arguments).unwrap_or_default();
                    format!(" with parameters:\n{written}")
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => String::new(),
            };
            let failed = outcome.is_some_and(|outcome| outcome.is_error);
            let answered = if failed { "Tool error:" } else { "Tool result:" };
            (format!("Calling tool '{name}'{with}"), answered.to_owned())
        }
        Action::Resource { .. } => {
            let uri = asked.as_str().unwrap_or_default();
            let failed = outcome.is_some_and(|outcome| outcome.is_error);
            let answered = if failed { "Resource error".to_owned() } else { format!("Resource content from {uri}") };
            (format!("Reading the resource {uri}"), format!("{answered}:"))
        }
    };
    let answer = match (outcome, state.status) {
        (Some(outcome), _) => Some(format!("{answered}\n{}", outcome.shown())),
        (None, StepStatus::Pending) => Some("There is no answer yet.".to_owned()),
        (None, StepStatus::Running | StepStatus::Completed | StepStatus::Failed) => None,
    };
    Some((call, answer))
}
