//! The floor of a call: what no hub can do without.
//!
//! A call that is durable before it is delivered costs one append on this disk; and it costs two round trips of a web
//! server, the caller's and the waiting agent's. The append is one row of as many bytes as the hub's append has, in a
//! database set as the journal is, on the same file system.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::child::Child;
use super::client::{Caller, Door};
use super::error::BenchError;
use super::scratch::Scratch;
use super::server::ServerKind;

pub(super) const INSERT: &str = "INSERT INTO rows (body) VALUES (?1)";

/// How many bytes a call moves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sizes {
    /// Into the journal.
    pub(super) append: usize,
    /// The bodies of the call and its answer.
    pub(super) call: (usize, usize),
    /// The bodies of the wait and its answer.
    pub(super) wait: (usize, usize),
}

#[derive(Debug)]
pub(super) struct Floor {
    connection: Connection,
    caller: Caller,
    waiter: Caller,
    _server: Child,
    _scratch: Scratch,
}

impl Floor {
    /// A bare server, two connections to it, and an empty database below `dir`.
    pub(super) async fn start(dir: &Path) -> Result<Self, BenchError> {
        let scratch = Scratch::new(dir)?;
        let server = Child::bare(ServerKind::Axum, scratch.path(), 0)?;
        Ok(Self {
            connection: open(&scratch.path().join("floor.db"))?,
            caller: Caller::open(server.address, Door::Plain, None).await?,
            waiter: Caller::open(server.address, Door::Plain, None).await?,
            _server: server,
            _scratch: scratch,
        })
    }

    /// Pays it once.
    pub(super) async fn pay(&mut self, sizes: Sizes) -> Result<Duration, BenchError> {
        let began = Instant::now();
        tokio::task::block_in_place(|| {
            self.connection.prepare_cached(INSERT)?.execute(params![row(sizes.append)]).map(drop)
        })?;
        self.trips(sizes).await?;
        Ok(began.elapsed())
    }

    /// The two round trips alone.
    pub(super) async fn trips(&mut self, sizes: Sizes) -> Result<(), BenchError> {
        round_trip(&mut self.caller, sizes.call).await?;
        round_trip(&mut self.waiter, sizes.wait).await
    }
}

/// A database set as the journal is: a write-ahead log, synced with each commit.
pub(super) fn open(path: &Path) -> Result<Connection, BenchError> {
    let connection = Connection::open(path)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")?;
    Ok(connection)
}

/// A text of so many bytes.
pub(super) fn row(bytes: usize) -> String {
    "x".repeat(bytes)
}

async fn round_trip(caller: &mut Caller, (sent, heard): (usize, usize)) -> Result<(), BenchError> {
    let body: Value = json!({ "filler": "x".repeat(sent.saturating_sub(13)) });
    caller.post(&format!("/echo/{heard}"), &body).await.map(drop)
}
