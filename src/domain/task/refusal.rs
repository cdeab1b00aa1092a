//! Why a task says no. Each has a stable code, a sentence that says what is wrong, and where possible what to do.

use thiserror::Error;

use super::state::TaskStateName;
use crate::domain::ids::{LeaseEpoch, TaskId};

/// A task's no. It changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TaskRefusal {
    /// Not there, or not the caller's: both answer alike.
    #[error("task `{task}` does not exist, or is not yours")]
    NotFound {
        /// The id as it was given.
        task: String,
    },
    /// Somebody else holds it now, or the number is an old one.
    #[error("you no longer hold task `{task}`: lease {given} is over, the newest is {current}")]
    LeaseLost {
        /// Which.
        task: TaskId,
        /// The number that the caller has.
        given: LeaseEpoch,
        /// The newest one.
        current: LeaseEpoch,
    },
    /// It ended.
    #[error("task `{task}` is closed: it is {state}")]
    Closed {
        /// Which.
        task: TaskId,
        /// How.
        state: TaskStateName,
    },
    /// It was called off.
    #[error("task `{task}` was cancelled{}", reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default())]
    Cancelled {
        /// Which.
        task: TaskId,
        /// Why.
        reason: Option<String>,
    },
    /// The command does not fit the state.
    #[error("task `{task}` is {state}: {needs}")]
    WrongState {
        /// Which.
        task: TaskId,
        /// Its state.
        state: TaskStateName,
        /// What the command needs, as `only a BLOCKED task can be answered`.
        needs: &'static str,
    },
    /// BLOCKED without a reason.
    #[error("a BLOCKED response needs `blockedReason`: what do you need, and from whom?")]
    BlockedReasonMissing,
    /// An agent judges.
    #[error("an agent approves nothing and requests no changes: that is for people, and for whoever they let act")]
    NotYoursToJudge,
}

impl TaskRefusal {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "TASK_NOT_FOUND",
            Self::LeaseLost { .. } => "LEASE_LOST",
            Self::Closed { .. } => "TASK_CLOSED",
            Self::Cancelled { .. } => "TASK_CANCELLED",
            Self::WrongState { .. } => "TASK_WRONG_STATE",
            Self::BlockedReasonMissing => "BLOCKED_REASON_MISSING",
            Self::NotYoursToJudge => "NOT_YOURS_TO_JUDGE",
        }
    }
}
