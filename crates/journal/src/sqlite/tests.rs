//! The file itself: what is opened, what is refused, and what a failing disk leaves behind.

mod layouts;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{Durability, OpenError, SqliteReader, SqliteStore, open, open_read_only};
use crate::domain::session::SessionRecord;
use crate::domain::task::{Task, TaskRecord};
use crate::samples::*;
use crate::{Append, Entry, PageRequest, Reader as _, Record, ReviewFilter, Seq, Store as _, WriteError, Written};

fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("callboard.db");
    (folder, path)
}

fn opened(path: &Path) -> (SqliteStore, SqliteReader) {
    open(path, Durability::Full).unwrap()
}

fn refused(path: &Path) -> OpenError {
    open(path, Durability::Full).unwrap_err()
}

fn write(store: &mut SqliteStore, append: Append) -> Result<Written, WriteError> {
    store.write(&[append]).remove(0)
}

fn pragma(db: &Connection, name: &str) -> String {
    let text = |row: &rusqlite::Row<'_>| {
        let value = row.get_ref(0)?;
        Ok(value.as_i64().map(|number| number.to_string()).or_else(|_| value.as_str().map(str::to_owned))?)
    };
    db.pragma_query_value(None, name, text).unwrap()
}

#[test]
fn the_file_is_for_its_owner_alone() {
    let (_folder, path) = place();
    let (mut store, _reader) = opened(&path);
    write(&mut store, says(1)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for file in ["callboard.db", "callboard.db-wal", "callboard.db-mark", "callboard.lock"] {
        assert_eq!(mode(&path.with_file_name(file)), 0o600, "{file}");
    }
}

#[test]
fn a_folder_that_was_there_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o750)).unwrap();
    opened(&folder.path().join("callboard.db"));
    assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o750);
}

#[test]
fn the_connections_are_set_as_promised() {
    let (_folder, path) = place();
    let (store, reader) = opened(&path);
    let of_writer: Vec<String> = ["journal_mode", "synchronous", "foreign_keys", "temp_store", "wal_autocheckpoint"]
        .map(|name| pragma(store.connection(), name))
        .into();
    assert_eq!(of_writer, ["wal", "2", "1", "2", "1000"]);
    let query_only = reader.with(|db| Ok(pragma(db, "query_only"))).unwrap();
    assert_eq!(query_only, "1");
    drop(store);
    let (store, _) = open(&path, Durability::Normal).unwrap();
    assert_eq!(pragma(store.connection(), "synchronous"), "1");
}

