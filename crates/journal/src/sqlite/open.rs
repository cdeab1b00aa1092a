//! Opening the journal's file, and every reason not to.
//!
//! A hub that starts on a file that it does not understand, shares or cannot trust would break the promises later and
//! in silence. So each such file is refused here, with a sentence that says what to do.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};
use thiserror::Error;

use super::connection::{self, Durability};
use super::mark::{self, FileId, Mark};
use super::schema::{self, Found, SCHEMA};
use super::{SqliteReader, SqliteStore, check, network};
use crate::entry::Seq;
use crate::store::Store as _;

#[derive(Debug, Error)]
pub enum OpenError {
    #[error("another hub uses this data directory (`{directory}`): stop it, or name another `--data-dir`")]
    InUse { directory: PathBuf },
    #[error(
        "`{path}` is not a callboard journal: move it away to start with an empty one, or choose another `--data-dir`"
    )]
    NotAJournal { path: PathBuf },
    #[error("`{path}` was made by a newer callboard (layout {found}, this one knows {SCHEMA}): start that version")]
    Newer { path: PathBuf, found: u32 },
    #[error(
        "`{path}` lies on a network file system (`{kind}`), where a journal is not safe: choose a local `--data-dir`"
    )]
    Network {
        path: PathBuf,
        /// The file system, as the kernel calls it.
        kind: String,
    },
    #[error("`{path}` is damaged ({detail}): restore a backup, or see what is left with `callboard journal export`")]
    Torn { path: PathBuf, detail: String },
    #[error(
        "`{path}` ends at record {found}, and {marked} were acknowledged: its write-ahead log (`-wal`) is missing or \
         damaged, or the file is an older copy. Put the right ones back; to go back to a backup, run \
         `callboard journal restore COPY`; to go on without those records, remove `{path}-mark`"
    )]
    CutShort {
        path: PathBuf,
        found: Seq,
        /// The last one that was acknowledged.
        marked: Seq,
    },
    /// The journal is another file than the one that its log and mark belong to.
    #[error(
        "`{beside}` does not belong to `{path}`, which was put in the place of another file: run `callboard journal \
         restore COPY` with the backup, which may be this file once it lies in another folder"
    )]
    NotItsOwn {
        path: PathBuf,
        /// The write-ahead log, or the mark where there is no log.
        beside: PathBuf,
    },
    /// A hub has served from this folder, and its journal is empty, or gone without its log.
    #[error(
        "`{path}` {what}, and a hub has served from here before: run `callboard journal restore COPY` with a backup"
    )]
    Emptied { path: PathBuf, what: &'static str },
    #[error("failed to open `{path}`: {detail}")]
    Io { path: PathBuf, detail: String },
}

/// Opens the journal at `path`, or begins it. The folder is made, readable by its owner alone.
///
/// Fails when the file is in use, not ours, of a later layout, damaged, on a network file system, or not to be opened.
pub fn open(path: &Path, durability: Durability) -> Result<(SqliteStore, SqliteReader), OpenError> {
    let directory = make_directory(path)?;
    if let Some(kind) = network::file_system_of(&directory) {
        return Err(OpenError::Network { path: path.to_owned(), kind });
    }
    let lock = lock(&directory)?;
    check_parts(path)?;
    // One that is not there has lost nothing: it was moved away, or this is the first start.
    let fresh = size(path).is_none_or(|size| size == 0);
    let used = was_used(path);
    make_file(path)?;
    let (writer, found) = prepare(path, durability, used).map_err(|fault| fault.at(path))?;
    let mut mark = Mark::open(path, durability == Durability::Full).map_err(|error| io_error(path, &error))?;
    if fresh && found == Found::Nothing && mark.at() > Seq(0) {
        tracing::warn!("`{}` is not there, and had {} records: the hub begins anew", path.display(), mark.at());
    }
    if fresh || durability == Durability::Normal {
        mark.anew().map_err(|error| io_error(path, &error))?;
    }
    let marked = mark.at();
    name_anew(&writer, &mut mark).map_err(|fault| fault.at(path))?;
    let mut store =
        SqliteStore::new(path, durability, writer, lock, mark).map_err(|error| Fault::from(error).at(path))?;
    let found = store.position();
    if found < marked {
        return Err(OpenError::CutShort { path: path.to_owned(), found, marked });
    }
    store.reload().map_err(|fault| Fault::Torn(fault.to_string()).at(path))?;
    let reader = SqliteReader::new(path, Some(store.pending().clone()));
    Ok((store, reader))
}

