//! The one writer of a team, as the hub knows it.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Runtime;

use super::batch::Batch;
use super::draft::{Draft, KnownRow, KnownRows, Later, asks, texts_before};
use super::row::{RowKind, number, storable};
use super::writer::Writer;
use crate::domain::time::Timestamp;
use crate::entry::{Append, Seq, Written};
use crate::store::{HOOK_KEY_LIFETIME, KEY_LIFETIME, OF_HOOKS, Pruned, Store, WriteError};

/// So many records with pending rows make the writer write them with its next batch.
const FLUSH_AT: usize = 2_000;

/// How often keys that are too old are swept, by the time of the appends.
const SWEEP_EVERY: Duration = Duration::from_secs(10 * 60);

/// A lock that is held over one write, or one look at what is pending.
#[expect(clippy::disallowed_types, reason = "locked on threads that wait for the database, never on the runtime's")]
pub(super) type Lock<T> = std::sync::Mutex<T>;

/// The threads that drive the connections of a journal. The last who lets go of it ends them without waiting.
#[derive(Debug)]
pub(super) struct Driver(Option<Runtime>);

impl Driver {
    pub(super) fn start() -> std::io::Result<Self> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("postgres").enable_all().build().map(|runtime| Self(Some(runtime)))
    }

    /// Waits for the database. Must not be called on a thread of another runtime.
    pub(super) fn wait_for<T>(&self, what: impl Future<Output = T>) -> Result<T, String> {
        self.0.as_ref().map(|runtime| runtime.block_on(what)).ok_or_else(|| "the hub ends".to_owned())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// What the writer and its readers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) driver: Driver,
    /// Held over every write.
    writer: Lock<Writer>,
    /// What is written later. Changed only by who holds the writer.
    pending: Lock<Later>,
}

