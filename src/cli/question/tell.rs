//! What a person is told before they answer. It goes to standard error: standard output is for the outcome.

use std::io::{self, Write as _};

use crate::cli::prelude::*;

pub(super) fn tell(question: &Value, now: Timestamp) -> Result<(), Problem> {
    let mut out = io::stderr().lock();
    out.write_all(describe(question, now).as_bytes())?;
    Ok(out.flush()?)
}

/// What the agent wrote is indented, so that none of it passes for the hub's own.
pub(super) fn describe(question: &Value, now: Timestamp) -> String {
    let mut words = format!("question  {}\n", text(question, "id"));
    let mut row = |name: &str, value: String| words.push_str(&format!("{name:<9} {value}\n"));
    let task = at(question, "taskId").map(|_| format!(", on task {}", text(question, "taskId"))).unwrap_or_default();
    row("asked by", format!("{}{task}, {} ago", text(question, "agentId"), ago(question, "askedAt", now)));
    let is_open = at(question, "resolution").is_none();
    if is_dangerous(question) && is_open {
        row("DANGER", "nothing happens by itself: it stays open until somebody answers".to_owned());
    } else if let Some(due) = str_at(question, "expiresAt").filter(|_| is_open) {
        row("due", format!("{}: then the agent goes on with its default", until(due, now)));
    }
    if str_at(question, "overdueAt").is_some() {
        row("due", "overdue".to_owned());
    }
    if let Some(default) = str_at(question, "defaultAction") {
        row("default", value(default));
    }
    if let Some(risk) = str_at(question, "permission.risk") {
        row("RISK", format!("`{}` may destroy something", value(risk)));
    }
    let asked = str_at(question, "question").unwrap_or_default();
    words.push_str(&format!("\n{}\n", indented(asked)));
    // Of a call that is asked for, all that is known of it: the question has only its beginning, in one line.
    if let Some(input) = str_at(question, "permission.input") {
        words.push_str(&format!("  all arguments:\n\n{}", indented(input)));
        if at(question, "permission.hidden").is_some() {
            words.push_str(&format!("  BEWARE: {} bytes more are not shown\n", text(question, "permission.hidden")));
        }
        words.push('\n');
    }
    words
}

/// What others wrote, so that none of it passes for the hub's own.
fn indented(words: &str) -> String {
    for_terminal(words).lines().map(|line| format!("    {line}\n")).collect()
}

/// The same with the options and with what came of it.
pub(super) fn describe_whole(question: &Value, now: Timestamp) -> String {
    let mut words = describe(question, now);
    let options = question.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (n, option) in (1..).zip(options.iter().filter_map(Value::as_str)) {
        words.push_str(&format!("    {n}. {}\n", value(option)));
    }
    if at(question, "resolution").is_some() {
        words.push_str(&format!("{}\n", resolution(question)));
    }
    words
}

/// Who answered what, where and when.
pub(super) fn resolution(question: &Value) -> String {
    let said = |path: &str| text(question, &format!("resolution.{path}"));
    let who = match str_at(question, "resolution.type") {
        Some("timeout") => "the default applied at the deadline".to_owned(),
        Some("human") => format!("{} answered", said("by.displayName")),
        _ => format!("it was {}", said("type")),
    };
    let what = Some(said("value")).filter(|what| !what.is_empty()).map(|what| format!(": {what}"));
    format!("{who}{} ({}, {})", what.unwrap_or_default(), said("surface"), said("at"))
}

/// Words of others in one line.
pub(super) fn value(text: &str) -> String {
    for_terminal(text).replace('\n', " ")
}

/// Whether it never goes on by itself.
pub(super) fn is_dangerous(question: &Value) -> bool {
    question.get("dangerous") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests;
