//! Seeds whose schedules once found something. They hold for as long as `schedule` writes the same scripts; what they
//! found is told as a story beside the actors, where it does not depend on that.

use crate::schedule::script;
use crate::world::play;

/// An answer that nobody read any more took a notice or an offer with it: 117. A wait of who was sent away never
/// ended while the disk was full, and kept a processor busy: 225. A task waited for one that was done and of which
/// somebody spoke late: 27, 70. An order to a task that closed just then failed: 73, 215.
const FOUND: [u64; 6] = [27, 70, 73, 117, 215, 225];

#[test]
fn what_was_found_once_is_not_found_again() {
    for seed in FOUND {
        let outcome = play(seed, &script(seed), None);
        let (findings, trace) = (outcome.findings.join("\n  "), outcome.trace.join("\n"));
        assert!(outcome.findings.is_empty(), "seed {seed} finds:\n  {findings}\nits script:\n{trace}");
    }
}

#[test]
fn the_same_seed_plays_the_same_schedule() {
    let (first, second) = (play(7, &script(7), None), play(7, &script(7), None));
    assert_eq!(first.trace, second.trace);
}
