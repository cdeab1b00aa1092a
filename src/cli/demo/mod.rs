//! `callboard serve --demo`: the proof. The real hub, two agents that are real MCP clients over loopback HTTP, and an
//! asker over plain HTTP play one round.
//!
//! Nothing is shown that a client did not receive: each script compares what came with what had to come, and only then
//! tells the ledger. The round is over when every step was seen; what is missing is named. Unless the hub ends then, a
//! stage is set behind it: agents that stay connected and go on, and enough of everything to look at.

mod agent;
mod asker;
mod discord;
mod ledger;
mod life;
mod links;
mod scene;
mod script;
mod stage;

pub(super) use discord::Chat;
pub(super) use links::{is_over, look_inside};
pub(super) use script::play;
pub(super) use stage::set;
