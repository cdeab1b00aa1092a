//! A copy of the journal, taken while a hub may be writing.
//!
//! Copying the file with `cp` would miss what is still in the write-ahead log. SQLite's online backup copies one
//! snapshot; a read transaction held over it keeps writers from making it begin again and again.

use std::fs::OpenOptions;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::{InspectError, cannot};
use crate::private_file;
use crate::sqlite;
use crate::store::ReadError;

/// Pages copied between two calls of `progress`.
const STRIDE: i32 = 1_000;

/// Copies the journal at `path` to `to`, which must not be there yet, and checks the copy. `progress` hears how many
/// pages of how many are done. The copy gets its name only when it is whole.
///
/// Fails when the journal cannot be read, or the copy not be written.
pub fn backup(path: &Path, to: &Path, progress: impl FnMut(u64, u64)) -> Result<(), InspectError> {
    if to.exists() {
        return Err(cannot(to, &"it is there already"));
    }
    let draft = private_file::draft_beside(to).map_err(|error| cannot(to, &error))?;
    copy_to(path, &draft, Form::AsItIs, progress)?;
    std::fs::rename(&draft, to).map_err(|error| {
        drop(std::fs::remove_file(&draft));
        cannot(to, &error)
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    AsItIs,
    /// Without free pages, and able to give those back that become free later, which files of earlier versions are not.
    Compact,
}

/// Copies the journal at `path` to a new file, which is of its own name from then on. Nothing is left where it fails.
pub(super) fn copy_to(
    path: &Path,
    to: &Path,
    form: Form,
    mut progress: impl FnMut(u64, u64),
) -> Result<(), InspectError> {
    let reader = sqlite::open_read_only(path)?.snapshot()?;
    private_file::create(to).map_err(|error| cannot(to, &error))?;
    let made = reader.on_connection(|source| copy(source, to, form, &mut progress));
    if made.is_err() {
        // What is left of it is of no use; whether it can be removed changes nothing.
        drop(std::fs::remove_file(to));
    }
    made
}

fn copy(source: &Connection, to: &Path, form: Form, progress: &mut impl FnMut(u64, u64)) -> Result<(), InspectError> {
    let write = |error: rusqlite::Error| cannot(to, &error);
    let mut target = Connection::open(to).map_err(write)?;
    {
        let backup = Backup::new(source, &mut target).map_err(write)?;
        loop {
            let step = backup.step(STRIDE).map_err(write)?;
            let now = backup.progress();
            let (all, left) = (u64::try_from(now.pagecount), u64::try_from(now.remaining));
            let (all, left) = (all.unwrap_or_default(), left.unwrap_or_default());
            progress(all.saturating_sub(left), all);
            match step {
                StepResult::Done => break,
                StepResult::More | StepResult::Busy | StepResult::Locked => {}
                other => return Err(cannot(to, &format!("{other:?}"))),
            }
        }
    }
    // One file, without a log beside it.
    let mode = target.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0));
    mode.map_err(write)?;
    sqlite::name_copy(&target).map_err(|error| cannot(to, &error))?;
    if form == Form::Compact {
        sqlite::compact(&target).map_err(write)?;
    }
    let verdict: String = target.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(write)?;
    if verdict != "ok" {
        return Err(ReadError::Fault(format!("the copy is damaged, and so is the journal: {verdict}")).into());
    }
    target.close().map_err(|(_, error)| write(error))?;
    let synced = OpenOptions::new().read(true).write(true).open(to).and_then(|file| file.sync_all());
    synced.map_err(|error| cannot(to, &error))
}
