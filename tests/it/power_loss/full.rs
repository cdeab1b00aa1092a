//! A disk that takes nothing any more: lists are read all the same, and show all that was acknowledged.

use callboard::domain::task::TaskStateName;
use callboard::journal::inspect::verify_reader;
use callboard::journal::sqlite::{self, Durability};
use callboard::journal::{PageRequest, Reader as _, Seq, Store as _, TaskFilter};
use tempfile::TempDir;

use super::disk::Image;
use super::{file_system, history};

/// Their rows fill more pages than SQLite's cache has, so that pages would be written before the transaction ends.
const TASKS: u32 = 1_500;

#[test]
fn lists_are_as_new_as_the_records_while_the_disk_takes_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("callboard.db");
    file_system::insert(folder.path(), Image::new());
    let (mut store, reader) = sqlite::open(&path, Durability::Full).unwrap();
    let tasks: Vec<_> = (0..TASKS).map(history::one_more).collect();
    assert!(store.write(&tasks).iter().all(Result::is_ok));

    file_system::takes(folder.path(), false);
    for _ in 0..2 {
        assert!(store.write(&[history::one_more(TASKS)])[0].is_err(), "nothing can be written");
        assert_eq!(reader.task_counts().unwrap().get(&TaskStateName::Queued), Some(&u64::from(TASKS)));
        let newest = &reader.tasks(&TaskFilter::default(), &PageRequest::default()).unwrap().items[0];
        assert_eq!(reader.task(&newest.spec.id).unwrap().as_ref(), Some(newest));
        assert_eq!(reader.open_tasks().unwrap().len(), tasks.len());
        assert_eq!(verify_reader(&reader, |_, _| ()).unwrap().findings, []);
    }

    file_system::takes(folder.path(), true);
    let last = Seq(u64::from(TASKS));
    assert_eq!(store.write(&[history::one_more(TASKS)]).remove(0).unwrap().first, last.next());
    assert_eq!(reader.open_tasks().unwrap().len(), tasks.len() + 1);
    assert_eq!(reader.rows_up_to().unwrap(), last.next());
    drop((store, reader));
    file_system::eject(folder.path());
}
