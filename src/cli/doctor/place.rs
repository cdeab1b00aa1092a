//! The data directory, as it lies on the disk: whoever can read it is the operator.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde::de::IgnoredAny;

use super::finding::Finding;
use crate::audit::FILE as AUDIT;
use crate::cli::exit::Exit;
use crate::cli::place::{GlobalArgs, TOKEN_FILE};
use crate::cli::problem::Problem;
use crate::journal::is_in_database;
use crate::private_file;

const CHECK: &str = "data directory";

/// The files that nobody else may read.
const SECRET: [&str; 4] = ["tokens", TOKEN_FILE, AUDIT, "callboard.db"];
/// Those of them that are refused unless they are their owner's alone.
const REFUSED: [&str; 2] = ["tokens", TOKEN_FILE];

pub(super) fn look(globals: &GlobalArgs) -> Vec<Finding> {
    match globals.data_dir() {
        Ok(dir) => vec![at(&dir)],
        // What is wrong with the settings is said once, by itself.
        Err(_) => vec![Finding::skipped(CHECK, "the settings say where it is, and are wrong")],
    }
}

/// Looks at this one.
pub(super) fn at(dir: &Path) -> Finding {
    let shown = dir.display();
    let Some(mode) = mode(dir) else {
        return Finding::skipped(CHECK, format!("`{shown}` is not there: no hub has served from it"))
            .next("callboard serve, or set CALLBOARD_DATA_DIR");
    };
    // What others may write or enter is told before what they may read in it; both in the hub's own words.
    if let Err(error) = private_file::check_folder(dir) {
        return Finding::wrong(CHECK, Exit::Configuration, error.to_string()).next(private_file::closing_folder(dir));
    }
    if let Some(damaged) = damaged(dir) {
        return damaged;
    }
    let is_closed = mode & 0o077 == 0;
    // The hub refuses to read its tokens where anybody else may, also in a folder that nobody else may enter.
    let open = SECRET
        .iter()
        .filter(|name| !is_closed || REFUSED.contains(name))
        .map(|name| dir.join(name))
        .find(|path| self::mode(path).is_some_and(|mode| mode & 0o077 != 0));
    match open {
        Some(path) => Finding::wrong(CHECK, Exit::Configuration, format!("others may read `{}`", path.display()))
            .next(private_file::closing_file(&path)),
        None if is_closed => Finding::good(CHECK, format!("`{shown}` is yours alone")),
        None => Finding::doubtful(CHECK, format!("others may list `{shown}`, and read none of its secrets"))
            .next(format!("chmod 700 '{shown}'")),
    }
}

/// A file without which a hub does not serve as it did.
fn damaged(dir: &Path) -> Option<Finding> {
    if let Some(missing) = missing_journal(dir) {
        return Some(Finding::of_problem(CHECK, &missing).code("JOURNAL_MISSING").next(mend_journal(dir)));
    }
    let tokens = dir.join("tokens");
    // One that cannot be read is told of by its rights.
    let text = fs::read_to_string(&tokens).ok()?;
    let error = serde_json::from_str::<IgnoredAny>(&text).err()?;
    let message = format!("`{}` is not a file of tokens: {error}", tokens.display());
    let finding = Finding::wrong(CHECK, Exit::Configuration, message).code("TOKENS_DAMAGED");
    Some(finding.next(mend_tokens(dir)))
}

/// A hub served from here, and its journal is gone: one that serves now would begin anew, with the tokens of before.
pub(in crate::cli) fn missing_journal(dir: &Path) -> Option<Problem> {
    let journal = dir.join("callboard.db");
    let is_gone = dir.join("callboard.db-mark").exists() && !journal.exists() && !is_in_database(dir);
    is_gone.then(|| {
        Problem::configuration(format!("the journal `{}` is gone", journal.display()))
            .because("a hub served from this folder, and one that serves now would know no task of before")
            .next(mend_journal(dir))
    })
}

fn mend_journal(dir: &Path) -> String {
    let mark = dir.join("callboard.db-mark");
    format!("callboard journal restore BACKUP; or, to begin anew: rm '{}', then callboard serve", mark.display())
}

/// What to do about a file of tokens that cannot be read.
pub(in crate::cli) fn mend_tokens(dir: &Path) -> String {
    let file = dir.join("tokens");
    let (file, operator) = (file.display(), dir.join(TOKEN_FILE));
    format!(
        "put `{file}` back from a backup; or `rm '{file}' '{}'`, then callboard serve: it makes new ones, and each \
         agent and person needs a new token",
        operator.display()
    )
}

fn mode(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|about| about.permissions().mode() & 0o777)
}
