//! What stories share.

pub(crate) mod agent;
pub(crate) mod dice;
pub(crate) mod error_watch;
pub(crate) mod hub_process;
pub(crate) mod plain_http;
pub(crate) mod terminal;
