//! `callboard journal import`: the journal of the data directory goes into a database, while no hub runs.

use std::fs;
use std::path::Path;

use clap::Args;
use secrecy::ExposeSecret as _;

use super::problem;
use crate::cli::exit::Exit;
use crate::cli::home::temporary;
use crate::cli::output::say;
use crate::cli::place::{GlobalArgs, store_password};
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
use crate::journal::TEAM;
use crate::journal::inspect::InspectError;
use crate::journal::postgres::{DatabasePlace, ImportError, ImportReport, OpenError, import};

/// Carry the journal of the data directory into a PostgreSQL database
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard journal import --to postgres://hub@db.example/hub?sslmode=verify-full --dry-run
  callboard journal import --to postgres://callboard@db.example/callboard?sslmode=verify-full

The hub must not run. An import that was cut short goes on where it ended. Tokens and secrets of webhooks go with it; \
the audit and what terminals printed stay in the data directory, and the file stays as it is. The password comes by \
CALLBOARD_STORE_PASSWORD, CALLBOARD_STORE_PASSWORD_FILE or `storePasswordFile`. A dry run makes the empty tables, and \
carries nothing.")]
pub(in crate::cli) struct ImportArgs {
    /// The database to carry it into
    #[arg(long, value_name = "postgres://USER@HOST/DATABASE")]
    to: String,
    /// Only say what would be carried
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &ImportArgs, journal: &Path, globals: &GlobalArgs) -> Result<(), Problem> {
    let password = store_password(&globals.settings()?.settings.hub)?;
    let password = password.as_ref().map(|password| password.expose_secret());
    let parse = |folder: &Path| {
        DatabasePlace::parse(&args.to, password, TEAM, folder).map_err(|error| refused(ImportError::Database(error)))
    };
    let report = if args.dry_run {
        // What was only looked at is not what this data directory belongs to.
        let folder = temporary()?;
        let looked = parse(&folder).and_then(|place| carry(journal, &place, true));
        drop(fs::remove_dir_all(&folder));
        looked?
    } else {
        carry(journal, &parse(journal.parent().unwrap_or(Path::new(".")))?, false)?
    };
    let ImportReport { from, journal: found } = report;
    let counts = format!("{} records, {} tasks, up to event {}", found.records, found.tasks, found.position);
    let left = found.position.0.saturating_sub(from.0);
    if args.dry_run {
        return say(&format!("The journal has {counts}. {left} events would be carried; nothing was."));
    }
    say(&format!("The database holds the journal: {counts}; {left} events were carried now."))?;
    say("Set `store` in hub.yaml, or CALLBOARD_STORE, to that address; then callboard serve goes on from there.")
}

fn carry(journal: &Path, place: &DatabasePlace, look: bool) -> Result<ImportReport, Problem> {
    let mut progress = Progress::new("events");
    import(journal, place, look, |done, of| progress.at(done, of)).map_err(refused)
}

fn refused(error: ImportError) -> Problem {
    let exit = match error {
        ImportError::File(error) => return problem("import", &InspectError::Open(error)),
        ImportError::Database(OpenError::Unreachable { .. }) => Exit::Unreachable,
        ImportError::Database(OpenError::Password { .. } | OpenError::NoRight { .. }) => Exit::Refused,
        ImportError::Database(_) | ImportError::Another { .. } => Exit::Configuration,
        ImportError::Read(_) | ImportError::Write(_) | ImportError::Vault(_) | ImportError::Unsound { .. } => {
            Exit::Failed
        }
    };
    Problem::new(exit, "failed to import the journal")
        .because(error.to_string())
        .next("callboard journal import with the same address again: it goes on where it ended")
}
