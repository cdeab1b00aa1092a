//! One binary for everything that looks at callboard from outside its modules.
//!
//! - `postgres` serves from a database: `tests/postgres/run` calls it.
//! - `power_loss` takes the power away from the journal, at every step.
//! - `security` tries what an attacker would, by numbers.
//! - `stories` are told to the real binary, as a child process.
//! - `tidy` reads the tree: the shape that style and architecture promise.
//! - `torture` kills the binary over and over while clients work.
//! - `wire` holds real clients against real sockets: the command line, the demo, TLS.
//! - `support` holds what stories share: a watch for `error!`, and the binary as a child process.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what broke by panicking")]

mod postgres;
mod power_loss;
mod security;
mod stories;
mod support;
mod tidy;
mod torture;
mod wire;
