//! A session: one agent's working context. Opened by registration, taken up again by the next one.
//!
//! Two layers of state. The *lifecycle* says whether it lives; the hub sets it from what it sees and journals none of
//! it. The *workflow status* is what the agent says it does:
//!
//! ```text
//!  started ──► working ──► awaiting_input ──► working
//!                 ├──────► blocked ─────────► working
//!                 ├──────► awaiting_review ─► working | completed
//!                 └──────► completed ─────────► started: the next round
//! ```
//!
//! `completed` ends a round. A new task, a question, a workflow, a registration or a status opens the next one.
//!
//! Commands come from the agent (report, block, ask, withdraw), from people (answer) and from the clock. Records are of
//! three families in one stream: `session.…` for the status, `question.…` for what was asked (see [`question`]), `pr.…`
//! for what is to be merged (see [`crate::pull`]).
//!
//! *Two writers.* A session decides for itself; but a task whose holder's session follows it writes the session's
//! record into its own append ([`follow()`]), since what happens to a task and what its holder is doing are one fact.
//! Therefore: whatever a session decides by itself names the `version` it was decided on, and the store refuses it when
//! the session has moved since; and what a task says is true whatever the session thought, so `apply` takes it in any
//! state. The row of a session is what its records come to in the order of the journal, never what an actor thinks.
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
