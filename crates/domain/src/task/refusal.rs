//! Why a task says no. Each has a stable code, a sentence that says what is wrong, and where possible what to do.

use thiserror::Error;

use super::notify::head;
use super::spec::Comment;
use super::state::TaskStateName;
use crate::ids::{LeaseEpoch, QuestionId, RunId, TaskId};
use crate::names::codes;

/// The refusal of a command by a task, which it leaves as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TaskRefusal {
    /// Not there, or not the caller's: both answer alike.
    #[error("task `{task}` does not exist, or is not yours")]
    NotFound { task: String },
    #[error(
        "you {} task `{task}`: lease {given} {}, the newest is {current}",
        if *holds { "hold" } else { "no longer hold" },
        if given > current { "was never given" } else { "is over" }
    )]
    LeaseLost {
        task: TaskId,
        given: LeaseEpoch,
        current: LeaseEpoch,
        /// Whether the caller holds the task all the same, under that one.
        holds: bool,
    },
    #[error("task `{task}` is closed: it is {state}")]
    Closed { task: TaskId, state: TaskStateName },
    #[error("task `{task}` was cancelled{}", reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default())]
    Cancelled { task: TaskId, reason: Option<String> },
    #[error("task `{task}` is {state}: {needs}")]
    WrongState { task: TaskId, state: TaskStateName, needs: &'static str },
    #[error(
        "task `{task}` was sent back by its reviewer, and you have not heard yet what is to change:{}",
        listed(wishes)
    )]
    ChangesRequested {
        task: TaskId,
        /// The number of the offer by which it comes back, where there is one.
        offer: Option<LeaseEpoch>,
        /// What is to change, as far as it stands with the task; the open threads of the review beside it.
        wishes: Vec<Comment>,
    },
    #[error(
        "task `{task}` is not completed while your question `{question}` is open: its default could do harm, and a \
         person answers it"
    )]
    QuestionOpen { task: TaskId, question: QuestionId },
    #[error("a BLOCKED response needs `blockedReason`: what do you need, and from whom?")]
    BlockedReasonMissing,
    #[error("run `{run}` is none of this task's")]
    RunNotFound { run: RunId },
    #[error("run `{run}` does not allow this: {needs}")]
    RunWrongState {
        run: RunId,
        /// What is asked needs, or what stands against it.
        needs: &'static str,
    },
    #[error("an agent approves nothing and requests no changes: that is for people, and for whoever they let act")]
    NotYoursToJudge,
}

codes!(TaskRefusal {
    NotFound = "TASK_NOT_FOUND", LeaseLost = "LEASE_LOST", Closed = "TASK_CLOSED", Cancelled = "TASK_CANCELLED",
    WrongState = "TASK_WRONG_STATE", ChangesRequested = "CHANGES_REQUESTED", QuestionOpen = "QUESTION_OPEN",
    BlockedReasonMissing = "BLOCKED_REASON_MISSING", RunNotFound = "RUN_NOT_FOUND", RunWrongState = "RUN_WRONG_STATE",
    NotYoursToJudge = "NOT_YOURS_TO_JUDGE",
});

/// Wishes in a sentence; of many the first.
fn listed(wishes: &[Comment]) -> String {
    /// More than that are counted.
    const LISTED: usize = 20;
    let mut lines: String = wishes.iter().take(LISTED).map(|wish| format!("\n- {}", place_and_text(wish))).collect();
    match wishes.len() {
        0 => lines.push_str(" the comments that are open"),
        many if many > LISTED => lines.push_str(&format!("\n- and {} more", many - LISTED)),
        _ => {}
    }
    lines
}

fn place_and_text(wish: &Comment) -> String {
    let text = head(&wish.text);
    match (&wish.file, wish.line) {
        (Some(file), Some(line)) => format!("`{file}`, line {line}: {text}"),
        (Some(file), None) => format!("`{file}`: {text}"),
        (None, _) => text,
    }
}
