//! Tasks that were given to the client, until it has taken them and the hub may be told so.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

/// How long after it was written a task is acknowledged at the earliest. A client that was killed meanwhile has closed
/// its pipes by then, and its task goes to somebody else.
pub(super) const READ_AFTER: Duration = Duration::from_secs(1);

/// How soon after that it is looked again whether a client has taken its task that had not.
const LOOKED_AGAIN_AFTER: Duration = Duration::from_millis(250);

#[derive(Debug, Default)]
pub(super) struct Reads(Vec<Read>);

#[derive(Debug)]
struct Read {
    /// The client's request that was answered with it.
    request: String,
    task: Value,
    epoch: Value,
    /// How many bytes the client has taken in all once it has taken the task. Unknown until its line is written.
    taken_at: Option<u64>,
    look_at: Instant,
}

impl Reads {
    /// A task is on its way to the client.
    pub(super) fn begin(&mut self, request: String, task: Value, epoch: Value, now: Instant) {
        self.0.push(Read { request, task, epoch, taken_at: None, look_at: now + READ_AFTER });
    }

    /// The client called this request off, and drops its answer unread: the task stays offered.
    pub(super) fn is_called_off(&mut self, request: &str) {
        self.0.retain(|read| read.request != request);
    }

    /// All lines so far were given to the writer, `bytes` in all.
    pub(super) fn given(&mut self, bytes: u64) {
        for read in self.0.iter_mut().filter(|read| read.taken_at.is_none()) {
            read.taken_at = Some(bytes);
        }
    }

    /// The client says this: a task that it names, it has.
    pub(super) fn names(&mut self, text: &str) {
        self.0.retain(|read| !read.task.as_str().is_some_and(|task| text.contains(task)));
    }

    pub(super) fn next_look(&self) -> Option<Instant> {
        self.0.iter().map(|read| read.look_at).min()
    }

    /// What is to be acknowledged now that the client has taken so many bytes: each task and its epoch.
    pub(super) fn due(&mut self, now: Instant, taken: u64) -> Vec<(Value, Value)> {
        let is_due = |read: &mut Read| read.look_at <= now && read.taken_at.is_some_and(|taken_at| taken_at <= taken);
        let due = self.0.extract_if(.., is_due).map(|read| (read.task, read.epoch)).collect();
        for read in self.0.iter_mut().filter(|read| read.look_at <= now) {
            read.look_at = now + LOOKED_AGAIN_AFTER;
        }
        due
    }
}
