//! What `brackets` does, tried.

use super::*;

#[test]
fn the_answers_of_a_group_are_read_whatever_separates_them() {
    assert_eq!(answers("Y/n"), ["Y", "n"]);
    assert_eq!(answers("yN"), ["y", "N"]);
    assert_eq!(answers("y or [n]"), ["y", "n"]);
    assert_eq!(answers("yes/no/[fingerprint]"), ["yes", "no", "fingerprint"]);
    assert_eq!(last_group("Go on? (yes/no/[fingerprint])? "), Some(("yes/no/[fingerprint]", "Go on?")));
    assert_eq!(last_group("Port [8080]: "), Some(("8080", "Port")));
    assert_eq!(last_group("no group"), None);
    assert_eq!(["1-3", "a-z", "2026-11"].map(|text| forms::fits("range", text)), [true, false, false]);
}
