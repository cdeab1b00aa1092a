//! The doors to the outside. They hold lines to the actors, never an actor's address.
//!
//! A door uses no other door; `http` alone gathers them on its one port. What doors share stands beside them: `tokens`
//! (who may come in), `web` (what every plain HTTP route needs) and `ws` (WebSockets).

pub mod admin;
pub mod discord;
pub mod host;
pub mod http;
pub mod mcp;
pub mod metrics;
pub mod page;
pub mod terminal;
pub mod tokens;
pub mod web;
pub mod ws;
