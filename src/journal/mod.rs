//! The journal: what happened, in order, on disk before anything follows from it.
//!
//! Behind one trait stand SQLite ([`sqlite`]) and its twin in memory ([`memory`]), held to the same by one suite of
//! tests. A batch of appends is one transaction: records, notices, blobs, idempotency keys, together or not at all.
//! Lists and history are read from the rows that they come to; the actors are built from them at start.
//!
//! Sequence numbers have no gap and no repeat (E1): the one writer counts, and a batch that fails gives its numbers
//! back.

pub mod codec;
mod entry;
mod error;
mod finding;
mod fold;
mod hub_record;
pub mod inspect;
mod kind;
mod learned;
pub mod memory;
mod page;
pub mod replay;
pub mod search;
pub mod sqlite;
mod store;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod hook_samples;
#[cfg(test)]
mod sample_ids;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod session_samples;
#[cfg(test)]
mod workflow_samples;

pub use entry::{Append, Blob, Entry, HubRecord, Idempotency, Kept, Record, Row, Seq, Stream, Subject, Written};
pub use kind::{KINDS, Kind};
pub use page::{
    AgentFilter, Counted, DeliveryFilter, EventFilter, HistoryFilter, IdKind, Page, PageRequest, QuestionFilter,
    ReviewFilter, TaskFilter, WorkflowFilter, WorkflowPlace,
};
pub use store::{
    DeliveryCounts, EndCounts, HOOK_KEY_LIFETIME, KEY_LIFETIME, Pruned, ReadError, Reader, Store, StoreReport,
    WriteError,
};
