//! What an agent says it does, and what may follow what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::names;

/// The workflow status of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowStatus {
    /// Nothing was reported in this round yet.
    #[default]
    Started,
    /// The agent is at work.
    Working,
    /// A question is open, and its answer is needed to go on.
    AwaitingInput,
    /// Cannot go on unless somebody acts.
    Blocked,
    /// Handed in; a reviewer must act.
    AwaitingReview,
    /// Done. What comes next opens the next round.
    Completed,
}

/// More about a status, for people who look on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Details {
    /// The name of the present phase, as `Phase 2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// How far it is, as `2/5` or `40%`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
}

names!(WorkflowStatus {
    Started = "started", Working = "working", AwaitingInput = "awaiting_input", Blocked = "blocked",
    AwaitingReview = "awaiting_review", Completed = "completed",
});

impl WorkflowStatus {
    /// What may follow, besides the same again.
    #[must_use]
    pub const fn successors(self) -> &'static [Self] {
        match self {
            Self::Started | Self::AwaitingInput | Self::Blocked => &[Self::Working],
            Self::Working => &[Self::AwaitingInput, Self::Blocked, Self::AwaitingReview, Self::Completed],
            Self::AwaitingReview => &[Self::Working, Self::Completed],
            Self::Completed => &[],
        }
    }

    /// Whether `next` may follow: one of the successors, or the same reported again.
    pub fn may_become(self, next: Self) -> bool {
        self == next || self.successors().contains(&next)
    }

    /// How a tool that is no report gets from here to `next`: an agent that begins by asking is at work. Empty: no way.
    #[must_use]
    pub fn way_to(self, next: Self) -> Vec<Self> {
        if self.may_become(next) {
            vec![next]
        } else if self == Self::Started && Self::Working.may_become(next) {
            vec![Self::Working, next]
        } else {
            Vec::new()
        }
    }
}

impl Details {
    /// The progress as a percentage, where it reads as one: `2/5`, `40%`, `40`.
    pub fn percent(&self) -> Option<u8> {
        let text = self.progress.as_deref()?.trim();
        let share = match text.split_once('/') {
            Some((done, all)) => {
                let (done, all): (u64, u64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
                done.checked_mul(100)?.checked_div(all)?
            }
            None => text.strip_suffix('%').unwrap_or(text).trim().parse().ok()?,
        };
        u8::try_from(share).ok().filter(|percent| *percent <= 100)
    }
}
