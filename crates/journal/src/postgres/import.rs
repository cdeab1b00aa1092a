//! A journal in a file becomes one in a database, while no hub uses it: `callboard journal import --to URL` calls
//! this. The file stays as it is.
//!
//! Records first, by the fenced statement that writes them in life, so that an import that was cut short goes on at
//! the last number; then the rows, which are written again as a whole. Both journals are checked, and hold the same
//! records, before it is said to be done. Tokens and secrets of its data directory go last. The way back is not here
//! yet.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use thiserror::Error;

use super::batch::Batch;
use super::draft::{Later, put_row, put_session, put_task};
use super::place::DatabasePlace;
use super::probe::check_unused;
use super::prune::put_lives;
use super::row::{RowKind, StateRow, delivery_id, key_id, number};
use super::store::Shared;
use super::{OpenError, PgReader, PgVault, open};
use crate::domain::ids::QuestionId;
use crate::entry::{Record, Row, Seq};
use crate::inspect::{VerifyReport, verify_reader};
use crate::page::{DeliveryFilter, Page, QuestionFilter, ReviewFilter, TaskFilter, WorkflowFilter};
use crate::sqlite::{self, Durability, SqliteReader};
use crate::store::{ReadError, Reader as _, WriteError};
use crate::vault::Folder;

/// Records, or rows, that are written by one statement.
const STRIDE: usize = 1_000;

/// Why a journal was not carried over. What was carried stays, and the next import goes on from there.
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
    #[error("the database holds another journal: record {at} is not the same there. Choose an empty database")]
    Another { at: Seq },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// The last number that was there before.
    pub from: Seq,
    /// What was found in the file, and is in the database now unless it was only looked at.
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
    let (store, database) = open(place)?;
    let shared = &store.shared;
    let from = database.position()?;
    same_up_to(&file, &database, from)?;
    if look {
        return Ok(ImportReport { from, journal });
    }
    if from < journal.horizon || from == Seq(0) {
        let mut batch = Batch { cut: Some(journal.horizon), ..Batch::default() };
        put_lives(&mut batch, &file.base()?, true)?;
        send(shared, batch, journal.horizon)?;
    }
    let mut at = from.max(journal.horizon);
    while at < journal.position {
        let records = file.raw_records(at, STRIDE)?;
        let Some(last) = records.last().map(|record| record.seq) else { break };
        send(shared, Batch { records, ..Batch::default() }, last)?;
        at = last;
        progress(at.0, journal.position.0);
    }
    *shared.pending() = Later::default();
    rows(shared, &file, journal.position)?;
    same_up_to(&file, &database, journal.position)?;
    sound(&database, place.shown())?;
    PgVault::open(&database, &*Folder::at(path.parent().unwrap_or(Path::new("."))))?;
    Ok(ImportReport { from, journal })
}

fn sound(reader: &dyn crate::Reader, which: String) -> Result<VerifyReport, ImportError> {
    let report = verify_reader(reader, |_, _| ())?;
    match report.findings.first() {
        None => Ok(report),
        Some(first) => {
            Err(ImportError::Unsound { which, first: first.sentence.clone(), in_all: report.findings_in_all })
        }
    }
}

/// Whether both hold the same records up to this number, to the letter.
fn same_up_to(file: &SqliteReader, database: &PgReader, up_to: Seq) -> Result<(), ImportError> {
    let mut at = file.horizon()?;
    while at < up_to {
        let (mut here, mut there) = (file.raw_records(at, STRIDE)?, database.raw_records(at, STRIDE)?);
        here.retain(|record| record.seq <= up_to);
        there.retain(|record| record.seq <= up_to);
        if here != there || here.is_empty() {
            let differs = here.iter().zip(&there).find(|(here, there)| here != there);
            return Err(ImportError::Another { at: differs.map_or(at.next(), |(here, _)| here.seq) });
        }
        at = here.last().map_or(up_to, |record| record.seq);
    }
    Ok(())
}

fn send(shared: &Shared, batch: Batch, seq: Seq) -> Result<(), WriteError> {
    let mut writer = shared.lock();
    shared.wait_for(writer.send(batch, seq))
}

fn rows(shared: &Shared, file: &SqliteReader, position: Seq) -> Result<(), ImportError> {
    let mut sender = Sender { shared, position, batch: Batch::default() };
    let last_of = streams_and_words(&mut sender, file)?;
    tasks_and_sessions(&mut sender, file, &last_of)?;
    lists(&mut sender, file)?;
    // An import that is cut short before this has no rows, as a hub that was killed.
    sender.batch.rows_up_to = Some(position);
    sender.flush()
}

type LastOf = BTreeMap<QuestionId, Seq>;

