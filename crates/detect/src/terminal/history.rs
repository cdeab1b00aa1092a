//! The rows that left the screen at its top, as text.
//!
//! Two rings, one of bytes and one of lengths: a row costs its text and four bytes, where a screen's row costs 32 bytes
//! a cell. Ten thousand rows of a build log take half a megabyte.

use std::collections::VecDeque;

/// Rows, oldest first. Bounded in rows and in bytes.
#[derive(Debug, Clone)]
pub struct History {
    bytes: VecDeque<u8>,
    rows: VecDeque<Row>,
    /// How many rows were dropped at the front: the number of the first that is kept.
    dropped: u64,
    most_rows: usize,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    length: u16,
    /// Whether it goes on in the next row, because the screen was too narrow.
    wrapped: bool,
}

impl History {
    /// How many rows are kept where nobody says otherwise.
    pub const ROWS: usize = 10_000;
    pub const MOST_BYTES: usize = 1_400 * 1024;
    /// The most bytes of one row; more is cut.
    const MOST_ROW: usize = 4 * 1024;

    /// An empty history of at most so many rows.
    pub const fn new(most_rows: usize) -> Self {
        Self { bytes: VecDeque::new(), rows: VecDeque::new(), dropped: 0, most_rows }
    }

    /// A history that goes on where an earlier one ended: its first row has this number.
    pub const fn resumed(most_rows: usize, first: u64) -> Self {
        Self { bytes: VecDeque::new(), rows: VecDeque::new(), dropped: first, most_rows }
    }

    /// One without its rows, that goes on where this one ends.
    pub fn emptied(&self) -> Self {
        Self::resumed(self.most_rows, self.next())
    }

    /// Adds a row that was kept before.
    pub fn restore(&mut self, text: &str, wrapped: bool) {
        self.push(text);
        if wrapped {
            self.wrap_last();
        }
    }

    /// Adds a row at the end, and drops from the front what no longer fits.
    pub(super) fn push(&mut self, text: &str) {
        if self.most_rows == 0 {
            self.dropped += 1;
            return;
        }
        let text = callboard_base::text::cut(text.trim_end(), Self::MOST_ROW);
        let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
        while self.rows.len() >= self.most_rows || self.bytes.len() + text.len() > Self::MOST_BYTES {
            let Some(first) = self.rows.pop_front() else {
                break;
            };
            self.bytes.drain(..usize::from(first.length));
            self.dropped += 1;
        }
        // Doubling would reserve twice what the bound allows.
        let missing = (self.bytes.len() + text.len()).saturating_sub(self.bytes.capacity());
        if missing > 0 {
            self.bytes.reserve_exact(missing.max(64 * 1024).min(Self::MOST_BYTES - self.bytes.len()));
        }
        self.bytes.extend(text.as_bytes());
        self.rows.push_back(Row { length, wrapped: false });
    }

    /// The row that was added last goes on in the next one.
    pub(super) fn wrap_last(&mut self) {
        if let Some(row) = self.rows.back_mut() {
            row.wrapped = true;
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows were dropped: the number, from 0, of the first row that is kept.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.rows.capacity() * size_of::<Row>()
    }

    /// The number of the row that comes next, from 0.
    pub fn next(&self) -> u64 {
        self.dropped + u64::try_from(self.rows.len()).unwrap_or_default()
    }

    /// The rows from the one of this number on, each with its number and whether it goes on in the next.
    pub fn rows_from(&self, number: u64) -> impl Iterator<Item = (u64, String, bool)> {
        let skipped = usize::try_from(number.saturating_sub(self.dropped)).unwrap_or(usize::MAX);
        let mut at: usize = self.rows.iter().take(skipped).map(|row| usize::from(row.length)).sum();
        (self.dropped..).zip(&self.rows).skip(skipped).map(move |(number, row)| {
            let end = at + usize::from(row.length);
            let bytes: Vec<u8> = self.bytes.range(at..end).copied().collect();
            at = end;
            (number, String::from_utf8_lossy(&bytes).into_owned(), row.wrapped)
        })
    }

    /// The rows, oldest first, each with whether it goes on in the next.
    pub fn rows(&self) -> impl Iterator<Item = (String, bool)> {
        self.rows_from(0).map(|(_, text, wrapped)| (text, wrapped))
    }
}
