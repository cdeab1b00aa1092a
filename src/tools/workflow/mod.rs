//! Workflow prompts: a plan is carried out for whoever asks for its prompt, with their rights and by the usual door.
//!
//! What they call afterwards is recorded in the run, as guidance and never as enforcement.
//!
//! ```text
//!   prompts/get ─► begin ─► the run's actor: on disk
//!                    └────► drive: next step? ─► prepare ─► begun, on disk ─► tools::call ─► its result, on disk ─┐
//!                              ▲                                                                                 │
//!                              └─────────────────────────────────────────────────────────────────────────────────┘
//!   tools/call ─► tools::call ─► follow: whose run? ─► recorded, on disk     (after the call, and whatever it came to)
//! ```
//!
//! - `begin`: the arguments of the prompt, its key, its run;
//! - `drive`: one step after the other, until one cannot run;
//! - `step`: what a tool or a resource came to;
//! - `settle`: a run by its id, for its owner, and its end;
//! - `view`: a run as people and their programs see it.
//!
//! Calls that go on with a run are recorded by `tools::follow`.

mod begin;
mod drive;
mod settle;
mod step;
#[cfg(test)]
mod tests;
mod view;

pub use begin::{PlanRequest, begin, prompt};
pub use drive::drive as goes_on;
pub use settle::{end, find};
pub use step::Resources;
pub use view::{RunDetails, RunView, StepView, TraceMessage};
