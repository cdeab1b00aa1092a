//! `callboard journal …`: looks at the journal's file itself, which a hub may be using, unless a copy replaces it.

mod backup;
mod export;
#[cfg(feature = "postgres")]
mod import;
mod restore;
mod series;
mod verify;

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::exit::Exit;
use super::place::GlobalArgs;
use super::problem::Problem;
use crate::journal::inspect::InspectError;
use crate::journal::is_in_database;
use crate::journal::sqlite::OpenError;

/// The journal's file in the data directory.
const FILE: &str = "callboard.db";

#[derive(Debug, Subcommand)]
pub(super) enum JournalVerb {
    Verify(verify::VerifyArgs),
    Export(export::ExportArgs),
    Backup(backup::BackupArgs),
    Restore(restore::RestoreArgs),
    #[cfg(feature = "postgres")]
    Import(import::ImportArgs),
}

pub(super) fn run(verb: &JournalVerb, globals: &GlobalArgs) -> Result<(), Problem> {
    let path = globals.data_dir()?.join(FILE);
    match verb {
        #[cfg(feature = "postgres")]
        JournalVerb::Verify(args) if args.both => verify::both(args, &there(path)?, globals),
        JournalVerb::Verify(args) => verify::run(args, &in_force(path)?),
        JournalVerb::Export(args) => export::run(args, &in_force(path)?),
        JournalVerb::Backup(args) => backup::run(args, &in_force(path)?),
        JournalVerb::Restore(args) => restore::run(args, &not_elsewhere(path)?),
        #[cfg(feature = "postgres")]
        JournalVerb::Import(args) => import::run(args, &path, globals),
    }
}

/// The file, where the hub uses it.
fn in_force(path: PathBuf) -> Result<PathBuf, Problem> {
    not_elsewhere(path).and_then(there)
}

/// One that was carried into a database is no journal to be backed up, checked, or replaced by a copy.
fn not_elsewhere(path: PathBuf) -> Result<PathBuf, Problem> {
    let folder = path.parent().unwrap_or(Path::new("."));
    if is_in_database(folder) {
        return Err(Problem::new(
            Exit::Configuration,
            format!("the journal of `{}` is in a database", folder.display()),
        )
        .because("a file there is what it was before it was carried over")
        .next(
            "callboard journal import --to sqlite:FILE brings it home, and pg_dump copies the database; to look at the \
             old file, copy it into a folder of its own, and name that",
        ));
    }
    Ok(path)
}

fn there(path: PathBuf) -> Result<PathBuf, Problem> {
    if path.exists() {
        return Ok(path);
    }
    Err(Problem::new(Exit::NotFound, format!("there is no journal at `{}`", path.display()))
        .next("set CALLBOARD_DATA_DIR, or --data-dir, to where a hub keeps its data"))
}

/// What could not be looked at, in words.
fn problem(what: &str, error: &InspectError) -> Problem {
    let exit = match error {
        // What is broken has failed the check; what is in use, or of another version, was not checked.
        InspectError::Unread => return Problem::unread(),
        InspectError::Open(
            OpenError::Io { .. }
            | OpenError::Torn { .. }
            | OpenError::CutShort { .. }
            | OpenError::NotItsOwn { .. }
            | OpenError::Emptied { .. }
            | OpenError::NotAJournal { .. },
        )
        | InspectError::NoCopy(_)
        | InspectError::Unsound { .. }
        | InspectError::Read(_)
        | InspectError::Write { .. } => Exit::Failed,
        InspectError::Open(_) => Exit::Configuration,
    };
    Problem::new(exit, format!("failed to {what} the journal")).because(error.to_string())
}
