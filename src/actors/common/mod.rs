//! What every actor needs: a line to be reached by, an alarm for its one deadline, a picture of itself.

mod bell;
mod line;
mod portrait;
mod tally;

pub use bell::Bell;
pub use line::{Fault, Gauge, Line, Socket, line};
pub use portrait::{LastRefusal, Mailbox, Portrait, Refusals, Restarts};
pub use tally::Tally;
