//! A terminal that the hub watches: whose it is, where its output comes from, and the one prompt that it shows.
//!
//! ```text
//!            detected                      gone
//!   nothing ──────────► a prompt is shown ──────► nothing
//!                           │      ▲
//!                           └──────┘ another one: gone, then detected
//! ```
//!
//! A terminal has a stream of its own in the journal (`terminal:ID`): its actor writes what it shows, and the learner
//! what was typed, neither of which changes the other. It is not its session's, because a program that waits is nothing
//! that the agent says of itself. What was printed is no record, and is kept beside the journal (`transcripts`).
//!
//! *Promises*: a prompt is detected once, and gone once; what was typed at a prompt for a secret is in no record;
//! nothing is typed by the hub that is not in a record before, with who ordered it and why.

mod notice;
mod order;
mod record;
mod seen;
mod shown;
mod spec;
#[cfg(test)]
mod tests;

pub use notice::{MARK, NoticeLine, PromptFacts, holds_up, takes_a_notice};
pub use order::{InputAsk, InputOrder, MOST_TYPED, NotTyped, OrderEnd, takes_a_line, takes_answer};
pub use record::{TerminalRecord, TrackedInput};
pub use seen::SeenPrompt;
pub use shown::{Prompting, ShownPrompt, Sighting};
pub use spec::{TerminalKind, TerminalSpec};
