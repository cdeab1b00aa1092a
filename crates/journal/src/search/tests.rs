//! The index as it follows the journal.

use std::path::PathBuf;

use super::{SearchBatch, SearchIndex};
use crate::domain::task::{KeptText, Task, TaskRecord, TaskSpec};
use crate::inspect;
use crate::samples::*;
use crate::sqlite::{self, Durability, SqliteReader, SqliteStore};
use crate::{Append, Kept, PageRequest, ReadError, Reader as _, Record, Seq, Store as _, TaskFilter};

struct SearchFixture {
    folder: tempfile::TempDir,
    store: SqliteStore,
    reader: SqliteReader,
}

impl SearchFixture {
    fn new(tasks: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (store, reader) = sqlite::open(&folder.path().join("callboard.db"), Durability::Full).unwrap();
        let mut place = Self { folder, store, reader };
        (1..=tasks).for_each(|n| place.create(n));
        place
    }

    fn create(&mut self, n: u32) {
        self.store.write(&[creates(spec(n))]).remove(0).unwrap();
    }

    fn index(&self) -> SearchIndex {
        SearchIndex::open(self.reader.clone()).unwrap()
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("callboard-search.db")
    }

    fn found(&self) -> Result<usize, ReadError> {
        let filter = TaskFilter { query: Some("implement".to_owned()), ..TaskFilter::default() };
        Ok(self.reader.tasks(&filter, &PageRequest { limit: 500, cursor: None })?.items.len())
    }
}

#[test]
fn the_index_catches_up_in_pieces_and_goes_on_where_it_stood() {
    let mut place = SearchFixture::new(7);
    let mut index = place.index();
    assert_eq!(index.catch_up(3), Ok(3));
    assert_eq!((index.cursor(), place.found()), (Ok(Seq(3)), Ok(3)));
    drop(index);
    let mut index = place.index();
    assert_eq!(index.catch_up(100), Ok(4));
    assert_eq!(index.catch_up(100), Ok(0));
    place.create(8);
    assert_eq!(index.catch_up(100), Ok(1));
    assert_eq!(place.found(), Ok(8));
}

/// So many tasks a day, kept for ten days: what is let go of makes room for what comes, in journal and index.
/// `just retention` has a day bring 100,000.
#[test]
fn a_journal_that_lets_go_after_ten_days_stays_as_large_as_it_was() {
    let tasks: u32 = std::env::var("CALLBOARD_RETENTION_TASKS").map_or(80, |many| many.parse().unwrap());
    let mut place = SearchFixture::new(0);
    let mut index = place.index();
    let day = 24 * 60 * 60;
    let pages = |place: &SearchFixture| {
        ["callboard.db", "callboard-search.db"].map(|file| {
            let db = rusqlite::Connection::open(place.folder.path().join(file)).unwrap();
            db.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0)).unwrap()
        })
    };
    let mut sizes = Vec::new();
    for today in 1..=30_u32 {
        let noon = at(u64::from(today) * day);
        let mut batch = Vec::new();
        for n in today * tasks..(today + 1) * tasks {
            let spec = TaskSpec { created_at: noon, prompt: format!("Mend {n}. ").repeat(40), ..spec(n) };
            let mut task = Task::from_created(noon, &created(spec.clone())).unwrap();
            batch.push(creates(spec));
            batch.push(happens(&mut task, noon, vec![TaskRecord::Cancelled { reason: None }]));
        }
        for some in batch.chunks(500) {
            assert!(place.store.write(some).iter().all(Result::is_ok));
        }
        let before = at(u64::from(today.saturating_sub(10)) * day);
        while place.store.prune(before, 500).unwrap().more {}
        while index.catch_up(5_000).unwrap() > 0 {}
        sizes.push(pages(&place));
    }
    let kept: u64 = place.reader.task_counts().unwrap().values().sum();
    assert_eq!(kept, 11 * u64::from(tasks), "ten days and today");
    assert_eq!(index.texts(), 11 * u64::from(tasks), "of each its prompt");
    for file in 0..2 {
        assert!(sizes[29][file] * 10 <= sizes[14][file] * 15, "without letting go it is twice: {sizes:?}");
    }
    assert!(inspect::verify(place.reader.path(), |_, _| ()).unwrap().is_sound());
}

fn says_of_task(n: u32, seq: u64, text: &str) -> Kept {
    let comment = comment(text);
    let append = Append::new(at(seq), by(), vec![task_entry(n, TaskRecord::Remarked { comment, posted_to: None })]);
    append.into_kept(Seq(seq)).remove(0)
}

