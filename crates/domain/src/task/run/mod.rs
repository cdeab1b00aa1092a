//! A run: what a host does for one attempt of a task on call. One conversation of a client, over one or more processes.
//!
//! ```text
//!  offered to a slot ─► STARTING ── first call acknowledges ──► WORKING ── exit, something is open ─► WAITING
//!                          │  ▲                                  │  ▲                                  │  │
//!                          │  └─── resumed under a new offer ────│──│───────────────────┬──────────────┘  │
//!                          │                                     │  └── resumed ────────┘                 │
//!                          └── spawn, limited, … ──► ENDED ◄─────┴── exit ◄── the task went on without it ┘
//! ```
//!
//! It lives in the task's machine, so that one append holds the end of a run and what that makes of the task. A run
//! begins with an offer and follows its agent's hold on the task. When the agent loses the task, the run ends with it,
//! in the same append, and the host is told to stop the process. After the agent's own last word, the process has time
//! to end by itself: a task may be closed while its run is still WORKING.
//!
//! | how a process ends without a last word | the task |
//! |---|---|
//! | a question is open | stays IN_PROGRESS; the run is WAITING |
//! | `limited` | back to the head of the queue, no attempt is used up |
//! | `killed` | the same: its host is gone, and the client did nothing wrong |
//! | `budget` | BLOCKED until people say whether it goes on; FAILED where they do not, or QUEUED for the next day |
//! | `spawn`, `auth`, `context`, `crashed`, `no_report` | the attempt failed; the role's policy says what follows |
//!
//! A run may be ended by the task before its process is: the account of that process (exit code, output, usage) is
//! added when the host gives it, once for each process.

mod apply;
mod budget;
mod usage;
mod view;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use budget::{Allowance, Budget, BudgetLevel, BudgetNews, GO_ON, STOP, Spent, TaskBudget};
pub use usage::{Usage, UsageSource, Usd};
pub use view::{RunStateName, RunView};

use super::kept_text::KeptText;
use super::spec::{Comment, TargetWho};
use super::state::{Attempt, AttemptOutcome, BlockedOn, Task, TaskState};
use crate::ids::{AgentId, LeaseEpoch, QuestionId, RoleId, RunId};
use crate::time::Timestamp;

/// One run of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub agent: AgentId,
    /// The slot that it has, where its agent is there for this task alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<AgentId>,
    /// The role of its host; none of a run that is older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<RoleId>,
    /// The host that has its process or conversation.
    pub host: String,
    /// The client's name, as the presets call it.
    pub client: String,
    /// Under which offer or lease; moves on with the agent's newest.
    pub epoch: LeaseEpoch,
    /// Whether the client can go on with a conversation in a new process.
    pub resumes: bool,
    pub state: RunState,
    /// The client's own id of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The number of the newest process, from 1.
    pub process: u32,
    /// How each process ended, as far as the host said so, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exits: Vec<ProcessExit>,
    /// The newest limit that the client met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Limited>,
    /// How the question stands that it asked about its role's day, in place of a process; none of every other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<BudgetNews>,
    pub started_at: Timestamp,
}

/// Where a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum RunState {
    /// A process is asked for; the offer is not acknowledged.
    Starting,
    /// A process works, or is about to end after the agent's last word.
    Working,
    /// No process; resumed when what it waits for is there.
    Waiting {
        since: Timestamp,
        on: RunWaitsFor,
    },
    Ended {
        at: Timestamp,
        reason: RunEnd,
    },
}

/// What a run without a process waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunWaitsFor {
    /// A question, while the task stays IN_PROGRESS.
    Question {
        question: QuestionId,
    },
    /// The answer to a BLOCKED task.
    Answer,
    Review,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// The agent had its last word in this attempt.
    Reported,
    /// The process ended, or was silent for too long, without a last word.
    NoReport,
    /// The process could not be started.
    Spawn,
    /// The client is not logged in.
    Auth,
    /// The account has spent what it may for now.
    Limited,
    /// The conversation is longer than the model takes.
    Context,
    /// The process ended by a fault of its own.
    Crashed,
    /// Stopped from outside: the task was taken away, or the host is gone.
    Killed,
    /// The budget is used up.
    Budget,
}

