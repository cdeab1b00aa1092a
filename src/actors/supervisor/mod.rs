//! The supervisor: builds everybody, hears when one fails, and builds it anew from the journal.
//!
//! ```text
//! Supervisor ── Journal, Noticeboard, Alarm, Learner, Tickets, Schedules, Dispatcher    one each
//!            └─ Agent × n, Task × n, Session × n, Terminal × n, Follower × n, Service × n    as many as there are
//! ```
//!
//! A failed actor is built anew after a pause that grows with each failure, and its line is connected to the new one:
//! whoever held the line keeps it. Each kind is a row of `kinds.rs`, `lasting.rs` or `workflows.rs`. When the journal
//! or the noticeboard fails, the hub ends: a fresh start reads what is on disk.

mod actor;
mod build;
mod child;
mod handle;
mod kinds;
mod lasting;
mod lately;
mod message;
mod rebuild;
mod shutdown;
mod state;
mod strain;
mod terminals;
mod tree;
mod workflows;

pub use actor::SupervisorActor;
pub use build::SupervisorArgs;
pub use child::{Child, ChildKind, ChildSlot, Rank, Spawned};
pub use handle::SupervisorRef;
pub use kinds::{AgentKind, SessionKind, TaskKind};
pub use lasting::{FollowerKind, ServiceKind};
pub use message::{Start, SupervisorMessage, TreeError};
pub use strain::{Strain, Strained};
