//! What `same` does, tried.

use rstest::rstest;

use super::*;

#[rstest]
#[case::a_countdown("Continue? [Y/n] (10s)", "Continue? [Y/n] (9s)")]
#[case::in_words("Deleting all in 2 seconds. Stop? [y/N]", "Deleting all in 1 second. Stop? [y/N]")]
#[case::without_a_unit("Purge in 10... [y/N]", "Purge in 9... [y/N]")]
#[case::a_clock("12:59:59 Drop the table? [y/N]", "13:00:00 Drop the table? [y/N]")]
#[case::minutes("Wipe the disk (1m05s left)?", "Wipe the disk (59s left)?")]
#[case::a_spinner("⠋ Delete it? [y/N]", "⠙ Delete it? [y/N]")]
#[case::nothing("Delete 3 tables?", "Delete 3 tables?")]
fn a_time_is_no_part_of_the_question(#[case] one: &str, #[case] other: &str) {
    for dangerous in [false, true] {
        assert!(is_same_question(one, other, dangerous), "{one} | {other}");
    }
}

#[rstest]
#[case("Delete 3 tables?", "Delete 4 tables?")]
#[case("Delete disk 1?", "Delete disk 2?")]
fn a_number_is_where_the_answer_destroys(#[case] one: &str, #[case] other: &str) {
    assert!(!is_same_question(one, other, true), "{one} | {other}");
    assert!(is_same_question(one, other, false), "{one} | {other}");
}

#[rstest]
#[case("Overwrite a.txt?", "Overwrite b.txt?")]
#[case("$", "#")]
#[case("Name:", "Names:")]
#[case("Go on?", "Go on? [y/n]")]
fn other_words_are_another_question(#[case] one: &str, #[case] other: &str) {
    assert!(!is_same_question(one, other, false), "{one} | {other}");
}
