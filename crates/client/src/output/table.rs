//! Rows under heads, each column as wide as its widest cell; on a screen no wider than it is. Tables are data: the head
//! of each column, and what it shows of the hub's answer.

use std::fmt;
use std::io::{self, IsTerminal as _};

use rustix::termios::tcgetwinsize;
use serde_json::Value;

use super::cell::{ago, one_line, str_at, text, until};
use super::paint::{ink_of, painted};
use crate::domain::text::shorten;
use crate::domain::time::Timestamp;

/// What a column shows of an item.
type Show<T> = Box<dyn Fn(&T) -> String>;

pub struct Column<T> {
    head: &'static str,
    wide: bool,
    /// Whether it shows ids: half of one names nothing, so others are narrowed before.
    id: bool,
    show: Show<T>,
}

impl<T> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("head", &self.head).finish_non_exhaustive()
    }
}

impl<T> Column<T> {
    pub fn new(head: &'static str, show: impl Fn(&T) -> String + 'static) -> Self {
        Self { head, wide: false, id: false, show: Box::new(show) }
    }

    /// One that `-o wide` adds.
    pub fn wide(head: &'static str, show: impl Fn(&T) -> String + 'static) -> Self {
        Self { wide: true, ..Self::new(head, show) }
    }
}

/// What a column of a table that is data shows: a field by its dotted path, or what is made of the whole.
#[derive(Debug, Clone, Copy)]
pub enum Shows {
    Id(&'static str),
    Text(&'static str),
    /// A text of any length, in one line.
    Line(&'static str),
    Ago(&'static str),
    /// How long until then; nothing where there is no such moment.
    Until(&'static str),
    Of(fn(&Value, Timestamp) -> String),
}

/// The head of a column in plain words, what it shows, and whether `-o wide` alone shows it.
pub type Plan = (&'static str, Shows, bool);

/// The columns of a table that is data, as they are at this moment.
pub fn columns(plan: &'static [Plan], now: Timestamp) -> Vec<Column<Value>> {
    let column = |(head, shows, wide): &'static Plan| {
        let id = matches!(shows, Shows::Id(_));
        let show = move |item: &Value| match shows {
            Shows::Id(path) | Shows::Text(path) => text(item, path),
            Shows::Line(path) => one_line(str_at(item, path).unwrap_or_default()),
            Shows::Ago(path) => ago(item, path, now),
            Shows::Until(path) => str_at(item, path).map_or("–".to_owned(), |at| until(at, now)),
            Shows::Of(of) => of(item, now),
        };
        Column { head, wide: *wide, id, show: Box::new(show) }
    };
    plan.iter().map(column).collect()
}

/// The narrowest that a column becomes on a narrow screen, and one of ids.
const LEAST: usize = 12;
const LEAST_OF_IDS: usize = 20;

/// The columns of the terminal that standard output is; none where it is none.
pub fn screen() -> Option<usize> {
    let out = io::stdout();
    let known = || tcgetwinsize(&out).ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
    out.is_terminal().then(|| known().unwrap_or(usize::MAX))
}

/// The rows as text. Line ends in cells become spaces. With colours, and no wider than that, where a `screen` shows
/// them; otherwise every cell is whole.
pub fn table<T>(columns: &[Column<T>], items: &[T], wide: bool, screen: Option<usize>) -> String {
    fitted(columns, items, wide, screen).0
}

/// The same, and the heads of the columns for which the screen has no room.
pub(super) fn fitted<T>(
    columns: &[Column<T>],
    items: &[T],
    wide: bool,
    screen: Option<usize>,
) -> (String, Vec<&'static str>) {
    let mut columns: Vec<_> = columns.iter().filter(|column| wide || !column.wide).collect();
    let mut rows: Vec<Vec<String>> = items
        .iter()
        .map(|item| columns.iter().map(|column| (column.show)(item).replace(['\n', '\t'], " ")).collect())
        .collect();
    let mut left_out = Vec::new();
    let widths = loop {
        let widest = |i: usize| rows.iter().map(|row| length(&row[i])).chain([length(columns[i].head)]).max();
        let mut widths: Vec<usize> = (0..columns.len()).map(|i| widest(i).unwrap_or(0)).collect();
        if fit(&mut widths, &columns, screen.unwrap_or(usize::MAX)) || columns.len() <= 2 {
            break widths;
        }
        // The first names the thing, the last says what it is about; how it stands goes last of the others.
        let others = 1..columns.len() - 1;
        let i = others.rev().find(|i| columns[*i].head != "STATE").unwrap_or(1);
        left_out.insert(0, columns.remove(i).head);
        rows.iter_mut().for_each(|row| drop(row.remove(i)));
    };
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
    (text, left_out)
}

/// Narrows the widest of the columns until the row fits: first those that show no ids, then those that do. The first,
/// which names the thing, stays. Whether it fits now.
fn fit<T>(widths: &mut [usize], columns: &[&Column<T>], screen: usize) -> bool {
    let mut over = (widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)).saturating_sub(screen);
    for (ids, least) in [(false, LEAST), (true, LEAST_OF_IDS)] {
        while over > 0 {
            // Of several that are equally wide, the last.
            let of_kind = widths.iter_mut().zip(columns).skip(1).filter(|(_, column)| column.id == ids);
            let widest = of_kind.map(|(width, _)| width).max_by_key(|width| **width);
            let Some(widest) = widest.filter(|width| **width > least) else { break };
            *widest -= 1;
            over -= 1;
        }
    }
    over == 0
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests;
