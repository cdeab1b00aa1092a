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
    #[must_use]
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn token() -> RunToken {
        RunToken("odd token".to_owned())
    }

    fn tail(parts: &[&[u8]]) -> Option<String> {
        let mut tail = Tail::default();
        parts.iter().for_each(|part| tail.take(part));
        tail.shown(&token())
    }

    #[test]
    fn the_end_is_shown() {
        assert_eq!(tail(&[]), None);
        assert_eq!(tail(&[b" \n"]), None);
        assert_eq!(tail(&[b"one\n", b"two\n"]).as_deref(), Some("one\ntwo"));
        let long = "é é".repeat(HELD);
        let shown = tail(&[long.as_bytes(), b"end"]).unwrap();
        assert!(shown.len() <= SHOWN && shown.ends_with("éend"), "{} bytes", shown.len());
        assert_eq!(tail(&[&[b'x'; HELD + 1]]), None, "a word of which the beginning is lost");
    }

    #[test]
    fn secrets_are_not_shown() {
        let secret = format!("cb_r_{}", "a1".repeat(20));
        assert_eq!(tail(&[b"by odd to", b"ken"]).as_deref(), Some("by [secret]"));
        assert_eq!(tail(&[format!("x {secret} y").as_bytes()]).as_deref(), Some("x [secret] y"));
        let hidden = format!("x cb_r_{}\u{200b}{} y", "a1".repeat(5), "b2".repeat(15));
        assert_eq!(tail(&[hidden.as_bytes()]).as_deref(), Some("x [secret] y"), "behind what is not seen");
        let invisible = format!("{secret} {}end", "\u{1b}[0m".repeat(HELD / 4 - 10));
        assert_eq!(tail(&[invisible.as_bytes()]).as_deref(), Some("end"), "half a secret at the beginning");
        // The cut lies within the secret.
        let around = format!("{}{secret} {}", "x ".repeat(100), "y".repeat(SHOWN - 20));
        assert!(!tail(&[around.as_bytes()]).unwrap().contains("a1a1"), "no part of it");
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_parts_are_one_tail(
            bytes in proptest::collection::vec(any::<u8>(), 0..600),
            cuts in proptest::collection::vec(1_usize..50, 1..20),
        ) {
            let mut parts = Tail::default();
            let (mut rest, mut cuts) = (bytes.as_slice(), cuts.iter().cycle());
            while !rest.is_empty() {
                let (part, more) = rest.split_at(rest.len().min(*cuts.next().unwrap()));
                parts.take(part);
                rest = more;
            }
            let mut whole = Tail::default();
            whole.take(&bytes);
            let shown = whole.shown(&token());
            prop_assert_eq!(&parts.shown(&token()), &shown);
            let is_fit = shown.is_none_or(|shown| !shown.contains('\u{1b}') && shown.len() <= SHOWN);
            prop_assert!(is_fit);
        }
    }
}
