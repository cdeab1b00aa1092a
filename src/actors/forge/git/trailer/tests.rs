//! What `trailer` does, tried.

use super::*;

#[test]
fn a_trailer_joins_those_that_are_there() {
    let id = PullId::parse("pr_abcdefgh").unwrap();
    for (message, whole) in [
        ("Fix it", "Fix it\n\nCallboard-Pull: pr_abcdefgh\n"),
        ("fix: it\n", "fix: it\n\nCallboard-Pull: pr_abcdefgh\n"),
        ("Fix it\n\nWhy: because\nof this.\n\n", "Fix it\n\nWhy: because\nof this.\n\nCallboard-Pull: pr_abcdefgh\n"),
        ("Fix it\n\nSigned-off-by: Ada\n", "Fix it\n\nSigned-off-by: Ada\nCallboard-Pull: pr_abcdefgh\n"),
    ] {
        assert_eq!(with_trailer(message, &id), whole);
    }
    assert_eq!(is_of(&id), "^Callboard-Pull: pr_abcdefgh$");
}
