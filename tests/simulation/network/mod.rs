//! The same hub behind a network that loses, delays and cuts: its real accept loop and routes, clients that speak HTTP
//! and MCP, on stopped time.
//!
//! - `hub` is the host that serves, and finds after a crash what its journal kept.
//! - `wire` is a client's connection, `players` are the agents and who asks for work.
//! - `story` draws the troubles of a seed, heals everything, and judges what was promised meanwhile.
//! - `house` is two hubs on one database.

#[cfg(feature = "postgres")]
mod house;
mod hub;
mod players;
mod story;
mod wire;
