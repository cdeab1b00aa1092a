//! Events as lines, one after the other.

use serde_json::Map;

use super::prelude::*;
use super::typed::as_typed;
use crate::domain::text::{for_json, shorten};

/// How much of one text stands in the line of its event, in characters.
pub(super) const IN_A_LINE: usize = 80;

/// Prints an event: as JSON in one line, or for people.
pub(super) fn print(event: &Value, json: bool) -> Result<(), Problem> {
    // One line each, on a terminal too: whoever asks for JSON cuts it by lines.
    if json { say(&for_json(&event.to_string())) } else { say(&line(event)) }
}

/// A step of something that people watch: what it is, how long it took or came after the one before, and the rest.
pub(super) fn step(word: &str, after: &str, what: &str) -> String {
    format!("  {word:<13}{after:>9}  {what}")
}

/// Prints how many events are not to be had, and why. `after`: where those begin that are still kept.
pub(super) fn print_gap(missed: u64, after: Option<u64>, json: bool) -> Result<(), Problem> {
    if json {
        let mut gap = serde_json::json!({ "missed": missed });
        if let Some(after) = after {
            gap["after"] = after.into();
        }
        return say(&serde_json::json!({ "gap": gap }).to_string());
    }
    if let Some(after) = after {
        return say(&format!(
            "…  {missed} events were let go of by `journal.retention`; the first that is kept is {}",
            after + 1
        ));
    }
    say(&format!(
        "…  {missed} events were missed: this reader was too slow; `callboard event list --after SEQ` has them"
    ))
}

/// `41  13:37:56  task.completed  task 0196… agent fullstack-1  by agent:fullstack-1 (agent)  message=done`.
pub(super) fn line(event: &Value) -> String {
    let part = |path: &str| str_at(event, path).map(|text| for_terminal(text).into_owned());
    let seq = event.get("seq").map(plain).unwrap_or_default();
    let time = part("time").or_else(|| part("at")).unwrap_or_default();
    let kind = part("type").unwrap_or_default();
    let subjects = ["task", "agent", "session"].iter().filter_map(|name| {
        let id = part(&format!("subject.{name}"))?;
        Some(format!("{name} {id}"))
    });
    let subject = subjects.collect::<Vec<_>>().join(" ");
    let by = part("actor.principal").or_else(|| part("by")).unwrap_or_default();
    let surface = part("actor.surface").or_else(|| part("surface")).unwrap_or_default();
    let words = event.get("data").and_then(Value::as_object).map(words).unwrap_or_default();
    // The one event with a sentence of the hub's own; what others said stays as it is.
    let words = if kind == "hub.task_starving" { as_typed(&words) } else { words };
    let mut line = format!("{seq:>6}  {}  {kind:<20}", clock_time(&time));
    if !subject.is_empty() {
        line.push_str(&format!("  {subject}"));
    }
    line.push_str(&format!("  by {by} ({surface})"));
    if !words.is_empty() {
        line.push_str(&format!("  {words}"));
    }
    line
}

/// What an event says beside its type. The length of a text is told only where the text is not.
fn words(data: &Map<String, Value>) -> String {
    let told = |key: &str, value: &Value| {
        let length = key.strip_suffix("Bytes").is_some_and(|text| data.contains_key(text));
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        !(length || empty || key == "type")
    };
    let pairs = data.iter().filter(|(key, value)| told(key, value)).map(|(key, value)| {
        let value = value.get("displayName").unwrap_or(value);
        format!("{}={}", for_terminal(key), shorten(&plain(value), IN_A_LINE))
    });
    pairs.collect::<Vec<_>>().join(" ")
}

/// The time of day of RFC 3339, to the millisecond.
fn clock_time(time: &str) -> &str {
    time.get(11..23).unwrap_or(time)
}

#[cfg(test)]
mod tests;
