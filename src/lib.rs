//! callboard: the hub where coding agents wait, are called, report, delegate and ask.
//!
//! The rooms, and the one rule: a room uses only what lies below it.
//!
//! ```text
//! main → cli → hub → transport → tools → webhooks → actors
//!      → { journal, transcripts, audit, settings, terminal, clock, ids, broken } → domain
//! ```
//!
//! `domain` is the pure heart: it decides, and touches nothing. `actors` hold one decision-maker each and speak in
//! messages. `tools` are the verbs of an agent, the same on every door. `transport` are the doors.
//! `webhooks` tell others what happened.
//! `broken` is what tests break on purpose.
//! `tests/it/tidy.rs` holds these arrows.

pub mod actors;
pub mod audit;
pub mod broken;
pub mod cli;
pub mod clock;
pub mod domain;
pub mod hub;
pub mod ids;
pub mod journal;
pub mod settings;
pub mod terminal;
pub mod tools;
pub mod tracker;
pub mod transcripts;
pub mod transport;
pub mod webhooks;
