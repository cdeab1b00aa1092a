//! What stands above a question and is no announcement: what lies there, what was changed, what is advised.

use super::super::line::words;
use super::asks;
use crate::danger::{self, Reading};
use crate::lists::List;

/// What lies on a disk that is asked about.
static LIES_THERE: List = List::of("there lies-there");
static HOLDS: List = List::of("there holds");
static ADVISED: List = List::of("there advised");
/// Where everybody would feel it.
static IN_PRODUCTION: List = List::of("there in-production");
/// What nobody is to do while it goes on.
static WARNED: List = List::of("there warned");

/// Whether any of it makes a question dangerous; `asked` is the question without its answers.
pub(super) fn says(context: &str, question: &str, asked: &str, reading: Reading) -> bool {
    let lower = context.to_lowercase();
    let says = |list: &[&str]| list.iter().any(|words| lower.contains(words));
    let leans = reading == Reading::Above;
    let asks = |row: &str| row.trim_end().ends_with('?') && asks(row, Reading::Question);
    // `Delete this book?`, and then `Its title is Emma (y/n)`.
    let goes_on = || !question.contains('?') && context.lines().next_back().is_some_and(asks);
    danger::leaves_unsaved(&format!("{}\n{asked}", last_rows(context)))
        || says(&HOLDS) && says(&LIES_THERE)
        || leans && lower.lines().any(is_found)
        || says(&ADVISED)
        || leans && lower.lines().any(is_backup_advised)
        || says(&IN_PRODUCTION)
        || says(&WARNED)
        || WARNED.iter().any(|words| question.to_lowercase().contains(words))
        || leans && (context.lines().any(asks) || lower.lines().next_back().is_some_and(is_file_there))
        || goes_on()
        || lower.lines().any(|row| row.trim_start_matches(['*', '!', '#', ' ']).starts_with("danger:"))
        // `conflict  a.txt`, and an answer that overwrites among the letters below.
        || lower.lines().next_back().is_some_and(|row| row.trim().starts_with("conflict ") && row.contains("exists"))
        || lower.contains("o)verwrite")
        || lower.contains("replace the existing")
}

/// The rows that a question may go on from: `The text was modified.`, and then `Quit?`
pub(super) fn last_rows(context: &str) -> &str {
    let from = context.rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at + 1);
    &context[from..]
}

/// `a.txt already exists`: who goes on writes over it.
fn is_file_there(row: &str) -> bool {
    let named = |word: &str| word.rsplit_once('.').is_some_and(|(_, end)| (1..=4).contains(&end.len()));
    let file = || {
        words(row).any(|word| word == "file") || row.split_whitespace().any(|word| named(word.trim_end_matches('.')))
    };
    let place = words(row).any(|word| matches!(word, "directory" | "folder"));
    row.contains("already exists") && !place && file()
}

/// `Backup of your data is recommended.`: whoever says so knows that it may go wrong.
fn is_backup_advised(row: &str) -> bool {
    let advises = ["recommended", "advised", "advisable", "strongly", "make sure", "should", "be sure to"];
    words(row).any(|word| matches!(word, "backup" | "backups")) && advises.iter().any(|words| row.contains(words))
}

/// `Found ext2 filesystem`
fn is_found(row: &str) -> bool {
    row.starts_with("found ")
        && ["file system", "filesystem", "signature", "superblock"].iter().any(|what| row.contains(what))
}
