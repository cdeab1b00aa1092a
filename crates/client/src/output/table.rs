//! Rows under heads, each column as wide as its widest cell; on a screen no wider than it is.

use std::fmt;
use std::io::{self, IsTerminal as _};

use rustix::termios::tcgetwinsize;

use super::paint::{ink_of, painted};
use crate::domain::text::shorten;

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

/// The narrowest that a column becomes on a narrow screen.
const LEAST: usize = 8;

/// The columns of the terminal that standard output is; none where it is none.
pub fn screen() -> Option<usize> {
    let out = io::stdout();
    let known = || tcgetwinsize(&out).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    out.is_terminal().then(|| known().unwrap_or(usize::MAX))
}

/// The rows as text. Line ends in cells become spaces. With colours, and no wider than that, where a `screen` shows
/// them; otherwise every cell is whole.
pub fn table<T>(columns: &[Column<T>], items: &[T], wide: bool, screen: Option<usize>) -> String {
    let columns: Vec<_> = columns.iter().filter(|column| wide || !column.wide).collect();
    let rows: Vec<Vec<String>> = items
        .iter()
        .map(|item| columns.iter().map(|column| (column.show)(item).replace(['\n', '\t'], " ")).collect())
        .collect();
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| rows.iter().map(|row| length(&row[i])).chain([length(column.head)]).max().unwrap_or(0))
        .collect();
    fit(&mut widths, screen.unwrap_or(usize::MAX));
    let heads: Vec<String> = columns.iter().map(|column| column.head.to_owned()).collect();
    let mut text = String::new();
    for row in std::iter::once(&heads).chain(&rows) {
        let last = row.len().saturating_sub(1);
        for (i, cell) in row.iter().enumerate() {
            let shown = shorten(cell, widths[i]);
            text.push_str(&painted(&shown, ink_of(cell), screen.is_some()));
            if i < last {
                text.push_str(&" ".repeat(widths[i] - length(&shown) + 2));
            }
        }
        text.push('\n');
    }
    text
}

/// Narrows the widest of the columns behind the first, which names the thing, until the row fits.
fn fit(widths: &mut [usize], screen: usize) {
    let mut over = (widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)).saturating_sub(screen);
    while over > 0 {
        // Of several that are equally wide, the last.
        let widest = widths.iter_mut().skip(1).max_by_key(|width| **width);
        let Some(widest) = widest.filter(|width| **width > LEAST) else { return };
        *widest -= 1;
        over -= 1;
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests;
