//! The load client: one keep-alive connection each, requests as bytes, answers parsed as an agent would.
//!
//! - `wire`: HTTP/1.1, as little of it as a hub and its floors answer with;
//! - `door`: how a tool call is written for plain HTTP and for both eras of MCP;
//! - `frames`: the same over a WebSocket;
//! - `caller`: one connection that calls;
//! - `listener`: one that hears events.

mod caller;
mod door;
mod frames;
mod listener;
mod wire;

pub(super) use caller::{Answer, Caller};
pub(super) use door::Door;
pub(super) use listener::Listener;
