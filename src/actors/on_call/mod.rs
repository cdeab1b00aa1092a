//! Agents on call: hosts that are connected start a process when a task is offered to one of their slots.
//!
//! ```text
//!   /ws/host ─ what the host says ─► HostConnection ─ orders ─► Agent (a wait for each slot), Task (the run)
//!            ◄─ offer, resume, stop ─┘      ▲
//!                                           │ HostOrder: stop, called, over
//!   Task, tools ───────────────────────► OnCall (which hosts and runs there are)
//! ```
//!
//! No state of a connection is on disk. A slot waits as an agent does, so a connection that ends gives offers back; a
//! run is kept in its task. After a restart of the hub the hosts come back and say which processes they have.

mod connection;
mod hello;
mod register;
mod runs;
mod words;

pub use connection::{ConnectionLost, HostCaller, HostConnection, HostMeans, HostWake};
pub use register::{HostView, OnCall, RunGuard, UNKNOWN_LIMIT};
