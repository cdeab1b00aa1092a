//! A journal in a file becomes one in a database, or the other way, while no hub uses it: `callboard journal import`
//! calls this. What it was carried from stays as it is.
//!
//! *Into a database* the rows of before go, records come in chunks, each behind the fence that holds in life
//! ([`load`](super::load)), so that an import that was cut short goes on at the last number, and then the rows of the
//! file. *Into a file* all of it goes into a draft, which gets its name when it is whole; the database has a mark from
//! then on, by which no hub serves from it until the journal is carried back. Both journals are checked, and hold the
//! same records, before it is said to be done. Tokens and secrets go with it, and only then this data directory belongs
//! to that database.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use callboard_platform::clock::Clock;
use serde::Serialize;
use thiserror::Error;

use super::batch::Batch;
use super::draft::{Later, put_row, put_session, put_task};
use super::load::{Chunk, read_ahead};
use super::open::{For, open_as};
use super::place::DatabasePlace;
use super::probe::check_unused;
use super::problem::OpenError;
use super::prune::put_lives;
use super::row::{RowKind, StateRow, UNFINISHED, WENT_HOME, key_id, number};
use super::store::Shared;
use super::{PgReader, PgVault};
use crate::carry::{Compared, Difference, Item, LastOf, STRIDE, compare, items};
use crate::entry::{Row, Seq};
use crate::inspect::{VerifyReport, verify_reader};
use crate::sqlite::{self, Durability, SqliteReader};
use crate::store::{ReadError, Reader, WriteError};
use crate::vault::{self, Folder};
use crate::{private_file, search};

