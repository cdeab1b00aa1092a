//! The stories: the journal as it is, and two that break the promise and have to be found out.

use std::fs;
use std::path::Path;
use std::thread;

use callboard::journal::inspect::verify;
use callboard::journal::sqlite::{self, Durability, SqliteReader, SqliteStore};
use callboard::journal::{Append, Reader, Seq, Store as _};
use tempfile::TempDir;

use super::disk::{Image, Loss, Platter, Step};
use super::file_system;
use super::history::{self, History};
use crate::support::dice::Dice;

/// Enough for the log to grow until it is folded into the file and begins anew.
const TASKS: u32 = 42;
/// A list, which flushes the rows that are pending, is read after every batch but each of these.
const UNREAD: usize = 4;
const POINTS_AT_LEAST: usize = 2_000;
const SEED: u64 = 20_260_101;
/// Threads that judge, each every so many points.
const LANES: usize = 2;

/// When a client is told that an append is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    /// When the store has answered.
    AfterTheCommit,
    /// When the batch is handed to the store: wrong, and what this test has to see.
    BeforeTheCommit,
}

#[test]
fn nothing_that_was_acknowledged_is_lost_with_the_power() {
    let history = History::of(TASKS);
    let steps = live(&history, Durability::Full, Tells::AfterTheCommit);
    let logs =
        steps.iter().filter(|step| matches!(step, Step::Write { file, offset: 0, .. } if file.ends_with("-wal")));
    assert!(logs.count() >= 3, "one log to begin with, one after the gentle end, and one after it was folded");
    let seen = thread::scope(|scope| {
        let lanes = [0, 1].map(|lane| {
            let (history, steps) = (&history, &steps);
            scope.spawn(move || fail_everywhere(history, steps, |point| point % LANES == lane))
        });
        let lanes = lanes.map(|lane| lane.join().unwrap());
        lanes.into_iter().reduce(Seen::and).unwrap()
    });
    println!("power loss: {} points, {} disks opened again, {} losses", seen.points, seen.disks, seen.losses.len());
    assert!(seen.points >= POINTS_AT_LEAST, "only {} points", seen.points);
    assert!(seen.losses.is_empty(), "{} losses; the first: {}", seen.losses.len(), seen.losses[0]);
}

#[test]
fn a_commit_without_a_sync_is_found_out() {
    should_find_a_loss(Durability::Normal, Tells::AfterTheCommit);
}

#[test]
fn an_acknowledgement_before_the_commit_is_found_out() {
    should_find_a_loss(Durability::Full, Tells::BeforeTheCommit);
}

fn should_find_a_loss(durability: Durability, tells: Tells) {
    let history = History::of(5);
    let seen = fail_everywhere(&history, &live(&history, durability, tells), |_| true);
    let found = seen.losses.iter().any(|loss| loss.contains("was acknowledged"));
    assert!(found, "should find a loss, but found {:?}", seen.losses);
}

/// Lives the history once, with a gentle end and a new start early on; returns what was done to the disk.
fn live(history: &History, durability: Durability, tells: Tells) -> Vec<Step> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("callboard.db");
    file_system::insert(folder.path(), Image::new());
    let (mut store, mut reader) = sqlite::open(&path, durability).unwrap();
    let mut acknowledged = 0;
    for (number, batch) in history.batches.iter().enumerate() {
        if number == history.batches.len() / 16 {
            drop((store, reader));
            (store, reader) = sqlite::open(&path, durability).unwrap();
        }
        acknowledged += batch.len();
        if tells == Tells::BeforeTheCommit {
            file_system::acknowledge(folder.path(), acknowledged);
        }
        assert!(store.write(batch).iter().all(Result::is_ok));
        if tells == Tells::AfterTheCommit {
            file_system::acknowledge(folder.path(), acknowledged);
        }
        if number % UNREAD != 0 {
            reader.task_counts().unwrap();
        }
    }
    drop((store, reader));
    file_system::eject(folder.path())
}

#[derive(Default)]
struct Seen {
    points: usize,
    disks: usize,
    losses: Vec<String>,
}

impl Seen {
    fn and(mut self, other: Self) -> Self {
        self.points += other.points;
        self.disks += other.disks;
        self.losses.extend(other.losses);
        self
    }
}

