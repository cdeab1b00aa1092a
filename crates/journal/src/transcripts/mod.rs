//! What terminals printed, kept beside the journal: the last lines of each, and its screen.
//!
//! Output is most of what a hub ever sees, and nothing follows from a line of it; so it is no record. It has a file of
//! its own (`callboard-terminals.db`), into which each terminal writes what came since its last batch, at most once a
//! second: no `fsync` of the journal waits for it. A crash loses the last second of what was pushed, and nothing of a
//! file that is followed. The file is made when the first terminal writes, and may be deleted while no hub runs:
//! prompts and what was learned from answers stand in the journal. A terminal that gives its memory back leaves here,
//! too, what its readers may still read on from.
//!
//! Calls block on the disk. `actors::terminal` makes them off the runtime's threads.

mod backup;
mod fault;
mod kept;
mod schema;
mod search;
mod store;
#[cfg(test)]
mod tests;

pub use backup::backup;
pub use fault::TranscriptFault;
pub use kept::{Batch, Cleaned, KeptLine, KeptPiece, KeptTerminal, Whose};
pub use search::{Found, Match, Search};
pub use store::{FILE, Transcripts};
