//! Shells, interpreters, debuggers: something that takes a command and asks for the next.

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::super::screen_view::ShellMark;
use super::{Guess, Strength, View, forms};
use crate::lists::List;

/// The most characters of a shell's own prompt.
const LONGEST: usize = 100;

/// The shell itself says that it waits.
pub(super) fn by_mark(view: View<'_>) -> Option<Guess> {
    let waits = view.sight.mark == Some(ShellMark::Input);
    waits.then(|| Guess::new(PromptKind::Command, Form::ShellMark, Strength::Sure))
}

/// The words ask for a command: `Command (m for help):`, `What now>`.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let asks = lower.ends_with([':', '>', '?']);
    rows! {
        let now = ["what now", "what next", "now what"].contains(&lower.trim_end_matches([':', '>', '?', ' ']));
        asks && now && super::listed::listed(view).len() < 2 => Command WhatNow Likely;
        asks && is_banner(view) => Command Banner Likely;
        // `Coin:` below `Enter ? for list of commands or help`.
        let alone = lower.strip_suffix(':');
        let alone = alone.is_some_and(|name| name.len() >= 2 && name.chars().all(char::is_alphanumeric));
        alone && view.above().take(HELP).any(|row| forms::fits("help", row)) => Command Name Likely;
    }
    forms::read("command", &view.line.lower_with_room())
}

/// How far above an interpreter's first prompt its banner may say how help is had.
const HELP: usize = 4;

/// `debugfs:` below `debugfs 1.47.0`: the name of the program alone, which told its version above.
fn is_banner(view: View<'_>) -> bool {
    let name = view.line.lower.trim_end_matches([':', '>', ' ']);
    let plain = name.len() >= 2 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    plain
        && view.above().any(|row| {
            let lower = row.to_lowercase();
            let mut banner = lower.split_whitespace();
            let is_name = banner.next().is_some_and(|word| {
                let word = word.trim_matches(['(', ')', ',']);
                // `debugfs.ocfs2 1.8.7`
                word == name || word.split_once('.').is_some_and(|(word, _)| word == name)
            });
            is_name && banner.take(3).any(|word| word.starts_with(|c: char| c.is_ascii_digit()) || word == "version")
        })
}

/// The line is a prompt as shells print it.
pub(super) fn by_ending(view: View<'_>) -> Option<Guess> {
    let line = view.line.trimmed();
    let typed_into = || forms::read("typing", line);
    if line.is_empty() || line.chars().count() > LONGEST {
        return typed_into();
    }
    rows! {
        // `[mlr]`, and no default of what was asked above.
        let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let named = name.is_some_and(|name| name.len() >= 3 && name.bytes().all(|b| b.is_ascii_lowercase()));
        let rows = view.sight.rows.get(..view.line.top).unwrap_or_default();
        let apart = || rows.last().is_none_or(|row| row.trim().is_empty() || row.starts_with(line));
        let again = || rows.iter().any(|row| row.starts_with(line));
        named && view.line.makes_room() && (apart() || again()) => Command Named Weak;
        view.line.makes_room() && is_told_of_text(view, line) => Text BehindSign Likely;
    }
    forms::read("sign", &view.line.text).or_else(typed_into)
}

/// Whether text is wanted behind a sign, as the row above says: `terminated with a single '.'`.
fn is_told_of_text(view: View<'_>, line: &str) -> bool {
    static ENDS: List = List::of("shell ends");
    let Some(body) = line.strip_suffix('>').map(|body| body.trim_end_matches(['>', ' ']).to_lowercase()) else {
        return false;
    };
    let mut near = view.above().take(3).map(str::to_lowercase);
    if body.is_empty() {
        return near.any(|row| ENDS.iter().any(|words| row.contains(words)));
    }
    let mut entered = || near.next().is_some_and(|row| row.starts_with("enter ") && row.contains(&body));
    body.chars().all(char::is_alphabetic) && !body.ends_with("sql") && entered()
}
