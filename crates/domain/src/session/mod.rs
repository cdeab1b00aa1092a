//! A session: one agent's working context. Opened by registration, taken up again by the next one.
//!
//! The *lifecycle* says whether it lives: the hub sets it from what it sees, and does not journal it. The *workflow
//! status* is what the agent says it does; what comes after `completed` opens the next round:
//!
//! ```text
//!  started ──► working ──► awaiting_input ──► working
//!                 ├──────► blocked ─────────► working
//!                 ├──────► awaiting_review ─► working | completed
//!                 └──────► completed ─────────► started: the next round
//! ```
//!
//! One stream has three families of records: `session.…`, `question.…` ([`question`]), `pr.…` ([`crate::pull`]).
//!
//! *Two writers.* A session decides for itself, and a task writes the record of the session that follows it into its
//! own append ([`follow()`]), since both are one fact. So a session's decision names the `version` that it was made on,
//! and the store refuses it when the session has moved since; what a task says, `apply` takes in any state.
//!
//! *Promises*: S1 task-and-session-agree, S2 one-open-question, Q1 to Q6; see `domain::invariants`.

mod apply;
mod command;
mod decide;
mod follow;
pub mod question;
mod record;
mod refusal;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod ties;

pub use command::{Asker, SessionCause, SessionCommand};
pub use decide::{Happened, SessionDecision, SessionOutcome, TaskStep, answered, in_the_way, lapsed, unneeded};
pub use follow::{Following, follow, follower, status_of};
pub use record::{Awaiting, Bond, SessionRecord, Standpoint};
pub use refusal::SessionRefusal;
pub use state::{Lifecycle, Session};
pub use status::{Details, WorkflowStatus};
pub use ties::Tie;
