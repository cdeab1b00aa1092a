//! What `program` does, tried.

use super::is_new_enough;

#[test]
fn a_release_is_told_from_an_older_one() {
    for (version, fits) in [("2.40.0", true), ("2.47.3", true), ("3.0", true), ("2.39.5", false), ("1.99", false)] {
        assert_eq!(is_new_enough(version), fits, "{version}");
    }
    assert!(is_new_enough("2.41.0.windows.1") && !is_new_enough("") && !is_new_enough("next"));
}
