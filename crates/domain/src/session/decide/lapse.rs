//! What becomes of open questions when the task moves for whose sake they were asked. The task asks here, and writes it
//! into its own append: so there is no moment at which a task is over and somebody is still asked for its sake.

use super::Happened;
use super::asking::answer_notice;
use crate::agent::Notice;
use crate::ids::NoticeId;
use crate::session::follow::follower;
use crate::session::question::{Answerer, Question, QuestionRecord, Resolution, ResolutionType};
use crate::session::state::Session;
use crate::task::{Origin, Task, TaskRecord, TaskState, open};
use crate::time::Timestamp;

/// The questions of a session that nobody needs any more once `records` made `task` what it is:
///
/// - all that were asked for a task that ended, or was given to somebody else by hand;
/// - of those with a default that may apply, also the ones whose agent lost the task otherwise. One whose default is
///   dangerous stays open: only a person answers it, and the answer goes to whoever takes the task up.
pub fn unneeded<'a>(
    session: &'a Session,
    task: &'a Task,
    records: &[TaskRecord],
) -> impl Iterator<Item = &'a Question> {
    let over = !task.is_open() || records.iter().any(takes_away);
    let lost = follower(task).is_none_or(|(_, follower)| *follower != session.id);
    session.questions.iter().filter(move |question| {
        let asked_for_it = question.is_open() && question.spec.task_id.as_ref() == Some(task.id());
        asked_for_it && (over || (lost && !question.spec.is_dangerous()))
    })
}

/// The question with a dangerous default that `records` would drop by completing the task.
pub fn in_the_way<'a>(session: &'a Session, task: &Task, records: &[TaskRecord]) -> Option<&'a Question> {
    let completes =
        |record: &TaskRecord| matches!(record, TaskRecord::Completed { agent, .. } if *agent == session.agent);
    let asked_for_it = |question: &&Question| {
        question.is_open() && question.spec.is_dangerous() && question.spec.task_id.as_ref() == Some(task.id())
    };
    session.questions.iter().find(asked_for_it).filter(|_| records.iter().any(completes))
}

/// Why nobody needs them any more, for their agents.
fn why_unneeded(task: &Task) -> String {
    let id = task.id();
    match &task.state {
        TaskState::Completed { .. } => format!("task {id} is done"),
        TaskState::Failed { .. } => format!("task {id} is given up"),
        TaskState::Cancelled { .. } => format!("task {id} was called off"),
        TaskState::DeadLetter { .. } => format!("every attempt of task {id} ran out"),
        open!() => format!("task {id} is no longer with you"),
    }
}

/// The end of a question that nobody needs any more: its record, and what its agent hears.
pub fn lapsed(question: &Question, task: &Task, by: Answerer, notice: NoticeId, now: Timestamp) -> (Happened, Notice) {
    let id = question.spec.id.clone();
    let text = format!("Your question {id} needs no answer any more: {}.", why_unneeded(task));
    let told = answer_notice(question, text, Origin::hub(), notice, now);
    let resolution = Resolution { kind: ResolutionType::Superseded, value: String::new(), by, at: now };
    (Happened::Question(QuestionRecord::Resolved { id, resolution: Box::new(resolution) }), told)
}

const fn takes_away(record: &TaskRecord) -> bool {
    matches!(record, TaskRecord::Reassigned { escalated: false, .. })
}
