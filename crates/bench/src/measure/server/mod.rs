//! The bare servers that the hub is measured against, each in a process of its own (`callboard server KIND`).
//!
//! Both stand on the listener and the runtime that the hub stands on, without a Nagle delay. What they leave out is the
//! hub: no credential, no tools, no actors.

mod bare_axum;
mod bare_rmcp;
mod writer;

use std::fmt;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;

use axum::Router;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

use super::error::BenchError;

/// Which bare server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// The web server: `POST /echo/{bytes}` answers with so many bytes, `POST /append` keeps a row, `POST /park`
    /// does not answer.
    Axum,
    /// The MCP library: the tool `append` keeps a row, the tool `park` does not answer.
    Rmcp,
}

impl ServerKind {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Axum => "axum",
            Self::Rmcp => "rmcp",
        }
    }

    /// By its name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Axum, Self::Rmcp].into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for ServerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Serves until the process ends; says its address on `out` first. What appends writes rows of `append_bytes`
/// bytes into a database in `dir`.
///
/// # Errors
/// When it cannot listen, or the database cannot be made.
pub fn serve(kind: ServerKind, dir: &Path, append_bytes: usize, out: &mut dyn Write) -> Result<(), BenchError> {
    runtime()?.block_on(async {
        let router = match kind {
            ServerKind::Axum => bare_axum::router(dir, append_bytes)?,
            ServerKind::Rmcp => bare_rmcp::router(dir, append_bytes)?,
        };
        listen(router, out).await
    })
}

/// The runtime of every process of a measurement: as many threads as there are cores.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, BenchError> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(BenchError::io("start the runtime"))
}

async fn listen(router: Router, out: &mut dyn Write) -> Result<(), BenchError> {
    let bound = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await;
    let listener = bound.map_err(BenchError::io("listen"))?;
    let address = listener.local_addr().map_err(BenchError::io("listen"))?;
    writeln!(out, "{address}").and_then(|()| out.flush()).map_err(BenchError::io("say where it listens"))?;
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, router).into_future().await.map_err(BenchError::io("serve"))
}
