//! What happened to a schedule.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::spec::{Due, ScheduleSpec};
use crate::ids::{PrincipalId, TaskId};
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ScheduleRecord {
    /// Somebody made it, or `schedules.yaml` has it.
    Created {
        spec: Box<ScheduleSpec>,
        by: PrincipalId,
        /// Whether it stands in `schedules.yaml`.
        from_file: bool,
        /// The number of the last event before it: `after` looks at later ones.
        seen: u64,
    },
    /// It was changed, paused or resumed: how it is now.
    Changed {
        spec: Box<ScheduleSpec>,
        paused: bool,
        /// Whether its moments begin anew: other ones, or resumed.
        anew: bool,
        seen: u64,
        /// Who said it anew: tasks are made in their name and with their rights now; none where it was
        /// paused or resumed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PrincipalId>,
    },
    /// A moment came, and a task is to be made for it.
    Due { name: String, due: Due },
    /// The task of a moment is on disk.
    Fired { name: String, due: Due, task: TaskId },
    /// A moment passed without a task.
    Skipped { name: String, due: Due, reason: SkipReason },
    /// Moments passed while nobody could look: the hub was down, or its clock was set.
    Missed {
        name: String,
        first: Timestamp,
        last: Timestamp,
        /// How many; a very long gap is counted in part, and then there were more.
        count: u32,
        /// For how many of them a task is made now.
        caught_up: u32,
    },
    /// Nothing comes of it any more.
    Removed { name: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum SkipReason {
    /// The task before is still open.
    Overlap { task: TaskId },
    /// The task before is not made yet.
    Waiting,
    /// Too many moments wait for the task before.
    Full,
    /// The task was refused, as for somebody whose rights were taken.
    Refused { code: String, message: String },
    /// The schedule was removed while the moment waited.
    Removed,
}

impl ScheduleRecord {
    pub fn name(&self) -> &str {
        match self {
            Self::Created { spec, .. } | Self::Changed { spec, .. } => &spec.name,
            Self::Due { name, .. }
            | Self::Fired { name, .. }
            | Self::Skipped { name, .. }
            | Self::Missed { name, .. }
            | Self::Removed { name } => name,
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { task } => write!(f, "the task before, `{task}`, is still open"),
            Self::Waiting => f.write_str("the task of the moment before is not made yet"),
            Self::Full => write!(f, "{} moments wait for the task before already", super::MOST_WAITING),
            Self::Refused { code, message } => write!(f, "{code}: {message}"),
            Self::Removed => f.write_str("the schedule was removed before its task was made"),
        }
    }
}