/// The power fails after every step that is `mine`.
fn fail_everywhere(history: &History, steps: &[Step], mine: impl Fn(usize) -> bool) -> Seen {
    let folder = TempDir::new().unwrap();
    let judge = Judge::new(history, folder.path());
    let (mut platter, mut seen) = (Platter::default(), Seen::default());
    let mut acknowledged = 0;
    for (number, step) in steps.iter().enumerate() {
        platter.take(step);
        if let Step::Acknowledged { appends } = step {
            acknowledged = *appends;
        }
        if !mine(number) {
            continue;
        }
        seen.points += 1;
        let mut dice = Dice(SEED + number as u64);
        // What is certain changes with a sync, a removal or a promise; a write only adds to what may be lost.
        let loss = match step {
            Step::Sync { .. } | Step::Remove { .. } | Step::Acknowledged { .. } => Loss::Everything,
            Step::Write { .. } | Step::Resize { .. } if dice.below(2) == 0 => Loss::TornTail,
            Step::Write { .. } | Step::Resize { .. } => Loss::Scattered,
        };
        let also = (loss == Loss::Everything && !platter.is_settled()).then_some(Loss::Scattered);
        for loss in [Some(loss), also].into_iter().flatten() {
            seen.disks += 1;
            if let Err(what) = judge.judges(platter.left(loss, &mut dice), acknowledged) {
                seen.losses.push(format!("point {number} of {}, {loss:?}: {what}", steps.len()));
            }
        }
    }
    seen
}

/// Opens what is left, and compares it with what was lived.
struct Judge<'a> {
    history: &'a History,
    kept: Vec<callboard::journal::Kept>,
    /// The number of the last record after so many appends.
    ends: Vec<Seq>,
    folder: &'a Path,
}

impl<'a> Judge<'a> {
    fn new(history: &'a History, folder: &'a Path) -> Self {
        let mut end = Seq(0);
        let mut ends = vec![end];
        for append in history.appends() {
            end = Seq(end.0 + append.entries.len() as u64);
            ends.push(end);
        }
        Self { history, kept: history.kept(), ends, folder }
    }

    fn judges(&self, left: Image, acknowledged: usize) -> Result<(), String> {
        file_system::insert(self.folder, left);
        let path = self.folder.join("callboard.db");
        // How far the journal had come stands in a file that is not synced: it is gone with the power.
        drop(fs::remove_file(self.folder.join("callboard.db-mark")));
        let (mut store, reader) = sqlite::open(&path, Durability::Full).map_err(|error| error.to_string())?;
        let verdict = self.judges_what_was_opened(&path, &mut store, &reader, acknowledged);
        // Before the store ends: a gentle end would fold the log into the file, which costs more than all the rest.
        drop(file_system::eject(self.folder));
        verdict
    }

    fn judges_what_was_opened(
        &self,
        path: &Path,
        store: &mut SqliteStore,
        reader: &SqliteReader,
        acknowledged: usize,
    ) -> Result<(), String> {
        let position = store.position();
        if position < self.ends[acknowledged] {
            return Err(format!("record {} was acknowledged, and {position} is the last", self.ends[acknowledged]));
        }
        let appends = self.ends.iter().position(|end| *end == position).ok_or("half an append is kept")?;
        let records = reader.records(Seq(0), usize::MAX >> 1).map_err(|error| error.to_string())?;
        if records != self.kept[..records.len()] || records.last().map_or(Seq(0), |kept| kept.seq) != position {
            return Err("the records are not those that were written".to_owned());
        }
        self.judges_what_came_with_them(reader, appends)?;
        let report = verify(path, |_, _| {}).map_err(|error| error.to_string())?;
        if !report.is_sound() {
            return Err(format!("`verify` finds {:?}", report.findings));
        }
        let next = store.write(&[history::one_more(0)]).remove(0).map_err(|error| error.to_string())?;
        if next.first == position.next() { Ok(()) } else { Err(format!("{} follows {position}", next.first)) }
    }

    /// Keys and long texts stand or fall with their append.
    fn judges_what_came_with_them(&self, reader: &dyn Reader, kept: usize) -> Result<(), String> {
        for (number, append) in self.history.appends().enumerate() {
            let (there, Append { idempotency, blobs, at, .. }) = (number < kept, append);
            if let Some(key) = idempotency {
                let found = reader.recall(*at, &history::asker(), &key.key).map_err(|error| error.to_string())?;
                let first = there.then(|| (key.digest.clone(), key.receipt.clone()));
                if found != first {
                    return Err(format!("key `{}` answers {found:?}", key.key));
                }
            }
            for blob in blobs {
                let found = reader.blob(&blob.id).map_err(|error| error.to_string())?;
                if found.as_ref() != there.then_some(&blob.text) {
                    return Err(format!("text `{}` is not what was written", blob.id.as_str()));
                }
            }
        }
        Ok(())
    }
}
