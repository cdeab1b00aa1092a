//! The command line: `callboard NOUN VERB`, one file or folder per noun.
//!
//! A command asks the hub, prints what it says, and decides nothing. What needs no hub is in `callboard-client`.

mod actor;
mod agent;
mod args;
mod audit;
mod cells;
#[cfg(feature = "postgres")]
mod cluster;
mod columns;
mod completions;
mod config;
mod config_check;
pub mod demo;
mod dispatch;
mod doctor;
mod event;
mod follow;
mod home;
mod id;
mod inbox;
mod journal;
mod logs;
mod man;
mod nodes;
mod open;
mod outbox;
mod prelude;
mod progress;
mod prompt;
mod pulls;
mod question;
#[cfg(test)]
mod refused_tests;
mod reload;
mod review;
mod schedule;
mod serve;
mod session;
mod signals;
mod spellings;
mod story;
mod task;
#[cfg(test)]
mod tests;
mod token;
mod usage;
mod webhook;
mod workflow;

use callboard_client::{acp, client, connect, exit, hook, oncall, output, place, proxy, run, typed, values};

pub use args::{Cli, parse};
pub use callboard_client::problem::{self, Problem};
pub use dispatch::run;
pub use exit::Exit;
