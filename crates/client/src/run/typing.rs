//! What a person types at a prompt, key by key, as the line that it comes to.

/// What a user's terminal sends by itself, and nobody typed: answers to what programs ask it, and focus that
/// comes and goes.
pub(super) fn is_report(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let [0x1b, kind, body @ ..] = rest {
        let end = match kind {
            b'[' => body.iter().position(|byte| (0x40..=0x7e).contains(byte)),
            // Operating system commands and device control strings end in `ESC \` or BEL.
            b']' | b'P' | b'_' => body.iter().position(|byte| matches!(byte, 0x07 | b'\\')),
            _ => return false,
        };
        let Some(end) = end else { return false };
        let report =
            *kind != b'[' || matches!(body[end], b'R' | b'c' | b'I' | b'O' | b'n' | b't' | b'y') || body[0] == b'?';
        if !report {
            return false;
        }
        rest = &body[end + 1..];
    }
    !bytes.is_empty() && rest.is_empty()
}

/// A line on its way.
#[derive(Debug, Default)]
pub(super) struct Typing {
    line: Vec<u8>,
    escape: Escape,
    /// Whether keys were pressed that write nothing, as arrows: then nobody knows what the line is.
    keys: bool,
}

#[derive(Debug, Default)]
enum Escape {
    #[default]
    None,
    Begun,
    Sequence(Vec<u8>),
}

/// What a key comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Keyed {
    /// More is to come.
    More,
    /// The line was entered; none when it was not written letter by letter.
    Entered(Option<String>),
    /// It was given up.
    GivenUp,
}

impl Typing {
    /// One byte more.
    pub(super) fn key(&mut self, byte: u8) -> Keyed {
        match (&mut self.escape, byte) {
            (Escape::None, 0x1b) => self.escape = Escape::Begun,
            (Escape::None, b'\r' | b'\n') => return self.entered(),
            // Ctrl-C, Ctrl-D, Ctrl-Z, Ctrl-\.
            (Escape::None, 0x03 | 0x04 | 0x1a | 0x1c) => return Keyed::GivenUp,
            (Escape::None, 0x08 | 0x7f) => self.rub_out(),
            (Escape::None, 0x15) => self.line.clear(),
            (Escape::None, 0x17) => self.rub_out_word(),
            (Escape::None, 0..0x20) => self.keys = true,
            (Escape::None, _) => self.line.push(byte),
            (Escape::Begun, b'[' | b'O') => self.escape = Escape::Sequence(Vec::new()),
            (Escape::Begun, _) => {
                self.keys = true;
                self.escape = Escape::None;
            }
            (Escape::Sequence(body), 0x40..=0x7e) => {
                // The brackets around what is pasted.
                self.keys |= byte != b'~' || !matches!(body.as_slice(), b"200" | b"201");
                self.escape = Escape::None;
            }
            (Escape::Sequence(body), _) => body.push(byte),
        }
        Keyed::More
    }

    /// What was typed so far, where that is known and is anything.
    pub(super) fn so_far(&self) -> Option<String> {
        let known = !self.keys && !self.line.is_empty();
        known.then(|| String::from_utf8_lossy(&self.line).into_owned())
    }

    fn entered(&mut self) -> Keyed {
        let line = std::mem::take(&mut self.line);
        let known = !std::mem::take(&mut self.keys);
        Keyed::Entered(known.then(|| String::from_utf8_lossy(&line).into_owned()))
    }

    fn rub_out(&mut self) {
        // Not in the middle of a character.
        while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
    }

    fn rub_out_word(&mut self) {
        while self.line.pop_if(|byte| *byte == b' ').is_some() {}
        while self.line.pop_if(|byte| *byte != b' ').is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &str) -> Keyed {
        let mut typing = Typing::default();
        let keyed: Vec<_> = keys.bytes().map(|byte| typing.key(byte)).filter(|keyed| *keyed != Keyed::More).collect();
        keyed.into_iter().next().unwrap_or(Keyed::More)
    }

    #[test]
    fn a_line_is_what_stands_there_when_it_is_entered() {
        let line = |text: &str| Keyed::Entered(Some(text.to_owned()));
        assert_eq!(typed("yes\r"), line("yes"));
        assert_eq!(typed("nö\u{7f}o\n"), line("no"));
        assert_eq!(typed("wrong\u{15}right\r"), line("right"));
        assert_eq!(typed("one two\u{17}three\r"), line("one three"));
        assert_eq!(typed("\u{1b}[200~pasted\u{1b}[201~\r"), line("pasted"));
        assert_eq!(typed("\r"), line(""));
    }

    #[test]
    fn keys_that_write_nothing_make_it_unknown() {
        assert_eq!(typed("\u{1b}[B\r"), Keyed::Entered(None));
        assert_eq!(typed("a\u{1b}OD\r"), Keyed::Entered(None));
        assert_eq!(typed("y\u{3}"), Keyed::GivenUp);
        assert_eq!(typed("y"), Keyed::More);
    }

    #[test]
    fn what_a_terminal_sends_by_itself_is_told_from_keys() {
        for report in
            ["\u{1b}[24;80R", "\u{1b}[?62;22c", "\u{1b}[I", "\u{1b}]11;rgb:0/0/0\u{1b}\\", "\u{1b}[?1u\u{1b}[0n"]
        {
            assert!(is_report(report.as_bytes()), "{report:?}");
        }
        for keys in ["y", "\u{1b}", "\u{1b}[A", "\u{1b}OA", "\u{1b}[3~", "\u{1b}[Iy", ""] {
            assert!(!is_report(keys.as_bytes()), "{keys:?}");
        }
    }
}
