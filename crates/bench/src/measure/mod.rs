//! `callboard-bench measure`: load and latency of the hub, each beside the floor of the same machine in the same run.
//!
//! ```text
//!   this process ──── wires ───► callboard serve          (a child: its memory and its time are its own)
//!        │       ├─── wires ───► server axum        (the bare web server: two round trips are part of the floor)
//!        │       └─── wires ───► server rmcp        (the bare MCP library: its call, its parked call)
//!        └──────── one durable append on the same disk    (the other part of the floor)
//! ```
//!
//! A figure alone says more about the machine and its neighbours than about the hub. So each one is a ratio, and what
//! it is measured against alternates with it, call by call or round by round: noise then meets both.
//!
//! Time is never asserted here; `--quick` proves that everything runs. Deliberately absent: a load generator on another
//! machine. The client is small, and shares the cores with the hub as it does with the floor.

mod appended;
mod called;
mod child;
mod client;
mod database;
mod deadlines;
mod discord;
mod doors;
mod error;
mod figure;
mod floor;
mod history;
mod hub;
mod memory;
mod prompted;
mod prompts;
mod proxied;
mod questions;
mod redelivery;
mod restart;
mod resting;
mod run;
mod scratch;
mod server;
mod spread;
mod start;
pub mod story;
mod tasks;
mod throughput;
mod workflows;

pub use error::BenchError;
pub use figure::{Figure, Goal, Measure, Report};
pub use run::{BenchOptions, run};
pub use server::{ServerKind, serve};
