//! What an agent may do, and people ([`people`]): one verb, one file, the same on every door.
//!
//! A verb knows nothing of MCP or HTTP. It gets a [`Caller`], whose identity comes from a credential, and arguments; it
//! gives a [`Reply`] or a [`Refusal`], which each door writes out in its own way. The input and output schemas are
//! generated from the types that read and write them.
//!
//! ```text
//!   door ─► call ─► whose agent? heartbeat ─► arguments: other case, schema, common fields ─► verb ─► notices ─► door
//!             │            │                            │                                      │
//!             └────────────┴── every no is a Refusal ───┴──────────────────────────────────────┘
//! ```

mod ack_task;
mod answer_task;
mod append_output;
mod arguments;
mod ask_permission;
mod assign_task;
mod author;
mod authorize;
mod call;
mod caller;
mod cancel_task;
mod check;
mod cleanup_old_sessions;
mod common;
mod complete_task;
mod create_pr;
mod denied;
mod detect_input_prompt;
mod fit;
mod follow;
mod forget_pattern;
mod get_agent_status;
mod get_learned_patterns;
mod get_pr_status;
mod get_review_comments;
mod get_session;
mod get_session_history;
mod get_session_updates;
mod get_task_context;
pub mod hooks;
mod infer_expected_input;
mod key;
mod link_task;
mod list_agents;
mod list_prs;
mod listing;
mod look;
mod mark_blocked;
mod merge_pr;
mod on_call;
mod once;
mod order;
mod patterns;
pub mod people;
mod post_task_comment;
mod pr;
mod prelude;
mod refusal;
pub mod refuse;
mod register_agent;
mod rendering;
mod reply;
mod report;
mod request_input;
mod resolve_review_comment;
mod run;
mod schema;
mod search_session_history;
mod send_message;
mod send_response;
mod session;
mod sets;
mod start_session_monitor;
mod stop_session_monitor;
mod submit_for_review;
mod table;
mod terminals;
mod texts;
mod track_input_event;
mod unique;
mod update_pr;
mod update_progress;
mod update_status;
mod verb;
mod visibility;
mod wait_for_answer;
mod wait_for_prompt;
mod wait_for_task;
mod withdraw_question;
mod work;
pub mod workflow;
mod workflow_complete;

#[cfg(test)]
pub(crate) mod tests;

pub use call::call;
pub use caller::{Caller, Follows, Reports};
pub use listing::listed_input;
pub use look::{ViewTarget, look, sees, session_of, target_named};
pub use patterns::{LearnedPattern, LearnedResponse, SortBy, listed};
pub use pr::pull_requests_of;
pub use refusal::{Refusal, Result};
pub use rendering::Words;
pub use reply::{Reply, Structured};
pub use sets::{is_in_the_loop, set_of, shown_to};
pub use table::{ToolEntry, find, table};
pub use terminals::{hosted_already, terminal, terminal_to_host};
pub use texts::{read_whole_text, whole_text};
pub use unique::doubled_key;

/// What a door says of an answer that it was given: it left, or it is lost.
pub use crate::actors::agent::AnswerGuard;
pub use crate::domain::tool_call::{SPANS, is_left_out, seconds};
