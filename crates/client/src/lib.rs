//! What runs beside a client, and not in a hub: it asks one over the network, and keeps nothing that a hub decides.
//!
//! - `proxy`: between an MCP client and the hub;
//! - `run`: a program in a terminal of its own, watched by the hub;
//! - `hook`: what hooks of a client run: to be woken, and to ask permission;
//! - `acp`: one turn of a client that speaks the Agent Client Protocol;
//! - `oncall`: starts a client for one task, judges how it ended, and ends it;
//! - `connect`: callboard's entry in a client's own configuration;
//! - `client`: the hub's HTTP interface, found by flags, the environment or the data directory.
//!
//! And what these share with every command:
//!
//! - `credential`: as whom a proxy or a host of agents speaks;
//! - `place` and `values`: the flags of every command, and how values are read;
//! - `problem` and `exit`: why a command came to nothing, as words and as a code; `typed`: what to type next;
//! - `output`: tables and JSON.

use callboard_detect::terminal;
use callboard_domain as domain;
use callboard_platform::{clock, ids, private_file, web_client};
use callboard_settings as settings;

pub mod acp;
pub mod client;
pub mod connect;
mod credential;
pub mod exit;
pub mod hook;
pub mod oncall;
pub mod output;
pub mod place;
pub mod problem;
pub mod proxy;
pub mod run;
pub mod typed;
pub mod values;
