//! The journal: what happened, in order, on disk before anything follows from it.
//!
//! Behind one trait stands SQLite ([`sqlite`]); its twin in memory, which only tests use, is held to the same by one
//! suite. A batch of appends is one transaction: records, notices, blobs, idempotency keys, together or not at all.
//! Lists and history are read from the rows that they come to; the actors are built from them at start.
//!
//! Sequence numbers have no gap and no repeat (E1): the one writer counts, and a batch that fails gives its numbers
//! back.

use callboard_domain as domain;
use callboard_platform::private_file;

#[cfg(feature = "postgres")]
mod carry;
pub mod codec;
mod entry;
mod error;
mod finding;
mod fold;
mod hub_record;
pub mod inspect;
mod kind;
mod later;
mod learned;
mod page;
#[cfg(feature = "postgres")]
pub mod postgres;
mod raw;
pub mod replay;
pub mod search;
pub mod sqlite;
mod store;
pub mod transcripts;
pub mod vault;

/// The team that every hub has: the others come later.
pub const TEAM: &str = "main";

/// Whether a hub that served from this data directory kept its journal in a database.
pub fn is_in_database(folder: &std::path::Path) -> bool {
    sqlite::marked(&folder.join(format!("postgres-{TEAM}"))) > Seq(0)
}

/// The journal of this data directory is a file again. Fails when that cannot be written down.
#[cfg(feature = "postgres")]
pub fn leave_database(folder: &std::path::Path) -> std::io::Result<()> {
    let mark = folder.join(format!("postgres-{TEAM}-mark"));
    private_file::remove(&mark)?;
    private_file::sync_folder_of(&mark)
}

#[cfg(any(test, feature = "samples"))]
mod tests;

#[cfg(feature = "postgres")]
pub use carry::{Compared, Difference};
pub use entry::{
    Append, Blob, Entry, HubRecord, Idempotency, IdempotencyKey, Kept, Record, Row, Seq, Stream, Subject, Written,
};
pub use kind::{KINDS, Kind};
pub use page::{
    AgentFilter, Counted, DeliveryFilter, EventFilter, HistoryFilter, IdKind, Page, PageRequest, QuestionFilter,
    ReviewFilter, TaskFilter, WorkflowFilter, WorkflowPlace,
};
pub use store::{
    DeliveryCounts, EndCounts, HOOK_KEY_LIFETIME, KEY_LIFETIME, Pruned, ReadError, Reader, Store, StoreReport, Wait,
    WriteError,
};
#[cfg(any(test, feature = "samples"))]
pub use tests::{memory, samples};
