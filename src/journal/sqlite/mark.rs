//! The mark: how far the journal had come, in a file beside it.
//!
//! SQLite takes in at a start what its write-ahead log holds, and cannot tell that the log is gone, cut short or full
//! of nonsense: it begins with what had been folded into the file, and everything after that is missing in silence. The
//! mark can tell. It is written after each commit, so a journal that ends before its mark has lost what was
//! acknowledged.
//!
//! It is not synced, for that would double the price of each commit. So it holds against whoever deletes or damages a
//! log, and says nothing after a loss of power: there it may be behind, and what was acknowledged is kept by the
//! `fsync` of the commit itself. With `synchronous: normal` a power loss may take records that the mark has seen, and
//! no mark is kept.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::journal::entry::Seq;

/// Digits of a number, so that each one lies over the whole of the one before.
const DIGITS: usize = 20;

/// An open mark.
#[derive(Debug)]
pub(super) struct Mark {
    file: File,
    at: Seq,
}

impl Mark {
    /// Opens the mark of the journal at `path`, and begins it where there is none.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(path_beside(path))?;
        let mut text = [0; DIGITS];
        let read = file.read_at(&mut text, 0)?;
        let at = std::str::from_utf8(&text[..read]).ok().and_then(|text| text.parse().ok()).unwrap_or_default();
        Ok(Self { file, at: Seq(at) })
    }

    /// The mark of a journal that begins.
    pub(super) fn anew(mut self) -> Self {
        self.set(Seq(0));
        self
    }

    /// The number that was marked last; 0 when there is none, or none that can be read.
    pub(super) const fn at(&self) -> Seq {
        self.at
    }

    /// Marks this number. A mark that cannot be written is behind, and then only tells less.
    pub(super) fn set(&mut self, seq: Seq) {
        if seq == self.at {
            return;
        }
        match self.file.write_all_at(format!("{:0DIGITS$}", seq.0).as_bytes(), 0) {
            Ok(()) => self.at = seq,
            Err(error) => tracing::debug!("the mark of the journal stays at {}: {error}", self.at),
        }
    }
}

/// The number that was marked last for the journal at `path`; 0 when there is none.
pub fn marked(path: &Path) -> Seq {
    let text = std::fs::read_to_string(path_beside(path)).unwrap_or_default();
    Seq(text.trim().parse().unwrap_or_default())
}

/// Where the mark of a journal lies.
pub(super) fn path_beside(journal: &Path) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push("-mark");
    name.into()
}
