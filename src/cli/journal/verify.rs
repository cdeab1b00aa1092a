//! `callboard journal verify`: whether the records follow one another, and come to the state that is kept beside them.

use std::path::Path;

use clap::Args;

use super::problem;
use crate::cli::output::cell::line;
use crate::cli::output::{OutputArgs, say, say_json};
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
use crate::journal::{Seq, inspect};

/// Check that the journal keeps its promises
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard journal verify
  callboard journal verify --data-dir /var/lib/callboard -o json")]
pub(in crate::cli) struct VerifyArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &VerifyArgs, journal: &Path) -> Result<(), Problem> {
    let mut progress = Progress::new("records");
    let report = inspect::verify(journal, |done, of| progress.at(done, of)).map_err(|error| problem("read", &error))?;
    drop(progress);
    if args.output.is_json() {
        say_json(&report)?;
    } else {
        for finding in &report.findings {
            say(&format!("{}  {}  {}", finding.promise, line(&finding.subject, 80), line(&finding.sentence, 400)))?;
        }
        say(&format!(
            "{} records, {} tasks, {} reviews, {} agents, {} sessions, {} patterns, up to event {}.",
            report.records,
            report.tasks,
            report.reviews,
            report.agents,
            report.sessions,
            report.patterns,
            report.position
        ))?;
        if report.horizon > Seq(0) {
            say(&format!("Events up to {} were let go of by `journal.retention`.", report.horizon))?;
        }
    }
    if report.is_sound() {
        return if args.output.is_json() { Ok(()) } else { say("The journal is sound.") };
    }
    Err(Problem::failed(format!("the journal breaks {} promises", report.findings_in_all)).next(
        "keep the files as they are, and run `callboard journal restore COPY` with a backup; without one, \
             `callboard journal export` saves the records that can be read",
    ))
}
