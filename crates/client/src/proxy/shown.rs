//! What a client was shown of a wait that goes on: numbers that only grow, whichever connection they came over. A hub
//! that is asked again counts from the beginning; the protocol lets no number fall.

use serde_json::Value;

/// How far one request has come.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestProgress {
    /// The progress token, as it is written.
    token: String,
    /// The last number that the client was shown.
    last: f64,
    /// What is added to the numbers of this connection.
    from: f64,
}

impl RequestProgress {
    /// Of a request with this token.
    pub(super) const fn new(token: String) -> Self {
        Self { token, last: 0.0, from: 0.0 }
    }

    /// It is asked again: whatever comes from here on goes on behind what was shown.
    pub(super) const fn begins_again(&mut self) {
        self.from = self.last;
    }

    /// A note under some token: none where it is not this one's; the text that the client is shown where it is.
    pub(super) fn note(&mut self, token: &str, text: &str) -> Option<String> {
        if token != self.token {
            return None;
        }
        let mut message: Value = serde_json::from_str(text).ok()?;
        let number = message.get("params")?.get("progress")?.as_f64()?;
        let shown = self.from + number;
        self.last = self.last.max(shown);
        if self.from == 0.0 {
            return Some(text.to_owned());
        }
        message.get_mut("params")?.as_object_mut()?.insert("progress".to_owned(), shown.into());
        Some(message.to_string())
    }
}
