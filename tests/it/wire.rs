//! Real clients over real sockets.

mod cli;
mod demo;
mod tls;
