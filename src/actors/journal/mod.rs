//! The journal's actor: everyone's records pass here before anything follows from them.
//!
//! ```text
//!  append ──► waiting ──(up to `journal.batch` at once)──► one transaction ──► the replies
//!  append ──► waiting    while it is under way                            └──► the noticeboard, in order
//!  append ──► waiting
//! ```
//!
//! *Group commit.* An append that comes while a transaction is under way waits, and the next transaction takes all
//! that wait. There is no timer and no delay: a lonely append is written at once, a crowd shares one `fsync`.
//!
//! *Where it runs.* A store that waits for a disk is lent to a thread for blocking work and comes back with the
//! answers; the actor stays awake meanwhile, and a test's stopped clock stands still until they are there. The store
//! in memory is written to in place.
//!
//! *Failure.* A batch that cannot be written is answered to each of its appends, and the actor lives on: the next
//! batch may succeed. A panic of the store takes the actor with it, since the store is lost; whoever supervises must
//! end the hub.
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
