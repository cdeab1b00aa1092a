//! The rows of sessions and questions: what their records come to, in the order of the journal.
//!
//! Both the session's actor and the tasks it follows write into its stream. A row that one of them sent along would
//! miss what the other wrote a moment before; so the stores make these rows themselves, by the one function that
//! replay uses.

use super::entry::Record;
use crate::domain::ids::SessionId;
use crate::domain::review::{ReviewComment, ReviewRecord};
use crate::domain::session::question::{Question, QuestionRecord};
use crate::domain::session::{Session, SessionRecord};
use crate::domain::task::Priority;
use crate::domain::time::Timestamp;

/// A session after one more record of its stream; none when there is no session, and the record opens none.
pub(super) fn session_after(
    before: Option<Session>,
    id: &SessionId,
    at: Timestamp,
    record: &Record,
) -> Option<Session> {
    match (before, record) {
        (None, Record::Session(SessionRecord::Opened { agent })) => {
            Some(Session::opened(id.clone(), agent.clone(), at))
        }
        (Some(mut session), Record::Session(record)) => {
            session.apply(at, record);
            Some(session)
        }
        (Some(mut session), Record::Question(record)) => {
            session.hear(at, record);
            Some(session)
        }
        (Some(mut session), Record::Pull(record)) => {
            session.hear_of_pull(at, record);
            Some(session)
        }
        (None, Record::Session(_) | Record::Question(_) | Record::Pull(_))
        | (
            _,
            Record::Task(_)
            | Record::Review(_)
            | Record::Agent(_)
            | Record::Terminal(_)
            | Record::Workflow(_)
            | Record::Schedule(_)
            | Record::Hub(_),
        ) => None,
    }
}

/// A question after one more record of it; none when it was never asked.
pub(super) fn question_after(before: Option<Question>, at: Timestamp, record: &QuestionRecord) -> Option<Question> {
    match (before, record) {
        (None, QuestionRecord::Asked { spec }) => Some(Question::asked((**spec).clone())),
        (None, _) => None,
        (Some(mut question), record) => {
            question.apply(at, record);
            Some(question)
        }
    }
}

/// The comments that a record brings.
pub(crate) fn comments(record: &ReviewRecord) -> &[ReviewComment] {
    match record {
        ReviewRecord::Commented { comment } => std::slice::from_ref(&**comment),
        ReviewRecord::ChangesRequested { comments, .. } => comments,
        ReviewRecord::Submitted { .. }
        | ReviewRecord::Resolved { .. }
        | ReviewRecord::Approved { .. }
        | ReviewRecord::TakenBack { .. }
        | ReviewRecord::Withdrawn { .. } => &[],
    }
}

/// A priority as it is sorted by.
pub(crate) const fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::Normal => 0,
        Priority::High => 1,
        Priority::Critical => 2,
    }
}
