//! What is searched, and for what.

use crate::domain::ids::BlobId;
use crate::domain::pull::PullRecord;
use crate::domain::review::ReviewRecord;
use crate::domain::session::SessionRecord;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::{Artifact, Comment, KeptText, TaskRecord};
use crate::entry::Record;

/// The most words of a question that are looked for.
const MOST_WORDS: usize = 12;

/// Kinds of records in which nobody ever says anything.
pub(crate) const SILENT: [&str; 14] = [
    "task.offered", "task.offer_returned", "task.acknowledged", "task.dependency_moved", "task.timed_out",
    "task.released", "task.requeued", "task.reassigned", "task.prioritised", "run.started", "run.conversation",
    "run.waiting", "run.resumed", "run.limited",
];

/// The words of a question. What holds no letter and no digit is left out: no text could be found by it.
pub(crate) fn words(query: &str) -> Vec<String> {
    query
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .take(MOST_WORDS)
        .map(str::to_owned)
        .collect()
}

/// A word as the index is asked for it: quoted, so that nothing a person types is syntax, and taken as a beginning.
pub(crate) fn expression(word: &str) -> String {
    format!("\"{}\"*", word.replace('"', "\"\""))
}

/// Everything a record says in words of people and agents; empty for most. `blob` finds a text that is kept apart.
pub(crate) fn said(record: &Record, blob: impl Fn(&BlobId) -> Option<String>) -> String {
    let record = match record {
        Record::Task(record) => record,
        Record::Review(record) => return said_of_review(record),
        Record::Session(record) => return said_in_session(record),
        Record::Question(record) => return said_of_question(record),
        Record::Pull(record) => return said_of_pull(record),
        Record::Agent(_) | Record::Terminal(_) | Record::Workflow(_) | Record::Schedule(_) | Record::Hub(_) => {
            return String::new();
        }
    };
    let kept = |text: &KeptText| match text {
        KeptText::Inline { text, .. } => text.clone(),
        KeptText::Stored { blob: id, head, .. } => blob(id).unwrap_or_else(|| head.clone()),
    };
    let mut parts: Vec<String> = Vec::new();
    match record {
        TaskRecord::Created { spec, .. } => {
            parts.extend(spec.title.clone());
            parts.push(spec.prompt.clone());
            parts.extend(spec.spec.clone());
        }
        TaskRecord::Completed { message, artifacts, .. }
        | TaskRecord::Failed { message, artifacts, .. }
        | TaskRecord::Submitted { message, artifacts, .. } => {
            parts.push(kept(message));
            parts.extend(artifacts.iter().flat_map(words_of_artifact));
        }
        TaskRecord::Blocked { reason, message, artifacts, .. } => {
            parts.push(reason.clone());
            parts.push(kept(message));
            parts.extend(artifacts.iter().flat_map(words_of_artifact));
        }
        TaskRecord::Progressed { message, artifacts, .. } => {
            parts.push(message.clone());
            parts.extend(artifacts.iter().flat_map(words_of_artifact));
        }
        TaskRecord::Approved { message, .. } => parts.extend(message.clone()),
        TaskRecord::ChangesRequested { comments, .. } => parts.extend(comments.iter().map(words_of_comment)),
        TaskRecord::Answered { answer: comment, .. } | TaskRecord::Remarked { comment, .. } => {
            parts.push(words_of_comment(comment));
        }
        TaskRecord::Edited { title, prompt, .. } => parts.extend(title.iter().chain(prompt).cloned()),
        TaskRecord::Cancelled { reason } => parts.extend(reason.clone()),
        TaskRecord::DeadLettered { reason } => parts.push(reason.clone()),
        TaskRecord::RunEnded { process, .. } => {
            parts.extend(process.as_ref().and_then(|process| process.tail.as_ref()).map(kept));
        }
        TaskRecord::Offered { .. }
        | TaskRecord::OfferReturned { .. }
        | TaskRecord::Acknowledged { .. }
        | TaskRecord::LeaseExtended { .. }
        | TaskRecord::GraceGiven { .. }
        | TaskRecord::DependencyMoved { .. }
        | TaskRecord::TimedOut { .. }
        | TaskRecord::Released { .. }
        | TaskRecord::Requeued { .. }
        | TaskRecord::Reassigned { .. }
        | TaskRecord::Prioritised { .. }
        | TaskRecord::RunStarted { .. }
        | TaskRecord::RunConversation { .. }
        | TaskRecord::RunWaiting { .. }
        | TaskRecord::RunResumed { .. }
        | TaskRecord::RunLimited { .. }
        | TaskRecord::RunBudget { .. } => {}
    }
    parts.join("\n")
}