fn streams_and_words(sender: &mut Sender<'_>, file: &SqliteReader) -> Result<LastOf, ImportError> {
    let mut last_of = LastOf::new();
    let mut at = file.horizon()?;
    loop {
        let mut later = Later::default();
        let records = file.records(at, STRIDE)?;
        for kept in &records {
            later.rows.put_stream(&kept.stream, kept.seq);
            later.put_words(kept, |id| file.blob(id).ok().flatten());
            if let Record::Question(record) = &kept.record {
                last_of.insert(record.id().clone(), kept.seq);
            }
        }
        let Some(last) = records.last() else { return Ok(last_of) };
        at = last.seq;
        later.into_batch(&mut sender.batch)?;
        sender.batch.rows_up_to = None;
        sender.flush()?;
    }
}

fn tasks_and_sessions(sender: &mut Sender<'_>, file: &SqliteReader, last_of: &LastOf) -> Result<(), ImportError> {
    for task in Page::all(|page| file.tasks(&TaskFilter::default(), page))? {
        sender.put(|batch| put_task(batch, &task))?;
    }
    for session in file.sessions()? {
        sender.put(|batch| put_session(batch, &session))?;
    }
    for question in Page::all(|page| file.questions(&QuestionFilter::default(), page))? {
        let last = last_of.get(&question.spec.id).copied().unwrap_or_default();
        let row = StateRow::of_question(&question, last).map_err(WriteError::from)?;
        sender.put(|batch| {
            batch.put(RowKind::Question, question.spec.id.as_str(), row);
            Ok(())
        })?;
    }
    for agent in file.agents()? {
        for notice in agent.notices.values() {
            let row = StateRow::of_notice(&agent.id, notice).map_err(WriteError::from)?;
            sender.batch.put(RowKind::Notice, &format!("{}/{}", agent.id, notice.id), row);
        }
        sender.row(Row::Agent(Box::new(agent)))?;
    }
    Ok(())
}

fn lists(sender: &mut Sender<'_>, file: &SqliteReader) -> Result<(), ImportError> {
    for review in Page::all(|page| file.reviews(&ReviewFilter::default(), page))? {
        sender.row(Row::Review(Box::new(review)))?;
    }
    for run in file.workflows(&WorkflowFilter::default(), usize::MAX)? {
        sender.row(Row::Workflow(Box::new(run)))?;
    }
    for delivery in Page::all(|page| file.deliveries(&DeliveryFilter::default(), page))? {
        let row = StateRow::of_delivery(&delivery).map_err(WriteError::from)?;
        sender.batch.put(RowKind::Delivery, &delivery_id(delivery.id), row);
        sender.flush_if_full()?;
    }
    for ticket in file.tickets()? {
        let answer = file.ticket_answer(&ticket.id)?;
        sender.row(Row::Ticket(Box::new(ticket), answer))?;
    }
    for kept in file.patterns()? {
        sender.row(Row::Pattern(Box::new(kept)))?;
    }
    for webhook in file.webhooks()? {
        sender.row(Row::Webhook(Box::new(webhook)))?;
    }
    for schedule in file.schedules()? {
        sender.row(Row::Schedule(Box::new(schedule)))?;
    }
    for (principal, key, digest, receipt, at) in file.keys()? {
        let row = StateRow { state: Some(digest), begun: number(at.0), body: receipt, ..StateRow::default() };
        sender.batch.put(RowKind::Key, &key_id(&principal, &key), row);
        sender.flush_if_full()?;
    }
    for (comment, task) in file.comments()? {
        sender.batch.put(RowKind::Comment, &comment, StateRow { parent: Some(task), ..StateRow::default() });
        sender.flush_if_full()?;
    }
    for (id, text) in file.blobs()? {
        sender.batch.blobs.insert(id, text);
        sender.flush_if_full()?;
    }
    Ok(())
}

/// Writes rows so many at a time.
struct Sender<'a> {
    shared: &'a Shared,
    position: Seq,
    batch: Batch,
}

impl Sender<'_> {
    fn put(&mut self, put: impl FnOnce(&mut Batch) -> Result<(), WriteError>) -> Result<(), ImportError> {
        put(&mut self.batch)?;
        self.flush_if_full()
    }

    fn row(&mut self, row: Row) -> Result<(), ImportError> {
        put_row(&mut self.batch, &row)?;
        self.flush_if_full()
    }

    fn flush_if_full(&mut self) -> Result<(), ImportError> {
        if self.batch.rows.len() + self.batch.blobs.len() >= STRIDE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ImportError> {
        let batch = std::mem::take(&mut self.batch);
        Ok(send(self.shared, batch, self.position)?)
    }
}
