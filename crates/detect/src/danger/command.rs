//! Command lines that destroy. They count wherever they stand, also in quotes: a command is quoted to be run.

use std::sync::LazyLock;

use super::clause::Clause;
use super::negation;
use crate::lexicon::Lexicon;
use crate::lists::List;

/// Each is a run of words; `…` stands for any words between, `*` at the end of a word for any ending.
static COMMANDS: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| List::of("commands").iter().map(|command| command.split(' ').collect()).collect());

/// What a command line may begin with.
static FIRST: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(COMMANDS.iter().filter_map(|command| command.first().map(|word| (1, *word)))));

/// Disks, to which a shell writes whatever it is told to: `cat image > /dev/sda`.
static DISKS: List = List::of("command disks");

/// The first command line in a clause that destroys, and that nobody forbids.
pub(super) fn find(clause: &Clause<'_>) -> Option<String> {
    let written = clause.text.split('>').skip(1).find(|to| DISKS.iter().any(|disk| to.trim_start().starts_with(disk)));
    if let Some(disk) = written.and_then(|to| to.split_whitespace().next()) {
        return Some(format!("> {disk}"));
    }
    (0..clause.words.len()).find_map(|at| {
        let rest = &clause.words[at..];
        if FIRST.lists_of(rest[0]) == 0 {
            return None;
        }
        let length = COMMANDS.iter().filter_map(|command| matches(command, rest)).max()?;
        (!negation::forbids(&clause.words[..at])).then(|| rest[..length].join(" "))
    })
}

/// How many words of `words` a command takes, when they begin with it.
fn matches(command: &[&str], words: &[&str]) -> Option<usize> {
    let mut at = 0;
    let mut gap = false;
    for part in command {
        if *part == "…" {
            gap = true;
            continue;
        }
        let reach = if gap { 6 } else { 1 };
        let found = words.iter().enumerate().skip(at).take(reach).find(|(_, word)| is(part, word))?;
        at = found.0 + 1;
        gap = false;
    }
    Some(at)
}

fn is(part: &str, word: &str) -> bool {
    match part.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => part == word,
    }
}
