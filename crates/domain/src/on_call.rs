//! What a hub and a host of agents on call say to each other on `/ws/host`, as JSON text messages.
//!
//! ```text
//!   host                                            hub
//!    │ ── hello (client, runs that it has) ─────────► │
//!    │ ◄───────────── welcome (slots, runs it holds)  │
//!    │ ── parked {slot} ────────────────────────────► │   the slot waits as an agent
//!    │ ◄───────────────────────── offer {slot, run}   │
//!    │ ── started, conversation, ended {run} ───────► │   each with a number;
//!    │ ◄───────────────────────────── kept {number}   │   kept: it is durable
//! ```
//!
//! A message of the host has a number that grows by one. The host sends what was not answered by [`ToHost::Kept`] again
//! after a loss of the connection, and the hub answers a number that it has kept already without acting on it again.
//! A field that a later version adds has a default, so that either end may be the older one.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, LeaseEpoch, RoleId, RunId, SessionId, TaskId};
use crate::task::{Limited, RunEnd, StopReason, Usage};
use crate::time::Timestamp;

/// The WebSocket protocol of hosts of agents on call.
pub const PROTOCOL: &str = "callboard-on-call";

/// The version of what is said here. One more with each change that an older end would misread.
pub const VERSION: u32 = 1;

/// The most that one message may hold, in bytes, either way.
pub const LARGEST: usize = 1024 * 1024;

/// A message of the host, with its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Numbered {
    /// Grows by one within a host's life; [`FromHost::Hello`] has 0 and is not numbered on.
    pub number: u64,
    pub message: FromHost,
}

/// What a host says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FromHost {
    /// The first message of each connection.
    Hello(Hello),
    /// The slot is free, and waits for a task.
    Parked { slot: AgentId },
    /// The slot takes nothing until the host says [`FromHost::Parked`]: too many runs in a row called no tool.
    Paused {
        slot: AgentId,
        /// How long the pause is, in milliseconds.
        #[serde(with = "millis")]
        pause: Duration,
        /// How the last of these runs ended.
        reason: RunEnd,
    },
    /// The run's process is there.
    Started { run: RunId, pid: u32 },
    /// The client's own id of the conversation, with which it can be resumed.
    Conversation { run: RunId, id: String },
    /// The run has printed something since the last message of this kind; at most one a minute.
    Active { run: RunId },
    /// The run's process is gone, with all that it had started in its process group.
    Ended(Ended),
    /// The host ends, and its processes have ended.
    Bye {},
}

/// Who a host is, and what it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The [`VERSION`] that the host speaks.
    #[serde(default = "first")]
    pub protocol: u32,
    /// This process of the host: the same in each of its connections, and nobody else's.
    pub host: String,
    pub role: RoleId,
    /// The preset's name, or `command`.
    pub client: String,
    /// What the client says of its version, where it was asked.
    pub version: Option<String>,
    /// How many runs there may be at a time.
    pub max: u16,
    /// What the agent ids of the slots begin with.
    pub prefix: String,
    /// Whether each task has an agent id of its own, `PREFIX-TASK`.
    #[serde(default)]
    pub fresh: bool,
    /// The folder in which the runs work, as the host's machine names it.
    pub workspace: String,
    /// Whose limits these runs use up; none where the client has only one account.
    pub account: Option<String>,
    /// The runs whose processes this host has. A run of another host's instance is not among them.
    #[serde(default)]
    pub runs: Vec<RunId>,
}

const fn first() -> u32 {
    1
}

/// How a process of a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    pub run: RunId,
    /// Which process of the run it was, from 1: usage is added once for each.
    pub process: u32,
    /// As the host sees it. The hub says `reported` instead of `no_report` where the task was reported, and holds the
    /// run as waiting where something is open.
    pub reason: RunEnd,
    /// Its exit code; none where a signal ended it, or it never ran.
    pub exit: Option<i32>,
    /// The last that it printed, at most 4 kB without secrets, or why it never ran.
    pub tail: Option<String>,
    pub usage: Option<Usage>,
    pub limited: Option<Limited>,
}

