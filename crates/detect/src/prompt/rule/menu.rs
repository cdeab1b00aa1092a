//! Menus: items below each other, one of them marked, chosen with the arrow keys.

use std::iter;

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::layout::{Answers, kind_of};
use super::{Guess, Strength, View, forms, parts, under};
use crate::lists::List;

/// Marks that hardly anything else begins a row with.
const STRONG: [char; 19] =
    ['❯', '›', '»', '▸', '▶', '➤', '➜', '‣', '●', '◉', '○', '◯', '◻', '◼', '☐', '☑', '⬡', '⬢', '▢'];
/// What menus say of themselves.
static HINTS: List = List::of("menu hints");
/// The most rows at the end of the screen that are looked at.
const MOST_ROWS: usize = 40;

/// The most rows below a menu, which are its own hint.
const BELOW: usize = 4;

/// A list that is filtered by what is typed: its line of `3/12` stands beside the one with the cursor.
pub(super) fn filter(view: View<'_>) -> Option<Guess> {
    let at = view.sight.cursor_row;
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|row| view.sight.rows.get(row));
    // `? Network …`, a list without a mark, and `< 136 more - type to filter >`.
    let told = || view.rows().next_back().is_some_and(|row| row.to_lowercase().contains("type to filter"));
    if marks(view.line.trimmed()) && parts::below(view).is_some() && told() {
        let question = Some(view.line.trimmed().to_owned());
        return Some(Guess::new(PromptKind::Choice, Form::Filter, Strength::Likely).on_screen(question));
    }
    let asks = view.line.lower.contains('>') && view.line.lower.len() <= 120;
    (asks && (beside.into_iter().any(|row| forms::fits("count", row)) || is_over_a_list(view)))
        .then(|| Guess::new(PromptKind::Choice, Form::Filter, Strength::Likely).on_screen(None))
}

/// The sign alone, and right below it what there is to choose from.
fn is_over_a_list(view: View<'_>) -> bool {
    // `QUERY>`
    let sign = view.line.trimmed();
    let named = sign.strip_suffix('>').is_some_and(|name| name.bytes().all(|b| b.is_ascii_uppercase()));
    let alone = view.line.after.is_empty() || named && view.sight.alternate;
    (named || matches!(sign, "❯" | "?>")) && parts::below(view).is_some() && alone
}

/// A question in a frame of its own: `◆  Name?`, with bars below it.
pub(super) fn framed(view: View<'_>) -> Option<Guess> {
    let rows: Vec<&str> = view.rows().collect();
    let at = rows.iter().rposition(|row| row.starts_with('◆') || row.starts_with('●') && row.ends_with('?'))?;
    let below = &rows[at + 1..];
    let chosen = below.iter().any(|row| item(row).is_some_and(|item| item.marked));
    if chosen || below.is_empty() || below.len() > 12 || !below.iter().all(|row| row.starts_with(['│', '└'])) {
        return None;
    }
    let question = rows[at].trim_start_matches(['◆', '●']).trim();
    Some(Guess::of(Answers::Question(question), Form::Framed, Strength::Likely).on_screen(Some(question.to_owned())))
}

