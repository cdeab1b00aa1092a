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
//! *Deadlines are state.* When a question expires, and when people are reminded of it, follows from its specification;
//! no timer is stored. After a restart what is due is due at once, and once.

mod apply;
mod check;
mod decide;
mod record;
mod state;
mod view;

pub use check::{ASKED_AGAIN, LIMITS, QuestionRefusal};
pub use decide::Due;
pub use record::QuestionRecord;
pub use state::{
    Answerer, Danger, Delivery, LateAnswer, Question, QuestionKind, QuestionSpec, QuestionState, Resolution,
    ResolutionType,
};
pub use view::{LateAnswerView, QuestionStateName, QuestionView, ResolutionView, WhoView};
