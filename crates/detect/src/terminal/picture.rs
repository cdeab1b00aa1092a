//! A screen as rows of coloured text, for whoever draws it without being a terminal.
//!
//! It is read off the parsed grid, so no sequence of the program's is in it, and what hides or turns text round is
//! dropped from it as from every text that the hub shows.

use std::mem::take;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vt100::{Cell, Color, Screen};

use callboard_base::text::clean;

/// The screen of a terminal, row by row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// How many lines of the transcript's text stand above the first row.
    pub lines_above: usize,
    /// The rows, from the top, without the empty ones at the bottom.
    pub rows: Vec<Vec<Run>>,
}

/// Neighbouring cells that look alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// What is written.
    pub text: String,
    /// The colour of the text; the terminal's own if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fg: Option<Colour>,
    /// The colour behind it; the terminal's own if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bg: Option<Colour>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bold: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dim: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub italic: bool,
    /// With a line below.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub underline: bool,
    /// With `fg` and `bg` exchanged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inverse: bool,
}

/// A colour of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// By its number: 0 to 7, the same brighter at 8 to 15, a cube of 6 × 6 × 6 at 16 to 231, greys at 232 to 255.
    Index(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

impl Picture {
    pub(super) fn of(screen: &Screen, lines_above: usize) -> Self {
        let (height, _) = screen.size();
        let mut rows: Vec<Vec<Run>> = (0..height.get()).map(|row| runs(screen, row)).collect();
        while rows.last().is_some_and(Vec::is_empty) {
            rows.pop();
        }
        Self { lines_above, rows }
    }
}

/// The cells of a row, those that look alike together; nothing of what stands empty at its end.
fn runs(screen: &Screen, row: u16) -> Vec<Run> {
    let (_, width) = screen.size();
    let cells = (0..width.get()).filter_map(|col| screen.cell(row, col));
    let mut runs = Vec::new();
    let mut open = Run::default();
    for cell in cells.filter(|cell| !cell.is_wide_continuation()) {
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let look = look(cell);
        if (Run { text: String::new(), ..open.clone() }) != look {
            close(take(&mut open), &mut runs);
            open = look;
        }
        open.text.push_str(text);
    }
    close(open, &mut runs);
    while runs.last().is_some_and(|run| run.is_empty_space()) {
        runs.pop();
    }
    if let Some(last) = runs.last_mut()
        && last.bg.is_none()
        && !last.inverse
        && !last.underline
    {
        last.text.truncate(last.text.trim_end().len());
    }
    runs
}

fn close(mut run: Run, runs: &mut Vec<Run>) {
    run.text = clean(&run.text, usize::MAX).text;
    if !run.text.is_empty() {
        runs.push(run);
    }
}

fn look(cell: &Cell) -> Run {
    Run {
        text: String::new(),
        fg: colour(cell.fgcolor()),
        bg: colour(cell.bgcolor()),
        bold: cell.bold(),
        dim: cell.dim(),
        italic: cell.italic(),
        underline: cell.underline(),
        inverse: cell.inverse(),
    }
}

const fn colour(of: Color) -> Option<Colour> {
    match of {
        Color::Default => None,
        Color::Idx(index) => Some(Colour::Index(index)),
        Color::Rgb(red, green, blue) => Some(Colour::Rgb(red, green, blue)),
    }
}

impl Run {
    fn is_empty_space(&self) -> bool {
        self.text.trim().is_empty() && self.bg.is_none() && !self.inverse && !self.underline
    }
}

#[cfg(test)]
mod tests;
