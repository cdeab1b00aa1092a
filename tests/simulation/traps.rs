//! Shows that the judge bites: a hub that breaks a promise must be found out, by the words of that promise.
//!
//! Most traps are defects inside the hub (`callboard::broken`, which no release build has). Some are lies of the world
//! around it: of the connection, the disk, the client. Each stands for something that hubs of this kind have done to
//! their users.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use callboard::broken::{self, Break};

use crate::schedule::script;
use crate::world::play;

/// How the hub, or the world around it, is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trap {
    /// A defect of the hub.
    Hub(Break),
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
];

/// The most schedules that a trap may outlast.
const AT_MOST: u64 = 1_000;

/// Plays with the hub broken, if that is the trap.
pub(crate) fn sprung<T>(trap: Option<Trap>, run: impl FnOnce() -> T) -> T {
    match trap {
        Some(Trap::Hub(which)) => broken::with(which, run),
        _ => run(),
    }
}

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
