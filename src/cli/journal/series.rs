//! Copies of the journal, once or in a series (`backup FOLDER --every 1m`): named by their moment; the oldest go.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep_until};

use super::problem;
use crate::cli::output::say;
use crate::cli::problem::Problem;
use crate::cli::progress::Progress;
use crate::cli::signals::Signals;
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::journal::inspect;
use crate::private_file;
use crate::transcripts;

/// Names begin with it, and end with `.db`: nothing else in the folder is ever removed.
const MARK: &str = "callboard-";

#[derive(Debug)]
pub(super) struct Series<'a> {
    pub(super) folder: &'a Path,
    pub(super) every: Duration,
    pub(super) keep: usize,
    /// What is called with each copy as its last argument, where anything is.
    pub(super) then: &'a [String],
}

/// What tells that something was written: the length of the journal's files and when they changed.
type Seen = Vec<Option<(u64, SystemTime)>>;

impl Series<'_> {
    /// Copies until it is told to end. A copy that fails is said, and tried again with the next.
    pub(super) fn run(&self, journal: &Path) -> Result<(), Problem> {
        private_file::make_folder(self.folder).map_err(|error| {
            Problem::failed(format!("failed to make the folder `{}`", self.folder.display())).because(error.to_string())
        })?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut signals = Signals::listen()?;
            let mut copied = Seen::new();
            loop {
                let next = Instant::now() + self.every;
                let seen = seen(journal);
                if seen != copied {
                    match self.one(journal) {
                        Ok(()) => copied = seen,
                        Err(problem) => problem.report(),
                    }
                }
                tokio::select! {
                    _ = signals.end() => return Ok(()),
                    () = sleep_until(next) => {}
                }
            }
        })
    }

    fn one(&self, journal: &Path) -> Result<(), Problem> {
        let to = self.folder.join(name(Clock::system().now()));
        let terminals = copy(journal, &to)?;
        say(&to.display().to_string())?;
        for made in std::iter::once(&to).chain(&terminals) {
            self.hand_on(made)?;
        }
        let made = copies(self.folder)?;
        for old in made.iter().rev().skip(self.keep) {
            fs::remove_file(old)?;
            match fs::remove_file(beside(old)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    fn hand_on(&self, made: &Path) -> Result<(), Problem> {
        let Some((program, arguments)) = self.then.split_first() else { return Ok(()) };
        let failed = |why: String| {
            Problem::failed(format!("`{program}` did not take `{}`, which stays", made.display())).because(why)
        };
        let ended = Command::new(program).args(arguments).arg(made).status();
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(failed(status.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }
}

/// Copies the journal, and beside it what terminals printed, where they printed anything: then says where that is.
pub(super) fn copy(journal: &Path, to: &Path) -> Result<Option<PathBuf>, Problem> {
    let mut progress = Progress::new("pages");
    inspect::backup(journal, to, |done, of| progress.at(done, of)).map_err(|error| problem("copy", &error))?;
    drop(progress);
    let terminals = journal.with_file_name(transcripts::FILE);
    if !terminals.exists() {
        return Ok(None);
    }
    let beside = beside(to);
    transcripts::backup(&terminals, &beside)
        .map_err(|fault| Problem::failed("failed to copy what terminals printed").because(fault.to_string()))?;
    Ok(Some(beside))
}

pub(super) fn beside(copy: &Path) -> PathBuf {
    let name = copy.file_stem().unwrap_or_default().to_string_lossy();
    copy.with_file_name(format!("{name}-terminals.db"))
}

pub(super) fn newest(folder: &Path) -> Result<PathBuf, Problem> {
    copies(folder)?.pop().ok_or_else(|| {
        Problem::failed(format!("no copy of a series lies in `{}`", folder.display()))
            .next("callboard journal backup FOLDER --every 1m, beside the hub")
    })
}

fn name(at: Timestamp) -> String {
    format!("{MARK}{}.db", at.to_string().replace(':', "-"))
}

/// The copies of a folder, the oldest first: their names begin with the moment.
fn copies(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_copy) {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

fn is_copy(name: &str) -> bool {
    let moment = name.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(".db"));
    // As `name` writes it: 2026-11-28T04-53-01.123Z.
    moment.is_some_and(|moment| {
        moment.len() >= 20
            && moment.ends_with('Z')
            && moment.bytes().all(|byte| byte.is_ascii_digit() || b"-.TZ".contains(&byte))
    })
}

fn seen(journal: &Path) -> Seen {
    let mut log = journal.as_os_str().to_owned();
    log.push("-wal");
    let look = |path: &Path| fs::metadata(path).and_then(|meta| Ok((meta.len(), meta.modified()?))).ok();
    vec![look(journal), look(Path::new(&log))]
}

#[cfg(test)]
mod tests;
