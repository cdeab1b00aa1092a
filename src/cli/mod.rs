//! The command line: one file per verb. What every verb shares:
//!
//! - `args`: the tree of commands and what they have in common;
//! - `problem` and `exit`: why a command came to nothing, as words and as a code;
//! - `output` and `follow`: tables, JSON, and lines that come one after the other;
//! - `client`: the hub's HTTP interface, found by the environment or the data directory.
//!
//! A verb asks the hub and prints what it says; it decides nothing that the hub decides too.

mod agents;
mod answer;
mod args;
mod audit;
mod check_config;
mod client;
mod completions;
mod config;
mod connect;
pub mod demo;
mod dispatch;
mod doctor;
mod events;
mod exit;
mod follow;
mod home;
mod inbox;
mod journal;
mod logs;
mod man;
mod open;
mod outbox;
mod output;
mod outside;
mod place;
pub mod problem;
mod progress;
mod prompt;
mod proxy;
mod pulls;
mod questions;
mod reload;
mod reviews;
mod run;
mod serve;
mod sessions;
mod signals;
mod tail;
mod task;
mod tasks;
#[cfg(test)]
mod tests;
mod token;
mod typed;
mod values;
mod webhook;
mod workflow;

pub use args::{Cli, parse};
pub use dispatch::run;
pub use exit::Exit;
pub use problem::Problem;
