//! Agents on call: starts a client for one task, judges how it ended, and ends it.
//!
//! ```text
//!   hub ── offer ──► slot ── start ──► process (of a preset, in a worktree)
//!    ▲                │  ◄── printed ──┤ output (conversation, usage, error), tail (the last bytes)
//!    └──── ended ─────┘  ◄── exited ───┘
//! ```
//!
//! The hub decides about tasks, leases and agents. A host decides only about processes, and says what it saw of them.
//!
//! - `command`: the command line and the settings; `spec`: what a host is, checked;
//! - `host`: the loop of a host; `link`: its connection to the hub; `outbox`: what the hub has not kept yet;
//! - `runner`: one process of a run; `folder`: the files of a run;
//! - `presets`: how each client is started, resumed and read, as data;
//! - `output`: what a client's output says, and `judge`: how its process ended;
//! - `tail`: the last that it printed, without secrets;
//! - `slot`: the states of a slot, with its clocks;
//! - `process`: a process group that does not outlive its host;
//! - `worktree`: a git worktree for a task;
//! - `told`: what the host prints.

mod command;
mod folder;
mod host;
mod judge;
mod link;
mod outbox;
mod output;
mod presets;
mod process;
mod runner;
mod slot;
mod spec;
mod tail;
#[cfg(test)]
mod tests;
mod told;
mod worktree;

pub use command::{OnCallArgs, run};
