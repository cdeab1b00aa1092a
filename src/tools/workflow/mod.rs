//! Workflow prompts: a plan is carried out for whoever asks for its prompt, with their rights and by the usual door.
//!
//! What they call afterwards is recorded in the run, as guidance and never as enforcement (`tools::follow`).
//!
//! ```text
//!   prompts/get ─► begin ─► the run's actor: on disk
//!                    └────► drive: next step? ─► prepare ─► begun, on disk ─► tools::call ─► its result, on disk ─┐
//!                              ▲                                                                                 │
//!                              └─────────────────────────────────────────────────────────────────────────────────┘
//!   tools/call ─► tools::call ─► follow: whose run? ─► recorded, on disk     (after the call, and whatever it came to)
//! ```
//!
//! `step` says what a tool or a resource came to, `settle` ends a run by its id, `view` shows a run to people.

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
