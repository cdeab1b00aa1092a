//! What a terminal shows where output is missing: nothing of before is lost, and nothing after it seems to follow.

use std::fmt::Write as _;

use super::model::Terminal;

/// Out of whatever a program left behind: a sequence, the other screen, a part that scrolls, colours, graphics.
const LEAVE: &str = "\x18\x1b[?1049l\x1b[?6l\x1b[r\x1b[m\x0f\x1b(B";
/// As a terminal that was just switched on.
const ANEW: &str = "\x1bc";

impl Terminal {
    /// What is to be printed where so many bytes are missing: what stands on the screen leaves at its top, a line that
    /// says how much is missing leaves behind it, and the screen is clean.
    pub fn hole(&self, missed: u64) -> String {
        let used = u16::try_from(self.screen_rows().len()).unwrap_or(u16::MAX);
        hole(self.size().rows(), used, Some(missed))
    }

    /// The same before a drawing of the whole screen, on one that is clean.
    pub fn hole_before_drawing(&self, missed: u64) -> String {
        hole(self.size().rows(), 0, Some(missed))
    }

    /// What is to be printed where something else begins: what stands on the screen leaves at its top.
    pub(super) fn clearing(&self) -> String {
        let used = u16::try_from(self.screen_rows().len()).unwrap_or(u16::MAX);
        hole(self.size().rows(), used, None)
    }
}

/// The first `used` of so many rows leave, and the mark behind them.
fn hole(rows: u16, used: u16, missed: Option<u64>) -> String {
    let mut bytes = String::from(LEAVE);
    let mut used = used.min(rows);
    if let Some(missed) = missed {
        if used == rows {
            // Makes room for the mark.
            at(&mut bytes, rows);
            bytes.push('\n');
            used -= 1;
        }
        used += 1;
        at(&mut bytes, used);
        // On a screen that is too narrow it is cut, and does not scroll by itself.
        let _written = write!(bytes, "\x1b[?7l[callboard: {missed} bytes of output are missing here]");
    }
    at(&mut bytes, rows);
    bytes.extend(std::iter::repeat_n('\n', used.into()));
    bytes.push_str(ANEW);
    bytes
}

fn at(bytes: &mut String, row: u16) {
    let _written = write!(bytes, "\x1b[{row};1H");
}

#[cfg(test)]
mod tests;
