//! A review: what the holder of a task hands to people, what they say of it, and their verdict.
//!
//! ```text
//!  submit ─► OPEN ──request changes──► CHANGES_REQUESTED ──submit──► OPEN, next round
//!              │ ▲
//!              │ └── submit ── APPROVED ◄── approve ── OPEN
//!              └── taken back, cancelled ─► WITHDRAWN ── submit ─► OPEN, next round
//! ```
//!
//! A task has one review, in as many rounds as it was handed in. The task's machine says whether something may be
//! handed in or judged; this one keeps what was said, in the same append ([`follow`]). Nothing is ever taken away (R1).
//! The diff lies in a blob that task and review both name; [`DiffMap`] says which of its lines can be commented on.

mod apply;
mod decide;
mod diff;
mod record;
mod refusal;
mod state;
mod view;

#[cfg(test)]
mod tests;

pub use decide::{follow, review_stands};
pub use diff::{DiffFile, DiffMap, PlaceError, changes_alike};
pub use record::ReviewRecord;
pub use refusal::ReviewRefusal;
pub use state::{
    Change, DiffFrom, DiffSize, Grounds, Resolution, Review, ReviewComment, ReviewState, Round, Side, Submission,
    Verdict, VerdictKind, Withdrawal,
};
pub use view::{CommentView, DiffView, ResolvedView, ReviewView, RoundView, VerdictView};
