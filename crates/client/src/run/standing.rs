//! Where a typed line stands on the screen, and whether it left that place when Enter was pressed.
//!
//! A program that edits lines puts its cursor below the line. An agent's input box is drawn anew without it, and it
//! stands further up. A box that took Enter for a part of a paste shows the line where it was, with the same below it.

use crate::domain::prompt::ScreenView;

/// How many letters at the end of a line are looked for where not all of it is on the screen.
const TAIL: usize = 32;
/// The sides of boxes, which stand between the rows of a line that was too long for one.
const SIDES: [char; 6] = ['│', '┃', '║', '|', '▌', '█'];
/// What agents show in place of a long text.
const FOLDED: &str = "[Pasted";

/// Whether a line left the place where it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whether {
    Left,
    /// It is where it was, and all below it as before.
    Stands,
    /// It is to be seen, and something else changed.
    Unclear,
}

/// A line that was typed, as the screen shows it before Enter.
#[derive(Debug, Clone)]
pub(super) struct TypedLine {
    /// The letters that are looked for, without blanks.
    letters: Vec<char>,
    /// What stands left of its first letter: the sign of the box, the words of a prompt. Empty where only the side of a
    /// box stands there, which other rows have, too.
    sign: String,
    /// What stands behind it to the end of the screen, without blanks and digits.
    below: String,
    /// Whether the cursor is behind its last letter.
    at_cursor: bool,
    /// How many rows below begin with that sign, as the further rows of its own box may.
    boxes: usize,
    before: ScreenView,
}

/// Where letters were found.
struct Found {
    /// The row and column of the first.
    start: (usize, usize),
    /// Of the last.
    end: (usize, usize),
}

impl TypedLine {
    /// Finds `text` on the screen, in rows that were not there `before` it was typed; an empty one is at the cursor.
    pub(super) fn find(text: &str, before: &ScreenView, sight: &ScreenView) -> Option<Self> {
        if text.is_empty() {
            let before = sight.clone();
            return Some(Self {
                letters: Vec::new(),
                sign: String::new(),
                below: String::new(),
                at_cursor: true,
                boxes: 0,
                before,
            });
        }
        let all: Vec<char> = text.chars().filter(|c| is_letter(*c)).collect();
        let tail = all[all.len().saturating_sub(TAIL)..].to_vec();
        let folded = folded(before, sight);
        let (letters, found) = [all, tail, folded].into_iter().find_map(|letters| {
            let found = last(&letters, "", before, sight)?;
            Some((letters, found))
        })?;
        let sign = sign_of(&found, sight);
        Some(Self {
            boxes: boxes_below(&sign, &found, sight),
            sign,
            below: behind(&found, sight),
            at_cursor: is_at_cursor(&letters, sight),
            before: before.clone(),
            letters,
        })
    }

    /// Where it is after Enter; `lines` says that the terminal hands over whole lines.
    pub(super) fn judge(&self, sight: &ScreenView, lines: bool) -> Whether {
        let moved = || (sight.cursor_row, &sight.rows) != (self.before.cursor_row, &self.before.rows);
        if self.letters.is_empty() {
            return if moved() { Whether::Left } else { Whether::Unclear };
        }
        let Some(found) = last(&self.letters, &self.sign, &self.before, sight) else { return Whether::Left };
        if found.end.0 == sight.cursor_row && is_at_cursor(&self.letters, sight) {
            return Whether::Stands;
        }
        if self.at_cursor && self.has_ended(&found, sight, lines) {
            return Whether::Left;
        }
        if !self.sign.is_empty() && boxes_below(&self.sign, &found, sight) > self.boxes {
            return Whether::Left;
        }
        if behind(&found, sight) == self.below { Whether::Stands } else { Whether::Unclear }
    }

