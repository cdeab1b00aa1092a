//! One task: a life and its deadline. Open tasks only; a closed one lives in the store until somebody reopens it.

mod actor;
mod actor_view;
mod breaks;
mod handle;
mod message;
mod offered;
mod perform;
mod state;
mod unneeded;
mod watchers;

pub use actor::{TaskActor, TaskArgs, TaskBirth};
pub use handle::TaskRef;
pub use message::{ActError, IdempotencyKey, SessionPart, TaskAct, TaskMessage, TaskOutcome, TaskReceipt, TaskSummary};
pub use offered::OfferedTask;
