//! What stories share.

pub(crate) mod error_watch;
pub(crate) mod hub_process;
mod plain_http;