/// Takes the data directory of a journal for this process, as a hub does, and makes it where it is not there. Fails
/// when a hub uses it, or it cannot be made.
pub fn take(path: &Path) -> Result<File, OpenError> {
    lock(&make_directory(path)?)
}

/// Gives a copy a name of its own: the log and the mark of what it was copied from are not the copy's.
pub(crate) fn name_copy(copy: &Connection) -> Result<(), String> {
    let name = FileId::draw().map_err(|error| error.to_string())?;
    name.put(copy).map_err(|error| error.to_string())
}

/// Opens the journal at `path` for reading alone, also beside a hub. Fails when it is not there, not ours, or too new.
pub fn open_read_only(path: &Path) -> Result<SqliteReader, OpenError> {
    let identify = || -> Result<(), Fault> {
        let connection = connection::reader(path)?;
        match schema::identify(&connection)? {
            Found::Journal(version) if version <= SCHEMA => Ok(()),
            Found::Journal(found) => Err(Fault::Newer(found)),
            Found::Nothing if was_used(path) => Err(Fault::Emptied),
            Found::Nothing | Found::Foreign => Err(Fault::Foreign),
        }
    };
    identify().map_err(|fault| fault.at(path))?;
    Ok(SqliteReader::new(path, None))
}

/// Whether a journal, its write-ahead log and its mark belong together, as far as that shows without opening it: SQLite
/// takes any log for the file's own, and removes one whose file is empty.
///
/// Fails with the part that belongs elsewhere.
pub(crate) fn check_parts(path: &Path) -> Result<(), OpenError> {
    let (log, mark) = (mark::beside(path, "-wal"), mark::path_beside(path));
    let has_log = size(&log).is_some_and(|size| size > 0);
    let emptied = |what| Err(OpenError::Emptied { path: path.to_owned(), what });
    match size(path) {
        None if has_log => emptied("is not there, and its write-ahead log is"),
        Some(0) if has_log => emptied("is empty, and its write-ahead log is not"),
        Some(size) if size > 0 && mark::is_of_another_file(path) => {
            Err(OpenError::NotItsOwn { path: path.to_owned(), beside: if has_log { log } else { mark } })
        }
        None | Some(_) => Ok(()),
    }
}

/// What a hub writes beside its journal after the first record is on disk.
const SIGNS: [&str; 2] = ["hub.url", "operator.token"];

/// Whether a file is there, and a hub has served from its folder: then an empty one was emptied.
fn was_used(path: &Path) -> bool {
    let has_signs = || SIGNS.iter().any(|name| path.with_file_name(name).exists());
    size(path).is_some() && (mark::marked(path) > Seq(0) || has_signs())
}

fn size(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|file| file.len())
}

/// Gives the file a name that no copy of it has, and has it stand in the file itself before anything else is written:
/// from here on its log and its mark are known. Where somebody reads the log just now it stays as it was.
fn name_anew(writer: &Connection, mark: &mut Mark) -> Result<(), Fault> {
    let name = FileId::draw()?;
    let had = FileId::of(writer)?;
    if !folds(writer)? {
        return Ok(());
    }
    // A file without a name is believed as long as its mark has none either.
    if let Some(had) = had {
        mark.belongs_to([had, name])?;
    }
    name.put(writer)?;
    if folds(writer)? {
        mark.belongs_to([name, name])?;
    }
    Ok(())
}

