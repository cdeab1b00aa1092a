//! What a person types at a prompt, key by key, as the line that it comes to.

/// What a terminal sends by itself, and nobody typed: answers to what programs ask it, and changes of focus.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Keyed {
    More,
    /// The line was entered; none when it was not written letter by letter.
    Entered(Option<String>),
    GivenUp,
}

impl Typing {
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
mod tests;
