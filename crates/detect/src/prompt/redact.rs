//! What must never be written down. Called before anything of an answer reaches journal, event, log or error.

use std::borrow::Cow;

use super::kind::PromptKind;
use super::rule::{names_secret, says_only_harmless};
use super::screen_view::Host;

/// What stands where a secret stood.
pub const REDACTED: &str = "[REDACTED]";

/// Whether the answer to this prompt is a secret: by its kind, by its words, or because the terminal hid it.
pub fn is_secret(prompt_text: &str, kind: Option<PromptKind>, host: Host) -> bool {
    kind == Some(PromptKind::Password) || host.hides() || names_secret(&prompt_text.to_lowercase())
}

/// Whether a prompt of this kind is known to ask for no secret.
///
/// It has answers to choose from, asks for a path, or says nothing but what everybody may hear. A word that is unknown
/// may be that of a secret in some language.
pub fn is_harmless(prompt_text: &str, kind: PromptKind) -> bool {
    match kind {
        PromptKind::YesNo | PromptKind::Choice | PromptKind::Path => true,
        PromptKind::Password => false,
        PromptKind::Text | PromptKind::Command | PromptKind::Unknown => says_only_harmless(&prompt_text.to_lowercase()),
    }
}

/// The answer as it may be kept: as it was, or [`REDACTED`]. What has the shape of a token is a secret in any case.
pub fn kept_input<'a>(prompt_text: &str, input: &'a str, kind: Option<PromptKind>, host: Host) -> Cow<'a, str> {
    if is_secret(prompt_text, kind, host) || callboard_base::text::holds_secret(input) {
        return Cow::Borrowed(REDACTED);
    }
    Cow::Borrowed(input)
}

#[cfg(test)]
mod tests;
