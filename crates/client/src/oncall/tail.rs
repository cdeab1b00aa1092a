//! The last that a process printed, for people: at most 4 kB, cleaned, without secrets.

use std::collections::VecDeque;

use crate::domain::on_call::RunToken;
use crate::domain::text;

/// What is held, in bytes. More than is shown, so that a secret is whole when it is looked for.
const HELD: usize = 64 * 1024;
/// What is shown, in bytes.
const SHOWN: usize = 4 * 1024;

/// A ring of the last bytes.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    /// Whether its beginning was lost.
    is_cut: bool,
}

impl Tail {
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.is_cut |= self.bytes.len() + bytes.len() > HELD;
        let bytes = &bytes[bytes.len().saturating_sub(HELD)..];
        let excess = (self.bytes.len() + bytes.len()).saturating_sub(HELD);
        self.bytes.drain(..excess);
        self.bytes.extend(bytes);
    }

    /// What is shown; none where nothing was printed. The run's own token is left out wherever it stands.
    pub(super) fn shown(&self, token: &RunToken) -> Option<String> {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        // Cleaned first: a secret is found only without what hides in it.
        let clean = text::clean(&String::from_utf8_lossy(&bytes), usize::MAX).text;
        // Half a secret has no shape: the first word of what was cut may be one.
        let begin = if self.is_cut { clean.find(char::is_whitespace).unwrap_or(clean.len()) } else { 0 };
        let clean = clean[begin..].to_owned();
        let clean = if token.0.is_empty() { clean } else { clean.replace(&token.0, "[secret]") };
        let redacted = text::redact(&clean);
        let redacted = redacted.trim();
        let from = redacted.ceil_char_boundary(redacted.len().saturating_sub(SHOWN));
        Some(redacted[from..].to_owned()).filter(|shown| !shown.is_empty())
    }
}

#[cfg(test)]
mod tests;