impl Shared {
    pub(super) fn new(driver: Driver, writer: Writer) -> Self {
        Self { driver, writer: Lock::new(writer), pending: Lock::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn pending(&self) -> MutexGuard<'_, Later> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait_for<T>(&self, what: impl Future<Output = Result<T, WriteError>>) -> Result<T, WriteError> {
        self.driver.wait_for(what).unwrap_or_else(|why| Err(WriteError::Fault(why)))
    }

    /// Writes a batch, up to this number, or where no record comes with it.
    pub(super) fn send(&self, batch: Batch, seq: Option<Seq>) -> Result<(), WriteError> {
        let mut writer = self.lock();
        let seq = seq.unwrap_or(writer.position);
        self.wait_for(writer.send(batch, seq))
    }

    /// Tells the server how large its tables have become: until it finds out by itself it may plan as for small ones.
    pub(super) fn analyze(&self) {
        let mut writer = self.lock();
        let told =
            async { Ok(writer.client().await?.batch_execute("ANALYZE records, stream_index, rows, search").await) };
        if let Ok(Err(error)) = self.wait_for(told) {
            tracing::debug!("the server finds out by itself how large its tables are: {error}");
        }
    }

    pub(super) fn flush(&self) -> Result<(), WriteError> {
        self.flush_by(&mut self.lock())
    }

    pub(super) fn flush_by(&self, writer: &mut Writer) -> Result<(), WriteError> {
        let later = self.pending().clone();
        if later.rows.streams.is_empty() && later.rows.tasks.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::default();
        later.into_batch(&mut batch)?;
        let seq = writer.position;
        self.wait_for(writer.send(batch, seq))?;
        *self.pending() = Later::default();
        Ok(())
    }

    fn write(&self, batch: &[Append]) -> Result<Vec<Result<Written, WriteError>>, WriteError> {
        let mut writer = self.lock();
        writer.bind()?;
        let known = self.wait_for(look_up(&mut writer, asks(batch)))?;
        let texts = self.wait_for(look_up_texts(&mut writer, texts_before(batch)))?;
        let pending = self.pending();
        let mut draft = Draft::new(writer.position, known, &texts, &pending);
        let answers = batch.iter().map(|append| draft.take(append)).collect::<Result<Vec<_>, _>>()?;
        if answers.iter().all(Result::is_err) {
            return Ok(answers);
        }
        let Draft { batch: mut written, fresh, position, .. } = draft;
        let due = pending.rows.streams.len() >= FLUSH_AT;
        if due {
            // Rows that this batch itself writes are newer.
            let newer = std::mem::take(&mut written.rows);
            pending.clone().into_batch(&mut written)?;
            written.rows.extend(newer);
        }
        drop(pending);
        self.wait_for(writer.send(written, position))?;
        let mut pending = self.pending();
        if due {
            *pending = Later::default();
        }
        pending.add(fresh);
        Ok(answers)
    }
}

/// Rows as the database has them. One question, and none where nothing is asked.
async fn look_up(writer: &mut Writer, asked: Vec<(RowKind, String)>) -> Result<KnownRows, WriteError> {
    if asked.is_empty() {
        return Ok(KnownRows::new());
    }
    let places: KnownPlaces = asked.into_iter().map(|(kind, id)| (kind, storable(&id))).collect();
    let kinds: Vec<&str> = places.iter().map(|(kind, _)| kind.as_str()).collect();
    let ids: Vec<&str> = places.iter().map(|(_, id)| id.as_str()).collect();
    // One by one, whatever the server believes of the size of the table.
    let sql = "SELECT a.n, found.state, found.begun, found.body
               FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS a (kind, id, n), LATERAL (
                   SELECT state, begun, body FROM rows
                   WHERE rows.team = $1 AND rows.kind = a.kind AND rows.id = a.id OFFSET 0) AS found";
    let team = writer.team;
    let found = writer.ask(sql, &[&team, &kinds, &ids]).await?;
    let known = found.iter().filter_map(|row| {
        let place = usize::try_from(row.get::<_, i64>(0) - 1).ok().and_then(|n| places.get(n))?;
        Some((place.clone(), KnownRow { state: row.get(1), begun: row.get(2), body: row.get(3) }))
    });
    Ok(known.collect())
}

/// Long texts by their ids.
async fn look_up_texts(writer: &mut Writer, asked: Vec<String>) -> Result<BTreeMap<String, String>, WriteError> {
    if asked.is_empty() {
        return Ok(BTreeMap::new());
    }
    let team = writer.team;
    let found = writer.ask("SELECT id, body FROM blobs WHERE team = $1 AND id = ANY($2)", &[&team, &asked]).await?;
    Ok(found.iter().map(|row| (row.get(0), String::from_utf8_lossy(row.get(1)).into_owned())).collect())
}

type KnownPlaces = Vec<(RowKind, String)>;

/// The one writer of a team's journal in a database.
#[derive(Debug)]
pub struct PgStore {
    pub(super) shared: Arc<Shared>,
    swept_at: Timestamp,
}

impl PgStore {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, swept_at: Timestamp::default() }
    }

    /// Keys that are too old answer nobody; who sweeps them late or twice does no harm, and so needs no fence.
    fn sweep(&mut self, now: Timestamp) {
        if now.since(self.swept_at) < SWEEP_EVERY {
            return;
        }
        self.swept_at = now;
        let mut writer = self.shared.lock();
        let team = writer.team;
        let (old, of_hooks) = (number((now - KEY_LIFETIME).0), number((now - HOOK_KEY_LIFETIME).0));
        let sql = "DELETE FROM rows WHERE team = $1 AND kind = 'key' AND begun <= $2
                   AND (begun <= $3 OR NOT starts_with(id, $4))";
        let swept = self.shared.wait_for(writer.ask(sql, &[&team, &old, &of_hooks, &OF_HOOKS]));
        if let Err(error) = swept {
            tracing::debug!("old keys are swept later: {error}");
        }
    }
}

impl Store for PgStore {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        let answers = self.shared.write(batch);
        if let Some(last) = batch.last()
            && answers.is_ok()
        {
            self.sweep(last.at);
        }
        answers.unwrap_or_else(|fault| batch.iter().map(|_| Err(fault.clone())).collect())
    }

    fn prune(&mut self, before: Timestamp, limit: usize) -> Result<Pruned, WriteError> {
        let mut writer = self.shared.lock();
        self.shared.flush_by(&mut writer)?;
        self.shared.wait_for(super::prune::prune(&mut writer, before, limit))
    }

    fn position(&self) -> Seq {
        self.shared.lock().position
    }

    fn over(&self) -> Option<String> {
        self.shared.lock().ended.clone()
    }

    fn blocks(&self) -> bool {
        true
    }
}
