//! A result as one text, for a client that shows its model nothing else: `message`, then whatever else a model needs,
//! then `prompt`, each under its own heading. Clients glue several texts together, or show only the first.
//!
//! The words of others are told from the hub's: a notice is quoted line by line, values stand as JSON, and the text of
//! a task stands between two lines that say whose it is, and that it cannot contain.

use serde_json::{Map, Value};

use crate::domain::agent::Notice;
use crate::domain::ids::TaskId;
use crate::domain::task::Origin;

/// Whose words the beginning of a `prompt` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    pub task: TaskId,
    pub from: Origin,
    /// How many bytes of `prompt` are theirs; what follows is the hub's.
    pub bytes: usize,
}

/// A text in sections.
#[derive(Debug)]
pub(super) struct Rendering(String);

impl Rendering {
    /// Begins with what happened.
    pub(super) fn of(heading: &str, message: &str) -> Self {
        let mut text = String::with_capacity(256 + message.len());
        text.push_str("## ");
        text.push_str(heading);
        text.push('\n');
        text.push_str(message);
        Self(text)
    }

    /// With values, as JSON; nothing where there are none.
    pub(super) fn values(mut self, values: &Map<String, Value>) -> Self {
        if !values.is_empty() {
            // A tree of JSON has no way to fail.
            self.section("Details", &serde_json::to_string(values).unwrap_or_default());
        }
        self
    }

    /// With what the agent has not heard yet, marked with who says it; nothing where there is nothing.
    pub(super) fn notices(mut self, notices: &[Notice]) -> Self {
        if notices.is_empty() {
            return self;
        }
        let items = notices.iter().map(|notice| {
            let about = notice.task_id.as_ref().map(|task| format!(" about task {task}")).unwrap_or_default();
            let who = &notice.from;
            format!("- {} from {} ({}){about}:\n{}", notice.id, who.display_name, who.id, quoted(&notice.text))
        });
        self.section("Notices", &items.collect::<Vec<_>>().join("\n"));
        self
    }

    /// With what to do next, and before it the words of whoever wrote the task that it is; the whole text.
    pub(super) fn prompt(mut self, prompt: Option<&str>, words: Option<&Words>) -> String {
        let Some(prompt) = prompt else { return self.0 };
        let (theirs, ours) = match words.and_then(|words| Some((words, prompt.split_at_checked(words.bytes)?))) {
            Some((words, (theirs, ours))) => (Some((words, theirs)), ours.trim_start()),
            None => (None, prompt),
        };
        if let Some((words, text)) = theirs {
            let Words { task, from, .. } = words;
            let line = line_beside(text);
            let whose = format!("the text of task {task}, in the words of {} ({})", from.display_name, from.id);
            self.section("Task", &format!("{line} Begin of {whose} {line}\n{text}\n{line} End of {whose} {line}"));
        }
        if ours.starts_with("## ") {
            // The hub's instructions mostly bring a heading of their own.
            self.0.push_str("\n\n");
            self.0.push_str(ours);
        } else if !ours.is_empty() {
            self.section("NEXT STEP", ours);
        }
        self.0
    }

    fn section(&mut self, heading: &str, body: &str) {
        self.0.push_str("\n\n## ");
        self.0.push_str(heading);
        self.0.push('\n');
        self.0.push_str(body);
    }
}

/// A row of dashes that does not occur in `text`.
fn line_beside(text: &str) -> String {
    let (mut longest, mut run) = (0_usize, 0_usize);
    for letter in text.chars() {
        run = if letter == '-' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "-".repeat((longest + 1).max(5))
}

/// Each line marked as somebody's words.
fn quoted(text: &str) -> String {
    text.split('\n').map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
