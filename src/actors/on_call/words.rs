//! What a client on call reads: its task, and what it is resumed with.

use std::fmt::Write as _;

use crate::actors::task::OfferedTask;
use crate::domain::agent::Notice;
use crate::domain::ids::TaskId;
use crate::domain::task::{Comment, Task, TaskSpec};

pub(super) fn brief(offered: &OfferedTask) -> String {
    let spec = &offered.spec;
    let mut text = asked(spec, &offered.comments);
    if !offered.dependencies.is_empty() {
        text.push_str("\n\nIt waited for other tasks: get_task_context tells their results.");
    }
    let _ = write!(text, "\n\n{}", on_call(&spec.id));
    text
}

/// All that is known of a task, for a conversation that begins anew in the middle of it.
pub(super) fn story(task: &Task, input: &str) -> String {
    let asked = asked(&task.spec, &task.comments);
    let how = on_call(task.id());
    format!("You go on with a task that was begun before.\n\n{asked}\n\n## What is new\n{input}\n\n{how}")
}

/// What is to be done, and what was said of it.
fn asked(spec: &TaskSpec, comments: &[Comment]) -> String {
    let mut text = spec.prompt.clone();
    if let Some(more) = &spec.spec {
        let _ = write!(text, "\n\n## Specification\n{more}");
    }
    if let Some(context) = &spec.context {
        let _ = write!(text, "\n\n## Context\n```json\n{context}\n```");
    }
    if !comments.is_empty() {
        let _ = write!(text, "\n\n## What was said of it\n{}", said(comments));
    }
    text
}

pub(super) fn news(notices: &[Notice]) -> String {
    let told: Vec<String> =
        notices.iter().map(|notice| format!("{}: {}", notice.from.display_name, notice.text)).collect();
    told.join("\n\n")
}

pub(super) fn back(offered: &OfferedTask) -> String {
    let said = said(&offered.comments);
    let news = if said.is_empty() { "Your task is yours again: go on with it.".to_owned() } else { said };
    format!("{news}\n\n{}", on_call(&offered.spec.id))
}

fn said(comments: &[Comment]) -> String {
    let line = |comment: &Comment| {
        let place = match (&comment.file, comment.line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            (Some(file), None) => format!(" ({file})"),
            (None, _) => String::new(),
        };
        format!("- {}{place}: {}", comment.from.display_name, comment.text)
    };
    comments.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn on_call(task: &TaskId) -> String {
    format!(
        "## How to report\nYou are on call: callboard task {task} is yours already, and no other. Tell how it goes \
         with send_response (taskId {task}, status PROGRESS), and at the end call it with status COMPLETED, FAILED or \
         BLOCKED. Ask a person with request_input. Then end your turn. Do not call wait_for_prompt: you are started \
         again when there is more."
    )
}
