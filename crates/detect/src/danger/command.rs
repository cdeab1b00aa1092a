//! Command lines that destroy. They count wherever they stand, also in quotes: a command is quoted to be run.

use std::sync::LazyLock;

use super::clause::Clause;
use super::negation;
use crate::lexicon::Lexicon;

/// Each is a run of words; `…` stands for any words between, `*` at the end of a word for any ending.
const COMMANDS: &[&[&str]] = &[
    &["rm", "-r*"],
    &["rm", "-f*"],
    &["rm", "--recursive"],
    &["rmdir", "/s"],
    &["del", "…", "/s"],
    &["del", "…", "/f"],
    &["del", "…", "/q"],
    &["rd", "/s"],
    &["remove-item"],
    &["find", "…", "-delete"],
    &["find", "…", "-exec", "rm*"],
    &["git", "push", "…", "+*"],
    &["git", "push", "…", "--force*"],
    &["git", "push", "…", "-f"],
    &["git", "push", "…", "--delete"],
    &["git", "push", "…", "--mirror"],
    &["push", "--force*"],
    &["push", "…", "with", "force"],
    &["force", "push*"],
    &["force-push*"],
    &["force-pushing"],
    &["reset", "…", "--hard"],
    &["clean", "-f*"],
    &["clean", "-xdf"],
    &["branch", "-d"],
    &["checkout", "--"],
    &["stash", "drop"],
    &["stash", "clear"],
    &["filter-branch"],
    &["reflog", "expire"],
    &["drop", "table*"],
    &["drop", "database*"],
    &["drop", "schema*"],
    &["drop", "column*"],
    &["delete", "from"],
    &["truncate", "table*"],
    &["dropdb"],
    &["flushall"],
    &["flushdb"],
    &["db.dropdatabase"],
    &["mkfs*"],
    &["mkreiserfs"],
    &["mke2fs"],
    &["mkswap"],
    &["newfs*"],
    &["fdisk"],
    &["wipefs"],
    &["shred"],
    &["dd", "…", "of*"],
    &["format", "c"],
    &["kubectl", "delete"],
    &["kubectl", "drain"],
    &["terraform", "destroy"],
    &["terraform", "apply"],
    &["pulumi", "destroy"],
    &["helm", "uninstall"],
    &["docker", "…", "prune"],
    &["docker", "volume", "rm"],
    &["docker-compose", "down", "-v"],
    &["compose", "down", "-v"],
    &["s3", "rm"],
    &["s3", "rb"],
    &["repo", "delete"],
    &["kill", "-9"],
    &["killall"],
    &["pkill"],
    &["shutdown", "-*"],
    &["chmod", "…", "777"],
    &["npm", "publish"],
    &["cargo", "publish"],
    &["migrate", "reset"],
    &["migrate", "fresh"],
    &["db", "reset"],
    &["db", "drop"],
    &["apt", "…", "purge"],
    &["userdel"],
    &["terminate-instances"],
];

/// What a command line may begin with.
static FIRST: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(COMMANDS.iter().filter_map(|command| command.first().map(|word| (1, *word)))));

/// Disks, to which a shell writes whatever it is told to: `cat image > /dev/sda`.
const DISKS: [&str; 4] = ["/dev/sd", "/dev/nvme", "/dev/hd", "/dev/vd"];

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
