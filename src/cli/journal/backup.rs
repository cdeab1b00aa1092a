//! `callboard journal backup`: a copy at one moment, also while a hub writes; and beside it one of what terminals
//! printed. Or a series of them: [`series`](super::series).

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::series::{Series, copy};
use crate::cli::output::say;
use crate::cli::problem::Problem;
use crate::cli::values;

/// Copy the journal as it is at one moment
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard journal backup /backup/callboard-monday.db
  callboard journal backup /backup --every 1m --keep 60
  callboard journal backup /backup --every 5m -- sh -c 'aws s3 cp \"$1\" s3://my-backups/' take
What terminals printed is copied beside it as callboard-monday-terminals.db. To go back: stop the hub, then
  callboard journal restore /backup/callboard-monday.db")]
pub(in crate::cli) struct BackupArgs {
    /// The copy, which must not be there yet; with --every the folder of the copies
    to: PathBuf,
    /// Copy again after each such span in which something was written, until told to end
    #[arg(long, value_name = "SPAN", value_parser = values::span)]
    every: Option<Duration>,
    /// How many copies of the series stay
    #[arg(long, value_name = "N", default_value_t = 60, requires = "every", value_parser = at_least_one)]
    keep: usize,
    /// A command that takes each copy elsewhere; the copy's path is its last argument
    #[arg(last = true, requires = "every")]
    then: Vec<String>,
}

/// The shortest span of a series: a copy may make an append wait for a good part of a second.
const SHORTEST: Duration = Duration::from_secs(1);

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "a number of at least 1".to_owned())
}

/// Whether a copy can be made there, as far as that is a matter of what was typed.
fn is_free(to: &Path) -> Result<(), Problem> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    if to.exists() {
        let what = format!("`{}` is there already, and is not written over", to.display());
        return Err(Problem::configuration(what).next("name another file; with --every a folder takes many copies"));
    }
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => Err(Problem::configuration(format!("there is no folder `{}`", folder.display()))
            .next("make it first, open to nobody else: a copy has all that the journal has")),
        None => Ok(()),
    }
}

pub(super) fn run(args: &BackupArgs, journal: &Path) -> Result<(), Problem> {
    if let Some(every) = args.every {
        let every = every.max(SHORTEST);
        return Series { folder: &args.to, every, keep: args.keep, then: &args.then }.run(journal);
    }
    is_free(&args.to)?;
    let terminals = copy(journal, &args.to)?;
    say(&format!("The journal is copied to `{}`.", args.to.display()))?;
    match terminals {
        Some(terminals) => say(&format!("What terminals printed is copied to `{}`.", terminals.display())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
