//! The journal: what happened, in order, on disk before anything follows from it.
//!
//! Behind one trait stand SQLite ([`sqlite`]) and its twin in memory ([`memory`]), held to the same by one suite of
//! tests. A batch of appends is one transaction: records, state rows, notices, blobs, idempotency keys, together or
//! not at all. Lists and history are read from the rows; the actors are built from them at start.
//!
//! Sequence numbers have no gap and no repeat (E1): the one writer counts, and a batch that fails gives its numbers
//! back.

mod entry;
mod page;
mod store;

pub use entry::{Append, Blob, Entry, HubRecord, Idempotency, Kept, Record, Row, Seq, Stream, Written};
pub use page::{AgentFilter, EventFilter, Page, PageRequest, TaskFilter};
pub use store::{ReadError, Reader, Store, StoreReport, WriteError};
