//! Each trap, and the schedules that find it. Only where the hub can be broken: with debug assertions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use callboard::broken::{self, Break};

use super::Trap;
use crate::schedule::script;
use crate::world::play;

/// What happened to others, the trap that stands for it, and words of the finding that must show it.
const TRAPS: &[(&str, Trap, &str)] = &[
    ("a wake-up is lost when a task comes back to its queue", Trap::Hub(Break::WakesNobody), "A2"),
    ("a wait is lost on the way", Trap::NeverWaits, "A2"),
    ("a dead connection swallows work", Trap::SwallowsHangUps, "reached nobody"),
    ("a dead wait is kept, and answered", Trap::Hub(Break::KeepsDeadWaits), "reached nobody"),
    ("an offer is delivered twice under one number", Trap::DoublesADelivery, "T1"),
    ("the end of an old wait ends the newer one", Trap::Hub(Break::EndsTheWrongWait), "before its time"),
    ("whoever reconnects is forgotten", Trap::Hub(Break::ForgetsWhoRegistered), "hears that it did not"),
    ("anybody may report", Trap::Hub(Break::TakesAnyReport), "A3"),
    ("a late report counts under an old number", Trap::DropsTheEpoch, "I4"),
    ("an agent dies before it acknowledges, and its offer with it", Trap::Hub(Break::NeverTakesOffersBack), "T3"),
    ("work begins before what it depends on is done", Trap::Hub(Break::IgnoresDependencies), "T5"),
    ("a dependency ends, and its dependents do not hear of it", Trap::Hub(Break::ForgetsDependents), "T5"),
    ("work goes to an agent that cannot do it", Trap::Hub(Break::IgnoresCapabilities), "was offered to"),
    ("a message is stored, and never delivered", Trap::Hub(Break::LosesNotices), "N1"),
    ("a message is delivered again and again", Trap::SkipsTheHeartbeat, "N1"),
    ("a worker does not hear that its task was cancelled", Trap::Hub(Break::HidesCancels), "not told to stop"),
    ("a request that is repeated is done twice", Trap::ForgetsKeys, "under one key"),
    ("what was acknowledged is not on disk", Trap::AcknowledgesBeforeTheWrite, "I1"),
    ("the state on disk is not what happened", Trap::ForgetsRows, "J1"),
    ("one event in a hundred is not published", Trap::Hub(Break::DropsEvents), "E1"),
    (
        "whoever waits for a task does not hear that it was cancelled",
        Trap::Hub(Break::DeafWatchers),
        "to end, and it is",
    ),
    ("progress does not renew the lease", Trap::Hub(Break::IgnoresProgress), "did not renew its lease"),
    ("a restart takes up no task that somebody worked on", Trap::Hub(Break::ForgetsLeases), "was due at"),
    ("the end of a process on call is forgotten", Trap::Hub(Break::ForgetsExits), "does not know it"),
    ("a retry begins with nothing of what earlier attempts left", Trap::Hub(Break::ForgetsAttempts), "J1"),
];

/// The most schedules that a trap may outlast.
const AT_MOST: u64 = 1_000;

/// The first seed whose schedule finds the trap by words that contain `words`.
fn found(trap: Trap, words: &str) -> Option<u64> {
    (0..AT_MOST).find(|seed| {
        let outcome = play(&script(*seed), Some(trap));
        outcome.findings.iter().any(|finding| finding.contains(words))
    })
}

#[test]
fn every_trap_is_found_within_a_thousand_schedules() {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let search = || {
        let mut outlasted = Vec::new();
        while let Some((what, trap, words)) = TRAPS.get(next.fetch_add(1, Ordering::Relaxed)) {
            match found(*trap, words) {
                Some(seed) => println!("{what} ({trap:?}): found by seed {seed}, as `{words}`"),
                None => outlasted.push(*what),
            }
        }
        outlasted
    };
    let outlasted: Vec<_> = thread::scope(|scope| {
        let searches: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
        searches.into_iter().flat_map(|search| search.join().unwrap()).collect()
    });
    assert!(outlasted.is_empty(), "outlasted {AT_MOST} schedules: {outlasted:?}");
}

#[test]
fn a_hub_that_is_broken_on_purpose_is_mended_again() {
    let broken = || broken::by(Break::WakesNobody);
    assert!(!broken());
    assert!(broken::with(Break::WakesNobody, broken));
    assert!(!broken());
}
