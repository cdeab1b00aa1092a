//! What `distance` does, tried.

use super::*;

#[test]
fn a_swap_a_slip_and_a_gap_each_count_one() {
    assert_eq!(edits("tset", "test"), 1);
    assert_eq!(edits("teat", "test"), 1);
    assert_eq!(edits("tst", "test"), 1);
    assert_eq!(edits("", "test"), 4);
    assert_eq!(edits("test", "test"), 0);
}

#[test]
fn only_near_names_are_named_and_the_nearest_first() {
    let names = ["fullstack-1", "fullstack-2", "tester"].map(|name| (name.to_owned(), name.to_owned()));
    assert_eq!(nearest("fulstack-2", names.to_vec(), 3), ["fullstack-2", "fullstack-1"]);
    assert_eq!(nearest("test", names.to_vec(), 3), ["tester"]);
    assert!(nearest("orchestrator", names.to_vec(), 3).is_empty());
    let long = [("t".repeat(66), "t".repeat(66))];
    assert!(nearest(&"t".repeat(65), long.to_vec(), 3).is_empty(), "a long text is no name");
    assert_eq!(nearest(&"t".repeat(64), long.to_vec(), 3).len(), 1);
}
