//! Pull requests: what an agent asks a forge to merge, and what the hub knows of it.
//!
//! ```text
//!                         ┌────── reopened on the forge ──────┐
//!                         ▼                                   │
//!  requested ─► OPENING ─(created)─► OPEN ──► MERGED        CLOSED
//!                  │ ▲                 └──────────────────────▲
//!           failed │ │ a person retries the delivery
//!                  ▼ │
//!                FAILED
//! ```
//!
//! Its records are a family in the stream of the session that it belongs to; each names the task it was asked for. What
//! is asked of the forge is on disk with a row of the outbox before the forge hears of it, one thing at a time. What
//! the outbox gives up, or a person drops, is FAILED, or a deed that came to nothing: the agent can ask again. What
//! stands on the forge is the truth. News while it cannot be asked mark the state as outdated until the next look.
//!
//! *Approved is merged.* [`judge`] says what must be so before a merge, when it is asked for and again when it is sent.
//! The commit, the base and the approval (`approval.rs`, `agreement.rs`) are on disk before the forge hears of it (F1).
//!
//! *Once.* The text on the forge carries [`mark`], by which a repeat after a lost answer finds what is there already.

mod agreement;
mod approval;
#[cfg(test)]
mod approval_tests;
mod decide;
mod gate;
mod look;
mod names;
mod record;
mod spec;
mod state;
#[cfg(test)]
mod tests;
mod text;
mod view;
#[cfg(test)]
mod words_tests;

pub use agreement::{HubReview, approvals};
pub use approval::{Approval, ApprovalRight, TakenBack};
pub(crate) use decide::decide;
pub use decide::{PullAsk, PullCommand, PullOutcome, PullRefusal, PullSeen};
pub use gate::{CHECKS_BEGIN_WITHIN, Green, Judged, MergeTerms, Missing, judge, not_green};
pub use look::{Check, PullLook, Reviewed, ReviewerRole, Sizes, Verdict, last_verdicts};
pub use names::{Branch, NameError, Repository, address, is_allowed};
pub use record::{Adoption, MergeMethod, MergeSent, PullChange, PullDeed, PullRecord};
pub use spec::{PullSpec, PullState};
pub use state::{PullRequest, Tip};
pub use text::{mark, quiet_title, with_work_item};
pub use view::PullView;
