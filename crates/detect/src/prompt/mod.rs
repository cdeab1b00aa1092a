//! Whether a terminal program waits for its user: for what, how surely, how dangerously; and what people answer.
//!
//! ```text
//!   Sight (rows, cursor, marks) ─► open line ─► rules ─► guess ─┐
//!   Moment (who reads, echo, quiet, answered) ──────────────────┼─► weigh ─► InputPrompt with its evidence
//!                                     vetoes (logs, listings) ──┘      └─► danger, choices, safe_to_type
//!
//!   InputPrompt ─► infer: suggestions        what was typed ─► redact ─► learn: patterns that fade
//! ```
//!
//! Pure and linear. Confidence is meant as a frequency: of the prompts that are said to be sure to 0.9, nine of ten are
//! prompts. `tests/it/prompts` holds it to that, on recordings of real programs (`tests/corpus`).
//!
//! Words alone have to carry it, because a log file has nothing else. What a host knows of the terminal raises or
//! vetoes: a program that is blocked in a read of the terminal waits, whatever it printed; one that is busy does not.
//!
//! Deliberately absent: a model that reads the screen. It takes a shell's prompt for a question, and is slow.

mod at_work;
pub mod book;
mod danger;
mod detect;
mod echo;
mod forms;
mod frame;
mod guess;
pub mod infer;
mod input_prompt;
mod kind;
pub mod learn;
mod line;
mod paragraph;
mod patterns;
pub mod redact;
mod rule;
mod rule_id;
mod same;
mod screen_view;
#[cfg(test)]
mod tests;
mod veto;
mod weigh;

pub use danger::destroys;
pub use detect::{MIN_CONFIDENCE, detect, detect_with};
pub use echo::EchoStrainer;
pub use input_prompt::InputPrompt;
pub use kind::{MOST_TEXT, PromptKind, Signal};
pub use patterns::{OwnPrompt, Patterns};
pub use rule_id::{Form, RuleId};
pub use same::is_same_question;
pub use screen_view::{Host, Moment, Reader, ScreenView, ShellMark};
