//! The size of a screen, in rows and columns.

use std::num::NonZeroU16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    rows: NonZeroU16,
    cols: NonZeroU16,
}

impl TerminalSize {
    /// The most rows: what a session may cost is bounded by its screen.
    pub const MOST_ROWS: u16 = 200;
    pub const MOST_COLS: u16 = 500;
    /// The fewest of both: a wide character has to fit.
    pub const FEWEST: u16 = 2;

    /// A size, brought within its bounds.
    pub fn new(rows: u16, cols: u16) -> Self {
        let within =
            |given: u16, most: u16| NonZeroU16::new(given.clamp(Self::FEWEST, most)).unwrap_or(NonZeroU16::MIN);
        Self { rows: within(rows, Self::MOST_ROWS), cols: within(cols, Self::MOST_COLS) }
    }

    pub const fn rows(self) -> u16 {
        self.rows.get()
    }

    pub const fn cols(self) -> u16 {
        self.cols.get()
    }

    pub(super) const fn both(self) -> (NonZeroU16, NonZeroU16) {
        (self.rows, self.cols)
    }
}

/// 24 rows of 80 columns, as terminals have been since there were terminals.
impl Default for TerminalSize {
    fn default() -> Self {
        Self::new(24, 80)
    }
}
