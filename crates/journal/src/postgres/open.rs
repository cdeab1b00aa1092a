//! Opening the journal in a database, and every reason not to.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::{Client, Transaction};

use super::draft::Later;
use super::lock;
use super::place::DatabasePlace;
use super::problem::{LEVEL, OpenError};
use super::reader::PgReader;
use super::row::{UNFINISHED, WENT_HOME, number, unsigned};
use super::schema::{self, Prepared};
use super::store::{Driver, PgStore, Shared};
use super::writer::Writer;
use crate::entry::Seq;
use crate::sqlite::{FileId, Mark};
use crate::store::{ReadError, Reader as _};

/// How long a server may take to be opened, or looked at: longer than a statement of that.
const ANSWERED_WITHIN: Duration = Duration::from_secs(60);

/// Records read at one go when rows are made from them.
const STRIDE: usize = 1_000;

/// Opens the journal of a team, or begins it, and takes the team: whoever had it before writes nothing any more.
///
/// Fails when the database cannot be reached, is not fit for a journal, is of another house, has another hub that
/// lives, ends before what this machine acknowledged, or was left for a file.
pub fn open(place: &DatabasePlace) -> Result<(PgStore, PgReader), OpenError> {
    open_as(place, For::Serving)
}

/// What a journal is opened for, and so what it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// It is whole, and was not carried home.
    Serving,
    /// It is whole.
    GoingHome,
    /// It may be one that an import has carried a part of.
    Carrying,
}

pub(super) fn open_as(place: &DatabasePlace, purpose: For) -> Result<(PgStore, PgReader), OpenError> {
    let shown = place.shown();
    let failed = |detail: String| OpenError::Fault { place: shown.clone(), detail };
    let driver = Driver::start().map_err(|error| failed(error.to_string()))?;
    let writer = driver.wait_for(in_time(place, take(place, purpose))).map_err(&failed)??;
    let rows_up_to = writer.1;
    let shared = Arc::new(Shared::new(driver, writer.0));
    let reader = PgReader::new(place, Arc::clone(&shared)).map_err(&failed)?;
    // Of a journal of which an import has a part nothing follows yet; and its rows go when it is carried on.
    if purpose != For::Carrying || reader.unfinished().map_err(|error| failed(error.to_string()))?.is_none() {
        reload(&shared, &reader, rows_up_to).map_err(|error| failed(error.to_string()))?;
    }
    Ok((PgStore::new(shared), reader))
}

/// A server that answers nothing is not waited for without an end.
pub(super) async fn in_time<T>(
    place: &DatabasePlace,
    what: impl Future<Output = Result<T, OpenError>>,
) -> Result<T, OpenError> {
    let late = |_| Err(OpenError::Unreachable { place: place.shown(), detail: "no answer in time".to_owned() });
    timeout(ANSWERED_WITHIN, what).await.unwrap_or_else(late)
}

/// Takes the team; with the number of the last record whose rows are written.
pub(super) async fn take(place: &DatabasePlace, purpose: For) -> Result<(Writer, Seq), OpenError> {
    let (shown, failed) = (place.shown(), |error: tokio_postgres::Error| place.problem(&error));
    let broken = |detail: String| OpenError::Fault { place: shown.clone(), detail };
    let (mut client, _) = schema::connect(place).await?;
    let owner = getrandom::u64().map_err(|error| broken(error.to_string()))?.cast_signed();
    // Before the team is taken: a hub that must not open this journal ends nobody else's hold of it.
    let (Prepared { house, team, .. }, mut mark) = prepare(&mut client, place, purpose).await?;
    let holder = match place.holder {
        Some(holder) => (Some(holder.node.0.cast_signed()), Some(number(holder.incarnation.0))),
        None => {
            lock::alone(&client, place, team, false).await?;
            lock::left_by(&client, place, team).await?
        }
    };
    let taken = "UPDATE team SET owner = $2, epoch = epoch + 1, level = greatest(level, $5),
                     node = CASE WHEN $6 THEN NULL ELSE node END, life = CASE WHEN $6 THEN NULL ELSE life END
                 WHERE id = $1 AND node IS NOT DISTINCT FROM $3 AND life IS NOT DISTINCT FROM $4
                 RETURNING id, epoch, version, seq, rows_up_to, horizon";
    let (level, alone) = (i32::from(LEVEL.0), place.holder.is_none());
    let row = client.query_opt(taken, &[&team, &owner, &holder.0, &holder.1, &level, &alone]).await.map_err(failed)?;
    let Some(row) = row else { return Err(OpenError::Held { place: shown }) };
    let seq = |column: usize| Seq(unsigned(row.get(column)));
    let (position, rows_up_to, horizon) = (seq(3), seq(4), seq(5));
    if mark.files().is_some() {
        mark.set(position);
    }
    let writer = Writer {
        place: place.clone(),
        team,
        owner,
        epoch: row.get(1),
        version: row.get(2),
        position,
        horizon,
        house,
        mark,
        client: Some(client),
        locked: alone,
        prepared: None,
        ended: None,
    };
    Ok((writer, rows_up_to))
}