/// Why a journal was not carried over, or not compared.
#[derive(Debug, Error)]
pub enum ImportError {
    #[error(transparent)]
    File(#[from] sqlite::OpenError),
    #[error(transparent)]
    Database(#[from] OpenError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("failed to carry tokens and secrets: {0}")]
    Vault(#[from] std::io::Error),
    #[error("`{which}` breaks {in_all} promises, the first: {first}")]
    Unsound {
        /// The file or the database.
        which: String,
        first: String,
        in_all: usize,
    },
    #[error("the database holds another journal: {0}. Choose an empty database")]
    Another(Difference),
    #[error("`{0}` is there already: name another file, or move it away with its `-wal`, `-shm` and `-mark`")]
    IsThere(PathBuf),
    #[error("a hub wrote into `{place}` meanwhile: stop it first, for what it wrote is not in the file")]
    Moved { place: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// The last number that was there before.
    pub from: Seq,
    /// What was found, and is carried over now unless it was only looked at.
    pub journal: VerifyReport,
}

/// Carries the journal of the file at `path` into a team of a database; with `look` it only says what it would.
/// `progress` hears how many records of how many are there.
///
/// Fails when a hub uses the file, when it breaks a promise, or when the database is not fit or holds another journal.
pub fn import(
    path: &Path,
    place: &DatabasePlace,
    look: bool,
    mut progress: impl FnMut(u64, u64),
) -> Result<ImportReport, ImportError> {
    // As a hub opens it: so no hub has it, and rows that a killed one left pending are made.
    let (_store, file) = sqlite::open(path, Durability::Full)?;
    let journal = sound(&file, path.display().to_string())?;
    // A hub that has the database open would write nothing from here on.
    check_unused(place)?;
    let (store, database) = open_as(place, For::Carrying)?;
    let shared = &store.shared;
    let from = database.position()?;
    same(&file, &database, (journal.horizon, from))?;
    if look {
        return Ok(ImportReport { from, journal });
    }
    let placed = begin(shared, &database, &file, &journal)?;
    let (have, mut last_of) = (from.max(journal.horizon), LastOf::new());
    let between = [journal.horizon, placed.max(journal.horizon), have, journal.position];
    read_ahead(&file, between, &mut last_of, |chunk| {
        let last = chunk.last().unwrap_or_default();
        if last > have {
            let mut writer = shared.lock();
            shared.wait_for(writer.load(&chunk))?;
        } else if last > placed {
            shared.send(so_far(chunk, last), Some(have))?;
        }
        progress(last.0, journal.position.0);
        Ok::<_, ImportError>(())
    })?;
    let mut sender = Sender { shared, position: journal.position, batch: Batch::default() };
    items(&file, &last_of, |item| sender.put(item))?;
    sender.batch.rows_up_to = Some(journal.position);
    sender.flush()?;
    shared.analyze();
    let shown = place.shown();
    let (equal, whole) = thread::scope(|scope| {
        let checking = thread::Builder::new().name("verify".to_owned()).spawn_scoped(scope, || sound(&database, shown));
        let equal = same(&file, &database, (journal.horizon, journal.position));
        (equal, checking.map(|checking| checking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))))
    });
    equal?;
    whole??;
    PgVault::carried(&database, &*Folder::at(path.parent().unwrap_or(Path::new("."))))?;
    let mut done = Batch::default();
    done.forget(RowKind::BASE, UNFINISHED);
    done.forget(RowKind::BASE, WENT_HOME);
    shared.send(done, Some(journal.position))?;
    shared.lock().bind()?;
    Ok(ImportReport { from, journal })
}

/// Marks the journal as one that an import has a part of, and takes its rows away. Gives the number of the record up to
/// which places and words are there already.
fn begin(
    shared: &Shared,
    database: &PgReader,
    file: &SqliteReader,
    journal: &VerifyReport,
) -> Result<Seq, ImportError> {
    let have = database.position()?.max(journal.horizon);
    let placed = match database.unfinished()? {
        Some(so_far) => so_far,
        // A journal that a hub had: what it has left to later is written as it would have been.
        None => {
            shared.flush()?;
            have
        }
    };
    let mut batch = so_far(Chunk::default(), placed);
    batch.cut = Some(journal.horizon).filter(|horizon| *horizon > shared.lock().horizon);
    shared.send(batch, Some(have))?;
    *shared.pending() = Later::default();
    while database.has_rows()? {
        shared.send(Batch { clear: true, ..Batch::default() }, Some(have))?;
    }
    let mut lives = Batch::default();
    put_lives(&mut lives, &file.base()?, true)?;
    shared.send(lives, Some(have))?;
    Ok(placed)
}

/// Places and words of records that are there, and up to where these are then.
fn so_far(chunk: Chunk, last: Seq) -> Batch {
    let streams = chunk.records.into_iter().map(|record| (record.stream, record.seq)).collect();
    let mut batch = Batch { streams, words: chunk.words, ..Batch::default() };
    batch.put(RowKind::BASE, UNFINISHED, StateRow::plain(last.to_string()));
    batch
}

/// Carries the journal of a team of a database into a new file at `to`; with `look` it only says what it would.
/// `progress` hears how many records of how many are there.
///
/// Fails when the file is there, when a hub uses the data directory or the database, or when that one breaks a promise.
pub fn bring_home(
    place: &DatabasePlace,
    to: &Path,
    look: bool,
    mut progress: impl FnMut(u64, u64),
) -> Result<ImportReport, ImportError> {
    // An empty log, and its index, are what a reader has left.
    let holds = |part: &PathBuf| fs::metadata(part).is_ok_and(|about| about.len() > 0 || part == to);
    if let Some(there) = ["", "-wal", "-mark"].map(|part| sqlite::beside(to, part)).into_iter().find(holds) {
        return Err(ImportError::IsThere(there));
    }
    let _lock = sqlite::take(&place.folder.join("callboard.db"))?;
    check_unused(place)?;
    let (store, database) = open_as(place, For::GoingHome)?;
    let journal = sound(&database, place.shown())?;
    if look {
        return Ok(ImportReport { from: Seq(0), journal });
    }
    let failed = |error: std::io::Error| ImportError::Write(WriteError::Fault(format!("`{}`: {error}", to.display())));
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let draft = to.with_file_name(format!(".{name}.import"));
    private_file::make_folder(to.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    // What an import that was cut short has left there begins anew.
    private_file::remove(&draft).and_then(|()| private_file::create(&draft)).map_err(failed)?;
    let position = journal.position;
    sqlite::fill(&draft, &database, |at| progress(at.0, position.0))?;
    let file = sqlite::open_read_only(&draft)?;
    same(&file, &database, (journal.horizon, position))?;
    let carried = sound(&file, draft.display().to_string())?;
    drop(file);
    let home = Folder::at(to.parent().unwrap_or(Path::new(".")));
    for (name, text) in vault::all(&PgVault::open(&database, &*home)?)? {
        home.write(&name, &text)?;
    }
    // Behind the fence: it fails where anybody has taken the team or written since it was opened. Before the file gets
    // its name, so that at no moment a hub can serve from both.
    let mut gone = Batch::default();
    let went = format!("`{}`, at {}", to.display(), Clock::system().now());
    gone.put(RowKind::BASE, WENT_HOME, StateRow::plain(went));
    if store.shared.send(gone, Some(position)).is_err() || carried != journal {
        return Err(ImportError::Moved { place: place.shown() });
    }
    let placed = fs::File::open(&draft).and_then(|file| file.sync_all()).and_then(|()| {
        search::forget(to)?;
        private_file::remove(&sqlite::beside(to, "-wal"))?;
        private_file::remove(&sqlite::beside(to, "-shm"))?;
        fs::rename(&draft, to)?;
        private_file::sync_folder_of(to)
    });
    placed.map_err(failed)?;
    Ok(ImportReport { from: Seq(0), journal })
}

/// Compares the journal of the file at `path` with that of a team of a database, which is checked, too. `progress`
/// hears how many records of how many are compared.
///
/// Fails when either cannot be read, or a hub uses the database.
pub fn verify_both(
    path: &Path,
    place: &DatabasePlace,
    mut progress: impl FnMut(u64, u64),
) -> Result<(VerifyReport, Compared), ImportError> {
    let file = sqlite::open_read_only(path)?.snapshot()?;
    check_unused(place)?;
    let (_store, database) = open_as(place, For::Carrying)?;
    let report = verify_reader(&database, |_, _| ())?;
    let last = report.position.max(file.position()?);
    let compared = compare(&file, &database, (Seq(0), last), |at| progress(at, last.0))?;
    Ok((report, compared))
}

/// Checks a journal. Fails with the first promise that it breaks.
fn sound(reader: &dyn Reader, which: String) -> Result<VerifyReport, ImportError> {
    let report = verify_reader(reader, |_, _| ())?;
    match report.findings.first() {
        None => Ok(report),
        Some(first) => {
            Err(ImportError::Unsound { which, first: first.sentence.clone(), in_all: report.findings_in_all })
        }
    }
}

/// Fails with the first record that is not the same in both.
fn same(file: &SqliteReader, database: &PgReader, range: (Seq, Seq)) -> Result<(), ImportError> {
    match compare(file, database, range, |_| ())?.difference {
        None => Ok(()),
        Some(difference) => Err(ImportError::Another(difference)),
    }
}

/// Writes rows so many at a time.
struct Sender<'a> {
    shared: &'a Shared,
    position: Seq,
    batch: Batch,
}

impl Sender<'_> {
    fn put(&mut self, item: Item) -> Result<(), ImportError> {
        self.add(item)?;
        let full = self.batch.rows.len() + self.batch.blobs.len() >= STRIDE;
        if full { self.flush() } else { Ok(()) }
    }

    fn add(&mut self, item: Item) -> Result<(), WriteError> {
        let batch = &mut self.batch;
        match item {
            Item::Row(Row::Task(task)) => put_task(batch, &task)?,
            Item::Row(row) => put_row(batch, &row)?,
            Item::Session(session) => put_session(batch, &session)?,
            Item::Question(question, last) => {
                let row = StateRow::of_question(&question, last)?;
                batch.put(RowKind::QUESTION, question.spec.id.as_str(), row);
            }
            Item::Notice(agent, notice) => {
                let row = StateRow::of_notice(&agent, &notice)?;
                batch.put(RowKind::NOTICE, &format!("{agent}/{}", notice.id), row);
            }
            Item::Key((principal, key, digest, receipt, at)) => {
                let row = StateRow { state: Some(digest), begun: number(at.0), body: receipt, ..StateRow::default() };
                batch.put(RowKind::KEY, &key_id(&principal, &key), row);
            }
            Item::Comment(comment, task) => {
                batch.put(RowKind::COMMENT, &comment, StateRow { parent: Some(task), ..StateRow::default() });
            }
            Item::Blob(id, text) => drop(batch.blobs.insert(id, text)),
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ImportError> {
        let batch = std::mem::take(&mut self.batch);
        Ok(self.shared.send(batch, Some(self.position))?)
    }
}
