//! What `series` does, tried.

use super::*;

#[test]
fn the_newest_is_found_among_files_of_others() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["callboard-monday.db", "callboard-2026-11-28T04-53-01.123Z-terminals.db", "notes.txt"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    assert!(newest(folder.path()).is_err(), "none of these is a copy of a series");
    let moments = [1_800_000_000_000, 1_700_000_000_000, 1_900_000_000_000].map(Timestamp);
    for at in moments {
        assert!(is_copy(&name(at)), "{}", name(at));
        fs::write(folder.path().join(name(at)), "").unwrap();
    }
    assert_eq!(newest(folder.path()).unwrap().file_name().unwrap().to_str().unwrap(), name(moments[2]));
    assert_eq!(copies(folder.path()).unwrap().len(), 3);
}
