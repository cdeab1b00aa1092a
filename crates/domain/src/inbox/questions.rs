//! An open question, as something that needs a person.

use super::behind::Behind;
use super::item::{InboxAction, InboxCost, InboxItem, InboxKind};
use super::tasks::LINE;
use crate::ids::RoleId;
use crate::session::Session;
use crate::session::question::{Question, QuestionKind, QuestionState};
use crate::task::Task;
use crate::text::shorten;

/// What an open question needs of a person; none when it is answered. `role` is the asker's. Only an agent that does
/// nothing else waits, and only a task that is BLOCKED on the question stands still.
pub fn of_question(
    question: &Question,
    session: Option<&Session>,
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
    let day = task.and_then(Task::asks_of_day).filter(|_| spec.kind == QuestionKind::Budget);
    let day = day.and_then(|run| run.role.as_ref());
    let then = if let Some(role) = day {
        format!("no task of role {role} starts before the day is over")
    } else if dangerous {
        "nothing: it stays open until somebody answers".to_owned()
    } else if spec.kind == QuestionKind::Budget {
        "the task is FAILED".to_owned()
    } else {
        shorten(&format!("the agent goes on with: {}", spec.default_action), LINE)
    };
    let agent = &spec.agent_id;
    let waits = session.is_some_and(|session| session.waits_for(question));
    let blocked = task.is_some_and(|task| task.is_blocked_on(&spec.id));
    let reason = match (overdue, waits, blocked) {
        _ if spec.kind == QuestionKind::Budget => day.map_or_else(
            || format!("the budget of the task of `{agent}` is used up"),
            |role| format!("the budget of the day of role {role} is used up"),
        ),
        (false, true, _) => format!("`{agent}` asks"),
        (false, false, _) => format!("`{agent}` asks, and does not wait for it"),
        (true, true, _) => format!("`{agent}` stands still: nobody answered, and its default could do harm"),
        (true, false, true) => format!(
            "its task stands still, and `{agent}` does not wait for it: nobody answered, and its default could do harm"
        ),
        (true, false, false) => {
            format!("nobody answered, and its default could do harm; `{agent}` does not wait for it")
        }
    };
    Some(InboxItem {
        title: shorten(spec.question.lines().next().unwrap_or_default(), LINE),
        reason,
        task_id: spec.task_id.as_ref().map(ToString::to_string),
        agent_id: Some(spec.agent_id.to_string()),
        session_id: Some(spec.session_id.to_string()),
        role: role.cloned(),
        deadline: (!overdue).then_some(spec.expires_at),
        then: Some(then),
        options: spec.options.clone(),
        dangerous,
        priority: task.map_or_else(Default::default, |task| task.spec.priority),
        cost: InboxCost {
            waits: if waits { vec![agent.to_string()] } else { Vec::new() },
            stands_still: usize::from(blocked) + task.map_or(0, |task| behind.count(task.id())),
        },
        actions: vec![InboxAction::Answer],
        sanitized: spec.sanitized.clone(),
        ..InboxItem::new(InboxKind::Question, &spec.id, spec.asked_at)
    })
}