#[test]
fn a_second_hub_is_told_that_the_directory_is_in_use() {
    let (_folder, path) = place();
    let first = opened(&path);
    let error = refused(&path);
    assert!(matches!(error, OpenError::InUse { .. }), "{error}");
    assert!(error.to_string().starts_with("another hub uses this data directory"), "{error}");
    drop(first);
    opened(&path);
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let (_folder, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let notes = "shopping list: milk, bread, and a good deal more than a hundred bytes of it ".repeat(9);
    fs::write(&path, &notes).unwrap();
    assert!(matches!(refused(&path), OpenError::NotAJournal { .. }));
    assert_eq!(fs::read_to_string(&path).unwrap(), notes);
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE recipes (name)").unwrap();
    let before = fs::read(&path).unwrap();
    let error = refused(&path);
    assert!(error.to_string().contains("is not a callboard journal: move it away"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(matches!(open_read_only(&path).unwrap_err(), OpenError::NotAJournal { .. }));
}

#[test]
fn a_newer_layout_asks_for_its_own_version() {
    let (_folder, path) = place();
    drop(opened(&path));
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = refused(&path);
    assert!(error.to_string().contains("was made by a newer callboard (layout 99"), "{error}");
    assert!(matches!(open_read_only(&path).unwrap_err(), OpenError::Newer { found: 99, .. }));
}

#[test]
fn a_journal_of_a_layout_without_pruning_is_brought_to_todays() {
    let (_folder, path) = place();
    let (mut store, _) = opened(&path);
    write(&mut store, says(3)).unwrap();
    drop(store);
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "DROP TABLE base; DROP TABLE questions; DROP TABLE stream_index; ALTER TABLE sessions DROP COLUMN version;
         ALTER TABLE records DROP COLUMN subject; DROP INDEX tasks_of_parent; DROP INDEX tasks_ended;
         ALTER TABLE tasks DROP COLUMN parent; ALTER TABLE tasks DROP COLUMN ended_at; PRAGMA user_version = 2",
    )
    .unwrap();
    drop(db);
    let old = open_read_only(&path).unwrap();
    assert_eq!(old.base().unwrap().position(), Seq(0), "a file of that layout has lost nothing");
    let (mut store, reader) = opened(&path);
    assert_eq!(store.prune(at(60 * 60), 100).unwrap().records, 2);
    assert_eq!(reader.records(Seq(0), 10).unwrap().len(), 1);
    drop(store);
    opened(&path);
}

#[test]
fn records_that_break_a_promise_are_not_pruned() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    write(&mut store, creates(spec(1))).unwrap();
    write(&mut store, says(2)).unwrap();
    Connection::open(&path).unwrap().execute("UPDATE records SET stream = 'task:other001' WHERE seq = 1", []).unwrap();
    let refused = store.prune(at(60 * 60), 100).unwrap_err().to_string();
    assert!(refused.contains("nothing is pruned: J1"), "{refused}");
    assert_eq!(reader.records(Seq(0), 10).unwrap().len(), 3);
    assert_eq!(write(&mut store, says(1)).unwrap().first, Seq(4), "and the journal goes on");
}

#[test]
fn a_torn_journal_is_refused() {
    let (_folder, path) = place();
    let tear = |how: &dyn Fn(&Connection)| {
        let (mut store, _) = opened(&path);
        write(&mut store, says(9)).unwrap();
        drop(store);
        how(&Connection::open(&path).unwrap());
        let error = refused(&path);
        assert!(matches!(error, OpenError::Torn { .. }), "{error}");
        fs::remove_file(&path).unwrap();
        error.to_string()
    };
    let said = tear(&|db| db.execute_batch("DELETE FROM records WHERE seq = 5").unwrap());
    assert!(said.contains("records are missing after 4"), "{said}");
    let said = tear(&|db| db.execute_batch("DELETE FROM records WHERE seq < 3").unwrap());
    assert!(said.contains("its first records are missing"), "{said}");
    let said = tear(&|db| db.execute_batch("UPDATE records SET body = '{' WHERE seq = 5").unwrap());
    assert!(said.contains("record 5:"), "{said}");
}

#[test]
fn a_file_with_damaged_pages_is_refused() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    for n in 1..200 {
        write(&mut store, creates(spec(n))).unwrap();
    }
    drop((store, reader));
    let mut bytes = fs::read(&path).unwrap();
    let page = 4096;
    assert!(bytes.len() > 20 * page);
    bytes[10 * page..20 * page].fill(0xA5);
    fs::write(&path, bytes).unwrap();
    assert!(matches!(refused(&path), OpenError::Torn { .. }));
}

/// What a hub that was killed after 300 records leaves, of which a few were folded into the file; `spoil` does its
/// worst to the copy.
fn left_by_a_killed_hub(spoil: impl FnOnce(&dyn Fn(&str) -> PathBuf)) -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = place();
    let (mut store, _reader) = opened(&path);
    write(&mut store, says(100)).unwrap();
    drop(store);
    let (mut store, _reader) = opened(&path);
    write(&mut store, says(200)).unwrap();
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).unwrap();
    for file in fs::read_dir(path.parent().unwrap()).unwrap().flatten() {
        fs::copy(file.path(), copy.join(file.file_name())).unwrap();
    }
    drop(store);
    spoil(&|suffix| copy.join(format!("callboard.db{suffix}")));
    (folder, copy.join("callboard.db"))
}