/// The tables, and what this machine remembers. Of a journal that it must not open nothing is made.
pub(super) async fn prepare(
    client: &mut Client,
    place: &DatabasePlace,
    purpose: For,
) -> Result<(Prepared, Mark), OpenError> {
    let failed = |error: tokio_postgres::Error| place.problem(&error);
    let fault = |error: std::io::Error| OpenError::Fault {
        place: place.folder.display().to_string(),
        detail: error.to_string(),
    };
    let transaction = client.transaction().await.map_err(failed)?;
    let prepared = schema::prepare(&transaction, place).await?;
    crate::private_file::make_folder(&place.folder).map_err(fault)?;
    // A new one belongs to no house before its first write ([`Writer::bind`]).
    let mark = Mark::open(&mark_of(place), true).map_err(fault)?;
    check(&transaction, place, prepared, (mark.files(), mark.at()), purpose).await?;
    transaction.commit().await.map_err(failed)?;
    Ok((prepared, mark))
}

/// Refuses what a hub refuses that is to serve from it, and leaves all as it is. The number of the last record.
pub(super) async fn would_serve(client: &mut Client, place: &DatabasePlace) -> Result<Seq, OpenError> {
    let failed = |error: tokio_postgres::Error| place.problem(&error);
    let fault = |error: std::io::Error| OpenError::Fault {
        place: place.folder.display().to_string(),
        detail: error.to_string(),
    };
    let transaction = client.transaction().await.map_err(failed)?;
    // Whoever writes there now does not wait for it.
    transaction.batch_execute("SET LOCAL lock_timeout = '2s'").await.map_err(failed)?;
    let prepared = schema::prepare(&transaction, place).await?;
    let known = Mark::look(&mark_of(place)).map_err(fault)?;
    let position = check(&transaction, place, prepared, known, For::Serving).await?;
    transaction.rollback().await.map_err(failed)?;
    Ok(position)
}

/// What this machine remembers: which house it belongs to, and how far it acknowledged.
fn mark_of(place: &DatabasePlace) -> PathBuf {
    place.folder.join(format!("postgres-{}", place.team))
}

/// Whether the journal of this house and team may be opened for this, and by a machine that remembers this; the number
/// of its last record.
async fn check(
    transaction: &Transaction<'_>,
    place: &DatabasePlace,
    Prepared { house, team, is_new }: Prepared,
    (known, marked): (Option<[FileId; 2]>, Seq),
    purpose: For,
) -> Result<Seq, OpenError> {
    let shown = place.shown();
    if let Some([known, _]) = known
        && known != house
    {
        let (place, folder, known) = (shown, place.folder.clone(), known.to_string());
        return Err(match is_new {
            true => OpenError::Empty { place, folder, known },
            false => OpenError::OtherHouse { place, folder, known, found: house.to_string() },
        });
    }
    let asked = "SELECT seq, coalesce(level, 0), cut.id IS NOT NULL, home.body FROM team
                 LEFT JOIN rows AS cut ON cut.team = team.id AND cut.kind = 'base' AND cut.id = $2
                 LEFT JOIN rows AS home ON home.team = team.id AND home.kind = 'base' AND home.id = $3
                 WHERE team.id = $1";
    let row = transaction.query_one(asked, &[&team, &UNFINISHED, &WENT_HOME]).await;
    let row = row.map_err(|error| place.problem(&error))?;
    let (level, went): (i32, Option<String>) = (row.get(1), row.get(3));
    match (purpose, went) {
        _ if level > i32::from(LEVEL.0) => Err(OpenError::NewerLevel { place: shown, found: level }),
        (For::Serving | For::GoingHome, _) if row.get(2) => Err(OpenError::Unfinished { place: shown }),
        (For::Serving, Some(went)) => Err(OpenError::WentHome { place: shown, went }),
        (_, _) => match Seq(unsigned(row.get(0))) {
            found if found < marked => Err(OpenError::Behind { place: shown, found, marked }),
            found => Ok(found),
        },
    }
}

/// Makes what was pending when the last writer ended.
fn reload(shared: &Shared, reader: &PgReader, rows_up_to: Seq) -> Result<(), ReadError> {
    let (mut later, mut from) = (Later::default(), rows_up_to);
    loop {
        let records = reader.records(from, STRIDE)?;
        for kept in &records {
            later.rows.apply(kept, |id| reader.stored_task(id), |id| reader.stored_session(id))?;
            later.put_words(kept, |id| reader.blob(id).ok().flatten());
        }
        match records.last() {
            Some(last) => from = last.seq,
            None => break,
        }
    }
    *shared.pending() = later;
    Ok(())
}
