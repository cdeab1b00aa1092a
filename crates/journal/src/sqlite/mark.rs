//! The mark: how far the journal had come, and of which file that was, in a file beside it.
//!
//! SQLite takes in at a start what its write-ahead log holds. It cannot tell that the log is gone, cut short or full of
//! nonsense: it begins with what had been folded into the file, and everything after that is missing in silence. Nor
//! can it tell that the log belongs to another file: a backup put in the place of the journal, with the old log still
//! beside it, is turned back into what was there before. The mark can tell both.
//!
//! *How far* is written after each commit, so a journal that ends before its mark has lost what was acknowledged. It is
//! not synced, for that would double the price of each commit. So it holds against whoever deletes or damages a log,
//! and says nothing after a loss of power: there it may be behind, and what was acknowledged is kept by the `fsync` of
//! the commit itself. With `synchronous: normal` a power loss may take records that the mark has seen, and 0 is marked.
//!
//! *Of which file* is a number that is drawn with each start and for each copy ([`FileId`]). It stands in the file
//! itself, folded in before anything else is written, and in the mark, synced. While it changes the mark has both, so a
//! crash at any moment leaves a file that its mark knows.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _};

use super::connection;
use crate::entry::Seq;

/// Digits of a number, so that each one lies over the whole of the one before.
const DIGITS: usize = 20;
/// The length of a mark: the number, two names of files in hexadecimal, a blank before each, and the end of the line.
const LENGTH: usize = DIGITS + 2 * (1 + 16) + 1;

/// Which file a log and a mark belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(u64);

impl fmt::Display for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FileId {
    pub(crate) fn draw() -> io::Result<Self> {
        getrandom::u64().map(Self).map_err(io::Error::other)
    }

    pub(super) fn of(db: &Connection) -> rusqlite::Result<Option<Self>> {
        let text: Option<String> =
            db.query_row("SELECT value FROM meta WHERE key = 'file_id'", [], |row| row.get(0)).optional()?;
        Ok(text.and_then(|text| Self::parse(&text)))
    }

    pub(super) fn put(self, db: &Connection) -> rusqlite::Result<()> {
        db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('file_id', ?1)", [self.to_string()]).map(drop)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().map(Self)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct MarkContent {
    seq: Seq,
    /// None of a mark that an earlier version wrote.
    files: Option<[FileId; 2]>,
}

impl MarkContent {
    fn read(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        let mut words = text.split_whitespace();
        let seq = Seq(words.next().and_then(|word| word.parse().ok()).unwrap_or_default());
        let mut file = || words.next().and_then(FileId::parse);
        Self { seq, files: file().zip(file()).map(|(one, other)| [one, other]) }
    }
}

#[derive(Debug)]
pub(crate) struct Mark {
    file: File,
    said: MarkContent,
    /// Whether it says how far the journal had come.
    counts: bool,
}

impl Mark {
    /// Opens the mark of the journal at `path`, and begins it where there is none.
    pub(crate) fn open(path: &Path, counts: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(path_beside(path))?;
        let mut text = [0; LENGTH];
        let read = file.read_at(&mut text, 0)?;
        Ok(Self { file, said: MarkContent::read(&text[..read]), counts })
    }

    /// What a mark says, of which file and how far; nothing of one that is not there.
    #[cfg(feature = "postgres")]
    pub(crate) fn look(path: &Path) -> io::Result<(Option<[FileId; 2]>, Seq)> {
        match std::fs::read(path_beside(path)) {
            Ok(text) => {
                let said = MarkContent::read(&text);
                Ok((said.files, said.seq))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((None, Seq(0))),
            Err(error) => Err(error),
        }
    }

    /// The mark of a journal that begins, or that claims nothing: it is of no file yet.
    pub(super) fn anew(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.said.files = None;
        self.put(Seq(0));
        Ok(())
    }

    /// Whose mark it is; none where nobody has said.
    #[cfg(feature = "postgres")]
    pub(crate) const fn files(&self) -> Option<[FileId; 2]> {
        self.said.files
    }

    /// The number that was marked last; 0 when there is none, or none that can be read.
    pub(crate) const fn at(&self) -> Seq {
        if self.counts { self.said.seq } else { Seq(0) }
    }

    /// Marks this number. A mark that cannot be written is behind, and then only tells less.
    pub(crate) fn set(&mut self, seq: Seq) {
        if self.counts && seq != self.said.seq {
            self.put(seq);
        }
    }

    fn put(&mut self, seq: Seq) {
        match self.file.write_all_at(format!("{:0DIGITS$}", seq.0).as_bytes(), 0) {
            Ok(()) => self.said.seq = seq,
            Err(error) => tracing::debug!("the mark of the journal stays at {}: {error}", self.said.seq),
        }
    }

    /// Says that the mark, and the log beside it, belong to either of these files. On disk when this returns.
    pub(crate) fn belongs_to(&mut self, files: [FileId; 2]) -> io::Result<()> {
        let [one, other] = files;
        let text = format!("{:0DIGITS$} {one} {other}\n", self.said.seq.0);
        self.file.write_all_at(text.as_bytes(), 0)?;
        self.file.sync_all()?;
        self.said.files = Some(files);
        Ok(())
    }
}

/// The number that was marked last for the journal at `path`; 0 when there is none.
pub fn marked(path: &Path) -> Seq {
    said(path).seq
}

/// Whether the mark beside the journal at `path` is of another file than the journal itself is, by what each of them
/// says. One that says nothing, as an earlier version left it, is believed; so is a file that cannot be read.
pub(super) fn is_of_another_file(path: &Path) -> bool {
    let Some(known) = said(path).files else { return false };
    // Without the log: what that one says is what is in doubt.
    let found = connection::file_alone(path).and_then(|file| FileId::of(&file));
    found.is_ok_and(|found| found.is_none_or(|found| !known.contains(&found)))
}

fn said(path: &Path) -> MarkContent {
    MarkContent::read(&std::fs::read(path_beside(path)).unwrap_or_default())
}

pub(super) fn path_beside(journal: &Path) -> PathBuf {
    beside(journal, "-mark")
}

/// Where a file lies that belongs to a journal.
pub(crate) fn beside(journal: &Path, suffix: &str) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
