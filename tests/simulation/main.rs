//! Many agents, people and accidents around one hub, on stopped time, from a seed.
//!
//! - `schedule` writes the script of a seed: who does what, and how much happens in between (`script`).
//! - `world` plays it: `life` after life of a hub over the journal in memory, killed between any two writes, ended
//!   gently, its actors killed, its disk broken, its clock set. `player` and `people` are the clients, `store` is the
//!   knife, `house` is how the hub is set, `answers` is what its doors do.
//! - `chronicle` reads each record when it is there, `judge` looks whenever everything is at rest, `ending` when
//!   everything was worked off; what they compare is what the clients were told (`ledger`) with what the journal holds.
//! - `hosts` are agents on call: slots beside the cast, runs that end in every way, and hosts that are lost.
//! - `workflows` are stories of another sort: a plan that the hub carries out, killed at every write.
//! - `questions` are answered while the disk cannot read back what was written.
//! - `coverage` counts what happened, and what must and did not.
//! - `traps` shows that the judge bites; `regressions` keeps the scripts that found something, made
//!   small by `shrink`.
//!
//! `SIM_SEEDS=N` plays N schedules (300 without), `SIM_FROM=S` begins at seed S. One seed with its whole script:
//! `just sim SEED`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test says what broke by panicking")]
#![expect(clippy::wildcard_enum_match_arm, reason = "the judge looks for a few records among many")]

mod answers;
mod chronicle;
mod coverage;
mod ending;
mod errors;
mod hosts;
mod hub_setup;
mod judge;
mod ledger;
mod life;
mod network;
mod people;
mod player;
#[cfg(debug_assertions)]
mod questions;
mod regressions;
mod rng;
mod run;
mod schedule;
mod script;
mod shrink;
mod stage;
mod store;
mod traps;
mod workflows;
mod world;

use std::env;

/// Schedules of a normal run.
const SEEDS: u64 = 300;

#[test]
fn every_schedule_keeps_every_promise() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (from, seeds) = (number("SIM_FROM").unwrap_or(0), number("SIM_SEEDS").unwrap_or(SEEDS));
    if seeds == 1 {
        let outcome = world::play(&schedule::script(from), None);
        println!("{}", outcome.trace.join("\n"));
    }
    run::many(from, seeds).tells(from, seeds);
}
