//! The alarm: every deadline of every actor, in one wheel.
//!
//! One timer per actor would be a task of its own for each; one wheel for all costs a tenth of the time and memory, and
//! `/admin/timers` reads it as it stands. A deadline is a moment of the hub's clock; it rings the timer of the actor
//! that set it, which then looks at its own state: the alarm knows nothing of what is due.
//!
//! Every five seconds it has the hub's clock look at the machine's (`crates/platform/src/clock.rs`). Where that changes
//! when a deadline comes, it rings everybody at once: what is due is done, and all else is set anew by the clock as it
//! goes now.
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
