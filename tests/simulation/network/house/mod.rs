//! Two hubs on one database, behind the same network: what decides who answers is the real code, as are the hubs; the
//! database is a host that means by each statement what PostgreSQL does.
//!
//! - `database` is that host, and notes what no order of statements may do; `line` is a connection to it.
//! - `clocks` are the machines' clocks, and whether a machine is suspended.
//! - `journal` writes as `journal::postgres` does: under the fence, and by the model's step RESOLVE after a silence.
//! - `member` is one hub's process: it stands by, serves, ends. `trouble` is what befalls them, `story` plays a seed.
//! - `flaws` leaves out each part of the design, and shows that it is missed.

mod clocks;
mod database;
mod flaws;
mod journal;
mod line;
mod member;
mod story;
mod trouble;

/// The hosts of the hubs. The place here is a hub's number, and its node's.
const HUBS: [&str; 2] = ["hub-a", "hub-b"];
const DATABASE: &str = "db";
