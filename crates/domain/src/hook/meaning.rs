//! What a comment means to the sessions that are linked to its work item: an answer to what one of them waits for, a
//! late one, or no more than a comment.
//!
//! *Late* is what would have been an answer to the question that was resolved last: one of its options within a day,
//! and where any text is an answer, what was written before the resolution or soon after it. All else is talk.

use std::fmt;
use std::time::Duration;

use super::event::ItemComment;
use crate::ids::QuestionId;
use crate::session::question::{ASKED_AGAIN, QuestionSpec, Reply, own_words};
use crate::session::{Session, WorkflowStatus};
use crate::time::Timestamp;

/// What a comment does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited {
    /// It answers this question: with this value.
    Answer(QuestionId, String),
    /// It says how to go on, in these words.
    WayOn(String),
    /// It would have answered this question with this value, which has its answer.
    Late(QuestionId, String),
}

/// Why a comment answers nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    NothingAsked,
    SeveralAsked,
    Earlier,
    ByProgram,
    /// It names none of the options of this question, which takes nothing else.
    NotAnOption(QuestionId),
    OnlyQuotes,
}

/// Forges give the time of a comment in whole seconds.
const SECOND: Duration = Duration::from_secs(1);
/// For how long an option is a late answer.
const LATE_WITHIN: Duration = Duration::from_hours(24);

/// Which of these sessions the comment answers, and what in it. The error says why it answers nothing.
pub fn meaning<'a>(
    comment: &ItemComment,
    linked: &'a [Session],
    now: Timestamp,
) -> Result<(&'a Session, Awaited), NoAnswer> {
    if comment.by_program {
        return Err(NoAnswer::ByProgram);
    }
    let mut waiting = linked.iter().flat_map(|session| waits(session).into_iter().map(move |what| (session, what)));
    let Some((session, (waits_for, since))) = waiting.next() else {
        return late(comment, linked, now).ok_or(NoAnswer::NothingAsked);
    };
    if waiting.next().is_some() {
        return Err(NoAnswer::SeveralAsked);
    }
    if comment.at.is_some_and(|at| at + SECOND < since) {
        return Err(NoAnswer::Earlier);
    }
    let awaited = match waits_for {
        Some(spec) => match spec.read_reply(&comment.text) {
            Reply::Option(value) | Reply::Words(value) => Awaited::Answer(spec.id.clone(), value),
            Reply::Talk if takes_any_text(spec) => return Err(NoAnswer::OnlyQuotes),
            Reply::Talk => return Err(NoAnswer::NotAnOption(spec.id.clone())),
        },
        None => match own_words(&comment.text) {
            words if words.is_empty() => return Err(NoAnswer::OnlyQuotes),
            words => Awaited::WayOn(words),
        },
    };
    Ok((session, awaited))
}

/// What a session waits for (an answer, or how to go on), and since when: the open question before the overdue ones.
fn waits(session: &Session) -> Vec<(Option<&QuestionSpec>, Timestamp)> {
    let open = session.open_question();
    let asked = open.into_iter().chain(session.overdue().filter(|_| open.is_none()));
    let asked: Vec<_> = asked.map(|question| (Some(&question.spec), question.spec.asked_at)).collect();
    if asked.is_empty() && session.status() == WorkflowStatus::Blocked {
        return vec![(None, session.standpoint.since)];
    }
    asked
}

/// The question that was resolved last, where the comment, unless it was only edited, would have been its answer.
fn late<'a>(comment: &ItemComment, linked: &'a [Session], now: Timestamp) -> Option<(&'a Session, Awaited)> {
    let resolved = linked.iter().flat_map(|session| {
        session.questions.iter().filter_map(move |question| Some((question.resolution()?.at, session, question)))
    });
    let (at, session, question) = resolved.max_by_key(|(at, ..)| *at).filter(|_| !comment.edited)?;
    let is_near = |within: Duration| now.since(at) <= within;
    let value = match question.spec.read_reply(&comment.text) {
        Reply::Option(value) if is_near(LATE_WITHIN) => value,
        Reply::Words(value) if is_near(ASKED_AGAIN) || comment.at.is_some_and(|written| written <= at) => value,
        Reply::Option(_) | Reply::Words(_) | Reply::Talk => return None,
    };
    let is_after_question = comment.at.is_none_or(|written| written + SECOND >= question.spec.asked_at);
    is_after_question.then(|| (session, Awaited::Late(question.spec.id.clone(), value)))
}

const fn takes_any_text(spec: &QuestionSpec) -> bool {
    spec.options.is_empty() || spec.allow_free_text
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingAsked => "nothing was open when it came",
            Self::SeveralAsked => "several things are open, and it cannot say which it answers",
            Self::Earlier => "it was written before the question was asked",
            Self::ByProgram => "a program wrote it",
            Self::NotAnOption(_) => "it names none of the options, and the question takes nothing else",
            Self::OnlyQuotes => "it says nothing but what it quotes",
        })
    }
}
