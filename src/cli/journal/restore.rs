//! `callboard journal restore`: replaces the journal, and what terminals printed, by a copy.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::problem;
use super::series::{beside, newest};
use crate::audit::{AuditFile, Decision, JOURNAL_RESTORED, Note};
use crate::cli::output::say;
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
use crate::clock::Clock;
use crate::domain::principal::Surface;
use crate::journal::{Seq, inspect};
use crate::private_file;
use crate::transcripts;

/// Put a copy in the place of the journal
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard journal restore /backup/callboard-monday.db
  callboard journal restore /backup     the newest of a series
  callboard journal backup now.db && callboard journal restore now.db     a smaller file

The hub must not run. The copy is checked first, and what is there now is kept in a folder of the data directory. \
A copy of what terminals printed is taken, too, where `backup` has left one beside it.")]
pub(in crate::cli) struct RestoreArgs {
    /// The copy, which stays where it is; or the folder of a series, of which the newest is taken
    copy: PathBuf,
}

pub(super) fn run(args: &RestoreArgs, journal: &Path) -> Result<(), Problem> {
    let copy = if args.copy.is_dir() { &newest(&args.copy)? } else { &args.copy };
    let stamp = Clock::system().now().to_string().replace(':', "-");
    let aside = journal.with_file_name(format!("before-restore-{stamp}"));
    let mut progress = Progress::new("pages");
    let report = inspect::restore(journal, copy, &aside, |done, of| progress.at(done, of));
    let report = report.map_err(|error| problem("restore", &error))?;
    drop(progress);
    let written = write_down(journal, copy, report.position);
    say(&format!(
        "The journal is `{}`: {} records, {} tasks, up to event {}.",
        copy.display(),
        report.records,
        report.tasks,
        report.position
    ))?;
    let terminals = beside(copy);
    if terminals.exists() {
        put_terminals(&terminals, &journal.with_file_name(transcripts::FILE), &aside)
            .map_err(|why| Problem::failed("failed to put back what terminals printed").because(why))?;
        say(&format!("What terminals printed is `{}`.", terminals.display()))?;
    }
    if aside.exists() {
        say(&format!("What was there before is in `{}`.", aside.display()))?;
    }
    written?;
    say("callboard serve goes on from there. Tokens and settings are as they were, and the audit says what was done.")
}

/// The audit hears of it. It follows the journal by numbers, which begin anew behind the last one of the copy.
fn write_down(journal: &Path, copy: &Path, position: Seq) -> Result<(), Problem> {
    let at = Clock::system().now();
    let dir = journal.parent().unwrap_or(Path::new("."));
    let user = fs::metadata(journal)?.uid();
    let note = Note {
        who: format!("user:{user}"),
        through: Surface::Cli.as_str().to_owned(),
        rule: Some("no hub serves, and the files are this user's".to_owned()),
        target: Some(format!("journal:{}", copy.display())),
        ..Note::of_hub(at, JOURNAL_RESTORED, Decision::Allowed)
    };
    let written = AuditFile::open(dir, at).and_then(|mut file| {
        // What the audit has not seen yet is told to it by the next hub.
        let place = file.seen().map_or(position.0, |seen| seen.min(position.0));
        file.append(&note, Some(place))?;
        file.sync()
    });
    written.map_err(|fault| {
        Problem::failed("the journal is restored, and the audit could not be told")
            .because(fault.to_string())
            .next("callboard audit verify, then the same command again")
    })
}

fn put_terminals(copy: &Path, to: &Path, aside: &Path) -> Result<(), String> {
    let words = |error: std::io::Error| error.to_string();
    let draft = private_file::draft_beside(to).map_err(words)?;
    transcripts::backup(copy, &draft).map_err(|fault| fault.to_string())?;
    let placed = (|| {
        for suffix in ["", "-wal", "-shm"] {
            let mut old = to.as_os_str().to_owned();
            old.push(suffix);
            let old = PathBuf::from(old);
            if let Some(name) = old.file_name().filter(|_| old.exists()) {
                private_file::make_folder(aside)?;
                fs::rename(&old, aside.join(name))?;
            }
        }
        fs::rename(&draft, to)?;
        private_file::sync_folder_of(to)
    })();
    placed.map_err(|error| {
        drop(fs::remove_file(&draft));
        words(error)
    })
}
