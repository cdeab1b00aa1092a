//! Reads a payload as it comes and keeps a bounded part: the beginnings of long lists and texts. A push with thousands
//! of commits has 25 MiB, of which only its branch is needed.
//!
//! The rest is not looked at, and need not even be JSON: what comes here is signed by its source.

/// How many items of a list are kept whole; in the place of each other one stands `0`, so that they can be counted.
const ITEMS: usize = 30;
/// How much of a text is kept, in bytes as it is written: 64 Ki characters, each of them escaped.
const TEXT: usize = 6 * 64 * 1024;
/// How much is kept in all, in bytes.
pub(super) const KEPT: usize = 8 * 1024 * 1024;
/// How deep lists and objects may lie in each other; a reader of JSON takes no more.
const DEPTH: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Skim {
    kept: Vec<u8>,
    /// For each object and list that is open, how many commas came in it, and whether it is a list.
    open: Vec<(bool, usize)>,
    text: Option<Text>,
    /// From this depth on nothing is kept until the next comma or the end there.
    skips: Option<usize>,
    too_much: bool,
}

#[derive(Debug, Default)]
struct Text {
    bytes: usize,
    escapes: bool,
    /// How many digits of an escaped character are still to come.
    digits: u8,
    /// Whether what came last is a whole character that is not escaped: behind it a text may end.
    can_end: bool,
    is_cut: bool,
}

impl Skim {
    pub(super) fn feed(&mut self, part: &[u8]) {
        for &byte in part {
            if self.too_much {
                return;
            }
            match self.text.take() {
                Some(text) => self.in_text(text, byte),
                None => self.between_texts(byte),
            }
        }
    }

    /// How many bytes are kept so far.
    pub(super) const fn kept(&self) -> usize {
        self.kept.len()
    }

    /// What was kept; none where that is more than is kept of any.
    pub(super) fn end(self) -> Option<Vec<u8>> {
        (!self.too_much).then_some(self.kept)
    }

    fn keep(&mut self, byte: u8) {
        if self.skips.is_none() {
            self.kept.push(byte);
            self.too_much |= self.kept.len() > KEPT;
        }
    }

    fn in_text(&mut self, mut text: Text, byte: u8) {
        text.bytes += 1;
        if !text.escapes && byte == b'"' {
            return self.keep(byte);
        }
        let escaped = text.escapes || text.digits > 0 || byte == b'\\';
        // Bytes of a character behind its first begin with the bits 10.
        let begins = byte & 0xC0 != 0x80;
        // Cut between two characters as they are, so that neither an escape nor a pair of them is broken.
        text.is_cut |= text.bytes > TEXT && text.can_end && begins && !escaped;
        text.digits = match (text.escapes, byte) {
            (true, b'u') => 4,
            _ => text.digits.saturating_sub(1),
        };
        text.can_end = !escaped;
        text.escapes = !text.escapes && byte == b'\\';
        if !text.is_cut {
            self.keep(byte);
        }
        self.text = Some(text);
    }

    fn between_texts(&mut self, byte: u8) {
        match byte {
            b'"' => self.text = Some(Text::default()),
            b'{' | b'[' => {
                self.keep(byte);
                self.open.push((byte == b'[', 0));
                self.too_much |= self.open.len() > DEPTH;
                return;
            }
            b'}' | b']' => {
                self.ends_skipping();
                self.open.pop();
            }
            b',' => return self.next_item(),
            byte if byte.is_ascii_whitespace() => return,
            _ => {}
        }
        self.keep(byte);
    }

    /// Behind a comma: in a list that is long enough another item begins that is not kept.
    fn next_item(&mut self) {
        self.ends_skipping();
        self.keep(b',');
        let depth = self.open.len();
        let Some((is_list, commas)) = self.open.last_mut() else { return };
        *commas += 1;
        if *is_list && *commas >= ITEMS && self.skips.is_none() {
            self.keep(b'0');
            self.skips = Some(depth);
        }
    }

    fn ends_skipping(&mut self) {
        if self.skips == Some(self.open.len()) {
            self.skips = None;
        }
    }
}

#[cfg(test)]
mod tests;