/// Folds the write-ahead log into the file; whether that could be done.
fn folds(writer: &Connection) -> rusqlite::Result<bool> {
    writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0)).map(|busy| busy == 0)
}

/// `used`: there is a file, and a hub has served from here before.
fn prepare(path: &Path, durability: Durability, used: bool) -> Result<(Connection, Found), Fault> {
    let found = identify(path)?;
    match found {
        Found::Nothing if used => return Err(Fault::Emptied),
        Found::Foreign => return Err(Fault::Foreign),
        Found::Journal(version) if version > SCHEMA => return Err(Fault::Newer(version)),
        Found::Journal(_) | Found::Nothing => {}
    }
    let mut writer = connection::writer(path, durability, found == Found::Nothing)?;
    match found {
        Found::Nothing => schema::create(&mut writer)?,
        Found::Journal(version) => {
            schema::migrate(&mut writer, version)?;
            check::quick(&writer).map_err(Fault::Torn)?;
        }
        Found::Foreign => return Err(Fault::Foreign),
    }
    std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok((writer, found))
}

/// Asks a file what it is, before anything is set: setting the journal mode would write into a file that may not be
/// ours. For the same reason it is asked on a connection that only reads. Such a one is refused where the power failed
/// in the middle of the very first start: what was begun has to be rolled back first, and that is writing.
fn identify(path: &Path) -> rusqlite::Result<Found> {
    match connection::reader(path).and_then(|reader| schema::identify(&reader)) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
            schema::identify(&connection::unset(path)?)
        }
        found => found,
    }
}

fn make_directory(path: &Path) -> Result<PathBuf, OpenError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    // A folder that is there keeps its mode: it may be shared, and is not ours to change.
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
    made.map_err(|error| io_error(&directory, &error))?;
    Ok(directory)
}

fn make_file(path: &Path) -> Result<(), OpenError> {
    let made = OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(path);
    made.map(drop).map_err(|error| io_error(path, &error))
}

/// How often the data directory is asked for, and how long apart: half a second in all.
const ASKED: u32 = 50;
const APART: Duration = Duration::from_millis(10);

/// Takes the data directory for this process, until the file is closed. A hub that is just ending is waited for; so is
/// a program that a process which held it is just starting, and that has the lock until it runs.
#[expect(clippy::disallowed_methods, reason = "at the start of a hub, before there is an actor to wait for anything")]
fn lock(directory: &Path) -> Result<File, OpenError> {
    let path = directory.join("callboard.lock");
    let opened = OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(&path);
    let file = opened.map_err(|error| io_error(&path, &error))?;
    for _ in 0..ASKED {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => thread::sleep(APART),
            Err(TryLockError::Error(error)) => return Err(io_error(&path, &error)),
        }
    }
    Err(OpenError::InUse { directory: directory.to_owned() })
}

fn io_error(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Io { path: path.to_owned(), detail: error.to_string() }
}

/// Why, before it is known which file.
enum Fault {
    Foreign,
    Newer(u32),
    Torn(String),
    Emptied,
    Busy,
    Io(String),
}

impl Fault {
    fn at(self, path: &Path) -> OpenError {
        let directory = || path.parent().map(Path::to_owned).unwrap_or_default();
        let path = path.to_owned();
        match self {
            Self::Emptied => OpenError::Emptied { path, what: "is empty" },
            Self::Foreign => OpenError::NotAJournal { path },
            Self::Newer(found) => OpenError::Newer { path, found },
            Self::Torn(detail) => OpenError::Torn { path, detail },
            Self::Busy => OpenError::InUse { directory: directory() },
            Self::Io(detail) => OpenError::Io { path, detail },
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign,
            Some(ErrorCode::DatabaseCorrupt) => Self::Torn(error.to_string()),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(_) | None => Self::Io(error.to_string()),
        }
    }
}
