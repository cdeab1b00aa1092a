//! callboard: the hub where coding agents wait, are called, report, delegate and ask.
//!
//! The rooms, and the one rule: a room uses only what lies below it.
//!
//! ```text
//! main → cli → hub → transport → { tools, tracker } → webhooks → actors → { audit, broken }
//!      → the crates of `crates/`
//! ```
//!
//! `domain` is pure: it decides, and touches nothing. Crates are shown here under their old paths. `broken` is what
//! tests break on purpose. `tests/it/tidy.rs` holds these arrows.

pub use callboard_detect::terminal;
pub use callboard_domain as domain;
pub use callboard_journal as journal;
pub use callboard_journal::transcripts;
pub use callboard_platform::{clock, ids, private_file, web_client};
pub use callboard_settings as settings;

pub mod actors;
pub mod audit;
pub mod broken;
pub mod cli;
pub mod hub;
pub mod tools;
pub mod tracker;
pub mod transport;
pub mod webhooks;
