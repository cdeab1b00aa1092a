//! The schedules: one actor holds all of them, and has their tasks made (`domain::schedule`).
//!
//! ```text
//!   alarm ──► Tick ──► decide ──► append: due ──► dispatcher: assign, under the key of the moment ──► append: fired
//!   follower (ends of tasks) ──► TaskEnded ──┘          └─ refused: append: skipped
//! ```
//!
//! *Two appends.* That a moment is due is on disk before its task is made, and that it was made after that. After a
//! crash in between the same key finds the first task. Keys live for a day (`journal::KEY_LIFETIME`).
//!
//! *In whose name.* A task is signed by who made the schedule and assigned within the rights that they have then; what
//! stands in `schedules.yaml` is the hub's. On a fault or a full queue, what is due stays due and is tried again.

mod actor;
mod follows;
mod handle;
mod make;
mod message;
mod orders;
mod state;

pub use actor::SchedulesActor;
pub use follows::Follows;
pub use handle::SchedulesRef;
pub use message::{EndedTask, ScheduleDone, ScheduleError, ScheduleOrder, ScheduleRequest, SchedulesMessage};
