//! What an actor shows of itself: `/admin/actors` lists it, and tests assert on it.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::mailbox_metrics::MailboxMetrics;
use crate::domain::time::{Deadline, Timestamp};

/// What one actor shows of itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActorView {
    /// Its name in the tree, as `task:0196…`.
    pub id: String,
    /// Its kind: `supervisor`, `journal`, `noticeboard`, `alarm`, `learner`, `tickets`, `schedules`, `dispatcher`,
    /// `agent`, `task`, `session`, `terminal`, `workflow`, `follower`, `service`.
    pub kind: &'static str,
    /// Where it is in its life, in a word or two.
    pub state: String,
    pub mailbox: Mailbox,
    /// Messages handled since it was first built.
    pub handled: u64,
    /// How often it was built anew.
    pub restarts: Restarts,
    /// What it will do by itself next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Deadline>,
    /// What it said no to lately, newest last.
    pub last_refusals: Vec<LastRefusal>,
    /// When it was built.
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// Whatever else is worth seeing, by kind.
    pub detail: Value,
    /// Those it supervises.
    pub children: Vec<Self>,
}

/// How full a mailbox is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mailbox {
    /// Messages that wait.
    pub depth: usize,
    /// How many may before doors are refused.
    pub limit: usize,
}

/// How often, and why lately.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Restarts {
    /// Since the hub started.
    pub count: u32,
    /// The newest reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// A refusal, for whoever wonders why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LastRefusal {
    #[schemars(with = "String")]
    pub at: Timestamp,
    pub code: &'static str,
    pub message: String,
}

/// The last few refusals of an actor.
#[derive(Debug, Clone, Default)]
pub struct Refusals(VecDeque<LastRefusal>);

impl Refusals {
    /// How many are kept.
    pub const KEPT: usize = 5;

    /// Keeps one, and forgets the oldest past [`Self::KEPT`].
    pub fn note(&mut self, at: Timestamp, code: &'static str, message: impl Into<String>) {
        if self.0.len() == Self::KEPT {
            self.0.pop_front();
        }
        self.0.push_back(LastRefusal { at, code, message: message.into() });
    }

    pub fn list(&self) -> Vec<LastRefusal> {
        self.0.iter().cloned().collect()
    }
}

impl ActorView {
    pub fn of(id: impl Into<String>, kind: &'static str, metrics: &MailboxMetrics, started_at: Timestamp) -> Self {
        Self {
            id: id.into(),
            kind,
            state: "running".to_owned(),
            mailbox: Mailbox { depth: metrics.depth(), limit: metrics.limit() },
            handled: metrics.handled(),
            restarts: Restarts::default(),
            deadline: None,
            last_refusals: Vec::new(),
            started_at,
            detail: Value::Null,
            children: Vec::new(),
        }
    }
}
