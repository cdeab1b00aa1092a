//! The design of lease, fence and move with one of its parts left out, each named as in the model, which says what it
//! is (`crates/domain/src/node/tests/model.rs`): every one must be found by the stories of some seeds.

/// What is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(debug_assertions), expect(dead_code, reason = "only the traps leave something out"))]
pub(super) enum Flaw {
    NoFence,
    ComparedApart,
    NumberAlone,
    /// In the hub's own code: `callboard::broken`.
    NoStop,
    FromTheAnswer,
    StandingClock,
    Looking,
    BeatOfTheDead,
    BlindDeath,
}

#[cfg(debug_assertions)]
mod found {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use callboard::broken::{self, Break};

    use super::super::story::play;
    use super::Flaw;

    const FENCE: &str = "one epoch per number";
    const STALE: &str = "no stale read";

    /// What is left out, and the promise that is broken then. The last two need a hub that is still there when it was
    /// declared dead: one that has to stop ends, so only `late beat` and `late look` of `trouble` show them.
    const FLAWS: [(Flaw, &str); 9] = [
        (Flaw::NoFence, FENCE),
        (Flaw::ComparedApart, FENCE),
        (Flaw::NumberAlone, FENCE),
        (Flaw::NoStop, STALE),
        (Flaw::FromTheAnswer, STALE),
        (Flaw::StandingClock, STALE),
        (Flaw::Looking, "answered as failed is kept"),
        (Flaw::BeatOfTheDead, STALE),
        (Flaw::BlindDeath, STALE),
    ];

    /// The most seeds that a flaw may outlast.
    const AT_MOST: u64 = 40;

    fn finds(flaw: Flaw, words: &str, seed: u64) -> bool {
        let plays = || play(seed, Some(flaw));
        let book = if flaw == Flaw::NoStop { broken::with(Break::NeverStops, plays) } else { plays() };
        book.findings.iter().any(|finding| finding.contains(words))
    }

    #[test]
    fn every_part_of_the_design_is_missed_when_it_is_left_out() {
        let next = AtomicUsize::new(0);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let search = || {
            let mut outlasted = Vec::new();
            while let Some((flaw, words)) = FLAWS.get(next.fetch_add(1, Ordering::Relaxed)) {
                match (0..AT_MOST).find(|seed| finds(*flaw, words, *seed)) {
                    Some(seed) => println!("{flaw:?}: found by seed {seed}, as `{words}`"),
                    None => outlasted.push(*flaw),
                }
            }
            outlasted
        };
        let outlasted: Vec<_> = thread::scope(|scope| {
            let searches: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
            searches.into_iter().flat_map(|search| search.join().unwrap()).collect()
        });
        assert!(outlasted.is_empty(), "outlasted {AT_MOST} houses: {outlasted:?}");
    }
}
