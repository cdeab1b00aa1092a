//! An open question, as something that needs a person.

use super::behind::Behind;
use super::item::{InboxAction, InboxCost, InboxItem, InboxKind};
use super::tasks::LINE;
use crate::domain::ids::RoleId;
use crate::domain::session::question::{Question, QuestionState};
use crate::domain::task::Task;
use crate::domain::text::shorten;

/// What an open question needs; none when it has its answer. `task` is the one for whose sake it was asked, `role` the
/// asker's.
#[must_use]
pub fn of_question(
    question: &Question,
    task: Option<&Task>,
    role: Option<&RoleId>,
    behind: &Behind,
) -> Option<InboxItem> {
    let spec = &question.spec;
    let overdue = match &question.state {
        QuestionState::Open { overdue_at, .. } => overdue_at.is_some(),
        QuestionState::Resolved { .. } => return None,
    };
    let dangerous = spec.is_dangerous();
    let then = if dangerous {
        "the agent stands still until somebody answers".to_owned()
    } else {
        shorten(&format!("the agent goes on with: {}", spec.default_action), LINE)
    };
    let reason = if overdue {
        format!("`{}` stands still: nobody answered, and its default could do harm", spec.agent_id)
    } else {
        format!("`{}` asks", spec.agent_id)
    };
    Some(InboxItem {
        id: format!("{}:{}", InboxKind::Question.as_str(), spec.id),
        kind: InboxKind::Question,
        title: shorten(spec.question.lines().next().unwrap_or_default(), LINE),
        reason,
        task_id: spec.task_id.as_ref().map(ToString::to_string),
        agent_id: Some(spec.agent_id.to_string()),
        session_id: Some(spec.session_id.to_string()),
        role: role.cloned(),
        since: spec.asked_at,
        deadline: (!overdue).then_some(spec.expires_at),
        then: Some(then),
        options: spec.options.clone(),
        dangerous,
        priority: task.map_or_else(Default::default, |task| task.spec.priority),
        cost: InboxCost {
            waits: vec![spec.agent_id.to_string()],
            stands_still: task.map_or(0, |task| behind.count(task.id())),
        },
        actions: vec![InboxAction::Answer],
    })
}
