//! The names that most decisions use, for `use super::prelude::*`.

pub(super) use super::super::command::Cause;
pub(super) use super::super::effect::TaskDecision;
pub(super) use super::super::notify::{Notices, head};
pub(super) use super::super::record::TaskRecord;
pub(super) use super::super::refusal::TaskRefusal;
pub(super) use super::super::state::{BlockedOn, Task, TaskState, closed, open};
pub(super) use super::Decided;
pub(super) use super::standing::TaskClaim;
pub(super) use super::wishes::Means;
pub(super) use crate::ids::{AgentId, LeaseEpoch};
pub(super) use crate::time::Timestamp;
