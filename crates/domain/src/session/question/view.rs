//! A question as people and programs see it.

use crate::text::Sanitized;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::permission::Permission;
use super::state::{
    AnswerRoute, Answerer, Danger, Delivery, LateAnswer, Question, QuestionKind, QuestionState, Resolution,
    ResolutionType, Risk,
};

/// A question, as `/api/v1/questions` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionView {
    pub id: String,
    /// In which session it was asked.
    pub session_id: String,
    /// By which agent.
    pub agent_id: String,
    /// For the sake of which task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// What sort of question.
    pub kind: QuestionKind,
    pub question: String,
    /// What may be answered; empty: any text.
    pub options: Vec<String>,
    /// What the agent does when nobody answers.
    pub default_action: String,
    /// For which call of a tool leave is asked; only where the kind is `permission`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Whether the default never applies by itself.
    pub dangerous: bool,
    /// Why it counts as dangerous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub danger: Option<String>,
    /// How sure that is; only where it is dangerous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// Whether an answer may be another text than the options.
    pub allow_free_text: bool,
    /// When it was asked, RFC 3339.
    pub asked_at: String,
    /// Its deadline, RFC 3339.
    pub expires_at: String,
    /// Open or resolved.
    pub state: QuestionStateName,
    /// When its deadline passed without an answer, RFC 3339; only where the default is dangerous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overdue_at: Option<String>,
    /// Its one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<ResolutionView>,
    /// Answers that came after the first, oldest first.
    pub late_answers: Vec<LateAnswerView>,
    /// Whether the agent has heard the answer.
    pub delivery: Delivery,
    /// By which way it went to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_by: Option<AnswerRoute>,
    /// What was dropped from its texts; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sanitized: Option<Sanitized>,
}

/// Whether a question has its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each name says it")]
pub enum QuestionStateName {
    Open,
    Resolved,
}

/// The one answer of a question: who, what, where, when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResolutionView {
    /// Where it came from: `human` is a person, and nothing else ever is.
    #[serde(rename = "type")]
    pub kind: ResolutionType,
    /// What the agent is to act on.
    pub value: String,
    /// Whether a person's answer is one of the options; left out where there were none, and where no person answered.
    #[serde(default, rename = "isOption", skip_serializing_if = "Option::is_none")]
    pub is_option: Option<bool>,
    pub by: WhoView,
    /// On which surface: `discord`, `page`, `cli`, `api`, `tracker`, `timer`, `agent`.
    pub surface: String,
    /// When, RFC 3339.
    pub at: String,
}

/// An answer that came after the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LateAnswerView {
    pub value: String,
    pub by: WhoView,
    /// On which surface.
    pub surface: String,
    /// When, RFC 3339.
    pub at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhoView {
    pub principal: String,
    /// How people call them.
    pub display_name: String,
}

impl Question {
    pub fn resolution_view(&self) -> Option<ResolutionView> {
        self.resolution().map(|resolution| self.view_of(resolution))
    }

    pub fn view_of(&self, resolution: &Resolution) -> ResolutionView {
        let by_person = resolution.kind == ResolutionType::Human;
        let is_option = if by_person { self.is_option(&resolution.value) } else { None };
        ResolutionView { is_option, ..ResolutionView::from(resolution) }
    }

    pub fn view(&self) -> QuestionView {
        let spec = &self.spec;
        let (state, overdue_at, resolution, late_answers, delivery, delivered_by) = match &self.state {
            QuestionState::Open { overdue_at, .. } => {
                (QuestionStateName::Open, *overdue_at, None, Vec::new(), Delivery::Undelivered, None)
            }
            QuestionState::Resolved { resolution: _, late_answers, delivery, way, used: _ } => (
                QuestionStateName::Resolved,
                None,
                self.resolution_view(),
                late_answers.iter().map(LateAnswerView::from).collect(),
                *delivery,
                *way,
            ),
        };
        QuestionView {
            id: spec.id.to_string(),
            session_id: spec.session_id.to_string(),
            agent_id: spec.agent_id.to_string(),
            task_id: spec.task_id.as_ref().map(ToString::to_string),
            kind: spec.kind,
            question: spec.question.clone(),
            options: spec.options.clone(),
            default_action: spec.default_action.clone(),
            permission: spec.permission.as_deref().cloned(),
            dangerous: spec.is_dangerous(),
            danger: spec.danger.as_ref().map(ToString::to_string),
            risk: spec.danger.as_ref().map(Danger::risk),
            allow_free_text: spec.allow_free_text || spec.options.is_empty(),
            asked_at: spec.asked_at.to_string(),
            expires_at: spec.expires_at.to_string(),
            state,
            overdue_at: overdue_at.map(|at| at.to_string()),
            resolution,
            late_answers,
            delivery,
            delivered_by,
            sanitized: self.spec.sanitized.clone(),
        }
    }
}

impl From<&Resolution> for ResolutionView {
    fn from(resolution: &Resolution) -> Self {
        Self {
            kind: resolution.kind,
            value: resolution.value.clone(),
            is_option: None,
            by: WhoView::from(&resolution.by),
            surface: resolution.by.surface.as_str().to_owned(),
            at: resolution.at.to_string(),
        }
    }
}

impl From<&LateAnswer> for LateAnswerView {
    fn from(late: &LateAnswer) -> Self {
        Self {
            value: late.value.clone(),
            by: WhoView::from(&late.by),
            surface: late.by.surface.as_str().to_owned(),
            at: late.at.to_string(),
        }
    }
}

impl From<&Answerer> for WhoView {
    fn from(by: &Answerer) -> Self {
        Self { principal: by.principal.to_string(), display_name: by.display_name.clone() }
    }
}

#[cfg(test)]
mod tests;
