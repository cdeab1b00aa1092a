//! Rows under heads, each column as wide as its widest cell.

use std::fmt;

use super::paint::{ink_of, painted};

/// What a column shows of an item.
type Show<T> = Box<dyn Fn(&T) -> String>;

pub struct Column<T> {
    head: &'static str,
    wide: bool,
    show: Show<T>,
}

impl<T> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("head", &self.head).finish_non_exhaustive()
    }
}

impl<T> Column<T> {
    /// One that is always shown.
    pub fn new(head: &'static str, show: impl Fn(&T) -> String + 'static) -> Self {
        Self { head, wide: false, show: Box::new(show) }
    }

    /// One that `-o wide` adds.
    pub fn wide(head: &'static str, show: impl Fn(&T) -> String + 'static) -> Self {
        Self { head, wide: true, show: Box::new(show) }
    }
}

/// The rows as text, with colours where a terminal shows them. Line ends in cells become spaces.
pub fn table<T>(columns: &[Column<T>], items: &[T], wide: bool, terminal: bool) -> String {
    let columns: Vec<_> = columns.iter().filter(|column| wide || !column.wide).collect();
    let rows: Vec<Vec<String>> = items
        .iter()
        .map(|item| columns.iter().map(|column| (column.show)(item).replace(['\n', '\t'], " ")).collect())
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| rows.iter().map(|row| length(&row[i])).chain([length(column.head)]).max().unwrap_or(0))
        .collect();
    let heads: Vec<String> = columns.iter().map(|column| column.head.to_owned()).collect();
    let mut text = String::new();
    for row in std::iter::once(&heads).chain(&rows) {
        let last = row.len().saturating_sub(1);
        for (i, cell) in row.iter().enumerate() {
            text.push_str(&painted(cell, ink_of(cell), terminal));
            if i < last {
                text.push_str(&" ".repeat(widths[i] - length(cell) + 2));
            }
        }
        text.push('\n');
    }
    text
}

fn length(text: &str) -> usize {
    text.chars().count()
}
