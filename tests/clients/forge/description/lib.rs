//! Empty: see `Cargo.toml` beside it.
