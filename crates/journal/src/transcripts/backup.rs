//! A copy of the transcripts at one moment, also while a hub writes.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::fault::TranscriptFault;
use crate::private_file;

/// Copies the transcripts at `path` to `to`, which must not be there yet: one snapshot, readable by its owner alone.
///
/// Fails when they cannot be read, or the copy not be written; then nothing is left of it.
pub fn backup(path: &Path, to: &Path) -> Result<(), TranscriptFault> {
    let place = to.display();
    private_file::create(to).map_err(|error| TranscriptFault(format!("`{place}`: {error}")))?;
    let copied = copy(path, to).map_err(|error| TranscriptFault(format!("`{place}`: {error}")));
    if copied.is_err() {
        // What is left of it is of no use; whether it can be removed changes nothing.
        let _ = fs::remove_file(to);
    }
    copied
}

fn copy(path: &Path, to: &Path) -> rusqlite::Result<()> {
    let source = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    source.execute("VACUUM INTO ?1", params![to.to_string_lossy()])?;
    Ok(())
}
