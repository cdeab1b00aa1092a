//! The character sets of a terminal, of which programs use one besides letters: DEC's special graphics, in which `q` is
//! a line and `x` a bar. Programs that were not told of UTF-8 draw their frames with it.
//!
//! The screen model knows letters alone, so what is drawn with that set is translated on its way there. A terminal has
//! two sets at hand, G0 and G1; `ESC ( 0` and `ESC ) 0` make one of them the graphics, SO and SI choose between them.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

use super::strainer::CANCEL;

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const SUBSTITUTE: u8 = 0x1a;
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;

/// What the graphics show for the bytes from `_` to `~`, by the table of xterm's `ctlseqs`.
const GRAPHICS: [&str; 32] = [
    " ", "◆", "▒", "␉", "␌", "␍", "␊", "°", "±", "␤", "␋", "┘", "┐", "┌", "└", "┼", "⎺", "⎻", "─", "⎼", "⎽", "├", "┤",
    "┴", "┬", "│", "≤", "≥", "π", "≠", "£", "·",
];

/// How far a sequence has been read, across the borders of what is fed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    /// Behind `ESC (` or `ESC )`, which say whose set comes next; behind another such byte it is none of these.
    Designates(Option<usize>),
    /// In `ESC [`, and what was read of it.
    Control(Control),
    /// In a title or the like, which a bell ends, too.
    Title,
    /// In whatever else is for the terminal and none of its screen.
    Text,
}

/// What tells a few control sequences from all others: their mark (`?`, `!`), and their first number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Control {
    mark: u8,
    number: u16,
    more: bool,
}

impl Control {
    fn read(self, byte: u8) -> Self {
        match byte {
            b'0'..=b'9' if !self.more => {
                let number = self.number.saturating_mul(10).saturating_add(u16::from(byte - b'0'));
                Self { number, ..self }
            }
            b'?' | b'!' if self.mark == 0 && !self.more => Self { mark: byte, ..self },
            _ => Self { more: true, ..self },
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sets {
    /// Whether G0 and G1 are the graphics.
    graphics: [bool; 2],
    shifted: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Charsets {
    state: State,
    sets: Sets,
    /// As `ESC 7` found them.
    saved: Sets,
}

impl Charsets {
    /// The same with what it shows. Linear; where letters are letters nothing is copied.
    pub(super) fn translate<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if *self == Self::default() && !touches_a_set(bytes) {
            // Only a sequence that is half read at the end counts, and the last escape begins it.
            for &byte in memrchr(ESCAPE, bytes).map_or(&[][..], |at| &bytes[at..]) {
                self.step(byte);
            }
            return Cow::Borrowed(bytes);
        }
        let mut shown = Vec::with_capacity(bytes.len() * 2);
        for &byte in bytes {
            let draws = self.step(byte) && self.sets.graphics[usize::from(self.sets.shifted)];
            match byte.checked_sub(b'_').and_then(|at| GRAPHICS.get(usize::from(at))).filter(|_| draws) {
                Some(graphic) => shown.extend_from_slice(graphic.as_bytes()),
                None => shown.push(byte),
            }
        }
        Cow::Owned(shown)
    }

    /// One byte; whether it is one that is drawn.
    fn step(&mut self, byte: u8) -> bool {
        let draws = self.state == State::Ground && byte >= b' ';
        let acts = !matches!(self.state, State::Title | State::Text);
        self.state = match (self.state, byte) {
            (_, ESCAPE) => State::Escape,
            (_, CANCEL | SUBSTITUTE) | (State::Title, BELL) => State::Ground,
            // A control does its work, and the sequence goes on behind it.
            (state, SHIFT_OUT | SHIFT_IN) if acts => {
                self.sets.shifted = byte == SHIFT_OUT;
                state
            }
            (state, ..=0x1f) => state,
            (State::Escape, b'(') => State::Designates(Some(0)),
            (State::Escape, b')') => State::Designates(Some(1)),
            (State::Escape | State::Designates(_), b' '..=b'/') => State::Designates(None),
            (State::Escape, b'[') => State::Control(Control::default()),
            (State::Escape, b']') => State::Title,
            (State::Escape, b'P' | b'X' | b'^' | b'_') => State::Text,
            (State::Escape, b'0'..=b'~') => self.ends_an_escape(byte),
            (State::Designates(set), b'0'..=b'~') => {
                if let Some(set) = set {
                    self.sets.graphics[set] = byte == b'0';
                }
                State::Ground
            }
            (State::Control(control), b'@'..=b'~') => self.ends_a_control(control, byte),
            (State::Control(control), _) => State::Control(control.read(byte)),
            (state, _) => state,
        };
        draws
    }

    /// A soft reset, and what saves and fetches the cursor, the sets with it, by xterm's `ctlseqs`.
    fn ends_a_control(&mut self, control: Control, last: u8) -> State {
        match (control, last) {
            (Control { mark: b'!', more: false, .. }, b'p') => self.sets = Sets::default(),
            (Control { mark: b'?', number: 1048 | 1049, more: false }, b'h')
            | (Control { mark: 0, number: 0, more: false }, b's') => self.saved = self.sets,
            (Control { mark: b'?', number: 1048 | 1049, more: false }, b'l')
            | (Control { mark: 0, number: 0, more: false }, b'u') => self.sets = self.saved,
            _ => {}
        }
        State::Ground
    }

    /// What chooses the sets that are at hand now, on a terminal that was just switched on.
    pub(super) fn choosing(&self) -> String {
        let [first, second] = self.sets.graphics;
        let chosen = [(first, "\x1b(0"), (second, "\x1b)0"), (self.sets.shifted, "\x0e")];
        chosen.into_iter().filter_map(|(is, sequence)| is.then_some(sequence)).collect()
    }

    fn ends_an_escape(&mut self, byte: u8) -> State {
        match byte {
            b'7' => self.saved = self.sets,
            b'8' => self.sets = self.saved,
            b'c' => (self.sets, self.saved) = (Sets::default(), Sets::default()),
            _ => {}
        }
        State::Ground
    }
}

/// Whether letters may be something else in `bytes`, had they been letters before. `ESC ( B` makes them such again.
fn touches_a_set(bytes: &[u8]) -> bool {
    let graphics = |at: usize| match bytes.get(at + 1..).unwrap_or_default() {
        [b'(' | b')', rest @ ..] => rest.first().is_some_and(|last| !matches!(last, b'1'..=b'~')),
        // A control within the sequence: whatever that is, it is looked at closely.
        [first, ..] => !matches!(first, b' '..=b'~'),
        [] => false,
    };
    memchr(SHIFT_OUT, bytes).is_some() || memchr_iter(ESCAPE, bytes).any(graphics)
}

#[cfg(test)]
mod tests;
