//! What becomes of open questions when the task moves for whose sake they were asked. The task asks here, and writes it
//! into its own append: so there is no moment at which a task is over and somebody is still asked for its sake.

use super::Happened;
use super::asking::{answer_notice, heard};
use crate::domain::agent::Notice;
use crate::domain::ids::NoticeId;
use crate::domain::session::follow::follower;
use crate::domain::session::question::{Answerer, Question, QuestionRecord, Resolution, ResolutionType};
use crate::domain::session::state::Session;
use crate::domain::task::{Task, TaskRecord};
use crate::domain::time::Timestamp;

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

/// The end of a question that nobody needs any more: its record, and what its agent hears.
#[must_use]
pub fn lapsed(question: &Question, by: Answerer, notice: NoticeId, now: Timestamp) -> (Happened, Option<Notice>) {
    let kind = ResolutionType::Superseded;
    let resolution = Resolution { kind, value: String::new(), by, at: now };
    let told = heard(question, &resolution).map(|(text, from)| answer_notice(question, text, from, notice, now));
    let id = question.spec.id.clone();
    (Happened::Question(QuestionRecord::Resolved { id, resolution: Box::new(resolution) }), told)
}

const fn takes_away(record: &TaskRecord) -> bool {
    matches!(record, TaskRecord::Reassigned { escalated: false, .. })
}
