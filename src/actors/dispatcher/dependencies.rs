//! Whom a task waits for: judged once, before the dispatcher is asked to assign it; noted while it is open; and read
//! from the journal where it closed before, beside the dispatcher.

use std::collections::{BTreeMap, BTreeSet};

use super::assign::refusal;
use super::message::{AssignError, AssignRefusal, AssignRequest};
use super::state::State;
use crate::actors::common::Fault;
use crate::actors::journal::JournalReads;
use crate::actors::task::{TaskRef, TaskSummary};
use crate::domain::ids::TaskId;
use crate::domain::task::{Dependency, KeptText, Task, TaskCommand, TaskState};
use crate::domain::text::shown;
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

    /// Reads beside the dispatcher how a dependency closed. One that closes meanwhile is told twice, which is harmless.
    fn tell_whether_it_closed(&self, dependency: TaskId, waiting: TaskId, line: TaskRef) {
        let journal = self.journal.clone();
        // What it came to is put in once it is read.
        let pending = TaskCommand::DependencyMoved { task: dependency.clone(), now: Dependency::Pending };
        let mut order = self.own_act(pending);
        #[expect(clippy::disallowed_methods, reason = "reads once and ends; a task whose actor is new is told again")]
        drop(tokio::spawn(async move {
            match stored(journal.reads(), BTreeSet::from([dependency.clone()])).await {
                Ok(found) => {
                    let now = found.first().map_or(Dependency::Pending, standing);
                    if now != Dependency::Pending {
                        order.command = TaskCommand::DependencyMoved { task: dependency, now };
                        line.tell(order);
                    }
                }
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

/// How each dependency stands. One unknown to the asker, not completed, or the asker's own is refused; one that moves
/// after it was read is told to the new task later.
pub(super) async fn judged(
    reads: &JournalReads,
    request: &AssignRequest,
) -> Result<BTreeMap<TaskId, Dependency>, AssignError> {
    if request.dependencies.is_empty() {
        return Ok(BTreeMap::new());
    }
    let parsed = |given: &String| TaskId::parse(given.trim()).map_err(|_| unknown(given));
    let ids = request.dependencies.iter().map(parsed).collect::<Result<BTreeSet<_>, _>>()?;
    let found = stored(reads, ids.clone()).await.map_err(Fault::from)?;
    let found: BTreeMap<_, _> = found.into_iter().map(|task| (task.id().clone(), task)).collect();
    let judge = |id: TaskId| {
        let (asker, agent) = (&request.asker.by.principal, request.asker.agent.as_ref());
        // Of somebody else's task an agent learns nothing, also not by waiting for it.
        let task = found.get(&id).filter(|task| agent.is_none_or(|agent| task.concerns(agent, asker)));
        let task = task.ok_or_else(|| unknown(id.as_str()))?;
        if agent.is_some() && task.holder() == agent {
            let message = format!("dependency `{id}` is your own task: neither could ever be finished first");
            return Err(refusal("DEPENDENCY_CYCLE", message));
        }
        match standing(task) {
            Dependency::Failed { state } => {
                let message = format!("dependency `{id}` is {state}, and did not complete");
                Err(refusal("DEPENDENCY_FAILED", message))
            }
            how @ (Dependency::Pending | Dependency::Met { .. }) => Ok((id, how)),
        }
    };
    Ok(ids.into_iter().map(judge).collect::<Result<_, _>>()?)
}

fn unknown(given: &str) -> AssignRefusal {
    refusal("DEPENDENCY_UNKNOWN", format!("dependency `{}` is not a known task", shown(given)))
}

async fn stored(reads: &JournalReads, ids: BTreeSet<TaskId>) -> Result<Vec<Task>, ReadError> {
    let found = reads.read(move |reader| ids.iter().map(|id| reader.task(id)).collect::<Result<Vec<_>, _>>());
    Ok(found.await?.into_iter().flatten().collect())
}

fn standing(task: &Task) -> Dependency {
    match (&task.state, task.result()) {
        (TaskState::Completed { .. }, Some((message, artifacts))) => Dependency::Met { message, artifacts },
        (TaskState::Completed { .. }, None) => Dependency::Met { message: KeptText::inline(""), artifacts: Vec::new() },
        (state, _) if state.name().is_closed() => Dependency::Failed { state: state.name() },
        _ => Dependency::Pending,
    }
}
