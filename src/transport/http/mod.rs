//! Plain HTTP: the accept loop, the guard in front of everything, and the table of contents of all routes.

mod accept;
pub mod api;
mod body;
mod client;
mod guard;
mod headers;
mod hooks;
mod listen;
mod pages;
mod paths;
mod places;
mod rate;
mod reset;
mod router;
mod standby;
mod tls;
mod unread;

#[cfg(test)]
mod tests;

pub use accept::{Answers, Timeouts, serve};
pub use guard::{Guard, guard};
pub use listen::{Connection, Listen};
pub use pages::Pages;
pub use places::ConnectionPeer;
pub use router::{Front, router, router_with};
pub use standby::standby;
pub use tls::{TlsError, acceptor};
