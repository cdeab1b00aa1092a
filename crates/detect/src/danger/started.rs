//! A program's command, as it was typed or as a program was started: `apt purge nginx` says itself that it destroys.
//!
//! The host knows how a program was started, and tells the hub a single bit of it (`destroys`), since a command line
//! may hold a secret. The rest is read from the shell's row on the screen.

use super::{Reading, asked_by_program};

/// Words of a command, before its options and what it is done to.
const WORDS: usize = 4;
/// Stand before a command without being one.
const BEFORE: &str = "\
    sudo doas time nohup nice env exec command npx bunx pnpx dlx uvx pipx run yes then do node nodejs bun deno python \
    python3 ruby perl php bash sh dash zsh";
/// What a word of a command does: `apps:destroy`, `db-drop`.
const DESTROYS: &str = "\
    delete destroy remove rm drop purge wipe erase terminate uninstall revoke unpublish reset \
    truncate prune autoremove nuke expunge discard rollback revert del trash clean cleanup empty \
    deprovision undeploy unregister deregister evict flush kill decommission";
/// What does something else, to what may have any name.
const HARMLESS: &str = "install add create new init list ls show get describe build start status info search";
/// Programs that do nothing else, and do not say so in their names' words.
const PROGRAMS: &str = "\
    rm rmdir rimraf srm shred dropdb dropuser userdel groupdel deluser delgroup mkfs mke2fs wipefs fdisk cfdisk \
    sgdisk parted dd mkswap fkill npkill killall pkill kill lvremove vgremove pvremove zap unlink rip del erase format";
/// Words of a program's name that say so: `trash-empty`, `clean-modules`.
const NAMES: &str =
    "delete destroy purge wipe erase uninstall clean cleanup prune nuke empty remove truncate mkfs kill";

/// Whether a command, as it was typed or as a program was started, says itself that it destroys: `apt purge nginx`.
///
/// Only its first words count, and the names of programs that do little else. What it is done to may have any name.
#[must_use]
pub fn command_destroys(command: &str) -> bool {
    if asked_by_program(command, Reading::Announced).is_some() {
        return true;
    }
    let before = |word: &&str| is_among(BEFORE, base(word)) || word.contains('=') || word.starts_with('-');
    let mut words = command.split_whitespace().skip_while(before);
    let Some(program) = words.next().map(base) else { return false };
    let parts = |word: &str, list: &str| word.split(['-', ':', '_', '.']).any(|part| is_among(list, part));
    let named = program.contains(['-', '.']) && parts(program, NAMES);
    let verbs = words.take_while(|word| !word.starts_with('-')).take(WORDS - 1);
    // What something is done to may have any name: only the first words are the program's own.
    let own = |word: &&str| !word.contains(['/', '@', '=']) && !is_among(HARMLESS, word);
    let told = verbs.take_while(own).any(|word| parts(word, DESTROYS));
    is_among(PROGRAMS, program) || named || told
}

/// `/usr/bin/rm` is `rm`.
fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}
