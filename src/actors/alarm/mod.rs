//! The alarm: every deadline of every actor, in one wheel.
//!
//! One wheel for all costs a tenth of the time and memory of a timer task per actor, and `/admin/timers` reads it as it
//! stands. A deadline rings the timer of the actor that set it; the alarm knows nothing of what is due.
//!
//! Every five seconds it has the hub's clock look at the machine's (`crates/platform/src/clock.rs`). Where that changes
//! when a deadline comes, it rings everybody, and all that is not due is set anew.
//!
//! An actor arms its deadline while it is built, before anybody can reach it; so a ring that nobody heard comes again.

mod actor;
mod handle;
mod message;

#[cfg(test)]
mod tests;

pub use actor::{AlarmActor, AlarmArgs};
pub use handle::AlarmRef;
pub use message::{AlarmKey, AlarmMessage, ArmedTimer, Ring};
