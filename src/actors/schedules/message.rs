//! The messages of the schedules.

use ractor::RpcReplyPort;
use serde_json::Value;
use thiserror::Error;

use crate::actors::common::{ActorView, Fault, Result};
use crate::actors::dispatcher::AssignRefusal;
use crate::actors::journal::RecallError;
use crate::domain::ids::TaskId;
use crate::domain::principal::By;
use crate::domain::schedule::{Ended, Schedule, ScheduleSpec};
use crate::domain::time::Timestamp;
use crate::journal::{IdempotencyKey, Seq};

#[derive(Debug)]
pub enum SchedulesMessage {
    Order {
        asked: Box<ScheduleRequest>,
        reply: RpcReplyPort<Result<ScheduleDone, ScheduleError>>,
    },
    List {
        reply: RpcReplyPort<Vec<Schedule>>,
    },
    /// A task ended; answered once what follows is on disk.
    TaskEnded {
        task: Box<EndedTask>,
        reply: RpcReplyPort<Result<()>>,
    },
    /// From which event on the ends of tasks matter.
    Place {
        reply: RpcReplyPort<Result<Seq>>,
    },
    Reloaded,
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

#[derive(Debug)]
pub struct ScheduleRequest {
    pub order: ScheduleOrder,
    pub by: By,
    pub request: Option<String>,
    pub key: Option<IdempotencyKey>,
}

#[derive(Debug)]
pub enum ScheduleOrder {
    Add {
        spec: Box<ScheduleSpec>,
        paused: bool,
    },
    Change {
        spec: Box<ScheduleSpec>,
        paused: bool,
    },
    Remove {
        name: String,
    },
    /// Make a task now, beside its moments.
    Run {
        name: String,
    },
}

#[derive(Debug)]
pub struct ScheduleDone {
    /// The schedule after it; the one that was, where it is removed.
    pub schedule: Box<Schedule>,
    /// The task that was made by hand.
    pub task: Option<TaskId>,
}

impl ScheduleDone {
    /// What was answered under a key; none where the receipt is of something else.
    pub fn of_receipt(mut receipt: Value) -> Option<Self> {
        let schedule = serde_json::from_value(receipt.get_mut("schedule")?.take()).ok()?;
        Some(Self { schedule, task: None })
    }
}

impl From<RecallError> for ScheduleError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::KeyReused => Self::KeyReused,
            RecallError::Read(error) => Self::Fault(error.into()),
        }
    }
}

#[derive(Debug)]
pub struct EndedTask {
    pub ended: Ended,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScheduleError {
    #[error("there is no schedule `{0}`")]
    Unknown(String),
    #[error("there is a schedule `{0}` already")]
    Taken(String),
    #[error("`{0}` stands in schedules.yaml")]
    InFile(String),
    #[error("there are {0} schedules, and that is the most")]
    Full(usize),
    #[error("this idempotency key was used before, for another request: choose a new one")]
    KeyReused,
    #[error(transparent)]
    Refused(#[from] AssignRefusal),
    #[error(transparent)]
    Fault(#[from] Fault),
}
