//! What `warnings` does, tried.

use std::time::Duration;

use super::*;
use crate::clock::FakeMachine;
use crate::domain::time::Timestamp;

#[tokio::test(start_paused = true)]
async fn a_clock_that_differs_from_the_machines_by_ten_seconds_is_a_warning() {
    let machine = FakeMachine::showing(Timestamp(1_000_000));
    let clock = machine.clock();
    assert_eq!(skewed(&Clock::starting_at(Timestamp(1_000_000))), None, "a clock without a machine");
    machine.set_forward(Duration::from_millis(9_999));
    assert_eq!(skewed(&clock), None);
    machine.sleeps(Duration::from_secs(51));
    let behind = skewed(&clock).unwrap();
    assert_eq!((behind.code.as_str(), behind.subject.as_str()), ("CLOCK_SKEW", "clock"));
    assert!(behind.message.contains("60 s behind"), "{behind:?}");
    machine.set_back(Duration::from_secs(71));
    let ahead = skewed(&clock).unwrap();
    assert!(ahead.message.contains("10 s ahead"), "{ahead:?}");
}
