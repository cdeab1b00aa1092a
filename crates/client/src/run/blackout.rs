//! What was typed in secret, blacked out wherever the program prints it afterwards.
//!
//! ```text
//!   a hidden line ─ Enter ─► a secret, in this process alone ─► the same bytes in what is printed: `*` for each
//! ```
//!
//! A password that a program prints later would otherwise be kept and shown like any output. One `*` for each byte
//! moves nothing on the screen. What may be the beginning of a secret is held until more comes, or for [`HOLD`]. The
//! echo of a secret that was typed in view is blacked out key by key.
//!
//! Deliberately absent: a secret that is printed in another form (encoded, wrapped by the program, cut in two by
//! colours), and the user's own terminal, which shows all that the program prints.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use memchr::memmem;
use secrecy::{ExposeSecret as _, SecretSlice};
use tokio::time::Instant;

use super::typing::{Keyed, Typing};

/// The shortest secret that is looked for, in bytes: shorter ones would black out what they are not.
const SHORTEST: usize = 4;
/// The longest, in bytes: what a terminal takes as one line.
const LONGEST: usize = 4096;
/// How many secrets are remembered; the oldest goes first.
const REMEMBERED: usize = 16;
/// How long the possible beginning of a secret is held back; a prompt is told within 50 ms all the same.
const HOLD: Duration = Duration::from_millis(25);

#[derive(Debug, Default)]
pub(super) struct Blackout {
    secrets: VecDeque<SecretSlice<u8>>,
    typing: Typing,
    /// How what was typed in view at a prompt for a secret comes back, as far as it has not yet.
    echo: VecDeque<Echoed>,
    /// How many characters of it stand in the line.
    in_line: usize,
    /// What was printed and did not go on yet, and which bytes of it belong to a secret.
    held: Vec<u8>,
    black: Vec<bool>,
    held_since: Option<Instant>,
}

/// A byte of an echo, and whether it is of the secret: how a key is rubbed out is not.
type Echoed = (u8, bool);

impl Blackout {
    /// Keys came while the terminal hid them; `asks` is the prompt that stood there.
    pub(super) fn typed(&mut self, hidden: &[u8], asks: &str) {
        for byte in hidden {
            match self.typing.key(*byte) {
                Keyed::Entered(Some(line)) => self.learn(line.into_bytes(), asks),
                Keyed::GivenUp => self.typing = Typing::default(),
                Keyed::Entered(None) | Keyed::More => {}
            }
        }
    }

    /// This is a secret from now on, unless the prompt itself says it in the open.
    pub(super) fn learn(&mut self, secret: Vec<u8>, asks: &str) {
        let secret = SecretSlice::from(secret);
        let bytes = secret.expose_secret();
        let in_the_open = memmem::find(asks.to_lowercase().as_bytes(), &bytes.to_ascii_lowercase()).is_some();
        let known = self.secrets.iter().any(|known| known.expose_secret() == bytes);
        if !(SHORTEST..=LONGEST).contains(&bytes.len()) || in_the_open || known {
            return;
        }
        if self.secrets.len() == REMEMBERED {
            self.secrets.pop_front();
        }
        self.secrets.push_back(secret);
    }

    /// Keys came in view where a secret is asked for: what is printed next is their echo.
    pub(super) fn typed_in_view(&mut self, keys: &[u8]) {
        for key in keys.iter().take_while(|byte| !matches!(byte, b'\r' | b'\n')) {
            if self.echo.len() >= LONGEST {
                return;
            }
            self.expect(*key);
        }
        if keys.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
            self.in_line = 0;
        }
    }

    /// A terminal shows a key as it is, a rub-out as a blank over what stood there, and other controls as `^C`.
    fn expect(&mut self, key: u8) {
        match key {
            0x08 | 0x7f if self.in_line > 0 => {
                self.in_line -= 1;
                self.echo.extend([(0x08, false), (b' ', false), (0x08, false)]);
            }
            0x08 | 0x7f => {}
            b'\t' => self.echo.push_back((key, false)),
            ..b' ' => self.echo.extend([(b'^', false), (key ^ 0x40, false)]),
            _ => {
                // A character is as long as its first byte says.
                self.in_line += usize::from(key & 0xc0 != 0x80);
                self.echo.push_back((key, true));
            }
        }
    }

    /// What was printed without the echo of such keys. A program that shows a star for each key has no echo.
    fn without_echo(&mut self, bytes: Bytes) -> Bytes {
        let echoed = bytes.iter().zip(&self.echo).take_while(|(printed, (typed, _))| *printed == typed).count();
        if bytes.is_empty() {
            return bytes;
        }
        if echoed == 0 {
            self.echo.clear();
            return bytes;
        }
        let shown =
            bytes.iter().zip(self.echo.drain(..echoed)).map(|(byte, (_, secret))| if secret { b'*' } else { *byte });
        let mut shown: Vec<u8> = shown.collect();
        shown.extend_from_slice(&bytes[echoed..]);
        if echoed < bytes.len() {
            self.echo.clear();
        }
        Bytes::from(shown)
    }

    /// What of the printed may go on now, blacked out.
    pub(super) fn printed(&mut self, bytes: Bytes, now: Instant) -> Bytes {
        let bytes = self.without_echo(bytes);
        if self.secrets.is_empty() {
            return bytes;
        }
        self.held.extend_from_slice(&bytes);
        self.black.resize(self.held.len(), false);
        let mut open = 0;
        for secret in &self.secrets {
            let secret = secret.expose_secret();
            blacken(&self.held, secret, &mut self.black);
            open = open.max(beginning(&self.held, secret));
        }
        self.held_since = (open > 0).then_some(now);
        self.goes_on(self.held.len() - open)
    }

    /// When what is held goes on by itself.
    pub(super) fn due(&self) -> Option<Instant> {
        self.held_since.map(|since| since + HOLD)
    }

    /// What was held: no more came, or none will.
    pub(super) fn release(&mut self) -> Bytes {
        self.held_since = None;
        self.goes_on(self.held.len())
    }

    /// The first bytes of what is held.
    fn goes_on(&mut self, many: usize) -> Bytes {
        let black = self.black.drain(..many);
        self.held.drain(..many).zip(black).map(|(byte, black)| if black { b'*' } else { byte }).collect()
    }
}

/// Marks each byte of `text` that lies within the secret, also where two of them overlap.
fn blacken(text: &[u8], secret: &[u8], black: &mut [bool]) {
    let finder = memmem::Finder::new(secret);
    let (mut from, mut marked) = (0, 0);
    while let Some(at) = finder.find(&text[from..]).map(|at| from + at) {
        let end = at + secret.len();
        black[at.max(marked)..end].fill(true);
        (from, marked) = (at + 1, end);
    }
}

/// How many bytes at the end of `text` are the beginning of `secret` and not yet all of it.
fn beginning(text: &[u8], secret: &[u8]) -> usize {
    let most = text.len().min(secret.len() - 1);
    (1..=most).rev().find(|length| text.ends_with(&secret[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests;
