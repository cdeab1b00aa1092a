//! A copy is put back in the place of the journal, while no hub uses it.
//!
//! ```text
//!   verify the copy ─► a draft beside the journal ─► what is there is linked aside ─► rename ─► its log and mark go
//! ```
//!
//! The rename is the moment that decides. A crash before it leaves the old journal, and one after it a journal whose
//! log and mark are of another file, which no hub opens; the same command again goes on from either.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::backup::{Form, copy_to};
use super::{InspectError, VerifyReport, cannot, verify};
use crate::private_file;
use crate::sqlite::OpenError;
use crate::{search, sqlite};

/// The files beside a journal that go with it, by what their names end in.
const PARTS: [&str; 4] = ["", "-wal", "-shm", "-mark"];

/// Puts the journal at `copy` in the place of the one at `path`, with a log, a mark and a name of its own.
///
/// It takes no more room than it needs. What was there is kept in the folder `aside`, which must not be there yet.
/// `progress` hears how many pages of how many are done.
///
/// Fails when a hub uses `path`, the copy is none, of a later version or unsound, or something cannot be written.
pub fn restore(
    path: &Path,
    copy: &Path,
    aside: &Path,
    progress: impl FnMut(u64, u64),
) -> Result<VerifyReport, InspectError> {
    let _lock = sqlite::take(path)?;
    // A pipe or a device would be waited for without an end.
    if fs::metadata(copy).is_ok_and(|about| !about.is_file()) {
        return Err(InspectError::NoCopy(copy.to_owned()));
    }
    let report = verify(copy, |_, _| ()).map_err(|error| {
        if let InspectError::Open(OpenError::NotAJournal { path } | OpenError::Emptied { path, .. }) = error {
            InspectError::NoCopy(path)
        } else {
            error
        }
    })?;
    if let Some(first) = report.findings.first() {
        return Err(InspectError::Unsound {
            path: copy.to_owned(),
            first: first.sentence.clone(),
            in_all: report.findings_in_all,
        });
    }
    let draft = private_file::draft_beside(path).map_err(|error| cannot(path, &error))?;
    copy_to(copy, &draft, Form::Compact, progress)?;
    let placed = keep_aside(path, aside).and_then(|()| {
        fs::rename(&draft, path)?;
        for part in &PARTS[1..] {
            private_file::remove(&beside(path, part))?;
        }
        search::forget(path)?;
        private_file::sync_folder_of(path)
    });
    if let Err(error) = placed {
        drop(fs::remove_file(&draft));
        return Err(cannot(path, &error));
    }
    Ok(report)
}

/// Keeps what is there under names in another folder; it stays under its own until something takes its place.
fn keep_aside(path: &Path, aside: &Path) -> io::Result<()> {
    let there: Vec<PathBuf> = PARTS.iter().map(|part| beside(path, part)).filter(|part| part.exists()).collect();
    if there.is_empty() {
        return Ok(());
    }
    private_file::make_folder(aside)?;
    for part in there {
        let Some(name) = part.file_name() else { continue };
        let to = aside.join(name);
        // Not every file system has links.
        if fs::hard_link(&part, &to).is_err() {
            fs::copy(&part, &to).map(drop)?;
        }
        private_file::sync_folder_of(&to)?;
    }
    Ok(())
}

fn beside(path: &Path, part: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(part);
    name.into()
}
