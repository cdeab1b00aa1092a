//! What is said beside the reason why an agent stands still.

use rstest::rstest;

use super::*;

#[rstest]
#[case::the_same("Which port?", "Which port?\n", "")]
#[case::at_the_end("Which port?", "I built it. Which port?", "I built it.")]
#[case::at_the_beginning("Which port?", "Which port? 80 is taken.", "80 is taken.")]
#[case::a_line_of_it("Which port?", "It is built.\nWhich port?\nSee the docs.", "It is built.\nSee the docs.")]
#[case::another_word("Which", "Whichever port\nit is", "Whichever port\nit is")]
#[case::not_there("Which port?", "It is built.", "It is built.")]
#[case::too_long_to_be_shown_whole(&"y".repeat(700), &"y".repeat(700), &"y".repeat(700))]
fn a_reason_is_said_once(#[case] reason: &str, #[case] text: &str, #[case] said: &str) {
    assert_eq!(beside(text, reason), said);
}
