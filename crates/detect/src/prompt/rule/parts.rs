//! One pass over what is drawn: frames with what stands in them.
//!
//! A frame's answers are a row of buttons, marked items, or a line; its question stands above them, or in the edge.

use super::super::frame::{SIDES, has_edge};
use super::super::kind::PromptKind;
use super::super::line::last_clause;
use super::super::rule_id::Form;
use super::layout::Answers;
use super::verbs::begins_to_pick;
use super::{Guess, Strength, View, asked, brackets, forms, yes_no};

/// The most frames of a screen that are looked into.
const MOST_FRAMES: usize = 12;
/// The most rows of a frame that has no buttons.
const MOST_ROWS: usize = 16;

/// What stands between the sides of a frame.
struct Frame {
    /// The row of its upper edge, and its first column.
    top: usize,
    left: usize,
    title: String,
    rows: Vec<String>,
    is_closed: bool,
}

/// The frames of a screen, the last and innermost first.
fn frames(view: View<'_>) -> impl Iterator<Item = Frame> {
    let cells: Vec<Vec<char>> = view.sight.rows.iter().map(|row| row.chars().collect()).collect();
    let corners = cells.iter().enumerate().rev().flat_map(|(top, row)| {
        let is_corner = |left: &usize| "┌╭╔┏".contains(row[*left]) || row[*left..].starts_with(&['+', '-']);
        (0..row.len()).filter(is_corner).map(move |left| (top, left)).collect::<Vec<_>>()
    });
    let corners: Vec<_> = corners.take(MOST_FRAMES).collect();
    corners.into_iter().filter_map(move |(top, left)| {
        let width = 1 + cells[top][left + 1..].iter().position(|c| "┐╮╗┓+".contains(*c))?;
        // With nothing right of it, a frame may have rows that are longer than its edge.
        let reaches = left + width + 1 == cells[top].len();
        let inner = |row: &[char]| {
            let side = row.iter().rposition(|c| SIDES.contains(c)).filter(|side| reaches && *side > left);
            row[..side.unwrap_or(left + width).min(row.len())].iter().skip(left + 1).collect::<String>()
        };
        let sides = |row: &&Vec<char>| row.get(left).is_some_and(|c| SIDES.contains(c) || "├╟┠╠".contains(*c));
        let rows = cells[top + 1..].iter().take_while(sides).map(|row| inner(row));
        let rows: Vec<String> = rows.collect();
        let is_closed =
            cells.get(top + 1 + rows.len()).is_some_and(|row| row.get(left).is_some_and(|c| "└╰╚┗+".contains(*c)));
        let title = inner(&cells[top]).replace(|c| matches!(c, '\u{2500}'..='\u{257f}' | '-'), " ");
        (!rows.is_empty()).then(|| Frame {
            top,
            left,
            title: title.trim_matches(['┐', '╮', '╗', '┓', '+', ' ']).to_owned(),
            rows,
            is_closed,
        })
    })
}

/// What the last frame that asks for something asks for.
pub(super) fn framed(view: View<'_>) -> Option<Guess> {
    if let Some(found) = frames(view).find_map(|frame| of_frame(view, &frame)) {
        return Some(found);
    }
    // The cells of a full screen's last row.
    let buttons = view.rows().rev().find_map(buttons_of).filter(|found| found.len() >= 3 && view.sight.alternate)?;
    Some(Guess::of(Answers::Named(buttons), Form::Buttons, Strength::Likely).on_screen(Some(String::new())))
}

