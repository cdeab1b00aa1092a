//! What `view` does, tried.

use std::collections::VecDeque;

use super::Spread;

#[test]
fn a_spread_names_the_middle_the_tail_and_the_most() {
    let numbers: VecDeque<u64> = (1..=1_000).rev().collect();
    assert_eq!(Spread::of(&numbers), Spread { p50: 500, p99: 990, max: 1_000 });
    assert_eq!(Spread::of(&VecDeque::from([7])), Spread { p50: 7, p99: 7, max: 7 });
    assert_eq!(Spread::of(&VecDeque::new()), Spread::default());
}
