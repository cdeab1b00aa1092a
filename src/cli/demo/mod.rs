//! `callboard serve --demo`: the real hub, two real MCP clients over loopback HTTP, and an asker over plain HTTP play
//! one round. What is `pub` here plays the round with Discord, too (`crates/bench`).
//!
//! Each script compares what came with what had to come, and only then tells the ledger; missing steps are named. Then
//! a stage of connected agents follows; with `--big` as much as on a hub where twenty people hand out.

mod agent;
mod asker;
mod big;
mod ledger;
mod life;
mod links;
pub mod scene;
mod script;
mod stage;

pub use agent::{Agent, Era};
pub(super) use big::{fill, prepare};
pub use links::{is_over, look_inside};
pub(super) use script::play;
pub use script::{all_wait, expect, token_for};
pub(super) use stage::set;
