//! callboard: the hub where coding agents wait, are called, report, delegate and ask.
//!
//! The rooms, and the one rule: a room uses only what lies below it.
//!
//! ```text
//! main → cli → hub → transport → { tools, tracker } → webhooks → actors
//!      → { journal, transcripts, audit, settings, clock, ids, broken } → { private_file, web_client }
//!      → the crates of `crates/`
//! ```
//!
//! `domain` is the pure heart: it decides, and touches nothing. It is a crate, shown here under its old path. `actors`
//! hold one decision-maker each and speak in messages. `tools` are the verbs of an agent, the same on every door.
//! `transport` are the doors. `webhooks` tell others what happened.
//! `broken` is what tests break on purpose.
//! `tests/it/tidy.rs` holds these arrows.

pub use callboard_detect::terminal;
pub use callboard_domain as domain;

pub mod actors;
pub mod audit;
pub mod broken;
pub mod cli;
pub mod clock;
pub mod hub;
pub mod ids;
pub mod journal;
pub mod private_file;
pub mod settings;
pub mod tools;
pub mod tracker;
pub mod transcripts;
pub mod transport;
pub mod web_client;
pub mod webhooks;