/// What the hub says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ToHost {
    Welcome {
        /// The agents that its slots are.
        slots: Vec<AgentId>,
        /// How long a call of a run waits for an answer before the client is told to end its turn, in milliseconds.
        #[serde(with = "millis")]
        linger: Duration,
        /// How long a run may neither print nor call, in milliseconds.
        #[serde(with = "millis")]
        silence: Duration,
        /// The runs that the hub holds as not ended. The host ends the processes of all others.
        #[serde(default)]
        runs: Vec<RunId>,
    },
    Refused {
        code: String,
        error: String,
        #[serde(default)]
        prompt: Option<String>,
    },
    /// The message of this number is durable.
    Kept {
        number: u64,
        /// After [`FromHost::Ended`]: whether the run waits for an answer and keeps its slot.
        #[serde(default)]
        waits: bool,
    },
    /// A task for a free slot.
    Offer(Box<Offer>),
    /// An answer for a run that waits.
    Resume(Box<Resume>),
    /// The run called a tool; at most one a minute, and always for its first call.
    Called { run: RunId },
    /// The run has to end.
    Stop { run: RunId, why: StopReason },
}

/// A task for a slot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    pub slot: AgentId,
    /// Who the run is: the slot itself, or an agent of this task alone.
    pub agent: AgentId,
    pub run: RunId,
    pub task: TaskId,
    pub epoch: LeaseEpoch,
    pub ack_by: Timestamp,
    pub title: String,
    pub prompt: String,
    /// The role's system prompt; empty where the role has none.
    #[serde(default)]
    pub system: String,
    pub session: SessionId,
    /// The token of this run alone.
    pub token: RunToken,
    /// Where the hub speaks MCP, as this host reaches it.
    pub mcp: String,
    /// Whether the run works in a git worktree of its own.
    #[serde(default)]
    pub worktree: bool,
    /// The conversation to go on with, where an earlier run of the task left one with this host's client.
    pub conversation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resume {
    pub slot: AgentId,
    pub run: RunId,
    pub token: RunToken,
    /// None where the client never told it: then `story` is what the new conversation begins with.
    pub conversation: Option<String>,
    /// What the conversation is told: the answer, the verdict or the message.
    pub input: String,
    /// The task, all that happened to it and the answer, for a client that cannot resume.
    pub story: String,
    /// Which process of the run is asked for, from 2; 0 by a hub that does not say so.
    #[serde(default)]
    pub process: u32,
    /// The sum of what was told of this run's earlier processes.
    #[serde(default)]
    pub used: Usage,
}

/// How a slot stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SlotState {
    /// Its host has not said that it waits for a task.
    Away,
    Free,
    /// A process is there, or about to be.
    Working {
        run: RunId,
    },
    /// The run has no process, and waits for an answer.
    Waiting {
        run: RunId,
    },
    /// Too many runs in a row ended without a call.
    Paused {
        until: Timestamp,
        reason: RunEnd,
    },
}

/// A slot of a host, as others may see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlotView {
    pub agent_id: String,
    /// The client that its host starts.
    pub client: String,
    pub host: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Until when its account takes no work, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited_until: Option<Timestamp>,
    pub slot: SlotState,
}

impl SlotView {
    /// What a slot may be at.
    pub const STATES: [&str; 6] = ["away", "free", "working", "waiting", "paused", "limited"];

    /// Which of [`Self::STATES`] it is in. A run goes before a limit of its account.
    pub const fn state(&self) -> &'static str {
        match (&self.slot, self.limited_until) {
            (SlotState::Working { .. }, _) => "working",
            (SlotState::Waiting { .. }, _) => "waiting",
            (SlotState::Paused { .. }, _) => "paused",
            (SlotState::Away | SlotState::Free, Some(_)) => "limited",
            (SlotState::Away, None) => "away",
            (SlotState::Free, None) => "free",
        }
    }

    /// Why it takes nothing now, in words; none while it is free or has a run.
    pub fn why_not(&self, now: Timestamp) -> Option<String> {
        if let Some(until) = self.limited_until {
            return Some(format!("its account is at its limit until {}", until.near(now)));
        }
        match &self.slot {
            SlotState::Away => Some(format!("its host `{}` has not said that it is free", self.host)),
            SlotState::Free | SlotState::Working { .. } => None,
            SlotState::Waiting { .. } => Some("its run waits for an answer".to_owned()),
            SlotState::Paused { until, reason } => Some(format!(
                "its host pauses it until {}: too many runs in a row ended without a call of a tool, the last by \
                 `{}`; look at the last lines of its runs",
                until.near(now),
                reason.as_str()
            )),
        }
    }

    /// Whether it takes a task now.
    pub fn is_free(&self) -> bool {
        self.state() == "free"
    }
}

/// A token of a run. It is shown nowhere: its debug form hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunToken(pub String);

impl fmt::Debug for RunToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunToken([secret])")
    }
}

/// Spans as whole milliseconds.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

#[cfg(test)]
mod tests;