#[test]
fn what_was_heard_is_not_read_and_what_was_not_heard_is() {
    let mut place = SearchFixture::new(3);
    let mut index = place.index();
    let tasks_with = |place: &SearchFixture, word: &str| {
        let filter = TaskFilter { query: Some(word.to_owned()), ..TaskFilter::default() };
        place.reader.tasks(&filter, &PageRequest { limit: 500, cursor: None }).unwrap().items.len()
    };
    // In the journal these records say something else.
    let heard = |seq, text| SearchBatch::of(&[says_of_task(1, seq, text)]).unwrap();
    index.take_in(vec![heard(1, "walrus"), heard(3, "penguin")]).unwrap();
    assert_eq!(index.cursor(), Ok(Seq(1)), "the third does not join on to the first");
    assert_eq!((tasks_with(&place, "walrus"), tasks_with(&place, "penguin")), (1, 0));
    assert_eq!(index.catch_up(100), Ok(2));
    assert_eq!((tasks_with(&place, "implement"), tasks_with(&place, "penguin")), (2, 0));
    place.create(4);
    index.take_in(vec![heard(2, "penguin"), heard(4, "seal")]).unwrap();
    assert_eq!((index.cursor(), tasks_with(&place, "penguin"), tasks_with(&place, "seal")), (Ok(Seq(4)), 0, 1));
}

#[test]
fn records_whose_words_lie_apart_are_read_in_their_turn() {
    let message =
        KeptText::Stored { blob: blob_id(1), head: "Do".to_owned(), bytes: 9, digest: String::new(), sanitized: None };
    let record = one_of_each().into_iter().find_map(|entry| {
        let Record::Task(TaskRecord::Completed { agent, diff, artifacts, evidence, .. }) = entry.record else {
            return None;
        };
        Some(TaskRecord::Completed { agent, message: message.clone(), diff, artifacts, evidence, posted_to: None })
    });
    let append = Append::new(at(1), by(), vec![task_entry(1, record.unwrap())]);
    assert_eq!(SearchBatch::of(&append.into_kept(Seq(1))), None);
    assert_eq!(SearchBatch::of(&[]), None);
}

#[test]
fn an_index_that_is_gone_or_damaged_is_made_anew() {
    let place = SearchFixture::new(5);
    place.index().catch_up(100).unwrap();
    std::fs::remove_file(place.file()).unwrap();
    assert!(matches!(place.found(), Err(ReadError::Fault(_))), "{:?}", place.found());
    assert_eq!(place.index().catch_up(100), Ok(5));
    assert_eq!(place.found(), Ok(5));
    std::fs::write(place.file(), "not a database, and long enough to be read as the header of one".repeat(20)).unwrap();
    assert_eq!(place.index().catch_up(100), Ok(5));
    assert_eq!(place.found(), Ok(5));
}

#[test]
fn an_index_that_is_deleted_under_a_running_hub_is_made_anew() {
    let mut place = SearchFixture::new(5);
    let mut index = place.index();
    index.catch_up(100).unwrap();
    std::fs::remove_file(place.file()).unwrap();
    place.create(6);
    assert_eq!(index.catch_up(100), Ok(6));
    assert_eq!(place.found(), Ok(6));
}

#[test]
fn an_index_that_breaks_inside_is_made_anew_when_it_is_written() {
    let mut place = SearchFixture::new(400);
    place.index().catch_up(1_000).unwrap();
    let mut bytes = std::fs::read(place.file()).unwrap();
    // The first pages tell the layout and the cursor; behind them lie the words.
    bytes[6 * 4096..].fill(0xA5);
    std::fs::write(place.file(), bytes).unwrap();
    let mut index = place.index();
    (401..=800).for_each(|n| place.create(n));
    index.catch_up(1_000).unwrap();
    assert_eq!((index.cursor(), place.found()), (Ok(Seq(800)), Ok(500)), "found: a page full");
}

#[test]
fn an_index_ahead_of_its_journal_is_made_anew() {
    let place = SearchFixture::new(5);
    place.index().catch_up(100).unwrap();
    let restored = SearchFixture::new(2);
    std::fs::copy(place.file(), restored.file()).unwrap();
    assert_eq!(restored.index().catch_up(100), Ok(2));
    assert_eq!(restored.found(), Ok(2));
}

#[test]
fn the_index_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = SearchFixture::new(1);
    let _index = place.index();
    assert_eq!(std::fs::metadata(place.file()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_search_leaves_the_reader_as_it_was() {
    let place = SearchFixture::new(3);
    place.index().catch_up(100).unwrap();
    for _ in 0..20 {
        assert_eq!(place.found(), Ok(3));
        assert_eq!(place.reader.position(), Ok(Seq(3)));
    }
}
