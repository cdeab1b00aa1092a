//! Discord as far as it can be decided without it: who may do what, what a message asks for, what is said, and when
//! the gateway may be tried again.
//!
//! ```text
//!   MESSAGE_CREATE ──► Heard ──(mention)──► Asked: nothing │ a hint │ targets and a text
//!                                             │
//!                              permission ────┤ Ruling: allowed or not, and the rule that decided
//!                                             ▼
//!                              a task whose context says its Place; everything that follows goes there
//! ```
//!
//! Invariants:
//! - a message of a bot, a webhook or the system asks for nothing;
//! - who is not named by `permissions.yaml` may do nothing, and `deny` wins;
//! - no text that is sent pings anybody, is longer than 1,900 UTF-16 units, or ends in an open code block;
//! - a `custom_id` holds ids of the journal alone, so a click works after a restart.

mod decision;
mod identify;
mod lists;
mod mention;
mod message;
mod origin;
mod permission;
mod press;
mod question;
mod refusal;
mod sign;
mod text;
mod thanks;
mod visible;
mod words;

#[cfg(test)]
mod tests;

pub use decision::Decision;
pub use identify::{IDENTIFIES_A_DAY, Identifies, reconnect_pause};
pub use lists::{agent_line, list, sort_agents, state_words, task_choice, task_line, waits_for_people};
pub use mention::{Callees, Hint, Kind as MentionKind, MentionRequest, asked, with_names};
pub use message::{Author, DiscordMessage, RepliedTo, attachments, first_id_at, written_at};
pub use origin::DiscordOrigin;
pub use permission::{Act, Grant, Grants, Ruling};
pub use press::Press;
pub use question::{STILL_WAITING, answered, question_body};
pub use refusal::refusal;
pub use sign::sign_of_all;
pub use text::{Outgoing, PART_LIMIT, outgoing, quoted, shortened};
pub use thanks::is_thanks;
pub use visible::{Overwrite, sees_channel};
pub use words::{
    REASON, ended, headline, judged, label, opened, part_of_work, question_components, question_foot, resolved_text,
    size_text, status, sure_to_answer, sure_to_cancel, thread_name, to_review,
};
