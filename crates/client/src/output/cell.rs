//! What stands in a cell: a field of the hub's answer, as people read it.

use std::time::Duration;

use serde_json::Value;

use crate::domain::text::{for_terminal, shorten};
use crate::domain::time::Timestamp;

/// What a cell shows when there is nothing to show.
const NOTHING: &str = "–";

/// A field by its dotted path, as text; `–` when it is not there.
pub fn text(value: &Value, path: &str) -> String {
    at(value, path).map_or_else(|| NOTHING.to_owned(), plain)
}

/// A field by its dotted path.
pub fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let found = path.split('.').try_fold(value, |value, key| value.get(key))?;
    (!found.is_null()).then_some(found)
}

/// A field that has to be text.
pub fn str_at<'a>(value: &'a Value, path: &str) -> Option<&'a str> {
    at(value, path)?.as_str()
}

/// A list by its dotted path; empty when it is not there.
pub fn list_at<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub fn one_line(text: &str) -> String {
    for_terminal(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// A value as text: what is in a list or an object with commas between, never JSON.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => NOTHING.to_owned(),
        Value::Bool(yes) => (if *yes { "yes" } else { "no" }).to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => for_terminal(text).into_owned(),
        Value::Array(items) if items.is_empty() => NOTHING.to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{}: {}", for_terminal(name), plain(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
    }
}

/// The first line of a text, in at most `limit` characters.
pub fn line(text: &str, limit: usize) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let more = text.lines().filter(|line| !line.trim().is_empty()).nth(1).is_some();
    let first = if more { format!("{} …", first.trim()) } else { first.trim().to_owned() };
    for_terminal(&shorten(&first, limit)).into_owned()
}

/// How long ago a moment was, in its two largest units: `3m 5s`.
pub fn ago(value: &Value, path: &str, now: Timestamp) -> String {
    match str_at(value, path).and_then(Timestamp::parse) {
        Some(then) => span(now.since(then)),
        None => NOTHING.to_owned(),
    }
}

/// How long until a moment: `in 4m 50s`, or `due`.
pub fn until(moment: &str, now: Timestamp) -> String {
    match Timestamp::parse(moment) {
        Some(then) if then > now => format!("in {}", span(then.since(now))),
        Some(_) => "due".to_owned(),
        None => for_terminal(moment).into_owned(),
    }
}

/// A span in its two largest units, by humantime: `1h 30m`, `12s`.
pub fn span(span: Duration) -> String {
    let whole = humantime::format_duration(Duration::from_secs(span.as_secs())).to_string();
    whole.split(' ').take(2).collect::<Vec<_>>().join(" ")
}