/// What the task's own records say too is not said twice.
fn said_of_review(record: &ReviewRecord) -> String {
    match record {
        ReviewRecord::Submitted { round } => round.notes.clone().unwrap_or_default(),
        ReviewRecord::Commented { comment } => words_of_comment(&comment.comment),
        ReviewRecord::Resolved { response, .. } => response.clone().unwrap_or_default(),
        ReviewRecord::Approved { .. }
        | ReviewRecord::ChangesRequested { .. }
        | ReviewRecord::TakenBack { .. }
        | ReviewRecord::Withdrawn { .. } => String::new(),
    }
}

fn said_in_session(record: &SessionRecord) -> String {
    match record {
        SessionRecord::WorkflowStatus { message, details, blockers, .. } => {
            let phase = details.as_ref().and_then(|details| details.phase.as_deref());
            let parts = [message.as_str()].into_iter().chain(phase).chain(blockers.iter().map(String::as_str));
            parts.collect::<Vec<_>>().join("\n")
        }
        SessionRecord::Linked { work_item } => work_item.to_string(),
        SessionRecord::Opened { .. } | SessionRecord::TakenUp => String::new(),
    }
}

fn said_of_pull(record: &PullRecord) -> String {
    match record {
        PullRecord::Requested { spec, .. } => format!("{}\n{}", spec.title, spec.body),
        PullRecord::Updated { title, .. } => title.clone(),
        PullRecord::Failed { reason, .. } => reason.clone(),
        PullRecord::ChangeRequested { change, .. } => {
            change.title.iter().chain(&change.body).cloned().collect::<Vec<_>>().join("\n")
        }
        PullRecord::Created { .. }
        | PullRecord::MergeRequested { .. }
        | PullRecord::MergeSent { .. }
        | PullRecord::Outdated { .. }
        | PullRecord::Merged { .. }
        | PullRecord::Closed { .. } => String::new(),
    }
}

fn said_of_question(record: &QuestionRecord) -> String {
    match record {
        QuestionRecord::Asked { spec } => {
            let parts = [&spec.question, &spec.default_action].into_iter().chain(&spec.options);
            parts.cloned().collect::<Vec<_>>().join("\n")
        }
        QuestionRecord::Resolved { resolution, .. } => format!("{}\n{}", resolution.value, resolution.by.display_name),
        QuestionRecord::AnsweredLate { answer, .. } => format!("{}\n{}", answer.value, answer.by.display_name),
        QuestionRecord::Used { .. }
        | QuestionRecord::Reminded { .. }
        | QuestionRecord::Overdue { .. }
        | QuestionRecord::DeliveryMoved { .. } => String::new(),
    }
}

fn words_of_artifact(artifact: &Artifact) -> impl Iterator<Item = String> {
    [&artifact.title, &artifact.url, &artifact.path].into_iter().flatten().cloned().collect::<Vec<_>>().into_iter()
}

fn words_of_comment(comment: &Comment) -> String {
    match &comment.file {
        Some(file) => format!("{file}\n{}", comment.text),
        None => comment.text.clone(),
    }
}

#[cfg(test)]
mod tests;
