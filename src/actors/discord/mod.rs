//! Discord's side of the hub: the connection, what is remembered of it, and what goes out.
//!
//! ```text
//!   Discord ──gateway──► discord-gateway ──events──► the door (transport::discord) ──verbs──► the hub
//!                              │ names, session, identifications
//!                              ▼
//!                           Memory ──► discord-memory ──► discord.json
//!                              ▲ ids of messages
//!   Discord ◄──REST──── Destination (outbox: what must arrive), discord-status (edits: the newest only) and
//!                       discord-audit (decisions about rights, where a channel is set for them)
//! ```
//!
//! Each of these is a service below the supervisor, begun anew when it fails. Only the outbox waits for them, which
//! holds up nobody: with Discord unreachable the hub works as without it.
//!
//! Deliveries are rows of the journal, and where a task was asked for stands in the task. `discord.json` only saves
//! work: without it the gateway identifies anew and a status message is written anew.

mod audit_posts;
mod called;
mod carrier;
mod destination;
mod ear;
mod event;
mod gateway;
mod intents;
mod keeper;
mod memory;
mod notices;
mod pending;
mod places;
mod rest;
mod rights;
mod send;
mod status;

pub use audit_posts::AuditPosts;
pub use called::called;
pub use carrier::{Carried, Carrier};
pub use destination::DiscordDestination;
pub use ear::Ear;
pub use event::GatewayEvent;
pub use gateway::Gateway;
pub use keeper::Keeper;
pub use memory::{Guild, Health, Memory, Shared};
pub use pending::Pending;
pub use places::{LONGEST_LINE, Places};
pub use rest::{Call, DiscordRest, Fail};
pub use rights::{by_entries, roles_that_may};
pub use status::{Changes, StatusEdits};