fn of_frame(view: View<'_>, frame: &Frame) -> Option<Guess> {
    let sight = view.sight;
    let buttons = frame.rows.iter().enumerate().rev().find_map(|(at, row)| Some((at, buttons_of(row)?)));
    if let Some((at, buttons)) = buttons {
        let above = &frame.rows[..at];
        let question = words(above);
        let has = |word: &str| buttons.iter().any(|button| button.to_lowercase() == word);
        let may_cancel = has("cancel") || has("abbrechen");
        let picks = |row: &String| begins_to_pick(row.trim().to_lowercase().trim_start_matches("please "));
        let answers = match () {
            () if has("yes") && has("no") => Answers::Named(buttons.clone()),
            () if offers(above) || !may_cancel && above.iter().any(picks) => Answers::Listed,
            () if may_cancel => Answers::Line(&question),
            () => Answers::Taken,
        };
        let guess = Guess::of(answers, Form::Dialog, Strength::Likely).choices(buttons);
        return Some(guess.on_screen(Some(question)));
    }
    if frame.rows.len() > MOST_ROWS {
        return None;
    }
    let bottom = frame.top + frame.rows.len() + 1;
    if sight.alternate {
        // A box over what the screen shows, with little more in it than a question.
        let said = format!("{}. {}", frame.title, words(&frame.rows));
        let (said, _) = said.rsplit_once('?').filter(|_| frame.left > 0 && frame.is_closed)?;
        let question = format!("{}?", said.trim_start_matches(['.', ' ']));
        let guess = Guess::of(Answers::Question(last_clause(&question)), Form::Box, Strength::Fair);
        return (guess.kind == PromptKind::YesNo).then(|| guess.on_screen(Some(question)));
    }
    let below = sight.rows.get(bottom + 1..)?.iter().filter(|row| !row.trim().is_empty()).count();
    let within = !sight.cursor_hidden && (frame.top + 1..bottom).contains(&sight.cursor_row);
    let asks = sight.cursor_hidden && frame.title.ends_with(['?', ':']);
    if below > 1 || frame.title.is_empty() || !within && !asks {
        return None;
    }
    let answers = match frame.rows.iter().find(|row| row.contains(MARKS)) {
        Some(row) if row.contains('/') => Answers::Named(
            row.split('/').map(|it| it.trim_matches(|c| MARKS.contains(&c) || c == ' ').to_owned()).collect(),
        ),
        Some(_) => Answers::Listed,
        None => Answers::Line(&frame.title),
    };
    let guess = Guess::of(answers, Form::Titled, Strength::Likely).choices(Vec::new());
    Some(guess.on_screen(Some(frame.title.clone())))
}

/// Whether the cursor stands in a frame that has a few words in each row: none of them is a field.
pub(super) fn is_in_a_list(view: View<'_>) -> bool {
    let at = view.sight.cursor_row;
    let words = |row: &String| (1..=6).contains(&row.split_whitespace().count()) && !row.contains([':', '=', '?', '_']);
    let lists = |frame: &Frame| frame.rows.len() >= 3 && frame.rows.iter().all(words);
    frames(view).any(|frame| frame.top < at && at <= frame.top + frame.rows.len() && lists(&frame))
}

/// The rows right below the cursor, two at least, where nothing stands behind them.
pub(super) fn below(view: View<'_>) -> Option<&[String]> {
    let rows = view.sight.rows.get(view.sight.cursor_row + 1..)?;
    let listed = rows.iter().take_while(|row| !row.trim().is_empty()).count();
    (listed >= 2 && rows[listed..].iter().all(|row| row.trim().is_empty())).then(|| &rows[..listed])
}

/// `Delete 'b.txt'? (y/N)`, in the last row of a full screen, the cursor elsewhere: `watch` shows whatever is printed.
pub(super) fn last_row(view: View<'_>) -> Option<Guess> {
    let row = view.rows().next_back().filter(|_| view.sight.alternate)?.trim();
    let line = asked(view, row);
    let view = View { line: &line, ..view };
    let found = brackets::groups(view).or_else(|| yes_no::bare(view))?;
    let asks = found.kind == PromptKind::YesNo && row.contains(char::is_whitespace);
    asks.then(|| found.seen_as(Form::LastRow, Strength::Weak).asked_in(row))
}

/// What marks an answer that may be chosen.
const MARKS: [char; 8] = ['●', '○', '◉', '◼', '◻', '›', '☑', '☐'];

/// Whether items stand above the buttons: boxes, tags, rows in a frame of their own, or short rows below each other.
fn offers(above: &[String]) -> bool {
    let short = |row: &&String| {
        let count = row.trim().trim_matches(SIDES).split_whitespace().count();
        (1..=3).contains(&count) && !row.trim().ends_with([':', '.', '?'])
    };
    let listed = above.iter().filter(|row| forms::fits("offered", row.trim())).count();
    listed >= 2 || above.iter().rev().skip_while(|row| !short(row)).take_while(short).count() >= 4
}

/// `<Yes>   <No>`, `< OK >`, `[ Yes ]`: the buttons of a row that has nothing else.
fn buttons_of(row: &str) -> Option<Vec<String>> {
    let bare: Vec<&str> = row.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
    if bare.len() <= 4 && bare.contains(&"yes") && bare.contains(&"no") {
        return Some(bare.into_iter().map(str::to_owned).collect());
    }
    let row = Some(row.trim()).filter(|row| forms::fits("buttons", row))?;
    let found: Vec<String> = forms::each("button", row).map(|it| it.part("name").to_owned()).collect();
    // Where they fill the last rows of a screen there are more of them than in a dialog.
    let most = if row.contains('[') { 8 } else { 5 };
    (found.len() <= most && found.iter().any(|name| forms::fits("known-button", name))).then_some(found)
}

fn words(rows: &[String]) -> String {
    let words = rows.iter().map(|row| row.trim_matches(|c: char| SIDES.contains(&c) || c == ' '));
    let words: Vec<&str> = words.filter(|row| !row.is_empty() && !has_edge(row)).take(12).collect();
    words.join(" ")
}
