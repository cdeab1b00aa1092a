//! The journal's actor: everyone's records pass here before anything follows from them.
//!
//! ```text
//!  append ──► waiting ──(up to `journal.batch` at once)──► one transaction ──► the replies
//!  append ──► waiting    while it is under way                            └──► the noticeboard, in order
//!  append ──► waiting
//! ```
//!
//! *Group commit.* Appends that come while a transaction is under way are taken by the next one. There is no timer: a
//! lonely append is written at once, a crowd shares one `fsync`.
//!
//! *Where it runs.* A store that waits for a disk is lent to a blocking thread, so that the actor stays awake and a
//! test's stopped clock stands still until it is back. The store in memory is written to in place.
//!
//! *Failure.* A batch that cannot be written is answered to each of its appends, and the actor lives on. A panic of the
//! store ends the actor, since the store is lost; the supervisor must then end the hub.
//!
//! *End.* Drain it, last of all actors: what was accepted is written before it ends.

mod actor;
mod deadlines;
mod handle;
mod indexing;
mod mending;
mod message;
mod outlet;
mod perform;
mod pruning;
mod reads;
mod view;

#[cfg(test)]
mod tests;

pub use actor::{JournalActor, JournalArgs, JournalState, Sink};
pub use handle::{AppendError, JournalRef};
pub use message::JournalMessage;
pub use outlet::Outlet;
pub use reads::{JournalReads, RecallError};
pub use view::{JournalFault, JournalView, Spread};
