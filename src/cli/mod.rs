//! The command line: `callboard NOUN VERB`, one file or folder per noun. What all of them share:
//!
//! - `args`: the tree of commands; `spellings`: those of the release before; `place`: the flags of every command;
//! - `problem` and `exit`: why a command came to nothing, as words and as a code;
//! - `output` and `follow`: tables, JSON, and lines that come one after the other;
//! - `client`: the hub's HTTP interface, found by flags, the environment or the data directory.
//!
//! A command asks the hub and prints what it says; it decides nothing that the hub decides too.

mod actor;
mod agent;
mod args;
mod audit;
mod client;
mod completions;
mod config;
mod config_check;
mod connect;
pub mod demo;
mod dispatch;
mod doctor;
mod event;
mod exit;
mod follow;
mod home;
mod id;
mod inbox;
mod journal;
mod logs;
mod man;
mod open;
mod outbox;
mod output;
mod place;
pub mod problem;
mod progress;
mod prompt;
mod proxy;
mod pulls;
mod question;
mod reload;
mod review;
mod run;
mod serve;
mod session;
mod signals;
mod spellings;
mod task;
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
