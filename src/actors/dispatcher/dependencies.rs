//! Whom a task waits for: noted while it is open, and read from the journal where it closed before, beside the
//! dispatcher or by whoever asks it.

use std::collections::{BTreeMap, BTreeSet};

use super::state::State;
use crate::actors::journal::JournalReads;
use crate::actors::task::{TaskRef, TaskSummary};
use crate::domain::ids::TaskId;
use crate::domain::task::{Dependency, KeptText, Task, TaskCommand, TaskState};
use crate::journal::ReadError;

impl State {
    /// Notes whom a task waits for; one that closed before, as far as the store knows, is told as soon as that is read.
    pub(super) fn await_dependencies(&mut self, summary: &TaskSummary) {
        let waits_for: BTreeSet<_> = summary.waits_for.iter().cloned().collect();
        for dependency in waits_for {
            self.dependents.entry(dependency.clone()).or_default().insert(summary.id.clone());
            if self.told_that_it_is_open(&dependency) {
                continue;
            }
            if let Some(entry) = self.tasks.get(&summary.id) {
                self.tell_whether_it_closed(dependency, summary.id.clone(), entry.line.clone());
            }
        }
    }

    /// Reads beside the dispatcher how a dependency closed. It was noted before that the task waits for it, so one that
    /// closes meanwhile is told twice, which changes nothing.
    fn tell_whether_it_closed(&self, dependency: TaskId, waiting: TaskId, line: TaskRef) {
        let journal = self.journal.clone();
        // What it came to is put in once it is read.
        let pending = TaskCommand::DependencyMoved { task: dependency.clone(), now: Dependency::Pending };
        let mut order = self.own_act(pending);
        #[expect(clippy::disallowed_methods, reason = "reads once and ends; a task whose actor is new is told again")]
        drop(tokio::spawn(async move {
            match stored(journal.reads(), &[dependency.to_string()]).await.map(|mut found| found.remove(&dependency)) {
                Ok(Some(now)) if now != Dependency::Pending => {
                    order.command = TaskCommand::DependencyMoved { task: dependency, now };
                    line.tell(order);
                }
                Ok(_) => {}
                Err(fault) => {
                    tracing::warn!(task = %waiting, "whether `{dependency}` is closed cannot be read: {fault}");
                }
            }
        }));
    }

    /// One that did not tell may be closed: it has an actor again for somebody's late word, and goes on in silence.
    pub(super) fn told_that_it_is_open(&self, task: &TaskId) -> bool {
        self.tasks.get(task).is_some_and(|entry| entry.summary.is_some())
    }
}

/// Those of these tasks that the store knows, as what others wait for.
pub(super) async fn stored(reads: &JournalReads, given: &[String]) -> Result<BTreeMap<TaskId, Dependency>, ReadError> {
    let ids: BTreeSet<_> = given.iter().filter_map(|id| TaskId::parse(id).ok()).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = reads.read(move |reader| ids.iter().map(|id| reader.task(id)).collect::<Result<Vec<_>, _>>());
    Ok(found.await?.into_iter().flatten().map(|task| (task.id().clone(), standing(&task))).collect())
}

fn standing(task: &Task) -> Dependency {
    match (&task.state, task.result()) {
        (TaskState::Completed { .. }, Some((message, artifacts))) => Dependency::Met { message, artifacts },
        (TaskState::Completed { .. }, None) => Dependency::Met { message: KeptText::inline(""), artifacts: Vec::new() },
        (state, _) if state.name().is_closed() => Dependency::Failed { state: state.name() },
        _ => Dependency::Pending,
    }
}
