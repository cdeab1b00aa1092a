//! Many agents, people and accidents around one hub, on stopped time, from a seed.
//!
//! - `schedule` writes the script of a seed: who does what, and how much happens in between.
//! - `world` plays it: life after life of a hub over the journal in memory, killed between any two writes, ended
//!   gently, its actors killed, its disk broken. `player` and `people` are the clients, `store` is the knife.
//! - `judge` looks whenever everything is at rest, `ending` when everything was worked off; what they compare is what
//!   the clients were told (`ledger`) with what the journal holds.
//! - `traps` shows that the judge bites; `regressions` keeps the schedules that found something.
//!
//! `SIM_SEEDS=N` plays N schedules (300 without), `SIM_FROM=S` begins at seed S. One seed with its whole script:
//! `just sim SEED`.

#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test says what broke by panicking")]
#![expect(clippy::wildcard_enum_match_arm, reason = "the judge looks for a few records among many")]

mod ending;
mod errors;
mod judge;
mod ledger;
mod people;
mod player;
mod regressions;
mod rng;
mod schedule;
mod stage;
mod store;
mod traps;
mod world;

use std::env;

/// Schedules of a normal run.
const SEEDS: u64 = 300;

#[test]
fn every_schedule_keeps_every_promise() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (from, seeds) = (number("SIM_FROM").unwrap_or(0), number("SIM_SEEDS").unwrap_or(SEEDS));
    let (mut steps, mut lives, mut tasks, mut records) = (0, 0, 0, 0);
    let mut failing = Vec::new();
    for seed in from..from + seeds {
        let outcome = world::play(seed, &schedule::script(seed), None);
        steps += outcome.steps;
        lives += outcome.lives;
        tasks += outcome.tasks;
        records += outcome.records;
        if seeds == 1 {
            println!("{}", outcome.trace.join("\n"));
        }
        if !outcome.findings.is_empty() {
            if failing.is_empty() {
                println!("the script of seed {seed}:\n{}", outcome.trace.join("\n"));
            }
            println!("seed {seed} finds:\n  {}", outcome.findings.join("\n  "));
            failing.push(seed);
        }
    }
    println!("{seeds} schedules from {from}: {steps} steps, {lives} lives, {tasks} tasks, {records} records");
    assert!(failing.is_empty(), "{} of {seeds} schedules break a promise; seeds {failing:?}", failing.len());
}
