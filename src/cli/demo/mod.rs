//! `callboard serve --demo`: the proof. The real hub, two agents that are real MCP clients over loopback HTTP, and an
//! asker over plain HTTP play one round.
//!
//! Nothing is shown that a client did not receive: each script compares what came with what had to come, and only then
//! tells the ledger. The round is over when every step was seen; what is missing is named.

mod agent;
mod asker;
mod ledger;
mod links;
mod scene;
mod script;

pub(super) use links::look_inside;
pub(super) use script::play;
