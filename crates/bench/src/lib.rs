//! Measurements of the hub, each beside a floor of the same run, and its demo with Discord. In no release.

pub mod args;
pub mod discord_demo;
pub mod measure;
