//! What must never be written down. Called before anything of an answer reaches journal, event, log or error.

use std::borrow::Cow;

use super::kind::PromptKind;
use super::rule::names_secret;
use super::sight::Host;

/// What stands where a secret stood.
pub const REDACTED: &str = "[REDACTED]";

/// Whether the answer to this prompt is a secret: by its kind, by its words, or because the terminal hid it.
#[must_use]
pub fn is_secret(prompt_text: &str, kind: Option<PromptKind>, host: Host) -> bool {
    kind == Some(PromptKind::Password) || host.hides() || names_secret(&prompt_text.to_lowercase())
}

/// The answer as it may be kept: as it was, or [`REDACTED`]. An answer of the shape of a token is a secret whatever was
/// asked.
#[must_use]
pub fn kept_input<'a>(prompt_text: &str, input: &'a str, kind: Option<PromptKind>, host: Host) -> Cow<'a, str> {
    if is_secret(prompt_text, kind, host) || crate::domain::text::holds_secret(input) {
        return Cow::Borrowed(REDACTED);
    }
    Cow::Borrowed(input)
}
