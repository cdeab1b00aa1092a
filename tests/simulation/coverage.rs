//! What schedules did, counted: a kind of step or a change that never happens proves nothing.

use std::collections::BTreeMap;

/// How often what happened.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coverage(BTreeMap<String, u64>);

/// What a few thousand schedules must have done, each at least once: steps, changes of a task's state and why, what
/// calls were answered, what accidents met.
const MUST: &[&str] = &[
    // steps that are rare
    "step TakeOver",
    "step Echo",
    "step Crash",
    "step Evict",
    "step Flood",
    "step StepClock",
    "step Kill",
    "step Cut",
    "step End",
    "step Fill",
    "step Restart",
    "step Watch",
    "step Meddle",
    "step PostAgain",
    "step HostLost",
    "host came",
    "host came, fresh",
    "host ended crashed",
    "host ended no_report",
    "host ended limited",
    "host ended killed",
    "host ended reported",
    "returned PassedOn",
    // changes of a task, by what was before, what happened, what came of it
    "QUEUED offered ASSIGNED",
    "ASSIGNED offered ASSIGNED",
    "ASSIGNED acknowledged IN_PROGRESS",
    "ASSIGNED offer_returned QUEUED",
    "IN_PROGRESS progressed IN_PROGRESS",
    "IN_PROGRESS completed COMPLETED",
    "IN_PROGRESS failed FAILED",
    "IN_PROGRESS blocked BLOCKED",
    "IN_PROGRESS submitted IN_REVIEW",
    "IN_PROGRESS timed_out TIMEOUT",
    "IN_PROGRESS released QUEUED",
    "IN_REVIEW approved COMPLETED",
    "IN_REVIEW changes_requested QUEUED",
    "BLOCKED answered QUEUED",
    "BLOCKED dependency_moved QUEUED",
    "BLOCKED dependency_moved BLOCKED",
    "TIMEOUT requeued QUEUED",
    "TIMEOUT reassigned QUEUED",
    "TIMEOUT dead_lettered DEAD_LETTER",
    "FAILED requeued QUEUED",
    "DEAD_LETTER requeued QUEUED",
    "QUEUED acknowledged IN_PROGRESS",
    "TIMEOUT acknowledged IN_PROGRESS",
    "BLOCKED acknowledged IN_PROGRESS",
    "IN_REVIEW acknowledged IN_PROGRESS",
    "QUEUED cancelled CANCELLED",
    "ASSIGNED cancelled CANCELLED",
    "IN_PROGRESS cancelled CANCELLED",
    "BLOCKED cancelled CANCELLED",
    "IN_REVIEW cancelled CANCELLED",
    "TIMEOUT cancelled CANCELLED",
    "QUEUED reassigned QUEUED",
    "ASSIGNED reassigned QUEUED",
    "IN_PROGRESS reassigned QUEUED",
    "BLOCKED reassigned QUEUED",
    "QUEUED prioritised QUEUED",
    "IN_PROGRESS remarked IN_PROGRESS",
    // why an offer came back
    "returned NobodyWaiting",
    "returned ConnectionLost",
    "returned NotAcknowledged",
    "returned Evicted",
    // whom work went to
    "created BLOCKED",
    "created by an agent",
    "offered after a hold to its last holder",
    "offered in spite of a hold",
    "offered before what is more urgent, for its age",
    "offered to an agent that works",
    "held by policy",
    "escalated",
    // how waits ended
    "wait Task",
    "wait Notices",
    "wait Idle",
    "wait Evicted",
    "wait Superseded",
    "wait AtCapacity",
    "wait Draining",
    "watch COMPLETED",
    "watch FAILED",
    "watch BLOCKED",
    "watch CANCELLED",
    "watch DEAD_LETTER",
    // what was refused
    "refused TASK_NOT_FOUND",
    "refused LEASE_LOST",
    "refused TASK_CLOSED",
    "refused TASK_CANCELLED",
    "refused SUPERSEDED",
    "refused EVICTED",
    "refused NOT_REGISTERED",
    "refused DELEGATION_DENIED",
    "refused DELEGATION_CYCLE",
    "refused DEPENDENCY_FAILED",
    "refused QUEUE_FULL",
    "refused BUSY",
    // keys
    "repeated assignment",
    "repeated assignment in a later life",
    "repeated message",
    "repeated report",
    // accidents
    "cut, the last write lost",
    "cut, the last write kept",
    "cut, the last write lost, of several",
    "cut, the last write kept, of several",
    "written together",
    "began before the last record",
    "began long after the last record",
    "event seen",
    "notice heard",
    "answer late",
    "answer lost",
    "live compared",
];

impl Coverage {
    pub(crate) fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (what, times) in &other.0 {
            *self.0.entry(what.clone()).or_default() += times;
        }
    }

    /// What never happened, and must.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        MUST.iter().copied().filter(|what| !self.0.contains_key(*what)).collect()
    }

    pub(crate) fn table(&self) -> String {
        let lines = self.0.iter().map(|(what, times)| format!("{times:>10}  {what}"));
        lines.collect::<Vec<_>>().join("\n")
    }
}
