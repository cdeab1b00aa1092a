//! What happened to a question, as the journal keeps it: in the stream of its session.

use serde::{Deserialize, Serialize};

use super::state::{Delivery, LateAnswer, QuestionSpec, Resolution, Way};
use crate::ids::QuestionId;

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum QuestionRecord {
    /// It was asked.
    Asked {
        /// What.
        spec: Box<QuestionSpec>,
    },
    /// People are reminded of it.
    Reminded {
        /// Which.
        id: QuestionId,
        /// How much of its time is gone, in percent.
        percent: u8,
    },
    /// Its deadline passed, and its default is too dangerous to apply by itself: it stays open until somebody answers.
    Overdue {
        /// Which.
        id: QuestionId,
    },
    /// It has its one answer.
    Resolved {
        /// Which.
        id: QuestionId,
        /// The answer.
        resolution: Box<Resolution>,
    },
    /// Somebody answered what has its answer.
    AnsweredLate {
        /// Which.
        id: QuestionId,
        /// What they said.
        answer: Box<LateAnswer>,
    },
    /// The agent heard of the answer, or did not after all.
    DeliveryMoved {
        /// Which.
        id: QuestionId,
        /// How far it is.
        delivery: Delivery,
        /// By which way, where it went by one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        way: Option<Way>,
    },
}

impl QuestionRecord {
    /// The question it is about.
    #[must_use]
    pub const fn id(&self) -> &QuestionId {
        match self {
            Self::Asked { spec } => &spec.id,
            Self::Reminded { id, .. }
            | Self::Overdue { id }
            | Self::Resolved { id, .. }
            | Self::AnsweredLate { id, .. }
            | Self::DeliveryMoved { id, .. } => id,
        }
    }
}
