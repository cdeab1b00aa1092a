//! Rows that are written later than their records: read where they are, written together, made again after a kill.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{FLUSH_AT, rows_up_to};
use crate::domain::task::{Task, TaskRecord};
use crate::inspect::{verify, verify_reader};
use crate::samples::*;
use crate::search::SearchIndex;
use crate::sqlite::{Durability, SqliteReader, SqliteStore, connection, open, open_read_only};
use crate::{Append, PageRequest, Reader as _, Row, Seq, Store as _, Stream, TaskFilter};

fn opened(path: &Path) -> (SqliteStore, SqliteReader) {
    open(path, Durability::Full).unwrap()
}

fn write(store: &mut SqliteStore, append: Append) -> Seq {
    store.write(&[append]).remove(0).unwrap().last
}

fn task_of(append: &Append) -> Task {
    let Some(Row::Task(task)) = append.rows.first() else { panic!("no task") };
    Task::clone(task)
}

/// A task that was created, offered and acknowledged, and a session with a question.
fn life(store: &mut SqliteStore) -> Task {
    let first = creates(spec(1));
    let mut task = task_of(&first);
    write(store, first);
    for (second, record) in (2..).zip(task_records().into_iter().skip(1).take(2)) {
        write(store, happens(&mut task, at(second), vec![record]));
    }
    write(store, registers("fullstack-1", 1, at(10)));
    write(store, asked_and_answered(1, 20));
    task
}

/// The files as a kill would leave them.
fn killed(path: &Path) -> PathBuf {
    let copy = path.with_file_name("copy");
    fs::create_dir(&copy).unwrap();
    for file in fs::read_dir(path.parent().unwrap()).unwrap().flatten().filter(|file| file.path().is_file()) {
        fs::copy(file.path(), copy.join(file.file_name())).unwrap();
    }
    copy.join("callboard.db")
}

fn in_file(path: &Path) -> Seq {
    rows_up_to(&Connection::open(path).unwrap()).unwrap()
}

#[test]
fn a_single_row_is_read_from_memory_and_a_list_flushes_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, reader) = opened(&path);
    let task = life(&mut store);
    assert_eq!(in_file(&path), Seq(0), "nobody asked yet");
    assert_eq!(reader.task(&task.spec.id).unwrap(), Some(task.clone()));
    let session = reader.session(&session_id(1)).unwrap().unwrap();
    let history = reader.history(&Stream::Session(session_id(1)), 10).unwrap();
    assert_eq!(history.len() as u64, session.version);
    assert_eq!(in_file(&path), Seq(0), "one row, and one stream, need no file");
    let listed = reader.tasks(&TaskFilter::default(), &PageRequest::default()).unwrap();
    assert_eq!(listed.items, [task]);
    assert_eq!(in_file(&path), store.position());
    assert_eq!(reader.sessions().unwrap(), [session]);
    assert_eq!(reader.history(&Stream::Session(session_id(1)), 10).unwrap(), history);
    assert_eq!(reader.history(&Stream::Session(session_id(1)), 1).unwrap(), history[history.len() - 1..]);
}

/// The connection that flushes may add no page to the file.
fn without_room(store: &SqliteStore, path: &Path) {
    let flusher = connection::flusher(path, Durability::Full).unwrap();
    let pages: u32 = flusher.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let set = flusher.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get::<_, u32>(0));
    assert_eq!(set.unwrap(), pages);
    *store.pending().lock() = Some(flusher);
}

#[test]
fn a_list_that_finds_no_room_for_the_rows_is_as_new_as_one_that_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, reader) = opened(&path);
    let mut index = SearchIndex::open(reader.clone()).unwrap();
    let task = life(&mut store);
    let many: Vec<Append> = (2..=40).map(|n| creates(spec(n))).collect();
    assert!(store.write(&many).iter().all(Result::is_ok));
    index.catch_up(usize::MAX).unwrap();
    let lists = |before: &dyn Fn()| {
        let words = TaskFilter { query: Some(task.spec.prompt.clone()), ..TaskFilter::default() };
        let read = |read: &dyn Fn() -> String| {
            before();
            read()
        };
        [
            read(&|| format!("{:?}", reader.tasks(&words, &PageRequest::default()).unwrap())),
            read(&|| format!("{:?}", reader.tasks(&TaskFilter::default(), &PageRequest::default()).unwrap())),
            read(&|| format!("{:?}", reader.open_tasks().unwrap())),
            read(&|| format!("{:?}", reader.task_counts().unwrap())),
            read(&|| format!("{:?}", reader.sessions().unwrap())),
            read(&|| format!("{:?}", reader.rows_up_to().unwrap())),
        ]
    };
    let unflushed = lists(&|| without_room(&store, &path));
    assert_eq!(in_file(&path), Seq(0), "nothing of it was kept");
    assert_eq!(unflushed, lists(&|| ()));
    assert_eq!(in_file(&path), store.position());
    assert!(unflushed[0].contains(task.spec.id.as_str()), "{}", unflushed[0]);
}

