//! The writer of the audit: the handle that takes notes, and the thread that writes them.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::file::{AuditFault, AuditFile};
use super::line::{Decision, Note};
use crate::domain::time::Timestamp;

/// How many notes may wait to be written.
const WAITING: usize = 1_024;

/// How many denials are written in one go, and how many in a second after that; of the rest their number is. Whoever
/// may not come in must not fill the disk.
const DENIALS: (NonZeroU32, NonZeroU32) = (NonZeroU32::MIN.saturating_add(999), NonZeroU32::MIN.saturating_add(9));

/// How long a line may lie unsynced, and not be named by the head. A sync for each would slow the journal down.
const HEADED_WITHIN: Duration = Duration::from_secs(1);

/// The audit, as doors see it. Cheap to clone. One that never began keeps nothing: a hub in memory has no directory.
#[derive(Debug, Clone, Default)]
pub struct Audit(Arc<OnceLock<AuditWriter>>);

#[derive(Debug)]
struct AuditWriter {
    orders: mpsc::Sender<Order>,
    quota: DefaultDirectRateLimiter,
    left_out: AtomicU64,
    asked: RecentRequests,
    dir: PathBuf,
    /// Whether the newest line could not be written.
    failing: Arc<AtomicBool>,
}

struct Order {
    note: Option<Note>,
    /// The number of the event that it is about.
    journal: Option<u64>,
    done: Option<oneshot::Sender<Result<(), String>>>,
    /// Whether it must be on the disk before it counts as done.
    durable: bool,
}

impl Audit {
    /// From now on notes go to this data directory. Returns the last event that its audit has seen, if it has a line.
    pub fn begin(&self, dir: &Path, now: Timestamp) -> Result<Option<u64>, AuditFault> {
        let file = AuditFile::open(dir, now)?;
        let seen = file.seen();
        let (orders, handed_in) = mpsc::channel(WAITING);
        let failing = Arc::new(AtomicBool::new(false));
        let writer = Writer { dir: dir.to_owned(), file: Some(file), failing: Arc::clone(&failing) };
        let fault = |error| AuditFault::File { path: dir.to_owned(), error };
        // Its own, for its time goes on until the last line is on the disk.
        let runtime = Builder::new_current_thread().enable_time().build().map_err(fault)?;
        let thread = thread::Builder::new().name("audit".to_owned());
        thread.spawn(move || writer.write_all(&runtime, handed_in)).map_err(fault)?;
        let quota = RateLimiter::direct(Quota::per_second(DENIALS.1).allow_burst(DENIALS.0));
        // A second beginning changes nothing: its thread ends with its sender.
        drop(self.0.set(AuditWriter {
            orders,
            quota,
            left_out: AtomicU64::new(0),
            asked: RecentRequests::default(),
            dir: dir.to_owned(),
            failing,
        }));
        Ok(seen)
    }

    /// Somebody was not let do something. Nobody waits for the disk.
    pub fn denied(&self, note: Note) {
        let Some(desk) = self.0.get() else { return };
        let left_out = desk.left_out.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            let rule = Some(format!("{left_out} denials before this"));
            let note = Note { rule, ..Note::of_hub(note.at, "audit.left_out", Decision::Denied) };
            if desk.quota.check().is_err() || !desk.hand_in(note) {
                desk.left_out.fetch_add(left_out + 1, Ordering::Relaxed);
                return;
            }
        }
        if desk.quota.check().is_err() || !desk.hand_in(note) {
            desk.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Somebody asks under this name from there. What comes of it the journal tells later, which has no addresses.
    pub fn is_asked(&self, request: &str, peer: IpAddr) {
        if let Some(desk) = self.0.get() {
            desk.asked.put(request, peer);
        }
    }

    /// Where that request was asked from; none of one that is too long ago, or was before this start.
    pub fn asked_from(&self, request: &str) -> Option<IpAddr> {
        self.0.get()?.asked.find(request)
    }

    /// Something happened. Nobody waits for the disk.
    pub fn noted(&self, note: Note) {
        if let Some(desk) = self.0.get()
            && !desk.hand_in(note)
        {
            tracing::warn!("a line of the audit was lost: its disk is too slow");
        }
    }

    /// Something is about to be done: a line of it is on the disk when this returns. On an error it must not be done.
    pub async fn before(&self, note: Note) -> Result<(), String> {
        self.written(Order { note: Some(note), journal: None, done: None, durable: true }).await
    }

    /// Something happened under this number in the journal, from where it can be taken again after an error.
    pub async fn of_event(&self, note: Note, number: u64) -> Result<(), String> {
        self.written(Order { note: Some(note), journal: Some(number), done: None, durable: false }).await
    }

    /// Whether the newest line could not be written.
    pub fn is_failing(&self) -> bool {
        self.0.get().is_some_and(|desk| desk.failing.load(Ordering::Relaxed))
    }

    /// The data directory of its files; none where nothing is kept.
    pub fn dir(&self) -> Option<&Path> {
        self.0.get().map(|desk| desk.dir.as_path())
    }

    /// Returns once everything that was handed in is on the disk, as far as it can be.
    pub async fn settle(&self) {
        let order = Order { note: None, journal: None, done: None, durable: true };
        if let Err(why) = self.written(order).await {
            tracing::warn!("the end of the audit is not on the disk: {why}");
        }
    }

    async fn written(&self, order: Order) -> Result<(), String> {
        const ENDED: &str = "the audit's writer ended";
        let Some(desk) = self.0.get() else { return Ok(()) };
        let (done, answer) = oneshot::channel();
        desk.orders.send(Order { done: Some(done), ..order }).await.map_err(|_| ENDED.to_owned())?;
        answer.await.unwrap_or_else(|_| Err(ENDED.to_owned()))
    }
}

impl AuditWriter {
    fn hand_in(&self, note: Note) -> bool {
        self.orders.try_send(Order { note: Some(note), journal: None, done: None, durable: false }).is_ok()
    }
}

/// Where the newest requests of people came from: what they did comes back from the journal under the request's name.
#[derive(Debug, Default)]
#[expect(clippy::disallowed_types, reason = "each look is one step, and no await lies inside")]
struct RecentRequests(std::sync::Mutex<VecDeque<(String, IpAddr)>>);

impl RecentRequests {
    /// How many are kept.
    const NEWEST: usize = 4_096;

