//! A stand-in for Discord: REST version 10 and gateway version 10 on loopback, with every fault on demand.
//!
//! It is there for tests and for `callboard-bench discord`, and is as strict as Discord: limits of texts and
//! components, permissions of each channel, intents, intervals of interactions, formats of ids and timestamps.
//!
//! ```text
//! a client ─► listener ─► rest (door → route → a function of the world) ─┐
//!                    └──► gateway (socket → receive, identify) ──────────┼─► World, behind one lock
//! a test, the demo ─► Discord (people: write, interact, at_servers) ─────┘      │
//!                              └─ until, view ◄── every change wakes ───────────┘
//! ```
//!
//! - `model` is what it remembers, `permission`, `mention`, `render` and `dispatch` are rules that several use.
//! - Whoever changes the world tells sessions in the same step, so an event is there before its answer.
//! - Without a listener ([`Discord::in_memory`]) it is a value: requests are calls, and time can be stopped.
//! - The clock can be moved ahead ([`Discord::later`]): messages get old, interactions expire.
//!
//! Absent on purpose: voice, forums, private threads, global commands, shards, compression.

mod dispatch;
mod gateway;
mod handle;
mod in_memory;
mod listener;
mod mention;
mod model;
mod people;
mod permission;
mod render;
mod rest;
mod stage;
#[cfg(test)]
mod tests;

pub use handle::Discord;
pub use in_memory::GatewayLine;
pub use model::interaction::Answer;
pub use model::options::Options;
pub use model::permission_bits as bits;
pub use model::rest_fault::{LimitScope, Request, RestFault, RestRule};
pub use model::session::{GatewayCounts, GatewayFault};
pub use model::snowflake::Id;
pub use people::interact::Impossible;
pub use people::look::{ShownMessage, View};
pub use people::write::{Extra, NewMessage};
