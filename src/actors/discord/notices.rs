//! What of an append must be said on Discord. The delivery has it whole: the task may have moved on before it is sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::places::Places;
use crate::domain::discord::{DiscordOrigin, REASON, ended, headline, part_of_work, quoted, size_text};
use crate::domain::ids::{BlobId, QuestionId, TaskId};
use crate::domain::outbox::NewDelivery;
use crate::domain::review::{ReviewRecord, Round};
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::{Comment, KeptText, Task, TaskRecord, TaskState};
use crate::journal::{Append, Record, Row, Stream};

/// A task was asked for (a sign on the request, the thread, the status message) or moved on; a review has its verdict,
/// or needs none; a question is asked, much of its time is gone, or it has its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Notice {
    Opened { task: TaskId },
    Moved(Moved),
    Judged { task: TaskId, verdict: String, wishes: Option<String> },
    Asked { question: QuestionId },
    Waiting { question: QuestionId },
    Resolved { question: QuestionId },
}

/// A task ended, or somebody must act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Moved {
    pub(super) task: TaskId,
    /// The first line; empty where only the sign changes, since whoever asked did it.
    pub(super) head: String,
    /// What the agent reported, or where that lies when it is long.
    pub(super) text: Option<String>,
    pub(super) blob: Option<BlobId>,
    pub(super) sign: String,
    pub(super) components: Value,
    /// The round of the review that it shows, where it asks for one.
    pub(super) round: Option<u32>,
}

/// A notice, and the place on Discord that it is posted to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PlacedNotice {
    #[serde(flatten)]
    pub(super) notice: Notice,
    /// A [`DiscordOrigin`], as JSON.
    pub(super) place: Value,
}

/// Everything of an append that must be said, in its order; and the tasks whose status changed.
pub(super) fn of(append: &Append, places: &Places, who: impl Fn(&Task) -> String) -> (Vec<NewDelivery>, Vec<TaskId>) {
    let mut said = Vec::new();
    let on_discord = tasks(append).filter(|task| places.take(&task.spec).is_some());
    let changed = on_discord.map(|task| task.spec.id.clone()).collect();
    for entry in &append.entries {
        match (&entry.stream, &entry.record) {
            (Stream::Task(id), Record::Task(record)) => {
                let task = tasks(append).find(|task| task.spec.id == *id);
                // Of a part of the work people judge a review, and whoever handed it out hears all else.
                let is_shown = |whole: &TaskId| whole == id || matches!(record, TaskRecord::Submitted { .. });
                let place = places.whole_of(id).filter(|(whole, _)| is_shown(whole));
                if let (Some((_, place)), Some(task)) = (place, task) {
                    said.extend(of_task(record, task, append, &who).map(|notice| (place, notice, id.to_string())));
                }
            }
            (Stream::Task(id), Record::Review(record)) => {
                let judged = |(verdict, wishes)| Notice::Judged { task: id.clone(), verdict, wishes };
                let notice = verdict(record, append).map(judged);
                let place = places.whole_of(id).map(|(_, place)| place);
                said.extend(place.zip(notice).map(|(place, notice)| (place, notice, id.to_string())));
            }
            (_, Record::Question(QuestionRecord::Reminded { id, .. } | QuestionRecord::Overdue { id })) => {
                let notice = Notice::Waiting { question: id.clone() };
                said.extend(places.of_question(id).map(|(_, place)| (place, notice, id.to_string())));
            }
            (_, Record::Question(QuestionRecord::Asked { spec })) => {
                let place = spec.task_id.as_ref().and_then(|task| places.asked(&spec.id, task));
                let notice = Notice::Asked { question: spec.id.clone() };
                said.extend(place.map(|place| (place, notice, spec.id.to_string())));
            }
            (_, Record::Question(QuestionRecord::Resolved { id, .. })) => {
                let notice = Notice::Resolved { question: id.clone() };
                said.extend(places.of_question(id).map(|(_, place)| (place, notice, id.to_string())));
            }
            (_, _) => {}
        }
    }
    (said.into_iter().filter_map(|(place, notice, about)| delivery(place, notice, &about)).collect(), changed)
}

fn tasks(append: &Append) -> impl Iterator<Item = &Task> {
    append.rows.iter().filter_map(|row| if let Row::Task(task) = row { Some(&**task) } else { None })
}

