//! Stand-ins for services outside: what tests and measurements talk to instead of the internet.
//!
//! A stand-in is stricter than what it stands for, and fails on demand. No part of the hub knows it.

pub mod discord;
pub mod forge;
pub mod time;
