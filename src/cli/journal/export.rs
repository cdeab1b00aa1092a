//! `callboard journal export`: every record as a line of JSON.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::problem;
use crate::cli::output::say;
use crate::cli::problem::Problem;
use crate::journal::inspect;
use crate::private_file;

/// Write every record as a line of JSON
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard journal export > records.ndjson
  callboard journal export --out records.ndjson

It holds what agents and people wrote, and of a webhook's address the host alone, since its path may be a secret.")]
pub(in crate::cli) struct ExportArgs {
    /// The file, which must not be there yet; standard output when none is named
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &ExportArgs, journal: &Path) -> Result<(), Problem> {
    let Some(file) = &args.out else {
        export(journal, &mut std::io::stdout().lock())?;
        return Ok(());
    };
    let opened = private_file::create(file)
        .map_err(|error| Problem::failed(format!("failed to write `{}`", file.display())).because(error.to_string()))?;
    let count = export(journal, &mut BufWriter::new(opened))?;
    say(&format!("{count} records in `{}`.", file.display()))
}

fn export(journal: &Path, out: &mut dyn Write) -> Result<u64, Problem> {
    inspect::export(journal, out).map_err(|error| problem("export", &error))
}