    fn put(&self, request: &str, peer: IpAddr) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() == Self::NEWEST {
            asked.pop_front();
        }
        asked.push_back((request.to_owned(), peer));
    }

    fn find(&self, request: &str) -> Option<IpAddr> {
        let asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().rev().find(|(known, _)| known == request).map(|(_, peer)| *peer)
    }
}

struct Writer {
    dir: PathBuf,
    /// None after a write that failed: opened again, it is cut to whole lines first.
    file: Option<AuditFile>,
    failing: Arc<AtomicBool>,
}

impl Writer {
    fn write_all(mut self, runtime: &Runtime, mut orders: mpsc::Receiver<Order>) {
        runtime.block_on(async {
            let mut batch = Vec::new();
            let mut sync_at = None;
            loop {
                let came = match sync_at {
                    None => Some(orders.recv_many(&mut batch, WAITING).await),
                    Some(at) => timeout_at(at, orders.recv_many(&mut batch, WAITING)).await.ok(),
                };
                self.write_batch(&mut batch, sync_at.is_some_and(|at| Instant::now() >= at));
                if came == Some(0) {
                    break;
                }
                sync_at = match sync_at {
                    _ if !self.file.as_ref().is_some_and(AuditFile::is_ahead) => None,
                    Some(at) if Instant::now() < at => Some(at),
                    Some(_) | None => Some(Instant::now() + HEADED_WITHIN),
                };
            }
        });
        drop(self.sync());
    }

    /// Writes what was handed in; syncs when somebody waits for that, or when it is time.
    fn write_batch(&mut self, batch: &mut Vec<Order>, is_due: bool) {
        let mut outcomes: Vec<_> = batch.iter().map(|order| self.write(order)).collect();
        if is_due || batch.iter().any(|order| order.durable) {
            // One sync for all that came meanwhile.
            let synced = self.sync();
            let waiting = batch.iter().zip(&mut outcomes).filter(|(order, outcome)| order.durable && outcome.is_ok());
            waiting.for_each(|(_, outcome)| outcome.clone_from(&synced));
        }
        for (order, outcome) in batch.drain(..).zip(outcomes) {
            if let Some(done) = order.done {
                // Whoever asked may be gone.
                let _ = done.send(outcome);
            }
        }
    }

    fn sync(&mut self) -> Result<(), String> {
        self.file.as_mut().map_or(Ok(()), AuditFile::sync).map_err(|fault| fault.to_string())
    }

    fn write(&mut self, order: &Order) -> Result<(), String> {
        let Some(note) = &order.note else { return Ok(()) };
        let written = self.opened(note.at).and_then(|file| file.append(note, order.journal));
        match written {
            Ok(()) => {
                if self.failing.swap(false, Ordering::Relaxed) {
                    tracing::info!("the audit is written again");
                }
                Ok(())
            }
            Err(fault) => {
                self.file = None;
                if !self.failing.swap(true, Ordering::Relaxed) {
                    tracing::warn!("the audit is not written: {fault}");
                }
                Err(fault.to_string())
            }
        }
    }

    fn opened(&mut self, now: Timestamp) -> Result<&mut AuditFile, AuditFault> {
        let file = match self.file.take() {
            Some(file) => file,
            None => AuditFile::open(&self.dir, now)?,
        };
        Ok(self.file.insert(file))
    }
}
