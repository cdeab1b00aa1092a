//! What happened to a question, as the journal keeps it: in the stream of its session.

use serde::{Deserialize, Serialize};

use super::state::{AnswerRoute, Delivery, LateAnswer, QuestionSpec, Resolution};
use crate::ids::QuestionId;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum QuestionRecord {
    /// It begins with this.
    Asked { spec: Box<QuestionSpec> },
    Reminded {
        id: QuestionId,
        /// How much of its time is gone, in percent.
        percent: u8,
    },
    /// Its deadline passed, and its default is too dangerous to apply by itself: it stays open until somebody answers.
    Overdue { id: QuestionId },
    /// It got its one answer.
    Resolved { id: QuestionId, resolution: Box<Resolution> },
    /// A call took the leave that it gives once.
    Used { id: QuestionId },
    /// Somebody answered after the first.
    AnsweredLate { id: QuestionId, answer: Box<LateAnswer> },
    /// The agent heard of the answer, or did not after all.
    DeliveryMoved {
        id: QuestionId,
        delivery: Delivery,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        way: Option<AnswerRoute>,
    },
}

impl QuestionRecord {
    pub const fn id(&self) -> &QuestionId {
        match self {
            Self::Asked { spec } => &spec.id,
            Self::Reminded { id, .. }
            | Self::Overdue { id }
            | Self::Used { id }
            | Self::Resolved { id, .. }
            | Self::AnsweredLate { id, .. }
            | Self::DeliveryMoved { id, .. } => id,
        }
    }
}
