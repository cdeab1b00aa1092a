//! `callboard journal backup`: a copy at one moment, also while a hub writes.

use std::path::{Path, PathBuf};

use clap::Args;

use super::problem;
use crate::cli::output::say;
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
use crate::journal::inspect;

/// Copy the journal as it is at one moment
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard journal backup /backup/callboard-monday.db
To go back: stop the hub, and put the copy in the data directory as callboard.db.")]
pub(super) struct BackupArgs {
    /// The copy, which must not be there yet
    to: PathBuf,
}

/// Copies it.
pub(super) fn run(args: &BackupArgs, journal: &Path) -> Result<(), Problem> {
    let mut progress = Progress::new("pages");
    inspect::backup(journal, &args.to, |done, of| progress.at(done, of)).map_err(|error| problem("copy", &error))?;
    drop(progress);
    say(&format!("The journal is copied to `{}`.", args.to.display()))
}
