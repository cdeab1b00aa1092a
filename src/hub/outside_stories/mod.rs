//! Forge and tracker through the whole hub, on stopped time: random stories of agents that open, change and merge pull
//! requests, ask, comment and complete, beside a GitHub that is down, refuses, wants pauses and loses its answers, and
//! a hub that is killed before a send, between two requests of one, and after one whose outcome it never wrote.
//!
//! - `chance`: the numbers of a seed; `outer`: what stands between the hub and the stand-ins;
//! - `stage`: a hub with both, killed and started again; `acts`: what happens to it;
//! - `judge`: what must be true once the faults are over and people have retried what was dead.
//!
//! `CALLBOARD_OUTSIDE=1000` plays so many stories, `CALLBOARD_SEED=7` the one of that seed. A story has the same steps
//! and the same faults whenever it is played.

mod acts;
mod chance;
mod judge;
mod outer;
mod stage;

use std::sync::atomic::{AtomicU64, Ordering};

use self::judge::Tale;
use self::outer::Defect;
use self::stage::Stage;
use crate::broken::{self, Break};

/// Stories in each run of the tests.
const STORIES: u64 = 64;
/// Steps of a story.
const STEPS: u64 = 24;
/// Among how many stories a planted defect has to show.
const AMONG: u64 = 600;

/// One story, judged: how much of what happened in it.
async fn story(seed: u64, defect: Defect) -> Result<Tale, String> {
    let mut stage = Stage::of(seed, defect).await;
    for _ in 0..STEPS {
        stage.goes_on().await;
    }
    stage.end().await
}

fn repository(seed: u64) -> String {
    format!("acme/r{seed}")
}

/// Plays a story in a runtime whose time stands still.
fn plays(seed: u64, defect: Defect) -> Result<Tale, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.map_err(|error| error.to_string())?.block_on(story(seed, defect))
}

#[test]
fn nothing_is_lost_or_doubled_outside_whatever_happens() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("CALLBOARD_SEED") {
        let played = plays(seed, Defect::None);
        assert!(played.is_ok(), "seed {seed}: {played:?}");
        println!("{played:?}");
        return;
    }
    let (stories, next) = (number("CALLBOARD_OUTSIDE").unwrap_or(STORIES), AtomicU64::new(0));
    let counts: [AtomicU64; 6] = Default::default();
    let player = || {
        let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed) + 1);
        for seed in seeds.take_while(|seed| *seed <= stories) {
            let played = plays(seed, Defect::None);
            assert!(played.is_ok(), "CALLBOARD_SEED={seed}: {played:?}");
            counts.iter().zip(played.unwrap().counts()).for_each(|(all, one)| {
                all.fetch_add(one, Ordering::Relaxed);
            });
        }
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        (0..processors).for_each(|_| drop(scope.spawn(player)));
    });
    let counts = counts.map(AtomicU64::into_inner);
    println!("{stories} stories: hubs, pull requests, merged, questions, comments, retried: {counts:?}");
    assert!(counts.iter().all(|count| *count > 0), "something never happens: {counts:?}");
}

#[test]
fn the_judge_notices_a_way_out_that_is_broken_on_purpose() {
    let found = |defect: Defect| (1..=AMONG).find_map(|seed| plays(seed, defect).err());
    for (defect, word) in [
        (Defect::OverlooksPulls, "although it stands"),
        (Defect::NewMarkEachTime, "stands 2 times"),
        (Defect::SettlesUnsent, "is lost"),
        (Defect::OverlooksDismissals, "merged unapproved"),
        (Defect::BelievesStrangers, "merged unapproved"),
    ] {
        let why = found(defect);
        assert!(why.as_ref().is_some_and(|why| why.contains(word)), "{defect:?}: {why:?}");
    }
    let why = broken::with(Break::MergesUnjudged, || found(Defect::None));
    assert!(why.as_ref().is_some_and(|why| why.contains("merged unapproved")), "no approval is asked for: {why:?}");
    let why = broken::with(Break::LosesDeliveries, || found(Defect::None));
    assert!(why.as_ref().is_some_and(|why| why.contains("is lost")), "a forgotten row: {why:?}");
}