    /// Whether the cursor left the line as it leaves one that was ended: at the beginning of the next row with nothing
    /// drawn below, or with something printed between.
    fn has_ended(&self, found: &Found, sight: &ScreenView, lines: bool) -> bool {
        if sight.cursor_hidden || sight.cursor_row <= found.end.0 {
            return false;
        }
        let between = sight.rows.get(found.end.0 + 1..sight.cursor_row).unwrap_or_default();
        let printed = between.iter().any(|row| row.chars().any(is_letter)) || sight.before.chars().any(is_letter);
        lines || printed || self.below.is_empty() && sight.before.is_empty()
    }
}

fn is_letter(c: char) -> bool {
    !c.is_whitespace() && !SIDES.contains(&c)
}

/// The last place of these letters behind that sign: at the cursor, or in a row that is there more often than before.
fn last(letters: &[char], sign: &str, before: &ScreenView, sight: &ScreenView) -> Option<Found> {
    if letters.is_empty() {
        return None;
    }
    let screen: Vec<(char, (usize, usize))> = sight
        .rows
        .iter()
        .enumerate()
        .flat_map(|(at, row)| row.chars().enumerate().map(move |(col, c)| (c, (at, col))))
        .filter(|(c, _)| is_letter(*c))
        .collect();
    let often = |rows: &[String], row: &String| rows.iter().filter(|other| *other == row).count();
    let is_new = |row: &String| often(&sight.rows, row) > often(&before.rows, row);
    let at_cursor = is_at_cursor(letters, sight);
    let fits = |window: &[(char, (usize, usize))]| {
        let found = Found { start: window[0].1, end: window[window.len() - 1].1 };
        let (row, _) = found.end;
        let known = if at_cursor { row == sight.cursor_row } else { is_new(&sight.rows[row]) };
        let there = window.iter().map(|(c, _)| c).eq(letters) && known;
        (there && (sign.is_empty() || sign_of(&found, sight) == sign)).then_some(found)
    };
    screen.windows(letters.len()).rev().find_map(fits)
}

/// What stands left of the first letter; nothing where that is only the side of a box, which other rows have, too.
fn sign_of(found: &Found, sight: &ScreenView) -> String {
    let left: String = sight.rows[found.start.0].chars().take(found.start.1).collect();
    if left.chars().any(is_letter) { left.trim().to_owned() } else { String::new() }
}

/// `[Pasted text #1 +9 lines]`, where that was not there before.
fn folded(before: &ScreenView, sight: &ScreenView) -> Vec<char> {
    let new = sight.rows.iter().rev().filter(|row| !before.rows.contains(row));
    let shown = new.filter_map(|row| {
        let from = &row[row.rfind(FOLDED)?..];
        Some(&from[..=from.find(']')?])
    });
    shown.take(1).flat_map(str::chars).filter(|c| is_letter(*c)).collect()
}

fn is_at_cursor(letters: &[char], sight: &ScreenView) -> bool {
    if sight.cursor_hidden {
        return false;
    }
    let above = sight.rows.get(..sight.cursor_row).unwrap_or_default().iter().rev();
    let typed = std::iter::once(sight.before.as_str()).chain(above.map(String::as_str));
    let mut backwards = typed.flat_map(|row| row.chars().rev()).filter(|c| is_letter(*c));
    // An empty row behind the line is no part of it.
    sight.before.chars().any(is_letter) && letters.iter().rev().all(|c| backwards.next() == Some(*c))
}

fn behind(found: &Found, sight: &ScreenView) -> String {
    let rest = sight.rows[found.end.0].chars().skip(found.end.1 + 1);
    let below = sight.rows.get(found.end.0 + 1..).unwrap_or_default();
    rest.chain(below.iter().flat_map(|row| row.chars())).filter(|c| is_letter(*c) && !c.is_ascii_digit()).collect()
}

/// How many rows below begin with that sign.
fn boxes_below(sign: &str, found: &Found, sight: &ScreenView) -> usize {
    let below = sight.rows.get(found.end.0 + 1..).unwrap_or_default();
    below.iter().filter(|row| row.trim_start().starts_with(sign)).count()
}

#[cfg(test)]
mod tests;
