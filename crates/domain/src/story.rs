//! What happened to a task, as people are told it.
//!
//! One word for each kind of event, what the event means for the time that the task waited and was worked on, and
//! whether it folds away. The command line and Discord tell by this; the page (`story.js`) does the same.

use std::time::Duration;

use crate::time::Timestamp;

/// What an event means for the clock from its moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Nobody works on the task.
    Waits,
    Works,
    /// It is closed: no time counts any more.
    Ends,
    Stays,
}

use Pace::{Ends, Stays, Waits, Works};

/// Kind of event, the word for it, its pace, and the name of several of them where they fold away.
type Row = (&'static str, &'static str, Pace, Option<&'static str>);

const ROWS: &[Row] = &[
    ("task.created", "called", Waits, None),
    ("task.offered", "offered", Waits, Some("offers")),
    ("task.offer_returned", "returned", Waits, Some("returned offers")),
    ("task.acknowledged", "acknowledged", Works, None),
    ("task.progressed", "progress", Works, None),
    ("task.lease_extended", "renewed", Stays, Some("renewals")),
    ("task.grace_given", "more time", Stays, Some("extensions")),
    ("task.completed", "completed", Ends, None),
    ("task.failed", "failed", Ends, None),
    ("task.blocked", "blocked", Waits, None),
    ("task.submitted", "handed in", Waits, None),
    ("task.approved", "approved", Waits, None),
    ("task.changes_requested", "sent back", Waits, None),
    ("task.answered", "answered", Waits, None),
    ("task.dependency_moved", "dependency", Stays, Some("moves of other tasks")),
    ("task.timed_out", "timed out", Waits, None),
    ("task.released", "given back", Waits, None),
    ("task.requeued", "queued", Waits, None),
    ("task.reassigned", "reassigned", Waits, None),
    ("task.prioritised", "priority", Stays, None),
    ("task.dead_lettered", "given up", Ends, None),
    ("task.cancelled", "cancelled", Ends, None),
    ("task.remarked", "comment", Stays, None),
    ("task.delegated", "delegated", Stays, None),
    ("run.started", "run starts", Stays, None),
    ("run.conversation", "conversation", Stays, Some("names of conversations")),
    ("run.waiting", "run waits", Stays, None),
    ("run.resumed", "run goes on", Stays, None),
    ("run.limited", "limit met", Stays, None),
    ("run.budget", "budget", Stays, None),
    ("run.ended", "run ended", Stays, None),
    ("review.submitted", "handed in", Waits, None),
    ("review.commented", "comment", Stays, None),
    ("review.resolved", "reply", Stays, None),
    ("review.approved", "approved", Waits, None),
    ("review.changes_requested", "sent back", Waits, None),
    ("review.taken_back", "taken back", Waits, None),
    ("review.withdrawn", "withdrawn", Waits, None),
    ("question.asked", "asked", Stays, None),
    ("question.reminded", "reminded", Stays, Some("reminders")),
    ("question.overdue", "overdue", Stays, None),
    ("question.resolved", "answered", Stays, None),
    ("question.used", "used", Stays, Some("answers used")),
    ("question.answered_late", "too late", Stays, None),
    ("question.delivery_moved", "told", Stays, Some("answers told")),
    ("pr.opened", "pull request", Stays, None),
    ("hub.task_starving", "nobody fits", Stays, None),
    ("agent.notice_posted", "notice", Stays, None),
    ("agent.notice_moved", "notice", Stays, Some("notices on their way")),
    ("agent.notices_heard", "heard", Stays, Some("notices heard")),
];

/// The kinds between which an agent waits for people.
pub const ASKED: &str = "question.asked";
pub const ANSWERED: &str = "question.resolved";

fn row(kind: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.0 == kind)
}

/// The word for a kind of event; one that is not listed goes by its own name.
pub fn word(kind: &str) -> String {
    let own = || kind.rsplit('.').next().unwrap_or(kind).replace('_', " ");
    row(kind).map_or_else(own, |row| row.1.to_owned())
}

/// What a kind of event means for the clock.
pub fn pace(kind: &str) -> Pace {
    row(kind).map_or(Stays, |row| row.2)
}

/// How several events of this kind are called where they fold away; none where each is told.
pub fn folds(kind: &str) -> Option<&'static str> {
    row(kind)?.3
}

/// How long a task waited, and how long somebody worked on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    pub waited: Duration,
    pub worked: Duration,
}

impl Spent {
    /// Of all that happened to a task, oldest first, up to this moment. Whoever works on it waits while a question of
    /// it is open, where that is among what happened.
    pub fn of<K: AsRef<str>>(happened: impl IntoIterator<Item = (Timestamp, K)>, until: Timestamp) -> Self {
        let mut spent = Self::default();
        let (mut since, mut now, mut open) = (None, Waits, 0_usize);
        let mut counts = |from: Option<Timestamp>, to: Timestamp, pace, open: usize| {
            let span = from.map_or(Duration::ZERO, |from| to.since(from));
            match pace {
                Works if open == 0 => spent.worked += span,
                Waits | Works => spent.waited += span,
                Ends | Stays => {}
            }
        };
        for (at, kind) in happened {
            counts(since, at, now, open);
            since = Some(at);
            match kind.as_ref() {
                ASKED => open += 1,
                ANSWERED => open = open.saturating_sub(1),
                _ => {}
            }
            now = match pace(kind.as_ref()) {
                Stays => now,
                // What is told of a task after its end changes nothing, but a task may begin anew.
                pace @ (Waits | Works | Ends) => pace,
            };
        }
        counts(since, until, now, open);
        spent
    }
}

/// One short line of all of it: `Asked 1 question, 2 rounds of review, 14 min at work, 3 min waiting`; none where
/// nothing took a minute and nobody was asked.
pub fn in_short(questions: usize, rounds: usize, spent: Spent) -> Option<String> {
    let several = |count: usize, one: &str, more: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {more}")),
    };
    let time = |span: Duration, how: &str| match span.as_secs() {
        0..30 => None,
        seconds @ 30..5_970 => Some(format!("{} min {how}", (seconds + 30) / 60)),
        seconds => Some(format!("{} h {how}", (seconds + 1_800) / 3_600)),
    };
    let parts = [
        several(questions, "question", "questions").map(|questions| format!("asked {questions}")),
        several(rounds, "round of review", "rounds of review"),
        time(spent.worked, "at work"),
        time(spent.waited, "waiting"),
    ];
    let line = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let (first, rest) = line.split_at_checked(1)?;
    Some(format!("{}{rest}", first.to_uppercase()))
}

#[cfg(test)]
mod tests;
