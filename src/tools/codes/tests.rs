//! Tests of the codes.

use super::*;
use crate::tools::Refusal;

#[test]
fn every_code_says_what_to_do() {
    for row in CODES {
        assert!(row.advice.ends_with('.') && row.advice.starts_with(char::is_uppercase), "{}", row.code);
        assert_eq!(Refusal::new(row.code, "x").prompt.as_deref(), Some(row.advice));
    }
}

#[test]
fn codes_are_sorted_and_unique_so_that_a_list_of_them_reads_well() {
    assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
}

#[test]
fn a_code_that_is_not_listed_is_our_fault_and_not_the_callers() {
    assert_eq!(status_of("TASK_NOT_FOUND"), 404);
    assert_eq!(status_of("NO_SUCH_CODE"), 500);
}
