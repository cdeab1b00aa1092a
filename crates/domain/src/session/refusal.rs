//! Why a session says no.

use thiserror::Error;

use super::question::{QuestionRefusal, Resolution};
use super::status::WorkflowStatus;
use crate::ids::QuestionId;
use crate::pull::PullRefusal;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionRefusal {
    #[error("`{to}` cannot follow `{from}`: {}", allowed(.from))]
    InvalidTransition { from: WorkflowStatus, to: WorkflowStatus },
    /// `awaiting_input` was reported while nothing is asked.
    #[error("use request_input: no question is open whose deadline is to come")]
    UseRequestInput { from: WorkflowStatus },
    #[error("question `{question}` is still open, and a session has one at a time")]
    QuestionOpen { question: QuestionId },
    #[error("question `{question}` and others wait for people: {} are the most", super::question::LIMITS.overdue)]
    TooManyOverdue { question: QuestionId },
    #[error("question `{question}` does not exist, or is not yours")]
    QuestionNotFound { question: String },
    #[error("question `{question}` is resolved: {}", .resolution)]
    AlreadyResolved { question: QuestionId, resolution: Box<Resolution> },
    #[error(transparent)]
    Question(#[from] QuestionRefusal),
    #[error(transparent)]
    Pull(#[from] PullRefusal),
}

impl SessionRefusal {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidTransition { .. } | Self::UseRequestInput { .. } => "INVALID_TRANSITION",
            Self::QuestionOpen { .. } | Self::TooManyOverdue { .. } => "QUESTION_OPEN",
            Self::QuestionNotFound { .. } => "QUESTION_NOT_FOUND",
            Self::AlreadyResolved { .. } => "ALREADY_RESOLVED",
            Self::Question(refusal) => refusal.code(),
            Self::Pull(refusal) => refusal.code(),
        }
    }
}

fn allowed(from: &WorkflowStatus) -> String {
    let names = from.successors().iter().map(|status| format!("`{status}`, "));
    format!("allowed are {}and `{from}` again", names.collect::<String>())
}
