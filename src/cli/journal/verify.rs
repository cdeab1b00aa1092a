//! `callboard journal verify`: whether the records follow one another, and come to the state that is kept beside them.

use std::path::Path;

use clap::Args;

#[cfg(feature = "postgres")]
use super::import::{configured, refused};
use super::problem;
use crate::cli::output::cell::line;
use crate::cli::output::{OutputArgs, say, say_json};
#[cfg(feature = "postgres")]
use crate::cli::place::GlobalArgs;
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
#[cfg(feature = "postgres")]
use crate::journal::Compared;
use crate::journal::inspect::VerifyReport;
#[cfg(feature = "postgres")]
use crate::journal::postgres::verify_both;
use crate::journal::{Seq, inspect};

/// Check that the journal keeps its promises
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard journal verify
  callboard journal verify --data-dir /var/lib/callboard -o json
  callboard journal verify --both     the file and the database that `store` names")]
pub(in crate::cli) struct VerifyArgs {
    /// Check the database, too, and that it holds the same records as the file
    #[cfg(feature = "postgres")]
    #[arg(long)]
    pub(super) both: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &VerifyArgs, journal: &Path) -> Result<(), Problem> {
    let report = checked(journal)?;
    if args.output.is_json() {
        say_json(&report)?;
    } else {
        show(&report)?;
    }
    is_sound(&report, "the journal")?;
    if args.output.is_json() { Ok(()) } else { say("The journal is sound.") }
}

/// The file, the database, and whether they hold the same.
#[cfg(feature = "postgres")]
pub(super) fn both(args: &VerifyArgs, journal: &Path, globals: &GlobalArgs) -> Result<(), Problem> {
    let place = configured(journal, globals)?;
    let file = checked(journal)?;
    let mut progress = Progress::new("records");
    let (database, compared) = verify_both(journal, &place, |done, of| progress.at(done, of)).map_err(refused)?;
    drop(progress);
    let Compared { records, up_to, digest, difference } = &compared;
    if args.output.is_json() {
        say_json(&serde_json::json!({ "file": file, "database": database, "compared": compared }))?;
    } else {
        show(&file)?;
        show(&database)?;
        say(&format!("The same in both: {records} records, up to event {up_to}, SHA-256 {digest}."))?;
    }
    is_sound(&file, "the file")?;
    is_sound(&database, "the database")?;
    match difference {
        None => Ok(()),
        Some(difference) => Err(Problem::failed(format!("the file and the database differ: {difference}")).next(
            "keep both as they are; where a hub has served from one of them since the import, that one is newer",
        )),
    }
}

fn checked(journal: &Path) -> Result<VerifyReport, Problem> {
    let mut progress = Progress::new("records");
    inspect::verify(journal, |done, of| progress.at(done, of)).map_err(|error| problem("read", &error))
}

fn show(report: &VerifyReport) -> Result<(), Problem> {
    for finding in &report.findings {
        say(&format!("{}  {}  {}", finding.promise, line(&finding.subject, 80), line(&finding.sentence, 400)))?;
    }
    say(&format!(
        "{} records, {} tasks, {} reviews, {} agents, {} sessions, {} patterns, up to event {}.",
        report.records, report.tasks, report.reviews, report.agents, report.sessions, report.patterns, report.position
    ))?;
    if report.horizon > Seq(0) {
        say(&format!("Events up to {} were let go of by `journal.retention`.", report.horizon))?;
    }
    Ok(())
}

fn is_sound(report: &VerifyReport, which: &str) -> Result<(), Problem> {
    if report.is_sound() {
        return Ok(());
    }
    Err(Problem::failed(format!("{which} breaks {} promises", report.findings_in_all)).next(
        "keep the files as they are, and run `callboard journal restore COPY` with a backup; without one, \
         `callboard journal export` saves the records that can be read",
    ))
}
