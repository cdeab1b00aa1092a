//! The rules: what a screen must look like for a program to wait, and for what. The first that fits decides.
//!
//! A rule sees the open line and the rows, and knows nothing of the host: how much a fit is worth is weighed elsewhere
//! (`weigh`). Each rule has a name, which verdicts carry. No rule looks at more than the last 512 bytes of a line or
//! the rows of one screen, so each takes linear time.

/// Conditions in order, and what the first that holds says: nothing, or a kind by a form, how surely, and choices.
macro_rules! rows {
    () => {};
    (let $name:ident = $value:expr; $($rest:tt)*) => {
        let $name = $value;
        rows! { $($rest)* }
    };
    ($holds:expr => None; $($rest:tt)*) => {
        if $holds {
            return None;
        }
        rows! { $($rest)* }
    };
    ($holds:expr => $kind:ident $form:ident $strength:ident $($choices:expr)?; $($rest:tt)*) => {
        if $holds {
            return Some(Guess::new(PromptKind::$kind, Form::$form, Strength::$strength)$(.choices($choices))?);
        }
        rows! { $($rest)* }
    };
}

mod action;
mod answer;
mod any_key;
mod brackets;
mod choice;
mod editor;
mod filling;
mod hinted;
mod input_box;
mod instructed;
mod keys;
mod layout;
mod listed;
mod menu;
mod pager;
mod parts;
mod path;
mod prefilled;
mod question;
mod secret;
mod shell;
mod told;
mod under;
mod verbs;
mod yes_no;

use super::forms;
use super::kind::PromptKind;
use super::line::{OpenLine, is_answered, last_bytes};
use super::patterns::Patterns;
use super::rule_id::Form;
use super::screen_view::ScreenView;
use crate::ablation::is_left_out;
use layout::Answers;

#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) sight: &'a ScreenView,
    pub(super) line: &'a OpenLine,
    pub(super) patterns: &'a Patterns,
}

impl<'a> View<'a> {
    /// The rows above the open line, the nearest first, blank ones left out.
    pub(super) fn above(self) -> impl Iterator<Item = &'a str> {
        let rows = self.sight.rows.get(..self.line.top).unwrap_or_default();
        rows.iter().rev().map(|row| row.trim_end()).filter(|row| !row.trim().is_empty())
    }

    pub(super) fn rows(self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.sight.rows.iter().map(|row| row.trim_end()).filter(|row| !row.trim().is_empty())
    }
}

pub(super) use super::guess::{Guess, Strength};
pub(super) use answer::{is_no, is_yes};
pub(super) use input_box::has_sign;
pub(super) use instructed::tells;
pub(super) use keys::watches;
pub(super) use menu::is_dialog;
pub(super) use pager::{is_legend, is_status};
pub(super) use secret::{LONGEST_CORE, by_words as secret_by_words, may_name_secret, names_secret, says_only_harmless};
pub(super) use told::by_sign;

