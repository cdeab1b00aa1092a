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
use super::mark::Mark;
use super::schema::{self, Found, SCHEMA};
use super::{SqliteReader, SqliteStore, check, network};
use crate::journal::entry::Seq;
use crate::journal::store::Store as _;

/// Why the journal was not opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Somebody else has it.
    #[error(
        "another hub uses this data directory (`{directory}`): stop it, or start this one with another `--data-dir`"
    )]
    InUse {
        /// The data directory.
        directory: PathBuf,
    },
    /// It is no database at all.
    #[error(
        "`{path}` is not a callboard journal: move it away to start with an empty one, or choose another `--data-dir`"
    )]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// Its layout is of a later version.
    #[error("`{path}` was made by a newer callboard (layout {found}, this one knows {SCHEMA}): start that version")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its layout.
        found: u32,
    },
    /// It lies where locks and write-ahead logs cannot be trusted.
    #[error(
        "`{path}` lies on a network file system (`{kind}`), where a journal is not safe: choose a local `--data-dir`"
    )]
    Network {
        /// The file.
        path: PathBuf,
        /// The file system, as the kernel calls it.
        kind: String,
    },
    /// It is damaged.
    #[error("`{path}` is damaged ({detail}): restore a backup, or see what is left with `callboard journal export`")]
    Torn {
        /// The file.
        path: PathBuf,
        /// What was seen.
        detail: String,
    },
    /// It ends before what was acknowledged.
    #[error(
        "`{path}` ends at record {found}, and {marked} were acknowledged: its write-ahead log (`-wal`) is missing or \
         damaged, or the file is an older copy. Put the right ones back; to go on without those records, remove \
         `{path}-mark`"
    )]
    CutShort {
        /// The file.
        path: PathBuf,
        /// Its last record.
        found: Seq,
        /// The last one that was acknowledged.
        marked: Seq,
    },
    /// The operating system says no.
    #[error("failed to open `{path}`: {detail}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        detail: String,
    },
}

/// Opens the journal at `path`, or begins it. The folder is made, readable by its owner alone.
///
/// # Errors
/// When the file is in use, not ours, of a later layout, damaged, on a network file system, or not to be opened.
pub fn open(path: &Path, durability: Durability) -> Result<(SqliteStore, SqliteReader), OpenError> {
    let directory = make_directory(path)?;
    if let Some(kind) = network::file_system_of(&directory) {
        return Err(OpenError::Network { path: path.to_owned(), kind });
    }
    let lock = lock(&directory)?;
    // One that is not there has lost nothing: it was moved away, or this is the first start.
    let fresh = std::fs::metadata(path).map_or(true, |file| file.len() == 0);
    make_file(path)?;
    let writer = prepare(path, durability).map_err(|fault| fault.at(path))?;
    let mark = match durability {
        Durability::Full => Some(Mark::open(path).map_err(|error| io_error(path, &error))?),
        Durability::Normal => None,
    };
    if let Some(had) = mark.as_ref().map(Mark::at).filter(|had| fresh && *had > Seq(0)) {
        tracing::warn!("`{}` is not there, and had {had} records: the hub begins anew", path.display());
    }
    let mark = mark.map(|mark| if fresh { mark.anew() } else { mark });
    let marked = mark.as_ref().map(Mark::at).unwrap_or_default();
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

/// Opens the journal at `path` for reading alone; a hub may be using it.
///
/// # Errors
/// When the file is not there, not ours, or of a later layout.
pub fn open_read_only(path: &Path) -> Result<SqliteReader, OpenError> {
    let identify = || -> Result<(), Fault> {
        let connection = connection::reader(path)?;
        match schema::identify(&connection)? {
            Found::Journal(version) if version <= SCHEMA => Ok(()),
            Found::Journal(found) => Err(Fault::Newer(found)),
            Found::Nothing | Found::Foreign => Err(Fault::Foreign),
        }
    };
    identify().map_err(|fault| fault.at(path))?;
    Ok(SqliteReader::new(path, None))
}

fn prepare(path: &Path, durability: Durability) -> Result<Connection, Fault> {
    let found = identify(path)?;
    match found {
        Found::Foreign => return Err(Fault::Foreign),
        Found::Journal(version) if version > SCHEMA => return Err(Fault::Newer(version)),
        Found::Journal(_) | Found::Nothing => {}
    }
    let mut writer = connection::writer(path, durability)?;
    match found {
        Found::Nothing => schema::create(&mut writer)?,
        Found::Journal(version) => {
            schema::migrate(&mut writer, version)?;
            check::quick(&writer).map_err(Fault::Torn)?;
        }
        Found::Foreign => return Err(Fault::Foreign),
    }
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(|error| Fault::Io(error.to_string()))?;
    Ok(writer)
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
    Busy,
    Io(String),
}

impl Fault {
    fn at(self, path: &Path) -> OpenError {
        let directory = || path.parent().map(Path::to_owned).unwrap_or_default();
        let path = path.to_owned();
        match self {
            Self::Foreign => OpenError::NotAJournal { path },
            Self::Newer(found) => OpenError::Newer { path, found },
            Self::Torn(detail) => OpenError::Torn { path, detail },
            Self::Busy => OpenError::InUse { directory: directory() },
            Self::Io(detail) => OpenError::Io { path, detail },
        }
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
