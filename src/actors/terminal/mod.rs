//! One terminal: what it shows, whether it waits for its user, and what it printed lately.
//!
//! ```text
//!  output ─► secrets out ─► screen ─┬─► a look, 30 ms after the last byte, and again when a pause says more
//!  (pushed, or read from a file)    │        └─► detected, gone ─► journal ─► noticeboard
//!                                   ├─► the last 256 KiB, for readers with a place of their own
//!                                   └─► lines, in batches of at most a second ─► transcripts
//! ```
//!
//! *Deadlines*, all at the alarm; the nearest is armed.
//!
//! *Durable before effect.* A prompt is shown, in views and under "Needs you", once its record is on disk. What was
//! printed is acknowledged when it is drawn, and on disk a second later: see `transcripts`.
//!
//! *Built anew*, it is what the transcript says, and shows the prompt that the journal says.

mod actor;
mod handle;
mod hosting;
mod input_orders;
mod look;
mod message;
mod notifier;
mod perform;
mod reads;
mod rest;
mod shelf;
mod state;
#[cfg(test)]
mod tests;
mod view;

pub use actor::TerminalActor;
pub use handle::TerminalRef;
pub use message::{
    Arrival, Back, HostOrder, InputWriter, Output, TerminalMessage, TypeError, TypeOrder, TypeReply, Updates,
};
pub use shelf::Shelf;
#[cfg(test)]
pub use tests::PretendHost;
pub use view::{TerminalView, Transcript};
