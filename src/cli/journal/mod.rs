//! `callboard journal …`: looks at the journal's file itself. A hub may be using it meanwhile.

mod backup;
mod export;
mod verify;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::exit::Exit;
use super::place;
use super::problem::Problem;
use crate::journal::inspect::InspectError;
use crate::journal::sqlite::OpenError;

/// The journal's file in the data directory.
const FILE: &str = "callboard.db";

/// Check, export or copy the journal
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  callboard journal verify
  callboard journal backup /backup/callboard-monday.db"
)]
pub(super) struct JournalArgs {
    #[command(subcommand)]
    verb: JournalVerb,
}

#[derive(Debug, Subcommand)]
enum JournalVerb {
    Verify(verify::VerifyArgs),
    Export(export::ExportArgs),
    Backup(backup::BackupArgs),
}

/// Does it.
pub(super) fn run(args: &JournalArgs, data_dir: Option<&Path>) -> Result<(), Problem> {
    let path = journal(data_dir)?;
    match &args.verb {
        JournalVerb::Verify(args) => verify::run(args, &path),
        JournalVerb::Export(args) => export::run(args, &path),
        JournalVerb::Backup(args) => backup::run(args, &path),
    }
}

fn journal(data_dir: Option<&Path>) -> Result<PathBuf, Problem> {
    let path = place::data_dir(data_dir)?.join(FILE);
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
            OpenError::Io { .. } | OpenError::Torn { .. } | OpenError::CutShort { .. } | OpenError::NotAJournal { .. },
        )
        | InspectError::Read(_)
        | InspectError::Write { .. } => Exit::Failed,
        InspectError::Open(_) => Exit::Configuration,
    };
    Problem::new(exit, format!("failed to {what} the journal")).because(error.to_string())
}
