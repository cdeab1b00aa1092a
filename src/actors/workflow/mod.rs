//! A run of a workflow: one actor, whose stream nobody else writes (`domain::workflow::run`).
//!
//! The actor keeps what happened, on disk before anybody hears of it, and calls no tool. Whoever has the right to drive
//! (`Drive`, until that request ends) carries the plan out with its own rights (`tools::workflow`) and brings the
//! results. Calls made otherwise bring theirs in the same way. A run that is over has no actor.

mod actor;
mod handle;
mod message;
mod open_steps;
mod state;

pub use actor::WorkflowActor;
pub use handle::WorkflowRef;
pub use message::{Done, Start, Started, WorkflowError, WorkflowMessage, WorkflowOrder};
pub use open_steps::OpenSteps;
