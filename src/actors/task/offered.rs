//! A task as a waiter gets it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::ids::{LeaseEpoch, TaskId};
use crate::domain::task::{Comment, Dependency, LeaseTerms, Priority, TaskSpec};
use crate::domain::time::Timestamp;

#[derive(Debug, Clone)]
pub struct OfferedTask {
    pub spec: Arc<TaskSpec>,
    /// How urgent it is now.
    pub priority: Priority,
    pub epoch: LeaseEpoch,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// When the offer lapses.
    pub ack_by: Timestamp,
    /// When it was made.
    pub offered_at: Timestamp,
    pub terms: LeaseTerms,
    /// Remarks, answers and reviewers' wishes so far.
    pub comments: Vec<Comment>,
    /// Results of what it waited for.
    pub dependencies: BTreeMap<TaskId, Dependency>,
}
