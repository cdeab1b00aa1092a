//! What tests stand on, here and in the crates that ask for the feature `samples`: a journal in memory, a sample of
//! each record, and the one suite that every store passes. No hub has it.

#[cfg(test)]
mod conformance;
mod hook_samples;
pub mod memory;
mod sample_ids;
pub mod samples;
mod schedule_samples;
mod session_samples;
mod workflow_samples;