/// A marked item among items.
pub(super) fn pointer(view: View<'_>) -> Option<Guess> {
    let rows: Vec<&str> = view.rows().collect();
    let from = rows.len().saturating_sub(MOST_ROWS);
    let rows = rows.get(from..)?;
    let at = rows.iter().rposition(|row| item(row).is_some_and(|item| item.marked))?;
    let marked = item(rows[at])?;
    let hinted = rows.iter().rev().take(16).any(|row| {
        let lower = row.to_lowercase();
        HINTS.iter().any(|hint| lower.contains(hint))
    });
    let (first, last) = numbered(rows, at).unwrap_or_else(|| {
        let gaps = gaps(view, from);
        let near = block(rows, at, marked.column, |row| gaps.get(row) == Some(&true));
        // A list may have a blank row behind each of its items, or between groups of them.
        let ends = rows.len() - 1 - near.1 <= BELOW;
        if near.0 < near.1 && ends { near } else { block(rows, at, marked.column, |_| false) }
    });
    let items = rows[first..=last].iter().filter_map(|row| item(row)).map(|item| item.text);
    let counted = number(&marked.text).is_some();
    let items: Vec<String> = items.filter(|text| !counted || number(text).is_some()).collect();
    if marked.text.ends_with('✔')
        || items.len() >= 2 && items.iter().all(|item| item.starts_with("Press "))
        || is_written(view, rows[at])
    {
        return None;
    }
    // Both answers in one row: `● Yes / ○ No`.
    let plain: String = marked.text.chars().filter(|c| !STRONG.contains(c)).collect();
    let sides = Answers::Named(plain.split('/').map(|word| word.trim().to_owned()).collect());
    if plain.contains('/') && kind_of(&sides) == PromptKind::YesNo {
        let guess = Guess::of(sides, Form::Toggle, Strength::Likely);
        return question_above(rows, at).map(|question| guess.on_screen(Some(question)));
    }
    // What stands below a menu is its own hint and no more.
    let below = rows.len() - 1 - last;
    let strong = marked.strong || marked.boxed;
    let question = question_above(rows, first);
    let asked = question.as_ref().is_some_and(|question| question.starts_with("[?]") || question.starts_with("? "));
    // `React - (https://react.dev/)` has a name.
    let named = strong && items.iter().all(|item| item.starts_with(char::is_uppercase));
    let links = items.iter().any(|item| item.contains("://")) && !((hinted || named) && asked);
    // One is left of those that there were, or there never was another.
    let one = strong && asked && (hinted || question.as_ref().is_some_and(|question| question.ends_with('›')));
    if items.len() < 2 && !one || links || below > BELOW || !(strong || hinted || asked || view.sight.cursor_hidden) {
        return None;
    }
    // `Do you want to proceed?`, and numbered answers.
    let hinted = hinted || are_numbered(&items) && question.as_ref().is_some_and(|question| question.ends_with('?'));
    let strength = match (strong, hinted, asked || view.sight.cursor_hidden || view.sight.alternate) {
        (true, true, _) => Strength::Sure,
        (true, false, true) => Strength::Likely,
        (false, _, _) => Strength::Fair,
        // Lists in what a program tells look like this, too.
        (true, false, false) => Strength::Weak,
    };
    let guess = Guess::of(Answers::Named(items), Form::Menu, strength).on_screen(question);
    Some(Guess { marked: (!marked.boxed).then_some(marked.text), ..guess })
}

/// Whether a menu asks: its entries are numbered, or a question stands above them.
pub(in crate::prompt) fn is_dialog(guess: &Guess) -> bool {
    let asks = || guess.question.as_ref().is_some_and(|question| question.contains('?'));
    guess.is_menu && guess.choices.len() >= 2 && (are_numbered(&guess.choices) || asks())
}

fn are_numbered(items: &[String]) -> bool {
    items.iter().all(|item| number(item).is_some())
}

struct Item {
    /// Where its text begins, so that the items of one menu can be told by standing below each other.
    column: usize,
    marked: bool,
    strong: bool,
    boxed: bool,
    text: String,
}

/// A row as an item: a mark or blanks, perhaps a box, then words.
fn item(row: &str) -> Option<Item> {
    let it = forms::parts("menu-item", row)?;
    let (mark, text) = (it.part("mark"), it.part("text"));
    let (marked, boxed) = (!mark.is_empty(), !it.part("box").is_empty());
    if text.is_empty() || marked && it.part("gap").is_empty() && !boxed && it.part("second").is_empty() {
        return None;
    }
    let column = it.part("column").chars().count();
    Some(Item { column, marked: marked || boxed, strong: mark.starts_with(STRONG), boxed, text: text.to_owned() })
}

/// What is typed stands at the mark or below it, and is asked for there: `➤ Your name [ada]:`, `> `, `Go on? (y/n)`.
fn is_written(view: View<'_>, row: &str) -> bool {
    let (sight, line) = (view.sight, view.line.trimmed());
    let at = sight.rows.iter().rposition(|at| at.trim_end() == row).unwrap_or_default();
    if sight.cursor_hidden || line.is_empty() || sight.cursor_row < at {
        return false;
    }
    // ` › com.example.app`, under what is said of it.
    let offered = || sight.after.trim().is_empty() && under::offered(view).is_some();
    let behind = sight.cursor_row == at && line.starts_with(STRONG) && (line.chars().count() == 1 || offered());
    behind || line.ends_with([':', '?', '>', ')', ']']) || line.contains(" ‣ ")
}

