//! What an order to a task means for its review. The task has decided before: here is only what was said.

use super::record::ReviewRecord;
use super::refusal::ReviewRefusal;
use super::state::{
    Change, Review, ReviewComment, ReviewState, Round, Side, Submission, Verdict, VerdictKind, Withdrawal,
};
use crate::ids::CommentId;
use crate::invariants::Broken;
use crate::task::{Cause, Comment, Task, TaskCommand, TaskDecision, TaskRecord, TaskState};
use crate::time::Timestamp;

type Followed = Result<Vec<ReviewRecord>, ReviewRefusal>;

/// What follows for a task's review from an order that the task has decided; `next` is the task after it. Fails when
/// there is no review, it is full, or has no such comment.
pub fn follow(
    review: Option<&Review>,
    now: Timestamp,
    command: &TaskCommand,
    cause: &Cause,
    decision: &TaskDecision,
    next: &Task,
) -> Followed {
    let records = match command {
        TaskCommand::SubmitForReview { submission, .. } => submitted(review, now, submission, decision, next)?,
        TaskCommand::Approve { message, grounds, round, .. } => {
            is_newest(review, *round, next)?;
            let verdict =
                Verdict { grounds: grounds.clone(), ..verdict(VerdictKind::Approved, now, message.as_ref(), cause) };
            approved(review, verdict, decision)
        }
        TaskCommand::RequestChanges { comments, round } => {
            is_newest(review, *round, next)?;
            changes(review, now, comments, cause, decision, next)?
        }
        TaskCommand::Discuss { comment, side } => commented(review, comment, *side, next)?,
        TaskCommand::Dismiss { login } => dismissed(review, login),
        TaskCommand::Resolve { comment, response } => resolved(review, comment, response.as_ref(), cause, next)?,
        TaskCommand::Create { .. }
        | TaskCommand::Offer { .. }
        | TaskCommand::ReturnOffer { .. }
        | TaskCommand::PassOn { .. }
        | TaskCommand::Release { .. }
        | TaskCommand::Acknowledge { .. }
        | TaskCommand::Report { .. }
        | TaskCommand::Await { .. }
        | TaskCommand::Resume { .. }
        | TaskCommand::SettleBudget { .. }
        | TaskCommand::TakeBack { .. }
        | TaskCommand::Answer { .. }
        | TaskCommand::DependencyMoved { .. }
        | TaskCommand::Cancel { .. }
        | TaskCommand::Retry
        | TaskCommand::Requeue
        | TaskCommand::Reassign { .. }
        | TaskCommand::Edit { .. }
        | TaskCommand::Remark { .. }
        | TaskCommand::GiveGrace { .. }
        | TaskCommand::StartRun { .. }
        | TaskCommand::NameConversation { .. }
        | TaskCommand::LimitRun { .. }
        | TaskCommand::ResumeRun { .. }
        | TaskCommand::EndRun { .. }
        | TaskCommand::Tick => withdrawn(review, next),
    };
    Ok(records)
}

/// R2: a review is open exactly while its task waits for a verdict.
pub fn review_stands(task: &Task, review: Option<&Review>) -> Result<(), Broken> {
    let waits = matches!(task.state, TaskState::InReview { approved: false, .. });
    let open = review.is_some_and(|review| review.state == ReviewState::Open);
    if waits == open {
        return Ok(());
    }
    let state = review.map_or_else(|| "missing".to_owned(), |review| review.state.to_string());
    let what = format!("task `{}` is {} and its review is {state}", task.id(), task.name());
    Err(Broken { name: "R2 review-follows-task", what })
}

fn submitted(
    review: Option<&Review>,
    now: Timestamp,
    submission: &Submission,
    decision: &TaskDecision,
    next: &Task,
) -> Followed {
    let Some(TaskRecord::Submitted { agent, message, diff, .. }) = decision.records.last() else {
        return Ok(Vec::new());
    };
    let before = review.map_or(0, |review| review.rounds.len());
    if before >= Review::ROUNDS {
        return Err(full(next));
    }
    let round = Round {
        number: u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1),
        agent: agent.clone(),
        session: submission.session.clone(),
        message: message.clone(),
        change: Change { diff: diff.clone(), ..submission.change.clone() },
        notes: submission.notes.clone(),
        at: now,
        verdicts: Vec::new(),
    };
    Ok(vec![ReviewRecord::Submitted { round: Box::new(round) }])
}

