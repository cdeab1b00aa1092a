//! Tests of the rooms of a host that need more than their own file: clients' outputs, real processes, real git.

mod hub;
mod losses;
mod output;
mod presets;
mod process;
mod slot;
mod stage;
mod stories;
mod worktree;
