//! What `wait_for_prompt` does, tried.

use proptest::prelude::*;

use super::*;

#[test]
fn the_next_timeout_counts_up_from_the_cap_and_begins_again() {
    let next = |cap: u64, last: Option<f64>| next_timeout(Duration::from_secs(cap), last);
    let table = [
        (280, None, 280),
        (280, Some(280.0), 281),
        (280, Some(1_279.0), 1_280),
        (280, Some(1_280.0), 280),
        (280, Some(3.0), 280),
        (280, Some(280.5), 282),
        (4, Some(4.0), 5),
        (0, None, 2),
        (0, Some(2.0), 3),
    ];
    for (cap, last, wanted) in table {
        assert_eq!(next(cap, last), wanted, "cap {cap}, last {last:?}");
    }
}

proptest! {
    #[test]
    fn the_next_timeout_is_never_the_last(cap in 0_u64..100_000, last in 0.0_f64..200_000.0, whole: bool) {
        let last = if whole { last.floor() } else { last };
        let next = next_timeout(Duration::from_secs(cap), Some(last));
        prop_assert!((f64::from(u32::try_from(next).expect("small")) - last).abs() > f64::EPSILON);
        prop_assert!((cap.max(2)..=cap.max(2) + 1_000).contains(&next), "{next}");
    }
}
