//! `callboard journal backup`: a copy at one moment, also while a hub writes; and beside it one of what terminals
//! printed.

use std::path::{Path, PathBuf};

use clap::Args;

use super::problem;
use crate::cli::output::say;
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
use crate::journal::inspect;
use crate::transcripts;

/// Copy the journal as it is at one moment
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard journal backup /backup/callboard-monday.db
What terminals printed is copied beside it as callboard-monday-terminals.db. To go back: stop the hub, then
  callboard journal restore /backup/callboard-monday.db")]
pub(in crate::cli) struct BackupArgs {
    /// The copy, which must not be there yet
    to: PathBuf,
}

pub(super) fn run(args: &BackupArgs, journal: &Path) -> Result<(), Problem> {
    let mut progress = Progress::new("pages");
    inspect::backup(journal, &args.to, |done, of| progress.at(done, of)).map_err(|error| problem("copy", &error))?;
    drop(progress);
    say(&format!("The journal is copied to `{}`.", args.to.display()))?;
    let terminals = journal.with_file_name(transcripts::FILE);
    if !terminals.exists() {
        return Ok(());
    }
    let beside = beside(&args.to);
    transcripts::backup(&terminals, &beside)
        .map_err(|fault| Problem::failed("failed to copy what terminals printed").because(fault.to_string()))?;
    say(&format!("What terminals printed is copied to `{}`.", beside.display()))
}

/// The name of the copy of what terminals printed.
pub(super) fn beside(copy: &Path) -> PathBuf {
    let name = copy.file_stem().unwrap_or_default().to_string_lossy();
    copy.with_file_name(format!("{name}-terminals.db"))
}
