//! A task begins: QUEUED, offered at once where somebody waits, or BLOCKED while a dependency is not met.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::apply::blocked_on;
use super::super::spec::{Dependency, LeaseTerms, TaskSpec};
use super::dependency::asker_hears_of;
use super::offer::offered;
use super::prelude::*;
use crate::ids::TaskId;

pub(super) fn begin(
    now: Timestamp,
    spec: &Arc<TaskSpec>,
    dependencies: &BTreeMap<TaskId, Dependency>,
    first_offer: Option<&(AgentId, LeaseTerms)>,
    cause: &Cause,
) -> TaskDecision {
    // A dependency whose standing nobody told is not met: T5 holds whatever the caller forgot.
    let known = |id: &TaskId| dependencies.get(id).cloned().unwrap_or(Dependency::Pending);
    let dependencies: BTreeMap<TaskId, Dependency> =
        spec.dependencies.iter().map(|id| (id.clone(), known(id))).collect();
    let free = blocked_on(&dependencies).is_none();
    let created = TaskRecord::Created { spec: Arc::clone(spec), dependencies };
    let task = Task::from_created(now, &created);
    let mut decision = TaskDecision { records: vec![created], ..TaskDecision::default() };
    if let Some((agent, terms)) = first_offer.filter(|_| free) {
        let (record, effect) = offered(now, agent, LeaseEpoch::default().next(), terms);
        decision.records.push(record);
        decision.effects.push(effect);
    }
    if let Some(task) = task {
        decision.notices = asker_hears_of(&task, &task, now, cause);
    }
    decision
}
