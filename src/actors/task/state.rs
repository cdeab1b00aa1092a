//! The state of a task: what the journal has of it, and the callers that wait for its end.

use std::fmt;
use std::sync::Arc;

use ractor::RpcReplyPort;
use tokio::sync::{mpsc, watch};

use super::handle::TaskRef;
use super::message::TaskOutcome;
use crate::actors::common::{MailboxMetrics, Refusals, Timer};
use crate::actors::dispatcher::DispatcherRef;
use crate::actors::journal::JournalRef;
use crate::actors::on_call::OnCall;
use crate::actors::supervisor::SupervisorRef;
use crate::clock::Clock;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::principal::By;
use crate::domain::review::Review;
use crate::domain::task::{Progress, Task};
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::settings::Settings;

/// The state of a task. `task` and `review` are what the journal has of it; the rest begins anew with the actor.
pub struct State {
    pub(super) id: TaskId,
    /// None until `Created` is on disk.
    pub(super) task: Option<Arc<Task>>,
    /// Its review; none until the task is submitted for the first time.
    pub(super) review: Option<Review>,
    pub(super) line: TaskRef,
    pub(super) journal: JournalRef,
    pub(super) dispatcher: DispatcherRef,
    pub(super) supervisor: SupervisorRef,
    pub(super) timer: Timer,
    pub(super) clock: Clock,
    pub(super) ids: Ids,
    pub(super) settings: watch::Receiver<Arc<Settings>>,
    pub(super) mailbox_metrics: Arc<MailboxMetrics>,
    pub(super) hub: By,
    pub(super) on_call: OnCall,
    pub(super) watchers: Vec<Watcher>,
    pub(super) refusals: Refusals,
    pub(super) started_at: Timestamp,
    /// When the task announces itself again after the journal failed; none while nothing fails.
    pub(super) retry_at: Option<Timestamp>,
    /// The next pause before that, as a multiple of the first.
    pub(super) retry_pause: u32,
    /// The dispatcher was told last that nobody is to be sent here any more.
    pub(super) left: bool,
    /// The task is closed and has announced it: others read it from the store by now, so the actor does nothing more.
    pub(super) retiring: bool,
}

pub(super) struct Watcher {
    pub(super) agent: Option<AgentId>,
    pub(super) heard: mpsc::Sender<Progress>,
    pub(super) reply: RpcReplyPort<TaskOutcome>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("task", &self.id).finish_non_exhaustive()
    }
}