#[test]
fn a_reader_that_outlives_its_store_writes_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, reader) = opened(&path);
    life(&mut store);
    for n in 2..=40 {
        write(&mut store, creates(spec(n)));
    }
    without_room(&store, &path);
    drop(store);
    assert_eq!(reader.open_tasks().unwrap(), []);
    assert_eq!(in_file(&path), Seq(0));
    let (_store, reader) = opened(&path);
    assert_eq!(reader.open_tasks().unwrap().len(), 40);
}

#[test]
fn rows_that_a_killed_hub_had_not_written_are_made_from_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, reader) = opened(&path);
    let mut task = life(&mut store);
    reader.tasks(&TaskFilter::default(), &PageRequest::default()).unwrap();
    // From here on rows are pending.
    let completed = task_records().into_iter().find(|record| matches!(record, TaskRecord::Completed { .. }));
    write(&mut store, happens(&mut task, at(30), completed.into_iter().collect()));
    let last = write(&mut store, asked_and_answered(2, 40));
    let copy = killed(&path);
    assert!(in_file(&copy) < last);
    assert_eq!(verify(&copy, |_, _| ()).unwrap().findings, [], "also where nothing may be written");
    assert_eq!(open_read_only(&copy).unwrap().position().unwrap(), last);
    let (_store, of_copy) = opened(&copy);
    assert!(in_file(&copy) < last, "a start writes no rows");
    assert_eq!(of_copy.task(&task.spec.id).unwrap(), Some(task));
    assert_eq!(of_copy.sessions().unwrap(), reader.sessions().unwrap());
    assert_eq!(verify_reader(&of_copy, |_, _| ()).unwrap().findings, []);
}

#[test]
fn the_writer_flushes_when_many_rows_are_pending_and_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, reader) = opened(&path);
    let task = life(&mut store);
    let many = store.write(&vec![says(1); FLUSH_AT]);
    let before = many.last().unwrap().as_ref().unwrap().last;
    assert_eq!(in_file(&path), Seq(0));
    let after = write(&mut store, says(1));
    assert_eq!(in_file(&path), before, "all but the batch that flushed them");
    assert_eq!(reader.task(&task.spec.id).unwrap(), Some(task));
    drop((store, reader));
    assert_eq!(in_file(&path), after);
    assert!(!path.with_file_name("callboard.db-wal").exists());
}

#[test]
fn a_journal_of_the_layout_before_is_read_as_it_is_brought_to_todays_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, reader) = opened(&path);
    let mut task = life(&mut store);
    let stream = Stream::Task(task.spec.id.clone());
    let history = reader.history(&stream, 10).unwrap();
    drop((store, reader));
    let as_before = "DROP TABLE stream_index; CREATE INDEX records_of_stream ON records (stream, seq);
                     DROP INDEX tasks_of_parent; DROP INDEX tasks_ended; ALTER TABLE tasks DROP COLUMN parent;
                     ALTER TABLE tasks DROP COLUMN ended_at; DELETE FROM meta WHERE key = 'rows_up_to';
                     PRAGMA user_version = 8";
    Connection::open(&path).unwrap().execute_batch(as_before).unwrap();
    let old = open_read_only(&path).unwrap();
    assert_eq!(old.history(&stream, 10).unwrap(), history);
    assert_eq!(verify_reader(&old, |_, _| ()).unwrap().findings, []);
    drop(old);
    let (mut store, reader) = opened(&path);
    assert_eq!(in_file(&path), store.position());
    assert_eq!(reader.history(&stream, 10).unwrap(), history);
    let completed = task_records().into_iter().find(|record| matches!(record, TaskRecord::Completed { .. }));
    write(&mut store, happens(&mut task, at(30), completed.into_iter().collect()));
    assert_eq!(reader.history(&stream, 10).unwrap().len(), history.len() + 1);
    assert_eq!(reader.task(&task.spec.id).unwrap(), Some(task));
    assert_eq!(verify_reader(&reader, |_, _| ()).unwrap().findings, []);
}

/// Five pages and more when each step wrote its row and its places.
#[test]
fn a_step_writes_little_more_than_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callboard.db");
    let (mut store, _reader) = opened(&path);
    let tasks: Vec<Append> = (1..=100).map(|n| creates(spec(n))).collect();
    assert!(store.write(&tasks).iter().all(Result::is_ok));
    let pages = || fs::metadata(path.with_file_name("callboard.db-wal")).unwrap().len() / 4_120;
    let before = pages();
    let step = |append: &Append| happens(&mut task_of(append), at(2), vec![task_records()[1].clone()]);
    for append in tasks.iter().map(step) {
        write(&mut store, append);
    }
    let each = (pages() - before) as f64 / tasks.len() as f64;
    assert!(each <= 2.0, "{each} pages for a step");
}
