//! What `processes` does, tried.

use super::*;

#[test]
fn a_name_may_hold_anything() {
    let read = Process::parse("4711 (a) b ) R 4 (x) S 12 4711 4700 34819 4711 4194304 90 0").unwrap();
    assert_eq!((read.parent, read.group, read.foreground), (12, 4711, 4711));
    assert_eq!(read.terminal, Some(Device(34819)), "pts/3");
    assert_eq!(Process::parse("1 (init) S 0 1 1 0 -1 4194560").unwrap().terminal, None);
    assert_eq!(Process::parse("1 (init"), None);
}

#[test]
fn whoever_descends_is_found_however_far_down() {
    let process = |parent, group| Process { parent, group, terminal: None, foreground: 0 };
    let table = BTreeMap::from([
        (2, process(1, 2)),
        (3, process(9, 9)),
        (9, process(5, 5)),
        (5, process(2, 5)),
        (7, process(1, 7)),
    ]);
    assert_eq!(below(2, &table), BTreeSet::from([2, 3, 5, 9]));
}
