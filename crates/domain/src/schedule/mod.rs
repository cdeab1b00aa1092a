//! Schedules: work that is handed out at its time, or when other work ends.
//!
//! ```text
//!                       ┌────────── a moment passed unused: missed, skipped ◄──────────┐
//!                       ▼                                                              │
//!   created ──► WAITING (cursor) ── a moment comes, or a task ends ──► DUE ── task made ──► fired
//!                  │    ▲                                                │
//!            pause │    │ resume: begins anew at that moment             └─ refused ──► skipped
//!                  ▼    │
//!                 PAUSED                       removed: from each of these; no moment left: OVER
//! ```
//!
//! *Exactly once.* `cursor` is the last moment that was decided, by one record (due, skipped or missed); it only grows.
//! A due moment stays in `due` until its task is on disk, under the key `schedule:NAME@MOMENT`. With `after` the moment
//! is the number of the event by which the other task ended, and `seen` is the cursor.
//!
//! *Late.* A moment that is decided more than [`ON_TIME`] after it came is missed, which is always recorded
//! ([`ScheduleRecord::Missed`]). `catchUp` says what becomes of missed moments: nothing, one task for all of them
//! unless a moment on time stands for them, or a task for each of the newest [`MOST_CAUGHT_UP`].
//!
//! *Overlap.* A moment that comes while the task before is open is skipped, or with `queue` waits in `due` until it is
//! closed. Moments that are caught up together do not overlap each other: with `skip` they are all made.
//!
//! *Deadlines.* The next moment after the cursor ([`Schedule::next`]). What is due and may go on has no deadline: the
//! actor does it in the turn that decided it, and where it cannot, it arms a retry of its own.
//!
//! *Time zones* are compiled in (`jiff`), as a slim image has none. A local time that the clock skips comes at the
//! first moment after the gap, one that it repeats comes the first time; a pattern for every hour follows real time
//! (`croner`, by the rules of Vixie's cron).
//!
//! *Deliberately absent:* seconds ([`SHORTEST`]), and a history, as the events have it.

mod bad_field;
mod decide;
mod draft;
mod moments;
mod record;
mod spec;
mod state;
#[cfg(test)]
mod tests;
mod text;

use std::time::Duration;

pub use bad_field::BadField;
pub use draft::{AfterDraft, ScheduleDraft};
pub use record::{ScheduleRecord, SkipReason};
pub use spec::{After, CatchUp, Due, Ended, Fired, Overlap, ScheduleSpec, Trigger};
pub use state::{Schedule, due_once};
pub use text::{FIELDS, fill};

/// The smallest span between two moments.
pub const SHORTEST: Duration = Duration::from_secs(60);

/// The longest span of `every`.
pub const LONGEST: Duration = Duration::from_hours(366 * 24);

/// A moment decided no later than this after it came is on time; at most [`SHORTEST`], so only the newest can be.
pub const ON_TIME: Duration = Duration::from_secs(60);

/// How many missed moments are made up for with `catchUp: all`: the newest.
pub const MOST_CAUGHT_UP: usize = 100;

/// How many moments may wait for the task before with `overlap: queue`.
pub const MOST_WAITING: usize = 100;

/// The longest name of a schedule.
pub const LONGEST_NAME: usize = 40;

/// The longest prompt, in bytes.
pub const LONGEST_PROMPT: usize = 64 * 1024;
