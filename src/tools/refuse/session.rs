//! The refusals of a session and of its questions.

use crate::domain::ids::QuestionId;
use crate::domain::session::question::{LIMITS, QuestionRefusal, ResolutionView};
use crate::domain::session::{SessionRefusal, WorkflowStatus};
use crate::tools::Refusal;

pub(super) fn refused(refusal: &SessionRefusal) -> Refusal {
    let said = Refusal::new(refusal.code(), refusal.to_string());
    match refusal {
        SessionRefusal::InvalidTransition { from, .. } => {
            let allowed: Vec<&str> = from.successors().iter().map(|status| status.as_str()).collect();
            let said = said.detail("from", from.as_str()).detail("allowed", allowed.clone());
            match allowed.first() {
                Some(next) => said.advise(format!("Call update_status with status {next} first, if that is so.")),
                None => said.advise("Call wait_for_prompt: a new task opens the next round."),
            }
        }
        SessionRefusal::UseRequestInput { from } => {
            let others = from.successors().iter().filter(|status| **status != WorkflowStatus::AwaitingInput);
            said.detail("from", from.as_str())
                .detail("allowed", others.map(|status| status.as_str()).collect::<Vec<_>>())
                .advise("Call request_input with your question and a default.")
        }
        SessionRefusal::QuestionOpen { question } => while_open(said, question),
        SessionRefusal::TooManyOverdue { question } => said
            .advise(format!(
                "Call withdraw_question with question_id {question} if you need it no more, or wait_for_prompt to take \
                 work that needs no answer."
            ))
            .detail("questionId", question.as_str()),
        SessionRefusal::AlreadyResolved { question, resolution } => {
            let resolution = serde_json::to_value(ResolutionView::from(&**resolution)).unwrap_or_default();
            said.detail("questionId", question.as_str()).detail("resolution", resolution)
        }
        SessionRefusal::Question(unfit) => question_refusal(said, unfit),
        SessionRefusal::QuestionNotFound { .. } | SessionRefusal::Pull(_) => said,
    }
}

/// Nothing of the sort while this question is open.
pub(super) fn while_open(said: Refusal, question: &QuestionId) -> Refusal {
    said.advise(format!(
        "Call wait_for_answer with question_id {question}, or withdraw_question if you need it no more."
    ))
    .detail("questionId", question.as_str())
}

fn question_refusal(said: Refusal, unfit: &QuestionRefusal) -> Refusal {
    match unfit {
        QuestionRefusal::DefaultNotAnOption { options, .. } | QuestionRefusal::NotAnOption { options, .. } => {
            said.detail("options", options.clone())
        }
        QuestionRefusal::Unfit { field, .. } => said.detail("field", *field),
        QuestionRefusal::TooLong { .. } => said.detail("field", "value").detail("limit", LIMITS.answer),
        QuestionRefusal::TooManyLate { first } => {
            said.detail("resolution", serde_json::to_value(ResolutionView::from(&**first)).unwrap_or_default())
        }
        QuestionRefusal::NotAHuman { .. } => said,
    }
}
