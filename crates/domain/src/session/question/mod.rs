//! A question: what an agent asks a human, with one resolution that provably came from a human, or provably did not.
//!
//! ```text
//!            ┌─ a valid answer ─────────────────────────► resolved: human
//!            ├─ the agent withdraws it ─────────────────► resolved: cancelled
//!   open ────┼─ nobody needs it any more ───────────────► resolved: superseded
//!            ├─ deadline, not dangerous ────────────────► resolved: timeout, with the declared default
//!            └─ deadline, dangerous ─► open and overdue ─► any of the others, never timeout
//!
//!   resolved ── another answer ─► kept as late; its author hears who answered what, when
//!   resolved ── told to the agent: undelivered ─► delivered ─► acknowledged
//! ```
//!
//! *First valid answer wins.* A session decides one thing at a time, so of two answers, or an answer and the deadline,
//! one comes first, whatever surfaces they came from.
//!
//! *Overdue is parked.* A question with a dangerous default waits for a person however long it takes. From its deadline
//! on its task is BLOCKED on it, and its agent takes other work. The first answer frees the task, and reaches the agent
//! as a notice and whoever takes the task up as a comment.
//!
//! *Superseded* says that nobody needs the answer: its task ended, or went to somebody else by hand; or the agent lost
//! it otherwise, and the default may apply. The task writes it in that same append ([`unneeded`](super::unneeded)).
//!
//! *Asked again.* The same words (blank space aside) with the same choice, default and sort return the open question,
//! and for a while the answered one. A withdrawn or superseded one is asked anew; so is a dangerous one for another
//! task, since an approval is valid only for the task it was requested for.
//!
//! *Approval* of one call of a tool is a kind of question: [`permission`].
//!
//! *Deadlines are state.* Expiry and reminders follow from the specification, and no timer is stored: after a restart
//! what is due is due at once, and once.

mod apply;
mod check;
mod decide;
pub mod permission;
mod record;
mod reply;
mod shown;
mod state;
mod view;

pub use check::{ASKED_AGAIN, LIMITS, QuestionRefusal};
pub use decide::Due;
pub use record::QuestionRecord;
pub use reply::{Reply, own_words};
pub use state::{
    AnswerRoute, Answerer, Danger, Delivery, LateAnswer, Question, QuestionKind, QuestionSpec, QuestionState,
    Resolution, ResolutionType, Risk,
};
pub use view::{LateAnswerView, QuestionStateName, QuestionView, ResolutionView, WhoView};
