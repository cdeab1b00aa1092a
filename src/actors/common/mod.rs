//! What every actor needs: a handle to be reached by, a timer for its one deadline, a view of its state.

mod actor_handle;
mod actor_view;
mod attempts;
mod counters;
mod history;
mod mailbox_metrics;
mod timer;

pub use actor_handle::{ActorHandle, Fault, Result, Socket, line, respond};
pub use actor_view::{ActorView, LastRefusal, Mailbox, Refusals, Restarts};
pub use attempts::Attempts;
pub use counters::Counters;
pub use history::{History, HistorySpan, HistoryView, Series, SeriesKind, SeriesName};
pub use mailbox_metrics::MailboxMetrics;
pub use timer::Timer;

/// What a step of an actor's life comes to: an error ends the actor, and it is built anew.
pub type ActorResult<T = ()> = Result<T, ractor::ActorProcessingErr>;
