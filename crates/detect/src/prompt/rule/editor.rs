//! Editors: they take the whole screen and wait for keys.

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::path::names_path;
use super::{Guess, Strength, View, forms, prefilled};

/// The rows that editors alone have.
pub(super) fn by_screen(view: View<'_>) -> Option<Guess> {
    let last = view.rows().next_back()?;
    // What is asked in the last row is for the rules about lines.
    let below = view.sight.cursor_row + 1 >= view.sight.rows.len() && view.line.lower.ends_with(['?', ')', ']']);
    // `Save file a? (y, n, !, ., q)`
    let listed = last.contains("? (") && last.ends_with(')');
    // `File Name to write: a.txt`, in one of the last rows.
    let near = view.sight.cursor_row + 3 >= view.sight.rows.len();
    let field = near && view.line.lower.contains(':') && names_path(&view.line.lower);
    if field && view.sight.alternate && view.rows().rev().take(2).any(|row| row.contains("^C Cancel")) {
        return prefilled::line(view).map(|guess| Guess { strength: Strength::Likely, ..guess });
    }
    let asked = below || listed || field;
    if !view.sight.alternate || asked {
        return None;
    }
    let tildes = view.rows().filter(|row| *row == "~").count() >= 3;
    let found = view.rows().rev().take(3).find_map(|row| forms::read("editor", row));
    let found = found.or_else(|| tildes.then(|| Guess::new(PromptKind::Command, Form::Editor, Strength::Likely)));
    found.map(|guess| guess.asked_in(last))
}
