//! What comes of a webhook: it is written down, and then done.
//!
//! ```text
//!   door ─► verified and read ─► receive: one append, under the delivery's id ─► 202        (a repeat: 200, nothing)
//!                                            │
//!                                            └─► a row of the outbox ─► HookEffects: the verbs that other doors call
//! ```
//!
//! The sender hears 202 once the append is durable. What it means is done behind it, from a row of the same append, so
//! that a crash in between loses nothing; done twice it does the same, for each verb is called under a key.

mod change;
mod destination;
mod effect;
mod receive;
mod verdict;

pub use destination::HookEffects;
pub use receive::{HookReceipt, receive_hook};
