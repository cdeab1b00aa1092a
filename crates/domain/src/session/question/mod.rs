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
//! *First valid answer wins.* A question belongs to one session, and a session decides one thing at a time: so of two
//! answers, or an answer and the deadline, one comes first, whatever surfaces they came from.
//!
//! *Overdue is parked.* A question whose default is dangerous waits for a person however long it takes. From its
//! deadline on it holds no place any more: its task is BLOCKED on it, its agent takes other work and may ask about
//! that. The first answer frees the task, and reaches the agent as a notice and whoever takes the task up as a comment.
//!
//! *Superseded* says that nobody needs the answer: the task it was asked for ended, or was given to somebody else by
//! hand; or its agent lost the task otherwise and the default would have meant nothing by itself. It is written by the
//! task, in the append that makes it so ([`unneeded`](super::unneeded)). What an agent does next is no reason for it.
//!
//! *Asked again.* The same words with the same choice, default and sort are the same question, blank space aside. While
//! it is open it keeps its id, and for a while after an answer it returns that one. One that was withdrawn or
//! superseded was never answered, and is asked anew; so is a dangerous one that was answered, when it is asked for
//! another task: a leave is given for what it was asked for.
//!
//! *Leave.* A client that asks whether it may make one call of a tool asks a question of its own kind:
//! [`permission`].
//!
//! *Deadlines are state.* When a question expires, and when people are reminded of it, follows from its specification;
//! no timer is stored. After a restart what is due is due at once, and once.

mod apply;
mod check;
mod decide;
pub mod permission;
mod record;
mod reply;
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
