//! The audit's file: append-only, for its owner alone, and set aside when it is large.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::head::{Head, Headed};
use super::line::{self, Decision, Line, NOTHING_BEFORE, Note, TAIL_CHANGED, TAIL_MISSING};
use crate::domain::time::Timestamp;

/// The file that is written, in the data directory.
pub const FILE: &str = "audit.jsonl";

/// The size, in bytes, from which a file is set aside and another one begun.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// How much of the end of a file is looked at for its last line, in bytes; a line is far shorter.
const TAIL: u64 = 64 * 1024;

#[derive(Debug, Error)]
pub enum AuditFault {
    /// The file cannot be opened or written.
    #[error("failed to use `{path}`: {error}")]
    File { path: PathBuf, error: io::Error },
    /// Another process writes it.
    #[error("`{0}` is written by another process: is a hub running on this data directory?")]
    Taken(PathBuf),
    /// Its last line is none: what follows would hang in the air.
    #[error(
        "the last line of `{path}` is damaged ({why}): `callboard audit verify` looks at all of it; move the file \
         elsewhere to begin a new one"
    )]
    Damaged { path: PathBuf, why: String },
    /// A line cannot be written as JSON.
    #[error("failed to write a line: {0}")]
    Line(#[from] serde_json::Error),
}

/// An audit that is being written. It is locked for as long as this lives.
#[derive(Debug)]
pub struct AuditFile {
    dir: PathBuf,
    file: File,
    length: u64,
    largest: u64,
    /// The number of the first line in this file.
    first: u64,
    last: Option<Line>,
    head: Head,
}

impl AuditFile {
    /// Opens or makes the audit of a data directory. Where a last line was torn, or lines are gone, a line says so.
    pub fn open(dir: &Path, now: Timestamp) -> Result<Self, AuditFault> {
        Self::open_up_to(dir, LARGEST, now)
    }

    pub(super) fn open_up_to(dir: &Path, largest: u64, now: Timestamp) -> Result<Self, AuditFault> {
        let path = dir.join(FILE);
        let fault = |error| AuditFault::File { path: path.clone(), error };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(fault)?;
        let mut file = locked(&path)?;
        let torn = cut_torn(&mut file).map_err(fault)?;
        let length = file.metadata().map_err(fault)?.len();
        let (mut first, mut last) = (1, None);
        if length > 0 {
            last = Some(last_line(&mut file, &path)?);
            first = first_number(&mut file).map_err(fault)?.unwrap_or(1);
        } else if let Some(before) = set_aside(dir).map_err(fault)?.pop() {
            let mut older = File::open(&before).map_err(fault)?;
            let line = last_line(&mut older, &before)?;
            first = line.n + 1;
            last = Some(line);
        }
        let head = Head::open(dir).map_err(fault)?;
        let mut audit = Self { dir: dir.to_owned(), file, length, largest, first, last, head };
        audit.go_on_behind_head(now)?;
        if let Some(piece) = torn {
            let mended = Note { body: Some(piece), ..Note::of_hub(now, "audit.mended", Decision::Noted) };
            audit.append(&mended, None)?;
        }
        Ok(audit)
    }

    /// The last event that it has seen; none in an audit that has no line yet.
    pub fn seen(&self) -> Option<u64> {
        self.last.as_ref().map(|line| line.journal)
    }