#[test]
fn a_log_that_is_gone_cut_short_or_full_of_nonsense_is_noticed() {
    type File<'a> = &'a dyn Fn(&str) -> PathBuf;
    let spoils: [fn(File<'_>); 3] = [
        |file| fs::remove_file(file("-wal")).unwrap(),
        |file| fs::File::options().write(true).open(file("-wal")).unwrap().set_len(5_000).unwrap(),
        |file| fs::write(file("-wal"), vec![0xA5; fs::read(file("-wal")).unwrap().len()]).unwrap(),
    ];
    for spoil in spoils {
        let (_folder, path) = left_by_a_killed_hub(spoil);
        let found = crate::inspect::verify(&path, |_, _| {}).unwrap().findings;
        assert!(found.iter().any(|finding| finding.sentence.contains("300 were acknowledged")), "{found:?}");
        let error = refused(&path);
        assert!(matches!(error, OpenError::CutShort { found: Seq(100), marked: Seq(300), .. }), "{error}");
        fs::remove_file(path.with_file_name("callboard.db-mark")).unwrap();
        assert_eq!(opened(&path).0.position(), Seq(100), "whoever accepts the loss goes on");
    }
}

#[test]
fn what_a_killed_hub_left_is_whole_whatever_became_of_its_index_or_its_mark() {
    type File<'a> = &'a dyn Fn(&str) -> PathBuf;
    let spoils: [fn(File<'_>); 5] = [
        |_| {},
        |file| fs::remove_file(file("-shm")).unwrap(),
        |file| fs::write(file("-shm"), [0xA5; 32_768]).unwrap(),
        |file| fs::remove_file(file("-mark")).unwrap(),
        |file| fs::write(file("-mark"), "nonsense").unwrap(),
    ];
    for spoil in spoils {
        let (_folder, path) = left_by_a_killed_hub(spoil);
        assert_eq!(opened(&path).0.position(), Seq(300));
    }
}

#[test]
fn nothing_is_confirmed_while_the_file_is_not_in_its_place() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    let writes = |store: &mut SqliteStore| write(store, says(1));
    writes(&mut store).unwrap();
    let aside = path.with_extension("aside");
    fs::rename(&path, &aside).unwrap();
    for _ in 0..2 {
        let no = writes(&mut store).unwrap_err().to_string();
        assert!(no.contains("was deleted or replaced while the hub runs"), "{no}");
    }
    fs::copy(&aside, &path).unwrap();
    writes(&mut store).unwrap_err();
    fs::rename(&aside, &path).unwrap();
    writes(&mut store).unwrap();
    assert_eq!(reader.position().unwrap(), Seq(2));
}

#[test]
fn a_journal_that_was_moved_away_is_begun_anew() {
    let (_folder, path) = left_by_a_killed_hub(|file| {
        for suffix in ["", "-wal", "-shm"] {
            fs::remove_file(file(suffix)).unwrap();
        }
    });
    let (mut store, _reader) = opened(&path);
    write(&mut store, says(1)).unwrap();
    drop(store);
    assert_eq!(opened(&path).0.position(), Seq(1), "and the mark of the old one is gone");
}

#[test]
fn a_path_that_cannot_be_a_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain"), "").unwrap();
    let error = refused(&folder.path().join("plain").join("callboard.db"));
    assert!(matches!(error, OpenError::Io { .. }), "{error}");
}

#[test]
fn a_full_disk_is_told_and_forgotten_when_there_is_room_again() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    write(&mut store, says(1)).unwrap();
    let pages: u32 = store.connection().pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let limit = |store: &SqliteStore, pages: u32| {
        let set =
            store.connection().query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get::<_, u32>(0));
        assert_eq!(set.unwrap(), pages);
    };
    limit(&store, pages);
    let mut large = spec(1);
    large.prompt = "x".repeat(100_000);
    assert_eq!(write(&mut store, creates(large.clone())), Err(WriteError::Full));
    assert_eq!(reader.position().unwrap(), Seq(1));
    // The limit belongs to the connection: that the next write succeeds shows that it has a new one.
    assert_eq!(write(&mut store, creates(large)).unwrap().first, Seq(2));
    assert_eq!(reader.position().unwrap(), Seq(2));
}

#[test]
fn the_writer_learns_from_the_file_where_it_stands_after_a_failure() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    write(&mut store, says(2)).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TRIGGER trap BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'no'); END").unwrap();
    let answers = store.write(&[says(1), says(1)]);
    assert_eq!(answers, vec![Err(WriteError::Fault("no".to_owned())); 2]);
    other.execute_batch("DROP TRIGGER trap").unwrap();
    assert_eq!(write(&mut store, says(1)).unwrap().first, Seq(3));
    assert_eq!(reader.position().unwrap(), store.position());
}

#[test]
fn a_session_that_a_failed_batch_moved_stands_where_it_stood() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    write(&mut store, registers("fullstack-1", 1, at(1))).unwrap();
    let taken_up = |seconds| {
        let entry = Entry::of_session(&session_id(1), None, None, Record::Session(SessionRecord::TakenUp));
        Append::new(at(seconds), by(), vec![entry])
    };
    write(&mut store, taken_up(2)).unwrap();
    let before = reader.session(&session_id(1)).unwrap().unwrap();
    let other = Connection::open(&path).unwrap();
    let trap =
        "CREATE TRIGGER trap BEFORE INSERT ON records WHEN NEW.kind LIKE 'hub.%' BEGIN SELECT RAISE(ABORT, 'no'); END";
    other.execute_batch(trap).unwrap();
    assert!(store.write(&[taken_up(3), says(1)]).iter().all(Result::is_err));
    other.execute_batch("DROP TRIGGER trap").unwrap();
    write(&mut store, taken_up(4)).unwrap();
    let after = reader.session(&session_id(1)).unwrap().unwrap();
    assert_eq!((after.version, after.taken_up_at), (before.version + 1, at(4)));
}

