//! What `list` does, tried.

use super::*;

#[test]
fn a_state_is_read_in_any_case() {
    for text in ["DEAD_LETTER", "dead_letter", "dead-letter", "Dead-Letter"] {
        assert_eq!(state(text), Ok(TaskStateName::DeadLetter));
    }
    assert!(state("done").unwrap_err().contains("completed"));
}