    /// Appends a line about the event of number `journal`. Fails when it cannot be written; then nothing of it stays.
    pub fn append(&mut self, note: &Note, journal: Option<u64>) -> Result<(), AuditFault> {
        if self.length >= self.largest {
            self.begin_another()?;
        }
        let (n, seen, prev) = match &self.last {
            Some(last) => (last.n + 1, last.journal, last.hash.as_str()),
            None => (1, 0, NOTHING_BEFORE),
        };
        let journal = journal.unwrap_or(seen);
        let (mut text, hash) = line::write(note, n, journal, prev)?;
        let line = Line { n, journal, prev: prev.to_owned(), action: note.action.clone(), rule: None, hash };
        text.push('\n');
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // A part of it may be there: it goes, or the next one to open the file takes it away.
            drop(self.file.set_len(self.length));
            return Err(self.fault(error));
        }
        self.length += u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.last = Some(line);
        Ok(())
    }

    /// Returns once every line is on the disk, and the head names the last of them.
    pub fn sync(&mut self) -> Result<(), AuditFault> {
        self.file.sync_data().map_err(|error| self.fault(error))?;
        if let Some(last) = &self.last {
            self.head.set(last);
        }
        Ok(())
    }

    /// Whether there are lines that the head does not name yet.
    pub(super) fn is_ahead(&self) -> bool {
        self.last.as_ref().map(|line| line.n) != self.head.at().map(|headed| headed.n)
    }

    /// Where the line that the head names is gone, or another one stands in its place, a line says so. Behind lines
    /// that are gone it has the number and the hash that it would have behind them: found again, they fit.
    fn go_on_behind_head(&mut self, now: Timestamp) -> Result<(), AuditFault> {
        let Some(Headed { n, journal, hash }) = self.head.at().cloned() else { return Ok(()) };
        let there = self.last.as_ref().map_or(0, |line| line.n);
        let (action, rule) = if there < n {
            let missing =
                if there + 1 == n { format!("line {n} was") } else { format!("lines {} to {n} were", there + 1) };
            (TAIL_MISSING, format!("{missing} written, and not there when the file was opened again"))
        } else if self.hash_of(n)?.is_some_and(|found| found != hash) {
            (
                TAIL_CHANGED,
                format!("line {n} was written as another one than stood there when the file was opened again"),
            )
        } else {
            return Ok(());
        };
        tracing::warn!("the audit was changed while nobody wrote it: {rule}; see `callboard audit verify`");
        if there < n {
            // What the journal has of the lines that are gone is told again.
            let journal = self.last.as_ref().map_or(journal, |line| line.journal);
            let (prev, action) = (String::new(), String::new());
            self.last = Some(Line { n, journal, prev, action, rule: None, hash });
        }
        if self.length == 0 {
            self.first = n.max(there) + 1;
        }
        self.append(&Note { rule: Some(rule), ..Note::of_hub(now, action, Decision::Noted) }, None)?;
        self.sync()
    }

    /// The hash of the line of this number; none where it is in no file that is written still.
    fn hash_of(&mut self, n: u64) -> Result<Option<String>, AuditFault> {
        match &self.last {
            Some(last) if last.n == n => return Ok(Some(last.hash.clone())),
            Some(_) if self.length > 0 && n >= self.first => {}
            Some(_) | None => return Ok(None),
        }
        // Rare: only after a crash is the head behind.
        self.file.seek(SeekFrom::Start(0)).map_err(|error| self.fault(error))?;
        let lines = BufReader::new(&self.file).lines().map_while(Result::ok);
        Ok(lines.filter_map(|text| line::read(&text).ok()).find(|line| line.n == n).map(|line| line.hash))
    }

    fn begin_another(&mut self) -> Result<(), AuditFault> {
        self.sync()?;
        let (path, aside) = (self.dir.join(FILE), self.dir.join(format!("audit-{:012}.jsonl", self.first)));
        fs::rename(&path, aside).map_err(|error| self.fault(error))?;
        self.file = locked(&path)?;
        File::open(&self.dir).and_then(|dir| dir.sync_all()).map_err(|error| self.fault(error))?;
        self.length = 0;
        self.first = self.last.as_ref().map_or(1, |line| line.n + 1);
        Ok(())
    }

    fn fault(&self, error: io::Error) -> AuditFault {
        AuditFault::File { path: self.dir.join(FILE), error }
    }
}

/// The files that were set aside, oldest first.
pub(super) fn set_aside(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        let number = name.strip_prefix("audit-").and_then(|rest| rest.strip_suffix(".jsonl"));
        if number.is_some_and(|number| number.len() == 12 && number.bytes().all(|byte| byte.is_ascii_digit())) {
            found.push(dir.join(name));
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn locked(path: &Path) -> Result<File, AuditFault> {
    let fault = |error| AuditFault::File { path: path.to_owned(), error };
    let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path).map_err(fault)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(AuditFault::Taken(path.to_owned())),
        Err(TryLockError::Error(error)) => return Err(fault(error)),
    }
    // Whatever it was made as.
    file.set_permissions(fs::Permissions::from_mode(0o600)).map_err(fault)?;
    Ok(file)
}

/// Takes away what follows the last end of a line; says what that was.
fn cut_torn(file: &mut File) -> io::Result<Option<line::Digested>> {
    let length = file.metadata()?.len();
    let tail = tail(file, length)?;
    let whole = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let torn = &tail[whole..];
    if torn.is_empty() {
        return Ok(None);
    }
    let piece = line::Digested { sha256: line::sha256(torn), bytes: torn.len() };
    file.set_len(length - u64::try_from(torn.len()).unwrap_or(0))?;
    file.sync_data()?;
    Ok(Some(piece))
}

fn last_line(file: &mut File, path: &Path) -> Result<Line, AuditFault> {
    let fault = |error| AuditFault::File { path: path.to_owned(), error };
    let length = file.metadata().map_err(fault)?.len();
    let tail = tail(file, length).map_err(fault)?;
    let text = String::from_utf8_lossy(&tail);
    let last = text.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    line::read(last).map_err(|why| AuditFault::Damaged { path: path.to_owned(), why })
}

/// The number of the first line; none where it cannot be read, which `verify` tells.
fn first_number(file: &mut File) -> io::Result<Option<u64>> {
    file.seek(SeekFrom::Start(0))?;
    let mut head = Vec::new();
    file.take(TAIL).read_to_end(&mut head)?;
    let text = String::from_utf8_lossy(&head);
    Ok(text.lines().next().and_then(|text| line::read(text).ok()).map(|line| line.n))
}

fn tail(file: &mut File, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    Ok(tail)
}
