//! What follows from a decision, once its records are on disk.

use crate::agent::Notice;
use crate::ids::{AgentId, LeaseEpoch, RunId};

use super::record::TaskRecord;
use super::run::StopReason;
use super::spec::LeaseTerms;
use crate::time::Timestamp;

/// What a task decided: records of its own, notices that go into agents' streams in the same append, and effects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskDecision {
    /// For the task's own stream; none when the command changes nothing.
    pub records: Vec<TaskRecord>,
    /// For the streams of agents: durable with the records, told to the agents after them.
    pub notices: Vec<(AgentId, Notice)>,
    pub effects: Vec<TaskEffect>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TaskEffect {
    Deliver(Delivery),
    StopRun(StopOrder),
}

/// An offer on its way to a waiter; what it says of the task is read from the task when it is written out.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    pub agent: AgentId,
    pub epoch: LeaseEpoch,
    pub terms: LeaseTerms,
    pub ack_by: Timestamp,
}

/// A run that is over while its process may still be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopOrder {
    pub run: RunId,
    pub agent: AgentId,
    pub host: String,
    pub why: StopReason,
}
