//! Runs of workflows on stopped time, from a seed: an agent asks for a prompt, the hub carries the plan out and is
//! killed between any two writes, the agent asks again under the same key, goes on with calls of its own, some at once,
//! and ends the run.
//!
//! - `plot` is what happens in a story: the plan, where the hub is killed, who goes on with what;
//! - `play` plays it, life after life, and notes what the agent was answered;
//! - `judge` holds that against the journal: nothing was done twice, nothing that was answered is gone, the replay
//!   comes to the rows, and W1 to W5 hold for each record.
//!
//! `SIM_WORKFLOWS=N` plays N stories (60 without), `SIM_WORKFLOWS_FROM=S` begins at seed S.

mod judge;
mod play;
mod plot;

use std::env;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use play::{Came, play};
use plot::{Cut, Plot};

/// Stories of a normal run.
const STORIES: u64 = 60;

/// No story of the plan below has more writes between the first prompt and the end.
const MOST_WRITES: usize = 60;

/// Every place at which the hub can be killed, with the last write kept and lost: between two steps, and within one.
#[test]
fn a_hub_that_is_killed_at_any_write_of_a_workflow_does_nothing_twice() {
    let mut whole = false;
    for writes in 0..MOST_WRITES {
        for kept in [false, true] {
            let Came { findings, cuts, .. } = play(&Plot::fixed(Cut { writes, kept }));
            assert!(findings.is_empty(), "killed after {writes} writes (kept: {kept}): {findings:#?}");
            whole |= cuts == 0;
        }
    }
    assert!(whole, "the story has more than {MOST_WRITES} writes: some of them were never the last");
}

#[test]
fn every_story_of_a_workflow_keeps_every_promise() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (from, stories) = (number("SIM_WORKFLOWS_FROM").unwrap_or(0), number("SIM_WORKFLOWS").unwrap_or(STORIES));
    let next = AtomicU64::new(from);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (cuts, failing) = thread::scope(|scope| {
        let plays = || {
            let (mut cuts, mut failing) = (0, Vec::new());
            let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            for seed in seeds.take_while(|seed| *seed < from + stories) {
                let came = play(&Plot::of(seed));
                cuts += came.cuts;
                if !came.findings.is_empty() {
                    println!("story {seed}: {:#?}\n{}", came.findings, came.trace.join("\n"));
                    failing.push(seed);
                }
            }
            (cuts, failing)
        };
        let players: Vec<_> = (0..threads).map(|_| scope.spawn(plays)).collect();
        players.into_iter().map(|player| player.join().unwrap()).fold(
            (0, Vec::new()),
            |(cuts, mut all), (more, some)| {
                all.extend(some);
                (cuts + more, all)
            },
        )
    });
    println!("{stories} stories of workflows from {from}, with {cuts} kills");
    assert!(failing.is_empty(), "stories {failing:?} break a promise");
    assert!(cuts > 0 || stories < STORIES, "no hub was killed");
}

/// Shows that the judge bites.
#[cfg(debug_assertions)]
#[test]
fn a_hub_that_breaks_a_promise_about_workflows_is_found_out() {
    use callboard::broken::{self, Break};

    for (which, words) in [(Break::ForgetsStepKeys, "was done 2 times"), (Break::LosesResults, "J1")] {
        let found = |seed| {
            let came = broken::with(which, || play(&Plot::of(seed)));
            came.findings.iter().any(|finding| finding.contains(words))
        };
        let seed = (0..300).find(|seed| found(*seed));
        println!("{which:?} is found by story {seed:?}, as `{words}`");
        assert!(seed.is_some(), "{which:?} is not found as `{words}`");
    }
}