/// `2. No, exit`: which item it is.
fn number(text: &str) -> Option<u32> {
    text.split_once(['.', ')']).filter(|(_, rest)| rest.starts_with(' ')).and_then(|(number, _)| number.parse().ok())
}

/// Items that are numbered from one on, whatever is told of them in the rows between.
fn numbered(rows: &[&str], at: usize) -> Option<(usize, usize)> {
    let at_row = |row: usize| rows.get(row).and_then(|row| item(row)).and_then(|item| number(&item.text));
    let own = at_row(at)?;
    let first = (1..own).rev().try_fold(at, |first, wanted| {
        (first.saturating_sub(APART)..first).rev().find(|row| at_row(*row) == Some(wanted))
    })?;
    let next = |last: &usize| (last + 1..=last + APART).find(|row| at_row(*row) == at_row(*last).map(|it| it + 1));
    let last = iter::successors(Some(at), next).last()?;
    (last > first).then_some((first, last))
}

/// How many rows one item may have.
const APART: usize = 4;

/// Of each row that has text, from this one on, whether a blank one stands right above it.
fn gaps(view: View<'_>, from: usize) -> Vec<bool> {
    let mut blank = false;
    let told = view.sight.rows.iter().filter_map(|row| {
        let gap = std::mem::replace(&mut blank, row.trim().is_empty());
        (!blank).then_some(gap)
    });
    told.skip(from).collect()
}

/// The rows around `at` whose texts begin below each other, up to where `gap` says that it ends above one.
fn block(rows: &[&str], at: usize, column: usize, gap: impl Fn(usize) -> bool) -> (usize, usize) {
    let belongs =
        |row: &str| item(row).is_some_and(|item| item.column.abs_diff(column) <= 2 && (item.column > 0 || item.boxed));
    let asks =
        |row: &str| row.trim_end_matches([' ', '│', '┃']).ends_with(['?', ':']) && !row.contains(['[', '❯', '●', '○']);
    let above = (0..at).rev().take_while(|row| !gap(row + 1) && belongs(rows[*row]) && !asks(rows[*row]));
    let below = (at + 1..rows.len()).take_while(|row| !gap(*row) && belongs(rows[*row]));
    let (first, last) = (above.last().unwrap_or(at), below.last().unwrap_or(at));
    (first, last)
}

fn question_above(rows: &[&str], first: usize) -> Option<String> {
    let at = first.checked_sub(1)?;
    let row = rows.get(at)?.trim_matches([' ', '│', '┃']);
    // `Run this command?`, and below it the command.
    let plain = |at: &usize| rows[*at].trim_matches([' ', '│', '┃']);
    let asks = (at.saturating_sub(SAID)..at).rev().find(|at| plain(at).ends_with('?'));
    if let Some(from) = asks.filter(|_| !row.ends_with(['?', ':', ')', ']', '›', '…']) && !marks(row)) {
        return Some((from..=at).map(|at| plain(&at)).collect::<Vec<_>>().join(" "));
    }
    // A program that breaks a question at the edge of the screen breaks it in a word, too.
    let broken = |above: &&&str| row.starts_with(char::is_lowercase) && above.chars().count() >= EDGE && marks(above);
    let begun = at.checked_sub(1).and_then(|above| rows.get(above)).filter(broken);
    Some(begun.map_or_else(|| row.to_owned(), |begun| format!("{}{row}", begun.trim())))
}

/// How many rows of what it is about may stand between a question and its answers.
const SAID: usize = 3;

/// The fewest letters of a row that reaches the edge.
const EDGE: usize = 70;

/// Whether a row begins as a question that waits.
fn marks(row: &str) -> bool {
    ["? ", "[?] ", "◆ "].iter().any(|mark| row.trim_start().starts_with(mark))
}
