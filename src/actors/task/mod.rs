//! One task: a life and its deadline. Open tasks only; a closed one lives in the store until somebody reopens it.

mod actor;
mod actor_view;
mod breaks;
mod handle;
mod message;
mod offered;
mod perform;
mod receipt;
mod state;
mod unneeded;
mod watchers;

pub use actor::{TaskActor, TaskBirth};
pub use handle::TaskRef;
pub use message::{ActError, SessionPart, TaskAct, TaskMessage, TaskOutcome, TaskSummary};
pub use offered::OfferedTask;
pub use receipt::{Beside, CommentNote, ReceiptNote, TaskReceipt};
