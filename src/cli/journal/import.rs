//! `callboard journal import`: the journal of the data directory goes into a database, or comes home from one, while no
//! hub runs.

use std::path::Path;

use clap::Args;
use secrecy::ExposeSecret as _;

use super::{problem, there};
use crate::cli::exit::Exit;
use crate::cli::output::say;
use crate::cli::place::{GlobalArgs, store_password};
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
use crate::journal::inspect::InspectError;
use crate::journal::postgres::{DatabasePlace, ImportError, ImportReport, OpenError, bring_home, import};
use crate::journal::{TEAM, leave_database};

/// Carry the journal of the data directory into a PostgreSQL database, or home into a file
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard journal import --to postgres://hub@db.example/hub?sslmode=verify-full --dry-run
  callboard journal import --to postgres://callboard@db.example/callboard?sslmode=verify-full
  callboard journal import --to sqlite:/var/lib/callboard/callboard.db     home from a database

The hub must not run. An import that was cut short goes on where it ended, one into a file begins anew. What it was \
carried from stays as it is. Tokens and secrets of webhooks go with it; the audit and what terminals printed stay in \
the data directory. The password comes by CALLBOARD_STORE_PASSWORD, CALLBOARD_STORE_PASSWORD_FILE or \
`storePasswordFile`. A dry run makes the empty tables, and carries nothing.")]
pub(in crate::cli) struct ImportArgs {
    /// The database to carry it into, or `sqlite:` and a file that is not there yet
    #[arg(long, value_name = "postgres://USER@HOST/DATABASE|sqlite:FILE")]
    to: String,
    /// Only say what would be carried
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &ImportArgs, journal: &Path, globals: &GlobalArgs) -> Result<(), Problem> {
    let mut progress = Progress::new("events");
    let says = |done, of| progress.at(done, of);
    let home = match args.to.strip_prefix("sqlite:") {
        Some("") => return Err(Problem::configuration("`sqlite:` names no file").next("--to sqlite:FILE")),
        home => home.map(std::path::absolute).transpose()?,
    };
    let report = match &home {
        Some(file) => bring_home(&configured(journal, globals)?, file, args.dry_run, says),
        None => {
            let journal = there(journal.to_owned())?;
            import(&journal, &place(&args.to, &journal, globals)?, args.dry_run, says)
        }
    };
    let ImportReport { from, journal: found } = report.map_err(refused)?;
    drop(progress);
    let counts = format!("{} records, {} tasks, up to event {}", found.records, found.tasks, found.position);
    let left = found.position.0.saturating_sub(from.0);
    if args.dry_run {
        return say(&format!("The journal has {counts}. {left} events would be carried; nothing was."));
    }
    let Some(file) = home else {
        say(&format!("The database holds the journal: {counts}; {left} events were carried now."))?;
        return say(
            "Set `store` in hub.yaml, or CALLBOARD_STORE, to that address; then callboard serve goes on from there.",
        );
    };
    say(&format!("`{}` holds the journal: {counts}.", file.display()))?;
    if file != journal {
        return say("A hub serves it from a data directory in which it is callboard.db, without `store`.");
    }
    leave_database(journal.parent().unwrap_or(Path::new(".")))?;
    say("Remove `store` from hub.yaml, and CALLBOARD_STORE; then callboard serve goes on from there.")
}

/// The database that `store` names.
pub(super) fn configured(journal: &Path, globals: &GlobalArgs) -> Result<DatabasePlace, Problem> {
    let store = globals.settings()?.settings.hub.store;
    let store = store.ok_or_else(|| {
        Problem::configuration("no database is set")
            .next("set `store` in hub.yaml, or CALLBOARD_STORE, to the address of the database")
    })?;
    place(&store, journal, globals)
}

fn place(url: &str, journal: &Path, globals: &GlobalArgs) -> Result<DatabasePlace, Problem> {
    let password = store_password(&globals.settings()?.settings.hub)?;
    let password = password.as_ref().map(|password| password.expose_secret());
    let folder = journal.parent().unwrap_or(Path::new("."));
    DatabasePlace::parse(url, password, TEAM, folder).map_err(|error| refused(ImportError::Database(error)))
}

pub(super) fn refused(error: ImportError) -> Problem {
    let exit = match error {
        ImportError::File(error) => return problem("import", &InspectError::Open(error)),
        ImportError::Database(OpenError::Unreachable { .. }) => Exit::Unreachable,
        ImportError::Database(OpenError::Password { .. } | OpenError::NoRight { .. }) => Exit::Refused,
        ImportError::Database(_) | ImportError::Another(_) | ImportError::IsThere(_) => Exit::Configuration,
        ImportError::Read(_)
        | ImportError::Write(_)
        | ImportError::Vault(_)
        | ImportError::Unsound { .. }
        | ImportError::Moved { .. } => Exit::Failed,
    };
    let problem = Problem::new(exit, "failed to carry or compare the journal").because(error.to_string());
    if matches!(error, ImportError::IsThere(_) | ImportError::Another(_)) {
        return problem;
    }
    problem.next("the same command again: an import goes on, or begins anew")
}
