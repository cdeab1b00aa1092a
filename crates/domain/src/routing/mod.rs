//! Who may be asked, by whom, and who is meant.

mod delegation;
mod distance;
mod holds;
mod lane;
pub mod matching;
mod rights;
mod roster;
mod target;

#[cfg(test)]
mod tests;

pub use delegation::{Delegation, DelegationRefusal, Granted};
pub use rights::Bound;
pub use roster::{KnownAgent, KnownRole, Roster};
pub use target::TargetUnknown;
