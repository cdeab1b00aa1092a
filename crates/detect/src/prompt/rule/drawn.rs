//! A full screen asks, and its cursor stands elsewhere or is hidden: in its last row, or in a box over what it shows.

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::{Guess, Strength, View, asked, brackets, yes_no};

pub(super) fn question(view: View<'_>) -> Option<Guess> {
    if !view.sight.alternate {
        return None;
    }
    in_the_last_row(view)
}

/// `Delete 'b.txt'? (y/N)`
fn in_the_last_row(view: View<'_>) -> Option<Guess> {
    let row = view.rows().next_back()?.trim();
    let line = asked(view, row);
    let view = View { line: &line, ..view };
    let found = brackets::groups(view).or_else(|| yes_no::bare(view))?;
    let asks = found.kind == PromptKind::YesNo && row.contains(char::is_whitespace);
    // `watch` shows what any program prints.
    let guess = found.seen_as(Form::LastRow, Strength::Weak);
    asks.then(|| guess.on_screen(Some(row.to_owned())))
}
