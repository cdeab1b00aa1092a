//! Text of others: cleaned once where it comes in, escaped for each sink where it goes out.
//!
//! ```text
//!   agent, person, webhook, terminal          model  Discord  page  terminal  log
//!            │                                  ▲       ▲      ▲       ▲       ▲
//!            └──► clean (drops what hides) ──► kept ──► for_discord, for_forge, for_html, for_terminal, for_log
//! ```
//!
//! What is dropped is what a reader cannot see and a program obeys: control characters, escape sequences, direction
//! overrides, tag characters, zero-width characters. How much was dropped stays with the text, so that a page can show
//! that it was not as clean as it looks. Escaping never happens on the way in: a sink's rules are not the text's.
//!
//! Deliberately absent: Markdown to HTML, and any attempt to recognise orders hidden in plain words.

mod causes;
mod class;
mod clean;
mod forge;
mod link;
mod nearest;
mod secrets;
mod sequence;
mod shown;
mod sinks;
#[cfg(test)]
mod tests;

pub use causes::with_causes;
pub use clean::{Cleaned, Removed, Sanitized, clean, cut, shorten};
pub use forge::for_forge;
pub use link::{LinkError, check_link};
pub use nearest::nearest;
pub use secrets::{holds_secret, redact};
pub use shown::{quoted, shown};
pub use sinks::{
    for_discord, for_discord_block, for_discord_markdown, for_html, for_json, for_log, for_shell, for_terminal, reveal,
};
