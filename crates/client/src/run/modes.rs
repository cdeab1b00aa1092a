//! What a program switched on at the user's terminal and did not switch off: the alternate screen, the mouse, a hidden
//! cursor. A program that ends by itself puts these back; one that the host had to end cannot.

/// Modes that outlive a program, each with what puts it back. The screen goes last: with it the cursor comes home.
const MODES: [(u16, bool); 16] = [
    (9, false),
    (1000, false),
    (1001, false),
    (1002, false),
    (1003, false),
    (1004, false),
    (1005, false),
    (1006, false),
    (1015, false),
    (1016, false),
    (2004, false),
    (1, false),
    // The cursor is shown as long as nobody hides it.
    (25, true),
    (47, false),
    (1047, false),
    (1049, false),
];
/// The longest list of modes in one sequence that is read, in bytes.
const LONGEST: usize = 64;

/// Reads along with what a program prints.
#[derive(Debug, Default)]
pub(super) struct Modes {
    /// Which of [`MODES`] are not as they are usually.
    changed: [bool; MODES.len()],
    at: At,
    list: Vec<u8>,
}

/// Where in a sequence the last byte was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    #[default]
    Text,
    Escape,
    Bracket,
    List,
}

impl Modes {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        loop {
            if self.at == At::Text {
                let Some(escape) = memchr::memchr(0x1b, rest) else { return };
                rest = &rest[escape + 1..];
                self.at = At::Escape;
            }
            let Some((byte, after)) = rest.split_first() else { return };
            rest = after;
            self.step(*byte);
        }
    }

    /// What puts back all that is not as usual; nothing where everything is.
    pub(super) fn put_back(&self) -> Vec<u8> {
        let changed = MODES.iter().zip(self.changed).filter_map(|(mode, changed)| changed.then_some(mode));
        let sequences = changed.map(|(mode, usual)| format!("\x1b[?{mode}{}", if *usual { 'h' } else { 'l' }));
        sequences.collect::<String>().into_bytes()
    }

    fn step(&mut self, byte: u8) {
        self.at = match (self.at, byte) {
            (_, 0x1b) => At::Escape,
            (At::Escape, b'[') => At::Bracket,
            // A terminal that is switched off and on is as usual.
            (At::Escape, b'c') => {
                self.changed = Default::default();
                At::Text
            }
            (At::Bracket, b'?') => {
                self.list.clear();
                At::List
            }
            (At::List, b'0'..=b'9' | b';') if self.list.len() < LONGEST => {
                self.list.push(byte);
                At::List
            }
            (At::List, b'h' | b'l') => {
                self.set(byte == b'h');
                At::Text
            }
            (At::Text | At::Escape | At::Bracket | At::List, _) => At::Text,
        };
    }

    fn set(&mut self, on: bool) {
        for number in self.list.split(|byte| *byte == b';') {
            let number: Option<u16> = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
            for ((mode, usual), changed) in MODES.iter().zip(&mut self.changed) {
                if Some(*mode) == number {
                    *changed = on != *usual;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
