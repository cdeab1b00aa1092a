//! Line ends of texts that never saw a terminal: a log has `\n` where a terminal is sent `\r\n`.
//!
//! A terminal that gets `\n` alone goes down and stays in its column. So `\n` begins a new line for as long as nothing
//! in the stream has ended one with `\r\n`; what has once done so was written for a terminal, and is drawn as it is.

use std::borrow::Cow;

use memchr::memchr_iter;

/// Reads along with a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineEnds {
    drawn: bool,
    /// The last byte was a carriage return.
    returned: bool,
}

impl LineEnds {
    /// `bytes` as a terminal wants them.
    pub fn mend<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut mended: Option<Vec<u8>> = None;
        let mut from = 0;
        if !self.drawn {
            for at in memchr_iter(b'\n', bytes) {
                let returned = if at == 0 { self.returned } else { bytes[at - 1] == b'\r' };
                if returned {
                    self.drawn = true;
                    break;
                }
                let text = mended.get_or_insert_with(|| Vec::with_capacity(bytes.len() + bytes.len() / 16 + 8));
                text.extend_from_slice(&bytes[from..at]);
                text.extend_from_slice(b"\r\n");
                from = at + 1;
            }
        }
        if let Some(last) = bytes.last() {
            self.returned = *last == b'\r';
        }
        match mended {
            Some(mut text) => {
                text.extend_from_slice(&bytes[from..]);
                Cow::Owned(text)
            }
            None => Cow::Borrowed(bytes),
        }
    }
}

#[cfg(test)]
mod tests;
