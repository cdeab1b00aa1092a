//! What a comment means to the sessions that are linked to its work item: an answer to what one of them waits for, or
//! no more than a comment.

use std::fmt;
use std::time::Duration;

use super::heard::ItemComment;
use crate::domain::ids::QuestionId;
use crate::domain::session::{Session, WorkflowStatus};
use crate::domain::time::Timestamp;

/// What a session waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited {
    /// An answer to this question.
    Answer(QuestionId),
    /// That somebody says how to go on.
    WayOn,
}

/// Why a comment answers nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// Nobody waits for anything.
    NothingAsked,
    /// More than one thing is waited for, and it does not say which it means.
    SeveralAsked,
    /// It was written before the question was asked.
    Earlier,
    /// A program wrote it.
    ByProgram,
}

/// Forges give the time of a comment in whole seconds.
const SECOND: Duration = Duration::from_secs(1);

/// Which of these sessions the comment answers, and what in it.
///
/// # Errors
/// Why it answers nothing.
pub fn meaning<'a>(comment: &ItemComment, linked: &'a [Session]) -> Result<(&'a Session, Awaited), NoAnswer> {
    if comment.by_program {
        return Err(NoAnswer::ByProgram);
    }
    let mut waiting = linked.iter().flat_map(|session| awaited(session).into_iter().map(move |what| (session, what)));
    let (session, (awaited, since)) = waiting.next().ok_or(NoAnswer::NothingAsked)?;
    if waiting.next().is_some() {
        return Err(NoAnswer::SeveralAsked);
    }
    match comment.at {
        Some(at) if at + SECOND <= since => Err(NoAnswer::Earlier),
        Some(_) | None => Ok((session, awaited)),
    }
}

/// What a session waits for, and since when: the open question before those that are overdue.
fn awaited(session: &Session) -> Vec<(Awaited, Timestamp)> {
    let open = session.open_question();
    let asked = open.into_iter().chain(session.overdue().filter(|_| open.is_none()));
    let asked: Vec<_> =
        asked.map(|question| (Awaited::Answer(question.spec.id.clone()), question.spec.asked_at)).collect();
    if asked.is_empty() && session.status() == WorkflowStatus::Blocked {
        return vec![(Awaited::WayOn, session.standpoint.since)];
    }
    asked
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingAsked => "nothing was open when it came",
            Self::SeveralAsked => "several things are open, and it cannot say which it answers",
            Self::Earlier => "it was written before the question was asked",
            Self::ByProgram => "a program wrote it",
        })
    }
}
