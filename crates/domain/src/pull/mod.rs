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
//! A pull request belongs to a session; its records are a third family in the session's stream, and each names the
//! task for whose sake it was asked for. OPENING is on disk, with a row of the outbox, before the forge hears of it.
//! What is to change or to be merged there is asked for in the same way, one thing at a time. What the outbox gives up,
//! or a person has not sent, is FAILED or a deed that came to nothing, so that the agent can ask again. What stands on
//! the forge is the truth: people close and merge there, and the hub writes down what it sees. News of it that come
//! while the forge cannot be asked leave the state alone and mark it as outdated, on disk with a row of the outbox that
//! looks once the forge is back; any look before that ends it.
//!
//! *Approved is merged.* What an approval is stands in `approval.rs`, whose counts in `agreement.rs`. [`judge`] says
//! what must be so before a merge, when it is asked for and again when it is sent. The commit, the base and the
//! approval that a merge stands on are on disk before the forge hears of it (F1).
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