/// A limit of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limited {
    /// When it ends, where the client says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub until: Option<Timestamp>,
    /// The account that all its slots share; none where the host names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

impl Limited {
    /// The longest limit that an agent may name: the windows of vendors are hours, a week or a month.
    pub const LONGEST: Duration = Duration::from_secs(32 * 24 * 60 * 60);
}

/// How one process of a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessExit {
    /// Which process of the run, from 1.
    pub number: u32,
    /// Its exit code; none where a signal ended it, or nobody saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// The last lines that it printed, secrets out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<KeptText>,
    /// What it used; none where the client says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What a host says of a process that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RunExit {
    pub process: ProcessExit,
    /// As the host judges it; whether the agent had its last word is the task's to say.
    pub reason: RunEnd,
    pub limited: Option<Limited>,
    /// The question that people are asked: the agent's own that is open, or for [`RunEnd::Budget`] whether it goes on.
    pub question: Option<QuestionId>,
    /// What people are told of the budget, in the same append.
    pub budget: Option<(BudgetNews, Comment)>,
}

impl RunExit {
    /// Whether there was no process: in its place people are asked about the day of the role.
    pub(super) const fn is_for_day(&self) -> bool {
        matches!(self.budget, Some((BudgetNews::DayUsed, _)))
    }
}

/// A run that is about to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    pub id: RunId,
    pub agent: AgentId,
    /// As of [`Run`].
    pub slot: Option<AgentId>,
    pub role: RoleId,
    /// For which offer.
    pub epoch: LeaseEpoch,
    pub host: String,
    pub client: String,
    pub resumes: bool,
}

/// Why a host is told to stop a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Cancelled,
    /// The lease ran out, or the task went to somebody else.
    LeaseLost,
    Evicted,
    /// The account is out of its limit.
    Limited,
    /// The budget is used up.
    Budget,
    /// Its agent had its last word: the process has a while to end by itself.
    Reported,
}

impl Run {
    /// The slot of its host that has it.
    pub fn slot(&self) -> &AgentId {
        self.slot.as_ref().unwrap_or(&self.agent)
    }

    pub const fn is_live(&self) -> bool {
        !matches!(self.state, RunState::Ended { .. })
    }

    /// Whether it ended for a budget, of its task or of its role's day.
    pub(super) const fn is_stopped_for_budget(&self) -> bool {
        matches!(self.state, RunState::Ended { reason: RunEnd::Budget, .. })
    }

    /// Whether a process may be there that its host did not say the end of.
    pub fn has_process(&self) -> bool {
        !self.knows_exit_of(self.process)
    }

    /// Whether the host said how this process ended.
    pub fn knows_exit_of(&self, process: u32) -> bool {
        self.exits.iter().any(|exit| exit.number == process)
    }

    /// What all its processes used; none before the first of them ended.
    pub fn usage(&self) -> Option<Usage> {
        Usage::sum(self.exits.iter().map(|exit| exit.usage.as_ref()))
    }
}

impl RunEnd {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::NoReport => "no_report",
            Self::Spawn => "spawn",
            Self::Auth => "auth",
            Self::Limited => "limited",
            Self::Context => "context",
            Self::Crashed => "crashed",
            Self::Killed => "killed",
            Self::Budget => "budget",
        }
    }
}

impl Task {
    pub fn live_run(&self) -> Option<&Run> {
        self.runs.iter().rev().find(|run| run.is_live())
    }

    /// A run of this task.
    pub fn run(&self, id: &RunId) -> Option<&Run> {
        self.runs.iter().find(|run| run.id == *id)
    }

