//! What every actor needs: a line to be reached by, a timer for its one deadline, what it shows of itself.

mod actor_view;
mod attempts;
mod counters;
mod line;
mod mailbox_metrics;
mod timer;

pub use actor_view::{ActorView, LastRefusal, Mailbox, Refusals, Restarts};
pub use attempts::Attempts;
pub use counters::Counters;
pub use line::{Fault, Line, Socket, line};
pub use mailbox_metrics::MailboxMetrics;
pub use timer::Timer;