/// Passes a verdict on the newest round, and one that names none.
fn is_newest(review: Option<&Review>, seen: Option<u32>, next: &Task) -> Result<(), ReviewRefusal> {
    let newest = review.and_then(Review::round);
    match (seen, newest) {
        (Some(seen), Some(newest)) if seen != newest.number => {
            Err(ReviewRefusal::HandedInAgain { task: next.id().to_string(), seen, newest: newest.number })
        }
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}

/// A second reviewer's agreement is kept, too: the first may be taken back.
fn approved(review: Option<&Review>, verdict: Verdict, decision: &TaskDecision) -> Vec<ReviewRecord> {
    let Some(review) = review else { return Vec::new() };
    let is_another = |known: &Verdict| {
        known.taken_back.is_some() || known.by.id != verdict.by.id || known.grounds != verdict.grounds
    };
    let said = review.round().is_some_and(|round| round.verdicts.iter().all(is_another));
    let again = review.state == ReviewState::Approved && said;
    if decision.records.is_empty() && !again { Vec::new() } else { vec![ReviewRecord::Approved { verdict }] }
}

fn changes(
    review: Option<&Review>,
    now: Timestamp,
    comments: &[Comment],
    cause: &Cause,
    decision: &TaskDecision,
    next: &Task,
) -> Followed {
    let Some(review) = review.filter(|_| !decision.records.is_empty()) else { return Ok(Vec::new()) };
    if comments.is_empty() && review.unresolved().next().is_none() {
        return Err(ReviewRefusal::NoWish);
    }
    fits(review, comments, next)?;
    let comments = comments.iter().map(|comment| placed(review, comment, Side::New)).collect();
    let verdict = verdict(VerdictKind::ChangesRequested, now, None, cause);
    Ok(vec![ReviewRecord::ChangesRequested { verdict, comments }])
}

fn commented(review: Option<&Review>, comment: &Comment, side: Side, next: &Task) -> Followed {
    let review = review.ok_or_else(|| no_review(next))?;
    fits(review, std::slice::from_ref(comment), next)?;
    let mut comment = comment.clone();
    if let Some(answered) = &comment.reply_to {
        let known = review.comment(answered).ok_or_else(|| unknown(answered))?;
        // A thread is flat: a reply to a reply stands behind the comment that began it.
        comment.reply_to = known.comment.reply_to.clone().or_else(|| Some(answered.clone()));
    }
    Ok(vec![ReviewRecord::Commented { comment: Box::new(placed(review, &comment, side)) }])
}

fn resolved(
    review: Option<&Review>,
    comment: &CommentId,
    response: Option<&String>,
    cause: &Cause,
    next: &Task,
) -> Followed {
    let review = review.ok_or_else(|| unknown(comment))?;
    let known = review.comment(comment).and_then(|known| review.thread_of(known)).ok_or_else(|| unknown(comment))?;
    if let Some(resolved) = &known.resolved
        && (response.is_none() || resolved.response.as_ref() == response)
    {
        return Ok(Vec::new());
    }
    if review.text_bytes() + response.map_or(0, String::len) > Review::TEXT {
        return Err(full(next));
    }
    Ok(vec![ReviewRecord::Resolved {
        comment: known.comment.id.clone(),
        by: cause.who.clone(),
        response: response.cloned(),
    }])
}

/// The review stays as it stands: its task is approved, and what a merge stands on is asked of the forge.
fn dismissed(review: Option<&Review>, login: &str) -> Vec<ReviewRecord> {
    let verdicts = review.and_then(Review::round).map(|round| round.verdicts.as_slice()).unwrap_or_default();
    let stands = verdicts.iter().any(|verdict| verdict.is_standing_copy_of(login));
    stands.then(|| ReviewRecord::TakenBack { login: login.to_owned() }).into_iter().collect()
}

/// The task left its reviewer by another way than a verdict.
fn withdrawn(review: Option<&Review>, next: &Task) -> Vec<ReviewRecord> {
    let why = match &next.state {
        TaskState::InReview { .. } => return Vec::new(),
        TaskState::Cancelled { .. } => Withdrawal::Cancelled,
        TaskState::Queued { .. }
        | TaskState::Assigned { .. }
        | TaskState::InProgress { .. }
        | TaskState::Blocked { .. }
        | TaskState::Timeout { .. }
        | TaskState::Completed { .. }
        | TaskState::Failed { .. }
        | TaskState::DeadLetter { .. } => Withdrawal::TakenBack,
    };
    let open = review.is_some_and(|review| review.state == ReviewState::Open);
    open.then_some(ReviewRecord::Withdrawn { why }).into_iter().collect()
}

fn verdict(kind: VerdictKind, at: Timestamp, message: Option<&String>, cause: &Cause) -> Verdict {
    let (by, surface, message) = (cause.who.clone(), cause.by.surface, message.cloned());
    Verdict { kind, by, surface, message, grounds: None, at, taken_back: None }
}

fn placed(review: &Review, comment: &Comment, side: Side) -> ReviewComment {
    let round = review.round().map_or(1, |round| round.number);
    ReviewComment { comment: comment.clone(), side, round, resolved: None }
}

fn fits(review: &Review, more: &[Comment], next: &Task) -> Result<(), ReviewRefusal> {
    let bytes: usize = more.iter().map(|comment| comment.text.len()).sum();
    let fits = review.comments.len() + more.len() <= Review::COMMENTS && review.text_bytes() + bytes <= Review::TEXT;
    if fits { Ok(()) } else { Err(full(next)) }
}

fn full(task: &Task) -> ReviewRefusal {
    ReviewRefusal::Full { task: task.id().to_string() }
}

fn no_review(task: &Task) -> ReviewRefusal {
    ReviewRefusal::NoReview { task: task.id().to_string() }
}

fn unknown(comment: &CommentId) -> ReviewRefusal {
    ReviewRefusal::CommentNotFound { comment: comment.to_string() }
}
