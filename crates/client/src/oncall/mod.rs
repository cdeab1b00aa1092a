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
//! - `presets`: how each client is started, resumed and read, as data;
//! - `output`: what a client's output says, and `judge`: how its process ended;
//! - `tail`: the last that it printed, without secrets;
//! - `slot`: the states of a slot, with its clocks;
//! - `process`: a process group that does not outlive its host;
//! - `worktree`: a git worktree for a task.

pub mod judge;
pub mod output;
pub mod presets;
pub mod process;
pub mod slot;
pub mod tail;
#[cfg(test)]
mod tests;
pub mod worktree;