#[test]
fn readers_see_whole_batches_while_the_writer_writes() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let reader = reader.clone();
            std::thread::spawn(move || {
                let mut seen = Seq(0);
                while seen < Seq(300) {
                    let now = reader.position().unwrap();
                    assert!(now >= seen && now.0 % 3 == 0, "{now} after {seen}");
                    seen = now;
                }
            })
        })
        .collect();
    for _ in 0..100 {
        write(&mut store, says(3)).unwrap();
    }
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}

#[test]
fn old_keys_are_swept_with_a_later_write() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    write(&mut store, keyed(says(1), "old", "it")).unwrap();
    write(&mut store, Append { at: at(24 * 60 * 60), ..keyed(says(1), "new", "it") }).unwrap();
    let keys: i64 =
        reader.with(|db| Ok(db.query_row("SELECT count(*) FROM idempotency", [], |row| row.get(0))?)).unwrap();
    assert_eq!(keys, 1);
}

#[test]
fn the_report_counts_the_log_too() {
    let (_folder, path) = place();
    let (mut store, reader) = opened(&path);
    write(&mut store, says(1)).unwrap();
    let report = reader.report().unwrap();
    let log = fs::metadata(path.with_file_name("callboard.db-wal")).unwrap().len();
    assert!(log > 0 && report.bytes == fs::metadata(&path).unwrap().len() + log, "{report:?}");
    let place = Some(path.display().to_string());
    assert_eq!((report.engine, report.schema, report.path), ("sqlite", super::schema::SCHEMA, place));
}

#[test]
fn a_file_of_the_first_layout_is_read_as_it_is_and_brought_to_todays() {
    let (_folder, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    super::schema::tests::create_first(&Connection::open(&path).unwrap());
    let all = |reader: &SqliteReader| reader.reviews(&ReviewFilter::default(), &PageRequest::default()).unwrap().items;
    assert_eq!(all(&open_read_only(&path).unwrap()), []);
    let (mut store, reader) = opened(&path);
    assert_eq!(pragma(store.connection(), "user_version"), super::schema::SCHEMA.to_string());
    let mut known = review(1, 5);
    write(&mut store, judged(&mut known, vec![])).unwrap();
    assert_eq!(all(&reader), [known]);
}

/// A journal that was given and has let go of 40 MB of old tasks with long texts.
fn after_retention(path: &Path) -> (SqliteStore, u64) {
    let (mut store, _reader) = opened(path);
    for n in 1..=1_000 {
        let mut large = spec(n);
        large.prompt = "x".repeat(40_000);
        let mut task = Task::from_created(at(1), &created(large.clone())).unwrap();
        write(&mut store, creates(large)).unwrap();
        write(&mut store, happens(&mut task, at(2), vec![TaskRecord::Cancelled { reason: None }])).unwrap();
    }
    write(&mut store, Append { at: at(100_000), ..says(1) }).unwrap();
    let before = pages(&store);
    while store.prune(at(90_000), 256).unwrap().more {}
    (store, before)
}

fn pages(store: &SqliteStore) -> u64 {
    pragma(store.connection(), "page_count").parse().unwrap()
}

#[test]
fn a_file_shrinks_when_retention_has_let_go_of_what_was_in_it() {
    let (_folder, path) = place();
    let (store, before) = after_retention(&path);
    let after = pages(&store);
    assert!(before > 10_000 && after < before / 4, "{before} pages before, {after} after");
    drop(store);
    let bytes = fs::metadata(&path).unwrap().len();
    assert!(bytes <= after * 4_096, "{bytes} bytes of {after} pages");
}

#[test]
fn a_file_of_an_earlier_version_keeps_its_size_until_it_is_restored() {
    let (folder, path) = place();
    fs::create_dir(path.parent().unwrap()).unwrap();
    let old = Connection::open(&path).unwrap();
    super::schema::tests::create_layout(&old, super::schema::SCHEMA);
    drop(old);
    let (store, before) = after_retention(&path);
    assert!(pages(&store) >= before, "{before}");
    drop(store);
    let copy = folder.path().join("copy.db");
    crate::inspect::backup(&path, &copy, |_, _| ()).unwrap();
    crate::inspect::restore(&path, &copy, &folder.path().join("aside"), |_, _| ()).unwrap();
    let (store, _) = opened(&path);
    assert!(pages(&store) < before / 10);
    assert_eq!(pragma(store.connection(), "auto_vacuum"), "2", "and from now on it shrinks by itself");
}
