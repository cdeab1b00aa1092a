//! The supervisor: builds everybody, hears when one fails, and builds it anew from the journal.
//!
//! ```text
//! Supervisor ── Journal, Noticeboard, Alarm, Learner, Dispatcher    one each
//!            └─ Agent × n, Task × n, Session × n, Terminal × n    as many as there are
//! ```
//!
//! A failed agent, task, session, alarm or dispatcher is built anew after a pause that grows with each failure, and its
//! line is connected to the new one: whoever held the line keeps it. When the journal or the noticeboard itself fails,
//! the hub ends: it can promise nothing without them, and a fresh start reads what is on disk.

mod actor;
mod build;
mod handle;
mod message;
mod post;
mod rebuild;
mod shutdown;
mod terminals;
mod tree;

pub use actor::{SupervisorActor, SupervisorArgs};
pub use handle::SupervisorRef;
pub use message::{SupervisorMessage, TreeError};
pub use post::{Hired, Post};
