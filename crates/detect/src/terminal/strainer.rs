//! Finds the one sequence that makes a terminal do much for little: `CSI n b` repeats a character n times, so that
//! eight bytes could cost sixty thousand. A number larger than a row is no drawing, and is taken back before it acts.
//!
//! On the way it notices what the terminal does not tell: whether a part of the screen scrolls by itself.

use memchr::memchr;

/// Ends the sequence that is being read, without effect.
pub(super) const CANCEL: u8 = 0x18;
const ESCAPE: u8 = 0x1b;

/// How far the sequence has been read, across the borders of what is fed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// Right behind an escape character.
    Escape,
    /// In a control sequence: its first number, while it is still that one.
    Sequence { number: u32, first: bool, plain: bool },
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Strainer {
    state: State,
    /// A program has set a part of the screen to scroll by itself.
    part_scrolls: bool,
}

impl Strainer {
    /// Whether no sequence is half read, and no part of the screen scrolls by itself.
    pub(super) fn is_plain(self) -> bool {
        self.state == State::Ground && !self.part_scrolls
    }

    /// The screen has another size: all of it scrolls.
    pub(super) const fn resized(&mut self) {
        self.part_scrolls = false;
    }

    /// Where the next byte of `bytes` stands that must not reach the terminal. To be called again with what follows.
    pub(super) fn next(&mut self, bytes: &[u8], most: u32) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                State::Ground => match memchr(ESCAPE, &bytes[at..]) {
                    Some(offset) => {
                        self.state = State::Escape;
                        at += offset;
                    }
                    None => return None,
                },
                State::Escape => {
                    self.state = match bytes[at] {
                        b'[' => State::Sequence { number: 0, first: true, plain: true },
                        ESCAPE => State::Escape,
                        ended => {
                            self.part_scrolls &= ended != b'c';
                            State::Ground
                        }
                    };
                }
                State::Sequence { number, first, plain } => {
                    if self.step(bytes[at], number, first, plain) > most {
                        return Some(at);
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// One byte of a sequence; how often it would repeat a character.
    fn step(&mut self, byte: u8, number: u32, first: bool, plain: bool) -> u32 {
        let sequence = |number, first, plain| State::Sequence { number, first, plain };
        let mut repeats = 0;
        self.state = match byte {
            ESCAPE => State::Escape,
            b'0'..=b'9' if first => {
                sequence(number.saturating_mul(10).saturating_add(u32::from(byte - b'0')).min(100_000), first, plain)
            }
            b';' | b':' => sequence(number, false, plain),
            b'<'..=b'?' | b' '..=b'/' => sequence(number, first, false),
            b'@'..=b'~' => {
                if byte == b'b' && plain {
                    repeats = number;
                } else if byte == b'r' && plain {
                    self.part_scrolls = number > 0 || !first;
                }
                State::Ground
            }
            CANCEL | 0x1a => State::Ground,
            _ => sequence(number, first, plain),
        };
        repeats
    }
}
