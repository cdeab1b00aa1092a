//! A copy that is put back: by hand, which is refused where it cannot be right, and by `restore`.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::{InspectError, backup, restore, verify};
use crate::samples::says;
use crate::sqlite::{self, Durability, OpenError};
use crate::{Seq, Store as _};

/// A data directory of a hub that was killed at record 30, and a copy of its journal at record 10.
struct Killed {
    folder: tempfile::TempDir,
    path: PathBuf,
    copy: PathBuf,
}

/// How the copy was made.
#[derive(Clone, Copy)]
enum Made {
    /// By `backup`, while the hub that was killed later was running.
    ByCommand,
    /// By hand, of a hub that had ended.
    ByHand,
}

impl Killed {
    fn with(made: Made) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (lived, path) = (folder.path().join("lived"), folder.path().join("data/callboard.db"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let (copy, alive) = (folder.path().join("copy.db"), lived.join("callboard.db"));
        let write = |n| {
            let (mut store, _) = sqlite::open(&alive, Durability::Full).unwrap();
            store.write(&[says(n)]).remove(0).unwrap();
            store
        };
        drop(write(10));
        if let Made::ByHand = made {
            fs::copy(&alive, &copy).unwrap();
        }
        let (mut store, _) = sqlite::open(&alive, Durability::Full).unwrap();
        if let Made::ByCommand = made {
            backup(&alive, &copy, |_, _| ()).unwrap();
        }
        store.write(&[says(20)]).remove(0).unwrap();
        for file in fs::read_dir(&lived).unwrap().flatten() {
            fs::copy(file.path(), path.with_file_name(file.file_name())).unwrap();
        }
        Self { folder, path, copy }
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        self.path.with_file_name(format!("callboard.db{suffix}"))
    }

    fn aside(&self) -> PathBuf {
        self.folder.path().join("data/before")
    }

    fn refused(&self) -> OpenError {
        sqlite::open(&self.path, Durability::Full).unwrap_err()
    }

    fn restored(&self) -> Result<Seq, InspectError> {
        restore(&self.path, &self.copy, &self.aside(), |_, _| ()).map(|report| report.position)
    }
}

fn position(path: &Path) -> Seq {
    sqlite::open(path, Durability::Full).unwrap().0.position()
}

#[test]
fn a_copy_beside_the_old_log_is_refused_by_name_and_restored_by_command() {
    for made in [Made::ByCommand, Made::ByHand] {
        let killed = Killed::with(made);
        fs::copy(&killed.copy, &killed.path).unwrap();
        let error = killed.refused();
        assert!(matches!(&error, OpenError::NotItsOwn { beside, .. } if *beside == killed.beside("-wal")), "{error}");
        let said = error.to_string();
        assert!(said.contains("callboard journal restore COPY") && said.contains("callboard.db-wal"), "{said}");
        let found = verify(&killed.path, |_, _| ()).unwrap().findings;
        assert!(found.iter().any(|finding| finding.sentence == said), "{found:?}");
        assert_eq!(killed.restored().unwrap(), Seq(10));
        assert_eq!(position(&killed.path), Seq(10), "and not what the old log had");
        assert_eq!(position(&killed.path), Seq(10), "nor later");
    }
}

#[test]
fn a_copy_beside_the_old_mark_is_refused_where_the_old_log_is_gone() {
    for made in [Made::ByCommand, Made::ByHand] {
        let killed = Killed::with(made);
        fs::copy(&killed.copy, &killed.path).unwrap();
        fs::remove_file(killed.beside("-wal")).unwrap();
        let error = killed.refused();
        assert!(matches!(&error, OpenError::NotItsOwn { beside, .. } if *beside == killed.beside("-mark")), "{error}");
    }
}

#[test]
fn what_was_there_before_is_kept_whole() {
    let killed = Killed::with(Made::ByCommand);
    assert_eq!(killed.restored().unwrap(), Seq(10));
    assert_eq!(position(&killed.aside().join("callboard.db")), Seq(30));
    let names = |path: &Path| {
        let mut names: Vec<_> = fs::read_dir(path).unwrap().flatten().map(|file| file.file_name()).collect();
        names.sort();
        names
    };
    let data = names(killed.path.parent().unwrap());
    assert_eq!(data, ["before", "callboard.db", "callboard.lock"].map(std::ffi::OsString::from), "no draft, no log");
}

#[test]
fn a_crash_right_after_the_new_file_is_in_place_is_noticed_and_the_command_goes_on() {
    let killed = Killed::with(Made::ByCommand);
    let (log, mark) = (fs::read(killed.beside("-wal")).unwrap(), fs::read(killed.beside("-mark")).unwrap());
    killed.restored().unwrap();
    fs::write(killed.beside("-wal"), log).unwrap();
    fs::write(killed.beside("-mark"), mark).unwrap();
    assert!(matches!(killed.refused(), OpenError::NotItsOwn { .. }));
    restore(&killed.path, &killed.copy, &killed.folder.path().join("data/again"), |_, _| ()).unwrap();
    assert_eq!(position(&killed.path), Seq(10));
}

#[test]
fn nothing_is_touched_where_a_hub_runs_or_the_copy_is_none() {
    let killed = Killed::with(Made::ByCommand);
    let (store, _) = sqlite::open(&killed.path, Durability::Full).unwrap();
    let error = killed.restored().unwrap_err();
    assert!(matches!(error, InspectError::Open(OpenError::InUse { .. })), "{error}");
    drop(store);
    fs::write(&killed.copy, "a letter, long enough to be one. ".repeat(300)).unwrap();
    let error = killed.restored().unwrap_err();
    assert!(matches!(error, InspectError::NoCopy(_)), "{error}");
    fs::write(&killed.copy, "").unwrap();
    let error = killed.restored().unwrap_err().to_string();
    assert!(error.contains("`callboard journal backup`") && !error.contains("empty one"), "{error}");
    let (mut other, _) = sqlite::open(&killed.folder.path().join("other/callboard.db"), Durability::Full).unwrap();
    other.write(&[says(5)]).remove(0).unwrap();
    drop(other);
    fs::copy(killed.folder.path().join("other/callboard.db"), &killed.copy).unwrap();
    rusqlite::Connection::open(&killed.copy).unwrap().execute("DELETE FROM records WHERE seq = 3", []).unwrap();
    let error = killed.restored().unwrap_err();
    assert!(matches!(error, InspectError::Unsound { .. }), "{error}");
    assert!(!killed.aside().exists());
    assert_eq!(position(&killed.path), Seq(30));
}

#[test]
fn an_empty_file_is_a_new_hub_only_where_none_has_served_before() {
    let killed = Killed::with(Made::ByCommand);
    let refused = |killed: &Killed| matches!(killed.refused(), OpenError::Emptied { .. });
    fs::write(&killed.path, "").unwrap();
    assert!(refused(&killed), "its log is not empty");
    assert!(killed.beside("-wal").exists(), "and is left");
    fs::remove_file(&killed.path).unwrap();
    assert!(refused(&killed), "the log alone is no journal, and no hub begins beside it");
    fs::remove_file(killed.beside("-wal")).unwrap();
    fs::write(&killed.path, "").unwrap();
    assert!(refused(&killed), "its mark says that there was one");
    fs::remove_file(killed.beside("-mark")).unwrap();
    for sign in ["operator.token", "hub.url"] {
        let sign = killed.path.with_file_name(sign);
        fs::write(&sign, "").unwrap();
        let said = killed.refused().to_string();
        assert!(said.contains("callboard journal restore COPY") && !said.contains("away"), "{said}");
        assert_eq!(verify(&killed.path, |_, _| ()).unwrap_err().to_string(), said, "one advice");
        fs::remove_file(sign).unwrap();
    }
    assert_eq!(position(&killed.path), Seq(0), "the first start died before it had written anything");
}

#[test]
fn a_copy_is_another_file_than_what_it_was_copied_from() {
    let killed = Killed::with(Made::ByHand);
    killed.restored().unwrap();
    let again = killed.folder.path().join("again.db");
    backup(&killed.path, &again, |_, _| ()).unwrap();
    let same = |one: &Path, other: &Path| {
        let id = |path: &Path| {
            let db = rusqlite::Connection::open(path).unwrap();
            db.query_row("SELECT value FROM meta WHERE key = 'file_id'", [], |row| row.get::<_, String>(0)).unwrap()
        };
        id(one) == id(other)
    };
    assert!(!same(&killed.path, &killed.copy) && !same(&killed.path, &again) && !same(&killed.copy, &again));
}
