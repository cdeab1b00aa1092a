//! Opening the journal in a database, and every reason not to.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::Client;

use super::draft::Later;
use super::place::DatabasePlace;
use super::problem::OpenError;
use super::reader::PgReader;
use super::row::{UNFINISHED, number, unsigned};
use super::schema::{self, ServerFacts};
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
/// Fails when the database cannot be reached, is not fit for a journal, is of another house, or ends before what
/// this machine acknowledged.
pub fn open(place: &DatabasePlace) -> Result<(PgStore, PgReader), OpenError> {
    open_as(place, Whole::Must)
}

/// Whether the journal that is opened must be whole, or may be one that an import has carried a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Must,
    May,
}

pub(super) fn open_as(place: &DatabasePlace, whole: Whole) -> Result<(PgStore, PgReader), OpenError> {
    let shown = place.shown();
    let failed = |detail: String| OpenError::Fault { place: shown.clone(), detail };
    let driver = Driver::start().map_err(|error| failed(error.to_string()))?;
    let writer = driver.wait_for(in_time(place, take(place, whole))).map_err(&failed)??;
    let rows_up_to = writer.1;
    let shared = Arc::new(Shared::new(driver, writer.0));
    let reader = PgReader::new(place, Arc::clone(&shared)).map_err(&failed)?;
    reload(&shared, &reader, rows_up_to).map_err(|error| failed(error.to_string()))?;
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
pub(super) async fn take(place: &DatabasePlace, whole: Whole) -> Result<(Writer, Seq), OpenError> {
    let shown = place.shown();
    let failed = |error: tokio_postgres::Error| OpenError::of(&shown, &error);
    let broken = |detail: String| OpenError::Fault { place: shown.clone(), detail };
    let mut client = place.connect().await.map_err(failed)?;
    ServerFacts::ask(&client).await.map_err(failed)?.check(&shown)?;
    let house = schema::prepare(&mut client, place).await?;
    let mut mark = remember(place, house)?;
    let owner = getrandom::u64().map_err(|error| broken(error.to_string()))?.cast_signed();
    // Before the team is taken: a hub that must not open this journal ends nobody else's hold of it.
    let found = position(&client, place).await.map_err(failed)?;
    let marked = mark.at();
    if found < marked {
        return Err(OpenError::Behind { place: shown, found, marked });
    }
    let cut = "SELECT 1 FROM team JOIN rows ON rows.team = team.id AND kind = 'base' AND rows.id = $2 WHERE name = $1";
    let cut = client.query_opt(cut, &[&place.team, &UNFINISHED]).await.map_err(failed)?;
    if cut.is_some() && whole == Whole::Must {
        return Err(OpenError::Unfinished { place: shown });
    }
    let taken =
        "INSERT INTO team (name, owner, epoch, version, seq, rows_up_to, horizon) VALUES ($1, $2, 1, 0, 0, 0, 0)
                 ON CONFLICT (name) DO UPDATE SET owner = $2, epoch = team.epoch + 1
                 WHERE team.node IS NOT DISTINCT FROM $3 AND team.life IS NOT DISTINCT FROM $4
                 RETURNING id, epoch, version, seq, rows_up_to, horizon";
    let holder = place.holder.map(|holder| (holder.node.0.cast_signed(), number(holder.incarnation.0))).unzip();
    let (node, life): (Option<i32>, Option<i64>) = holder;
    let row = client.query_opt(taken, &[&place.team, &owner, &node, &life]).await.map_err(failed)?;
    let Some(row) = row else { return Err(OpenError::Held { place: shown }) };
    let seq = |column: usize| Seq(unsigned(row.get(column)));
    let (position, rows_up_to, horizon) = (seq(3), seq(4), seq(5));
    if mark.files().is_some() {
        mark.set(position);
    }
    let writer = Writer {
        place: place.clone(),
        team: row.get(0),
        owner,
        epoch: row.get(1),
        version: row.get(2),
        position,
        horizon,
        house,
        mark,
        client: Some(client),
        prepared: None,
        ended: None,
    };
    Ok((writer, rows_up_to))
}

/// The number of the team's last record; 0 where there is no such team.
async fn position(client: &Client, place: &DatabasePlace) -> Result<Seq, tokio_postgres::Error> {
    let found = client.query_opt("SELECT seq FROM team WHERE name = $1", &[&place.team]).await?;
    Ok(found.map(|row| Seq(unsigned(row.get(0)))).unwrap_or_default())
}

/// What this machine remembers: which house it belongs to, and how far it acknowledged. A new one belongs to none
/// before its first write ([`Writer::bind`]).
fn remember(place: &DatabasePlace, house: FileId) -> Result<Mark, OpenError> {
    let failed = |error: std::io::Error| OpenError::Fault {
        place: place.folder.display().to_string(),
        detail: error.to_string(),
    };
    crate::private_file::make_folder(&place.folder).map_err(failed)?;
    let mark = Mark::open(&place.folder.join(format!("postgres-{}", place.team)), true).map_err(failed)?;
    match mark.files() {
        Some([known, _]) if known != house => {
            let (place, folder) = (place.shown(), place.folder.clone());
            Err(OpenError::OtherHouse { place, folder, known: known.to_string(), found: house.to_string() })
        }
        Some(_) | None => Ok(mark),
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
