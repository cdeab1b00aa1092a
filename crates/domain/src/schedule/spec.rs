//! What a schedule is: when, what, for whom; and what was decided of a moment.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{RoleId, TaskId};
use crate::task::{Priority, TargetWho, Task, TaskStateName};
use crate::time::{Millis, Timestamp};

/// What is to be made, for whom, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleSpec {
    /// 1 to 40 of a to z, 0 to 9 and `-`. One at a time has it.
    pub name: String,
    pub trigger: Trigger,
    /// For whom, as `assign_task` takes it.
    pub target: String,
    /// The text of the task, with fields ([`super::FIELDS`]).
    pub prompt: String,
    pub title: Option<String>,
    pub priority: Priority,
    pub overlap: Overlap,
    pub catch_up: CatchUp,
    /// No moment after this one comes.
    pub until: Option<Timestamp>,
}

/// When a task is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Trigger {
    /// Once, at this moment.
    At { at: Timestamp },
    /// Again after each span, counted from when it was made, or changed.
    Every { every: Millis },
    /// By a pattern of five fields, in the local time of a zone.
    Cron { cron: String, timezone: String },
    /// When another task ends.
    After(After),
}

/// Which tasks are waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// Tasks of this role; of every role without one.
    pub role: Option<RoleId>,
    pub state: TaskStateName,
}

/// What becomes of a moment that comes while the task before is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Overlap {
    /// No task is made.
    #[default]
    Skip,
    /// Its task is made when that one is closed.
    Queue,
}

/// What becomes of moments that passed while the hub was down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CatchUp {
    /// They are only told.
    None,
    /// One task for all of them.
    #[default]
    One,
    /// A task for each of the newest hundred.
    All,
}

/// A moment that was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Due {
    pub moment: Timestamp,
    /// The task that ended, and the number of that event; none where time made it due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// Whether a person ran it by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
}

/// The end of a task that a schedule waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub seq: u64,
    pub task: TaskId,
    pub state: TaskStateName,
}

/// The last task that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fired {
    /// The moment that it was made for.
    pub moment: Timestamp,
    pub task: TaskId,
    pub at: Timestamp,
}

impl After {
    /// Whether a task that ended so is meant.
    pub fn means(&self, task: &Task, state: TaskStateName) -> bool {
        let held = task.last_holder.as_ref().and_then(|agent| task.tenures.get(agent));
        let role = held.map(|tenure| &tenure.terms.role).or(match &task.spec.target.who {
            TargetWho::Role(role) => Some(role),
            TargetWho::Agent(_) | TargetWho::Any => None,
        });
        self.state == state && self.role.as_ref().is_none_or(|wanted| role == Some(wanted))
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At { at } => write!(f, "at {at}"),
            Self::Every { every } => write!(f, "every {}", humantime::format_duration(every.span())),
            Self::Cron { cron, timezone } => write!(f, "{cron} {timezone}"),
            Self::After(After { role, state }) => match role {
                Some(role) => write!(f, "after a task of {role} is {state}"),
                None => write!(f, "after a task is {state}"),
            },
        }
    }
}
