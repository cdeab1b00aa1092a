//! The journal in one SQLite file: the default.
//!
//! One writer with one connection; any number of readers, each taking a read-only connection from a small pool. The
//! write-ahead log lets them read while it writes. A batch of appends is one transaction and so one `fsync`: how many
//! share it is decided by how many came while the one before was under way, and by nothing else.

#[cfg(feature = "postgres")]
mod carried;
mod check;
pub(super) mod connection;
#[cfg(any(test, feature = "samples"))]
mod cramp;
mod decode;
mod deliveries;
mod keyed;
mod list;
mod mark;
mod network;
mod open;
mod pending;
mod pool;
mod prune;
mod read;
mod rows;
mod schema;
mod sessions;
mod statement;
mod values;
mod workflows;
mod write;

#[cfg(test)]
mod tests;

#[cfg(feature = "postgres")]
pub(super) use carried::fill;
pub use connection::Durability;
pub(super) use connection::compact;
pub(super) use decode::subject_column;
pub use mark::marked;
#[cfg(feature = "postgres")]
pub(super) use mark::{FileId, Mark, beside};
pub use open::{OpenError, open, open_read_only, take};
pub(super) use open::{check_parts, name_copy};
pub use pool::SqliteReader;
pub use write::SqliteStore;
