//! The messages of the alarm.

use std::fmt;
use std::sync::Arc;

use ractor::RpcReplyPort;
use schemars::JsonSchema;
use serde::Serialize;

use crate::actors::common::ActorView;
use crate::domain::time::{Deadline, Timestamp};

/// Whose deadline: the actor's name. Each has at most one.
pub type AlarmKey = Arc<str>;

/// What a deadline does when it comes; false when nobody heard it, and somebody will be there soon. Must not block.
pub type Ring = Arc<dyn Fn() -> bool + Send + Sync>;

pub enum AlarmMessage {
    Set {
        key: AlarmKey,
        deadline: Deadline,
        ring: Ring,
    },
    Clear {
        key: AlarmKey,
    },
    /// The wheel turned to the earliest deadline.
    Turn,
    /// The clock goes on otherwise than when the deadlines were set.
    ClockMoved,
    List {
        limit: usize,
        reply: RpcReplyPort<Vec<ArmedTimer>>,
    },
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

/// An armed deadline, as `/admin/timers` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ArmedTimer {
    /// The actor that set it.
    pub actor: String,
    #[schemars(with = "String")]
    pub at: Timestamp,
    pub reason: &'static str,
}

impl fmt::Debug for AlarmMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set { key, deadline, .. } => write!(f, "Set({key}, {deadline:?})"),
            Self::Clear { key } => write!(f, "Clear({key})"),
            Self::Turn => f.write_str("Turn"),
            Self::ClockMoved => f.write_str("ClockMoved"),
            Self::List { .. } => f.write_str("List"),
            Self::ActorView { .. } => f.write_str("ActorView"),
        }
    }
}
