//! A program's command, as it was typed or as a program was started: `apt purge nginx` says itself that it destroys.
//!
//! The host knows how a program was started, and tells the hub a single bit of it (`destroys`), since a command line
//! may hold a secret. The rest is read from the shell's row on the screen.

use super::{Reading, asked_by_program};
use crate::lists::List;

/// Words of a command, before its options and what it is done to.
const WORDS: usize = 4;
/// Stand before a command without being one.
static BEFORE: List = List::of("started before");
/// What a word of a command does: `apps:destroy`, `db-drop`.
static DESTROYS: List = List::of("started destroys");
/// What does something else, to what may have any name.
static HARMLESS: List = List::of("started harmless");
/// Programs that do nothing else, and do not say so in their names' words.
static PROGRAMS: List = List::of("started programs");
/// Words of a program's name that say so: `trash-empty`, `clean-modules`.
static NAMES: List = List::of("started names");

/// Whether a command, as it was typed or as a program was started, says itself that it destroys: `apt purge nginx`.
///
/// Only its first words count, and the names of programs that do little else. What it is done to may have any name.
pub fn command_destroys(command: &str) -> bool {
    if asked_by_program(command, Reading::Announced).is_some() {
        return true;
    }
    let before = |word: &&str| BEFORE.contains(&base(word)) || word.contains('=') || word.starts_with('-');
    let mut words = command.split_whitespace().skip_while(before);
    let Some(program) = words.next().map(base) else { return false };
    let parts = |word: &str, list: &List| word.split(['-', ':', '_', '.']).any(|part| list.contains(&part));
    let named = program.contains(['-', '.']) && parts(program, &NAMES);
    let verbs = words.take_while(|word| !word.starts_with('-')).take(WORDS - 1);
    // What something is done to may have any name: only the first words are the program's own.
    let own = |word: &&str| !word.contains(['/', '@', '=']) && !HARMLESS.contains(word);
    let told = verbs.take_while(own).any(|word| parts(word, &DESTROYS));
    PROGRAMS.contains(&program) || named || told
}

/// `/usr/bin/rm` is `rm`.
fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
