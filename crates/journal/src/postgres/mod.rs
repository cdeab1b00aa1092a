//! The journal in a PostgreSQL database: for a hub that is to outlive its machine.
//!
//! Every change is one statement ([`batch`]) that first moves the row of its team on, `WHERE epoch = mine AND version =
//! expected`, and does all the rest only where that row moved. So a hub that lost the team writes nothing, however late
//! its statement arrives, and numbers have no gap: the row is locked until the commit, and so commits come in the order
//! of their numbers.
//!
//! ```text
//!   appends ─► checks: keys, versions of sessions ─► one statement ─┬─ one row: kept
//!              (one read of what is not in memory)                  ├─ no row: the team is another hub's; stops
//!                                                                   ├─ an error of the server: nothing kept
//!                                                                   └─ no answer: resolve
//!   resolve (step RESOLVE of `domain::node`'s model): a new connection, `epoch = epoch + 1 WHERE owner = me`; the lock
//!            of the row waits for a statement that still runs, and one that is yet to arrive finds another epoch
//! ```
//!
//! Rows of tasks and sessions, the index of records by stream and the words to be searched are written later than their
//! records, as in [`crate::sqlite`], by the same kind of statement; lists and searches flush them first. A start makes
//! them anew from the records after the team's `rows_up_to`.
//!
//! Tokens, secrets of webhooks and what Discord remembers are rows, too ([`vault`]).
//!
//! Which of several hubs may take a team, and when, `domain::node` decides; [`Nodes`] are its statements, and
//! [`open()`] opens for the life that holds the team, or for a hub alone where none does.
//!
//! Not here yet: several teams in one statement, transcripts.

mod batch;
mod draft;
mod import;
mod live_node;
mod load;
mod lock;
mod nodes;
mod open;
mod place;
mod probe;
mod problem;
mod prune;
mod query;
mod reader;
mod row;
mod schema;
mod store;
mod tls;
mod vault;
mod words;
mod writer;

#[cfg(test)]
#[cfg(feature = "server-tests")]
pub(crate) mod tests;

pub use import::{ImportError, ImportReport, bring_home, import, verify_both};
pub use live_node::LiveNode;
pub use nodes::{Look, NodeStatements, Nodes};
pub use open::open;
pub use place::{DatabasePlace, Holder};
pub use probe::{Probed, probe};
pub use problem::OpenError;
pub use reader::PgReader;
pub use store::PgStore;
pub use vault::PgVault;
