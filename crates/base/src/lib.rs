//! What every crate of callboard stands on: text of others, moments and ids. It touches nothing outside of itself.

pub mod ids;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod text;
pub mod time;
mod written;
