//! What `lately` does, tried.

use super::*;

#[test]
fn three_failures_in_five_minutes_are_a_strain_until_those_are_over() {
    let minute = |minute: u64| Timestamp(minute * 60_000);
    let mut lately = Lately::default();
    for at in [0, 3, 6] {
        lately.failed(minute(at));
    }
    assert!(!lately.is_failing(minute(6)), "they came within six minutes");
    lately.failed(minute(8));
    assert!(lately.is_failing(minute(8)) && !lately.is_failing(minute(9)));
}
