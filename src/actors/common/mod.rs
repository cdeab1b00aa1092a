//! What every actor needs: a line to be reached by, an alarm for its one deadline, a picture of itself.

mod attempts;
mod bell;
mod gauge;
mod line;
mod portrait;
mod tally;

pub use attempts::Attempts;
pub use bell::Bell;
pub use gauge::Gauge;
pub use line::{Fault, Line, Socket, line};
pub use portrait::{LastRefusal, Mailbox, Portrait, Refusals, Restarts};
pub use tally::Tally;