/// What ends the buttons of a review, and what is to change.
fn verdict(record: &ReviewRecord, append: &Append) -> Option<(String, Option<String>)> {
    match record {
        ReviewRecord::Approved { verdict } => Some((format!("Approved by {}", verdict.by.display_name), None)),
        ReviewRecord::ChangesRequested { verdict, comments } => {
            let place = |wish: &Comment| match (&wish.file, wish.line) {
                (Some(file), Some(line)) => format!("{file}:{line}: "),
                (Some(file), None) => format!("{file}: "),
                (None, _) => String::new(),
            };
            let wishes = comments.iter().map(|wish| format!("{}{}", place(&wish.comment), wish.comment.text));
            let wishes = verdict.message.iter().cloned().chain(wishes).collect::<Vec<_>>().join("\n");
            let wishes = Some(wishes).filter(|wishes| !wishes.is_empty());
            let reviews = append.rows.iter().filter_map(|row| if let Row::Review(it) = row { Some(it) } else { None });
            let approved = reviews.flat_map(|review| review.overruled()).collect::<Vec<_>>().join(" and ");
            let by = &verdict.by.display_name;
            let said = match approved.as_str() {
                "" => format!("Changes requested by {by}"),
                approved => format!("Approved by {approved}, then changes requested by {by}"),
            };
            Some((said, wishes))
        }
        ReviewRecord::Withdrawn { .. } => Some(("Needs no review any more".to_owned(), None)),
        ReviewRecord::Submitted { .. }
        | ReviewRecord::Commented { .. }
        | ReviewRecord::Resolved { .. }
        | ReviewRecord::TakenBack { .. } => None,
    }
}

fn handed_in(append: &Append) -> Option<&Round> {
    append.entries.iter().find_map(|entry| {
        if let Record::Review(ReviewRecord::Submitted { round }) = &entry.record { Some(&**round) } else { None }
    })
}

fn of_task(record: &TaskRecord, task: &Task, append: &Append, who: impl Fn(&Task) -> String) -> Option<Notice> {
    let is_out_of_time = matches!((record, &task.state), (TaskRecord::TimedOut { .. }, TaskState::Timeout { .. }));
    let tells = if let TaskRecord::Created { .. } = record {
        return Some(Notice::Opened { task: task.spec.id.clone() });
    } else if let TaskRecord::Completed { message, .. }
    | TaskRecord::Failed { message, .. }
    | TaskRecord::Submitted { message, .. }
    // A question itself says that it still waits.
    | TaskRecord::Blocked { question: None, message, .. } = record
    {
        Some(message)
    } else if matches!(record, TaskRecord::Cancelled { .. } | TaskRecord::DeadLettered { .. }) || is_out_of_time {
        None
    } else {
        // Where its time ran out and it goes back into its queue, the status says so.
        return None;
    };
    let (sign, mut head) = headline(task, &who(task));
    let round = handed_in(append).filter(|_| matches!(task.state, TaskState::InReview { approved: false, .. }));
    if let Some(again) = round.filter(|round| round.number > 1) {
        head.push_str(&format!(" · round {}", again.number));
    }
    if let Some(size) = round.and_then(|round| round.change.size.as_ref()) {
        head.push_str(&format!(" · {}", size_text(size)));
    }
    if let Some(round) = round.filter(|_| task.spec.parent.is_some()) {
        head.push_str(&format!("\n{}", part_of_work(&round.agent, task)));
    }
    // Whoever called it off knows.
    if matches!(record, TaskRecord::Cancelled { .. }) && append.by.principal == task.spec.asker {
        head.clear();
    }
    let round = round.map(|round| round.number);
    let (text, blob) = match tells {
        Some(KeptText::Inline { text, .. }) => {
            let beside = |reason: &String| beside(text, reason);
            let reason = if let TaskRecord::Blocked { reason, .. } = record { Some(reason) } else { None };
            (Some(reason.map_or_else(|| text.clone(), beside)), None)
        }
        Some(KeptText::Stored { blob, .. }) => (None, Some(blob.clone())),
        None => (None, None),
    };
    let (task, sign, components) = (task.spec.id.clone(), sign.to_owned(), ended(task, round));
    Some(Notice::Moved(Moved { task, head, text, blob, sign, components, round }))
}

/// What a report says beside the reason why its agent stands still, where that is said whole above it.
fn beside(text: &str, reason: &str) -> String {
    let (text, reason) = (text.trim(), reason.trim());
    if reason.is_empty() || quoted(reason, REASON) != quoted(reason, usize::MAX) {
        return text.to_owned();
    }
    let is_apart = |rest: &&str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let behind = text.strip_prefix(reason).filter(is_apart);
    let before = || text.strip_suffix(reason).filter(|rest| rest.ends_with(char::is_whitespace));
    if let Some(rest) = behind.or_else(before) {
        return rest.trim().to_owned();
    }
    text.split('\n').filter(|line| line.trim() != reason).collect::<Vec<_>>().join("\n")
}

/// In the lane of its request: in order there, and held up by nobody else.
fn delivery(place: DiscordOrigin, notice: Notice, about: &str) -> Option<NewDelivery> {
    let what = match &notice {
        Notice::Opened { .. } => "is taken on",
        Notice::Moved(_) => "moved on",
        Notice::Judged { .. } => "has its verdict",
        Notice::Asked { .. } => "is asked",
        Notice::Waiting { .. } => "still waits",
        Notice::Resolved { .. } => "has its answer",
    };
    let body = serde_json::to_value(PlacedNotice { notice, place: place.to_context() }).ok()?;
    Some(NewDelivery {
        destination: String::new(),
        lane: place.message.to_string(),
        summary: format!("{about} {what}"),
        body,
    })
}

#[cfg(test)]
mod tests;
