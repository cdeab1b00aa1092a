//! A run of a workflow: one actor, whose stream nobody else writes (`domain::workflow::run`).
//!
//! The actor keeps what happened, in order and on disk before anybody hears of it; it calls no tool itself. Whoever
//! asks for the prompt carries the plan out (`tools::workflow`): it is given the one right to do so (`Drive`), says
//! which step begins, calls its tool with its own rights, and brings the result. Who goes on with calls of their own
//! brings their results in the same way, so parallel calls lose nothing.
//!
//! The right to drive ends with the request that has it, however that ends; then whoever waits for it gets it, and goes
//! on where the state says. A run that is over has no actor: it lies in the store.

mod actor;
mod handle;
mod message;
mod open_steps;
mod state;

pub use actor::WorkflowActor;
pub use handle::WorkflowRef;
pub use message::{Done, Start, Started, WorkflowError, WorkflowMessage, WorkflowOrder};
pub use open_steps::OpenSteps;
