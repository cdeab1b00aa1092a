//! Shows that the judge bites: a world that un-does a promise must be found out.
//!
//! Nothing of the hub changes. The world between it and its clients, or the disk under it, lies in one way; the judge
//! must notice within a number of schedules.

use crate::schedule::script;
use crate::world::play;

/// How the world lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trap {
    /// A connection is gone, and the hub is not told.
    SwallowsHangUps,
    /// The disk says "kept" before it is.
    AcknowledgesBeforeTheWrite,
    /// An offer reaches a second agent.
    DoublesADelivery,
    /// A client waits, and its wait is lost on the way.
    NeverWaits,
    /// The number of the lease is taken out of a report.
    DropsTheEpoch,
    /// Keys against repeats are taken out.
    ForgetsKeys,
    /// Records are kept without the rows that belong to them.
    ForgetsRows,
    /// A call is made without its heartbeat.
    SkipsTheHeartbeat,
}

/// The most schedules that a lie may outlast.
const AT_MOST: u64 = 1_000;

/// The first seed whose schedule finds the trap by words that contain `words`.
fn found(trap: Trap, words: &str) -> u64 {
    let seed = (0..AT_MOST).find(|seed| {
        let outcome = play(*seed, &script(*seed), Some(trap));
        outcome.findings.iter().any(|finding| finding.contains(words))
    });
    let seed = seed.unwrap_or_else(|| panic!("{trap:?} outlasted {AT_MOST} schedules"));
    println!("{trap:?}: found by seed {seed}");
    seed
}

#[test]
fn a_swallowed_hang_up_is_found() {
    found(Trap::SwallowsHangUps, "reached nobody");
}

#[test]
fn an_acknowledgement_before_the_write_is_found() {
    found(Trap::AcknowledgesBeforeTheWrite, "I1");
}

#[test]
fn a_doubled_delivery_is_found() {
    found(Trap::DoublesADelivery, "T1");
}

#[test]
fn a_forgotten_wake_up_is_found() {
    found(Trap::NeverWaits, "A2");
}

#[test]
fn a_response_under_an_old_number_is_found() {
    found(Trap::DropsTheEpoch, "I4");
}

#[test]
fn a_forgotten_key_is_found() {
    found(Trap::ForgetsKeys, "under one key");
}

#[test]
fn a_row_that_its_records_do_not_come_to_is_found() {
    found(Trap::ForgetsRows, "its row is not");
}

#[test]
fn a_notice_that_is_told_twice_is_found() {
    found(Trap::SkipsTheHeartbeat, "N1");
}
