//! Tests of the rooms of a host that need more than their own file: clients' outputs, real processes, real git.

mod output;
mod presets;
mod process;
mod slot;
mod worktree;
