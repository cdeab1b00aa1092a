//! The doors to the outside. They hold lines to the actors, never an actor's address.

pub mod mcp;
pub mod tokens;
pub mod web;
