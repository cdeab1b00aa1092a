//! The folder of one run, which nobody but the host's user reads: its MCP entry, its token, its task, and what is
//! needed to go on with it in a later process. It is there for as long as the run is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::domain::ids::{AgentId, RunId, TaskId};
use crate::domain::on_call::{Offer, RunToken};
use crate::private_file;
use crate::problem::Problem;

/// What a run is, for its next process, which another process of the host may start.
const BOOK: &str = "run.json";

/// A run as it is kept: the offer without its token, and how many processes there were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Book {
    pub(super) offer: Offer,
    /// The number of the newest process, from 1.
    pub(super) process: u32,
}

/// The folders of all runs of one host, which no other process of this machine has while this lives.
#[derive(Debug)]
pub(super) struct Folders {
    path: PathBuf,
    _lock: fs::File,
}

impl Folders {
    /// Takes them for the host whose agents' ids begin so. Fails where another process has them, or they
    /// cannot be made.
    pub(super) fn take(data_dir: &Path, prefix: &AgentId) -> Result<Self, Problem> {
        let path = data_dir.join("oncall").join(prefix.as_str());
        let cannot = |error: io::Error| {
            Problem::failed(format!("failed to make the folder of the runs `{}`", path.display()))
                .because(error.to_string())
        };
        private_file::make_folder(&path).map_err(cannot)?;
        let lock = fs::OpenOptions::new().create(true).truncate(false).write(true).open(path.join("lock"));
        let lock = lock.map_err(cannot)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(Problem::configuration(format!("another host on this machine has the agents `{prefix}-…`"))
                .next("end that one, or name other agents with --agent PREFIX"));
        }
        Ok(Self { path, _lock: lock })
    }

    pub(super) fn of(&self, run: &RunId) -> PathBuf {
        self.path.join(run.as_str())
    }

    /// Removes those of all other runs.
    pub(super) fn keep_only(&self, runs: &[RunId]) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name();
            let run = name.to_str().and_then(|name| RunId::parse(name).ok());
            if run.is_some_and(|run| !runs.contains(&run)) {
                // What stays is looked at again when a host starts.
                drop(fs::remove_dir_all(entry.path()));
            }
        }
    }
}

/// Makes the folder of a run, and writes its files; those of an earlier process are replaced. The error says: a full
/// disk, most likely.
pub(super) fn write(path: &Path, book: &Book, files: &[(&str, String)]) -> Result<(), String> {
    let cannot = |error: io::Error| format!("failed to write the files of the run into `{}`: {error}", path.display());
    let blank = Offer { token: RunToken(String::new()), ..book.offer.clone() };
    let text = serde_json::to_string(&Book { offer: blank, process: book.process });
    let text = text.map_err(|error| cannot(error.into()))?;
    private_file::make_folder(path).map_err(cannot)?;
    for (name, text) in files.iter().map(|(name, text)| (*name, text)).chain([(BOOK, &text)]) {
        private_file::replace_unsynced(&path.join(name), text.as_bytes()).map_err(cannot)?;
    }
    Ok(())
}

/// What an earlier process of a run left.
pub(super) fn read(path: &Path) -> Option<Book> {
    let text = private_file::read_own(&path.join(BOOK)).ok()??;
    serde_json::from_str(&text).ok()
}

/// Whether a run of that task is there, of any host of this machine.
pub(super) fn has_run_of(data_dir: &Path, task: &TaskId) -> bool {
    let within = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs = within(data_dir.join("oncall")).flat_map(within);
    runs.any(|run| read(&run).is_some_and(|book| book.offer.task == *task))
}

/// Takes away what only a process needs: its token.
pub(super) fn forget_secrets(path: &Path, files: &[(&str, String)]) {
    for (name, _) in files {
        drop(private_file::remove(&path.join(name)));
    }
}

pub(super) fn remove(path: &Path) {
    drop(fs::remove_dir_all(path));
}
