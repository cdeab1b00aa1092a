//! From the start of the process to its first answer, with a journal that has seen much: the real store writes it, the
//! real binary reads it. The floor is the same start with an empty journal.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::Hub;
use super::scratch::Scratch;
use super::spread::median;
use super::story::{Cast, End};
use callboard::clock::Clock;
use callboard::domain::ids::TaskId;
use callboard::domain::time::Timestamp;
use callboard::ids::Ids;
use callboard::journal::sqlite::{self, Durability};
use callboard::journal::{Append, Entry, Row, Store as _};

/// The goal, in milliseconds.
const GOAL: f64 = 1000.0;

/// Appends of one transaction.
const BATCH: usize = 1024;

/// Of the open tasks, one in so many is being worked on; the others wait.
const WORKED_ON: usize = 5;

/// Measures the start with so many open and so many closed tasks; the middle of `times` starts counts.
pub(super) async fn measure(dir: &Path, open: usize, closed: usize, times: usize) -> Result<Vec<Figure>, BenchError> {
    let scratch = Scratch::new(dir)?;
    let data = scratch.path().join("data");
    fs::create_dir_all(&data).map_err(BenchError::io(format!("make `{}`", data.display())))?;
    tokio::task::block_in_place(|| fill(&data.join("callboard.db"), open, closed))?;
    let (mut full, mut empty) = (Vec::new(), Vec::new());
    let mut scratch = Some(scratch);
    for _ in 0..times {
        let Some(filled) = scratch.take() else { break };
        let hub = Hub::start_in(filled, 0).await?;
        full.push(hub.started_in.as_secs_f64() * 1e3);
        scratch = Some(hub.end());
        empty.push(Hub::start(dir, 0).await?.started_in.as_secs_f64() * 1e3);
    }
    let what = format!("{open} open and {closed} closed tasks");
    Ok(vec![Figure::new(Measure::Start, what, median(&full), "ms").floor(median(&empty)).goal(Goal::AtMost(GOAL))])
}

/// What was written.
#[derive(Debug)]
pub(super) struct Filled {
    /// The oldest task.
    pub(super) first: TaskId,
}

/// Writes the journal: the closed tasks first, as in life.
pub(super) fn fill(path: &Path, open: usize, closed: usize) -> Result<Filled, BenchError> {
    fill_over(path, open, closed, Duration::ZERO)
}

/// The same, the closed tasks spread evenly over a span that ends now.
pub(super) fn fill_over(path: &Path, open: usize, closed: usize, span: Duration) -> Result<Filled, BenchError> {
    let opened = sqlite::open(path, Durability::Normal);
    let (mut store, _) = opened.map_err(|error| BenchError::Database(error.to_string()))?;
    let cast = Cast::gather().ok_or_else(|| BenchError::Database("the story has no cast".to_owned()))?;
    let (ids, now) = (Ids::random(), Clock::system().now());
    let ends = (0..closed)
        .map(|_| End::Completed)
        .chain((0..open).map(|place| if place % WORKED_ON == 0 { End::InProgress } else { End::Queued }));
    let span = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    let mut first = None;
    let mut batch = Vec::with_capacity(BATCH);
    for (place, end) in ends.enumerate() {
        let left = u64::try_from(closed.saturating_sub(place)).unwrap_or_default();
        let before = span.saturating_mul(left) / u64::try_from(closed.max(1)).unwrap_or(1);
        let at = Timestamp(now.0.saturating_sub(before));
        let id = ids.task();
        first.get_or_insert_with(|| id.clone());
        let Some((records, task)) = cast.lives(id, at, end) else { continue };
        let entry = |record| Entry::of_task(&task.spec.id, None, record);
        let mut append = Append::new(at, cast.by(), records.into_iter().map(entry).collect());
        append.rows = vec![Row::Task(Arc::new(task))];
        batch.push(append);
        if batch.len() == BATCH {
            write(&mut store, &mut batch)?;
        }
    }
    write(&mut store, &mut batch)?;
    let first = first.ok_or_else(|| BenchError::Database("there is nothing to write".to_owned()))?;
    Ok(Filled { first })
}

fn write(store: &mut sqlite::SqliteStore, batch: &mut Vec<Append>) -> Result<(), BenchError> {
    let written = store.write(batch);
    batch.clear();
    match written.into_iter().find_map(Result::err) {
        Some(error) => Err(BenchError::Database(error.to_string())),
        None => Ok(()),
    }
}
