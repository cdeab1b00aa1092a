//! MCP over WebSockets, as clients meet it, through the accept loop and the guard.

mod client;
mod ends;
mod eras;
mod gates;
mod hosts;
mod pipe;