type Rule = fn(View<'_>) -> Option<Guess>;

/// Layouts that are drawn, or that say themselves what they are: where the question stands, and what may be answered.
const DRAWN: [Rule; 10] = [
    shell::by_mark,
    input_box::of_an_agent,
    hinted::keys,
    parts::framed,
    menu::filter,
    menu::framed,
    menu::pointer,
    pager::by_words,
    editor::by_screen,
    choice::keyed,
];
/// What a line asks for that names its answers or a secret.
const NAMED: [Rule; 8] = [
    brackets::groups,
    choice::keys,
    yes_no::half,
    yes_no::typed,
    yes_no::sure,
    secret::by_words,
    yes_no::bare,
    yes_no::instructed,
];
/// Layouts with the question in a row above the open line.
const UNDER: [Rule; 2] = [under::a_question, under::offered];
/// What a line asks for by its other words, from the most particular to the most general.
const WORDED: [Rule; 6] =
    [shell::by_words, path::by_words, choice::slashes, choice::by_words, shell::by_ending, question::by_ending];
/// A line that tells of a key that goes on: it asks for nothing, whatever stands in it.
const PAGED: [Rule; 1] = [pager::by_words];
/// Layouts that are known by less.
const FAINT: [Rule; 3] = [pager::by_place, parts::last_row, keys::at_the_edge];

/// What the screen is for, by the first layout that fits; what the operator says goes first. A layout finds the text
/// that asks, and [`of_line`] says for what: no layout asks for another one.
pub(super) fn first(view: View<'_>) -> Option<Guess> {
    of_the_operator(view).or_else(|| by(&[&DRAWN, &NAMED, &UNDER, &WORDED, &FAINT], view))
}

/// What a line asks for, were this the open one.
fn of_line(view: View<'_>, line: &OpenLine) -> Option<Guess> {
    let view = View { line, ..view };
    of_the_operator(view).or_else(|| by(&[&PAGED, &NAMED, &WORDED], view))
}

fn by(tables: &[&[Rule]], view: View<'_>) -> Option<Guess> {
    tables.iter().copied().flatten().find_map(|rule| kept(rule(view)))
}

/// A guess, unless its rule is left out.
pub(super) fn kept(guess: Option<Guess>) -> Option<Guess> {
    guess.filter(|guess| !is_left_out(&guess.rule()))
}

/// A prompt that the operator added.
fn of_the_operator(view: View<'_>) -> Option<Guess> {
    let prompt = view.patterns.find(&view.line.lower)?;
    let mut guess = Guess::new(prompt.kind, Form::Own, Strength::Sure);
    guess.own = Some(prompt.name.clone());
    guess.dangerous = prompt.dangerous;
    Some(guess.choices(prompt.choices.clone()))
}

/// For a program that ended its question with a line end, and reads: what the row above asks.
pub(super) fn above(view: View<'_>) -> Option<Guess> {
    let row = view.above().next().filter(|_| view.line.is_blank())?;
    instructed::alternatives(view).or_else(|| optional(row.trim())).or_else(|| under::question(view))
}

/// `Name of the certificate file (or enter to create)`: what is asked for, and what happens without it.
fn optional(text: &str) -> Option<Guess> {
    let lower = text.to_lowercase();
    let asked = forms::parts("optional", &lower)?.part("asked");
    Some(Guess::of(Answers::Line(asked), Form::Optional, Strength::Fair).asked_in(text))
}

/// Whether a text that is offered as an answer is a place.
fn is_place(text: &str) -> bool {
    text.starts_with(['/', '~']) || text.starts_with("./")
}

/// The open line, had the question in a row above been asked in it.
fn asked(view: View<'_>, row: &str) -> OpenLine {
    let text = last_bytes(row, 512);
    OpenLine { text: format!("{text} "), lower: text.trim().to_lowercase(), ..view.line.clone() }
}

/// For a line that was read on and hidden: the kind is known, whatever it says.
pub(super) fn hidden() -> Guess {
    Guess::new(PromptKind::Password, Form::EchoOff, Strength::Sure)
}

/// For a line that is read, and in which an answer stands already.
pub(super) fn prefilled(view: View<'_>) -> Option<Guess> {
    // A full screen tells much by labels; what it asks stands in its last rows.
    let asks = !view.sight.alternate || view.sight.cursor_row + 3 >= view.sight.rows.len();
    prefilled::line(view).filter(|_| asks)
}

/// For a line that is read behind something that no rule knows: it says what is typed there, somehow. Where keys are
/// read, it must begin as a label does: `Name of it ada`.
pub(super) fn labelled(view: View<'_>, lines: bool) -> Option<Guess> {
    let line = view.line.trimmed();
    let label = forms::fits("label-begins", line);
    let labelled = !line.is_empty() && !view.sight.alternate && (lines || label);
    labelled.then(|| Guess::new(PromptKind::Text, Form::Labelled, Strength::Weak))
}

/// `Glaurung 2.2.  Copyright (C) 2004`: who says its name and version, and then reads lines, takes commands.
fn introduces_itself(view: View<'_>) -> bool {
    let rows: Vec<&str> = view.rows().collect();
    let from = rows.iter().rposition(|row| is_answered(row)).map_or(0, |at| at + 1);
    rows[from..].iter().take(BANNER).any(|row| forms::fits("introduction", row))
}

/// How many rows an introduction has at most.
const BANNER: usize = 4;

/// For a program that reads without having asked. One that takes whole lines (`canonical`) is handed a line of text,
/// one that takes keys is operated by them: of such moments on recordings, that is what most are.
pub(super) fn silent(view: View<'_>, canonical: Option<bool>) -> Guess {
    if !view.sight.alternate {
        let kind = match canonical {
            Some(true) if !introduces_itself(view) => PromptKind::Text,
            Some(_) => PromptKind::Command,
            None => PromptKind::Unknown,
        };
        return Guess::new(kind, Form::Silent, Strength::Weak);
    }
    filling::list(view).unwrap_or_else(|| Guess::new(PromptKind::Command, Form::FullScreen, Strength::Weak))
}
