//! The promises about questions and the sessions that ask them: Q1 to Q6, S1, S2.

use super::{Broken, hold};
use crate::agent::Agent;
use crate::principal::Surface;
use crate::session::question::{Delivery, LIMITS, Question, QuestionRecord, QuestionState, ResolutionType};
use crate::session::{self, Session, WorkflowStatus};
use crate::task::Task;

/// Every promise about one change of a question: Q1, Q2, Q4, Q5.
pub fn question_moves(before: Option<&Question>, record: &QuestionRecord, after: &Question) -> Result<(), Broken> {
    q2_no_dangerous_default(after)?;
    q5_signed_by_who_did_it(after)?;
    let Some(before) = before else { return Ok(()) };
    q1_one_winner(before, record, after)?;
    q4_late_is_kept(before, record, after)
}

/// Q1: a question has one resolution, and keeps it whatever comes later.
pub fn q1_one_winner(before: &Question, record: &QuestionRecord, after: &Question) -> Result<(), Broken> {
    let first = before.resolution();
    let again = first.is_some() && matches!(record, QuestionRecord::Resolved { .. });
    hold(!again && (first.is_none() || first == after.resolution()), "Q1 one-winner", || {
        format!("question `{}` had its resolution and got another", before.spec.id)
    })
}

/// Q2: no default applies by itself that is marked dangerous.
pub fn q2_no_dangerous_default(question: &Question) -> Result<(), Broken> {
    let by_timeout = question.resolution().is_some_and(|resolution| resolution.kind == ResolutionType::Timeout);
    hold(!(by_timeout && question.spec.is_dangerous()), "Q2 no-dangerous-default", || {
        format!("question `{}` is dangerous, and its deadline answered it", question.spec.id)
    })
}

/// Q3: a resolved question's answer was acknowledged by its agent, waits to be heard, or is said to be undeliverable.
///
/// Leave waits for its call, and for no agent to hear of it: most calls are gone when nobody answers in time.
pub fn q3_answer_delivered(question: &Question, agent: Option<&Agent>) -> Result<(), Broken> {
    let QuestionState::Resolved { delivery, resolution, .. } = &question.state else { return Ok(()) };
    let id = &question.spec.id;
    let waits = agent.is_some_and(|agent| agent.notices.values().any(|it| it.answers() == Some(id)));
    let ended = matches!(delivery, Delivery::Acknowledged | Delivery::Undeliverable);
    hold(ended || waits || question.answers_a_call(resolution.kind), "Q3 answer-delivered", || {
        format!("the answer to question `{id}` is {delivery:?}, and no notice of it waits")
    })
}

/// Q4: answers that came later are kept, in their order.
pub fn q4_late_is_kept(before: &Question, record: &QuestionRecord, after: &Question) -> Result<(), Broken> {
    let late = |question: &Question| match &question.state {
        QuestionState::Open { .. } => Vec::new(),
        QuestionState::Resolved { late_answers, .. } => late_answers.clone(),
    };
    let (had, has) = (late(before), late(after));
    let more = usize::from(matches!(record, QuestionRecord::AnsweredLate { .. }) && before.resolution().is_some());
    hold(has.starts_with(&had) && has.len() == had.len() + more, "Q4 late-is-kept", || {
        format!("question `{}` had {} late answers and has {}", before.spec.id, had.len(), has.len())
    })
}

/// Q5: a resolution is signed by who can have given it, and so are late answers.
///
/// A human one by no agent, no clock and not the hub itself; a timeout by the clock; a withdrawal by the agent that
/// asked, or by a person in its place.
pub fn q5_signed_by_who_did_it(question: &Question) -> Result<(), Broken> {
    let QuestionState::Resolved { resolution, late_answers, .. } = &question.state else { return Ok(()) };
    let by = &resolution.by;
    let fits = match resolution.kind {
        ResolutionType::Human => by.is_human(),
        ResolutionType::Timeout => by.surface == Surface::Timer,
        ResolutionType::Cancelled => question.is_of(by) || by.is_human(),
        ResolutionType::Superseded => true,
    };
    hold(fits && late_answers.iter().all(|late| late.by.is_human()), "Q5 signed-by-who-did-it", || {
        let (kind, surface) = (resolution.kind.as_str(), by.surface.as_str());
        format!("question `{}` is resolved as {kind} by `{}` on {surface}", question.spec.id, by.principal)
    })
}

/// Q6: a question that is open is needed: the task for whose sake it was asked did not end.
pub fn q6_open_is_needed(question: &Question, task: &Task) -> Result<(), Broken> {
    let about_it = question.spec.task_id.as_ref() == Some(task.id());
    hold(!about_it || !question.is_open() || task.is_open(), "Q6 open-is-needed", || {
        format!("question `{}` is open, and its task `{}` is {}", question.spec.id, task.id(), task.name())
    })
}

/// S1: the session that follows a task says what the task says.
pub fn s1_task_and_session_agree(task: &Task, session: &Session) -> Result<(), Broken> {
    if session.task.as_ref() != Some(task.id()) {
        return Ok(());
    }
    let follows = session::follower(task).is_some_and(|(_, follower)| *follower == session.id);
    let asked = session::status_of(task);
    let agrees = match session.status() {
        WorkflowStatus::Started | WorkflowStatus::Working | WorkflowStatus::AwaitingInput => {
            asked == WorkflowStatus::Working
        }
        status @ (WorkflowStatus::Blocked | WorkflowStatus::AwaitingReview | WorkflowStatus::Completed) => {
            asked == status
        }
    };
    hold(follows && agrees, "S1 task-and-session-agree", || {
        format!("session `{}` is {} while its task `{}` is {}", session.id, session.status(), task.id(), task.name())
    })
}

/// S2: a session has at most one open question whose deadline is to come, and not many that are overdue.
pub fn s2_one_open_question(session: &Session) -> Result<(), Broken> {
    const NAME: &str = "S2 one-open-question";
    let open = session.questions.iter().filter(|question| question.is_open() && !question.is_overdue()).count();
    hold(open <= 1, NAME, || format!("session `{}` has {open} open questions", session.id))?;
    let overdue = session.overdue().count();
    hold(overdue <= LIMITS.overdue, NAME, || format!("session `{}` has {overdue} overdue questions", session.id))
}