    /// What all its runs used, the live one without its present process; none where no process ended.
    pub fn usage(&self) -> Option<Usage> {
        let exits = self.runs.iter().flat_map(|run| &run.exits);
        Usage::sum(exits.map(|exit| exit.usage.as_ref()))
    }

    /// Whether a run lives, and its agent is to work now.
    pub fn is_worked_on_by(&self, run: &Run) -> bool {
        let leased = self.lease().map(|lease| &lease.agent);
        run.is_live() && leased.or_else(|| self.offer().map(|offer| &offer.agent)) == Some(&run.agent)
    }

    /// Whether it stands still for its budget, and not for a question of its agent.
    pub(super) fn is_out_of_budget(&self) -> bool {
        let newest = self.runs.last().filter(|run| run.is_stopped_for_budget());
        newest.is_some_and(|run| self.attempts.last().is_some_and(|attempt| attempt.epoch == run.epoch))
    }

    /// The run by which it asks people whether its role goes on today; none where it does not, or no longer.
    pub fn asks_of_day(&self) -> Option<&Run> {
        let asks = matches!(self.state, TaskState::Blocked { on: BlockedOn::Answer { question: Some(_), .. }, .. });
        self.runs.last().filter(|run| asks && run.day == Some(BudgetNews::DayUsed) && self.is_out_of_budget())
    }

    /// Whether the agent of a run had its last word in the attempt of that run.
    pub fn is_reported(&self, run: &Run) -> bool {
        let own = self.attempts.iter().rev().find(|attempt| attempt.epoch == run.epoch);
        own.is_some_and(|attempt| attempt.agent == run.agent && is_last_word(attempt))
    }

    /// For which role a run worked. One that does not say so worked for whom the task is meant.
    pub fn role_of<'a>(&'a self, run: &'a Run) -> Option<&'a RoleId> {
        let meant = if let TargetWho::Role(role) = &self.spec.target.who { Some(role) } else { None };
        run.role.as_ref().or(meant)
    }

    /// Whether this live run may go on as the task stands; it ends otherwise.
    pub(super) fn lets_go_on(&self, run: &Run) -> bool {
        let waits = matches!(run.state, RunState::Waiting { .. });
        match &self.state {
            TaskState::Assigned { offer } => offer.agent == run.agent && (waits || offer.epoch == run.epoch),
            TaskState::InProgress { lease } => lease.agent == run.agent && lease.epoch == run.epoch,
            TaskState::Blocked { on: BlockedOn::Answer { agent, .. }, .. } => *agent == run.agent,
            TaskState::InReview { holder, .. } => *holder == run.agent,
            // Answered, or sent back: it goes on as soon as its agent has the task again.
            TaskState::Queued { .. } => {
                self.last_holder.as_ref() == Some(&run.agent)
                    && run.state != RunState::Starting
                    && self.attempts.last().is_some_and(|last| {
                        last.epoch == run.epoch
                            && matches!(last.outcome, AttemptOutcome::Blocked | AttemptOutcome::Submitted)
                    })
            }
            TaskState::Completed { .. } | TaskState::Failed { .. } => !waits && self.is_reported(run),
            TaskState::Blocked { on: BlockedOn::Dependencies | BlockedOn::DependencyFailed { .. }, .. }
            | TaskState::Timeout { .. }
            | TaskState::Cancelled { .. }
            | TaskState::DeadLetter { .. } => false,
        }
    }
}

/// Whether an attempt ended by a report of its agent.
const fn is_last_word(attempt: &Attempt) -> bool {
    match attempt.outcome {
        AttemptOutcome::Completed | AttemptOutcome::Failed | AttemptOutcome::Blocked | AttemptOutcome::Submitted => {
            true
        }
        AttemptOutcome::Running | AttemptOutcome::TimedOut | AttemptOutcome::Released | AttemptOutcome::Cancelled => {
            false
        }
    }
}
