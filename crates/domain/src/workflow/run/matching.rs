//! Which step the result of a call belongs to. The plan is guidance, so a call that fits nowhere is kept beside it.

use super::{StepState, WorkflowRun};
use crate::workflow::Step;

/// Where the result of a call is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultSlot {
    /// In this step, from 0.
    Step(usize),
    /// Beside the plan, under the name of the tool.
    Extra,
}

impl WorkflowRun {
    /// Where the result of a call of `tool` belongs: into the first step that is open and calls it, else into the last
    /// one that is done and calls it, else beside the plan.
    pub fn place_of(&self, tool: &str) -> ResultSlot {
        let calls = |(step, state): &(&Step, &StepState)| calls(step, state, tool);
        let open = self.both().position(|both| calls(&both) && both.1.is_open());
        let done = || self.both().enumerate().filter(|(_, both)| calls(both)).map(|(index, _)| index).last();
        open.or_else(done).map_or(ResultSlot::Extra, ResultSlot::Step)
    }

    /// The question whose answer an open step waits for.
    pub fn awaited_question(&self) -> Option<&str> {
        let waits = self.steps.iter().filter(|state| state.is_open()).find_map(|state| state.follow_up.as_ref())?;
        waits.arguments.get("question_id")?.as_str()
    }

    /// The tools that open steps call, and those that bring what they wait for.
    pub fn open_tools(&self) -> impl Iterator<Item = &str> {
        let open = self.both().filter(|(step, state)| self.is_working() && self.is_left(step, state));
        open.flat_map(|(step, state)| step.tool().into_iter().chain(state.follow_up.iter().map(|up| up.tool.as_str())))
    }
}

fn calls(step: &Step, state: &StepState, tool: &str) -> bool {
    step.tool() == Some(tool) || state.follow_up.as_ref().is_some_and(|up| up.tool == tool)
}
