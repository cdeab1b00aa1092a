//! What stands in a cell of a table and in a line of `show` alike.

use serde_json::Value;

use super::output::cell::{at, list_at, plain, str_at, text};

pub(super) fn agent_state(agent: &Value) -> String {
    match (at(agent, "onCall.slot.state").and_then(Value::as_str), at(agent, "onCall.limitedUntil")) {
        (Some("free"), Some(_)) => "limited".to_owned(),
        (Some("free"), None) => "on call".to_owned(),
        (Some("paused"), _) => "paused".to_owned(),
        (Some(_), _) | (None, _) => text(agent, "availability"),
    }
}

/// Who has a task in hand: also who waits for an answer or a review of it, whose lease is over.
pub(super) fn holder(task: &Value) -> String {
    let rests = matches!(str_at(task, "state"), Some("BLOCKED" | "IN_REVIEW"));
    let waits = |attempt: &&Value| rests && matches!(str_at(attempt, "outcome"), Some("blocked" | "submitted"));
    let last = list_at(task, "attempts").last().filter(waits);
    last.map_or_else(|| text(task, "lease.agentId"), |attempt| text(attempt, "agentId"))
}

/// What a webhook hears: everything, where nothing is named.
pub(super) fn events_of(webhook: &Value) -> String {
    if list_at(webhook, "events").is_empty() { "all".to_owned() } else { text(webhook, "events") }
}

/// The client as it declared itself: its name, and its version where it said one.
pub(super) fn client_of(agent: &Value) -> String {
    let said = ["client.name", "client.version"].map(|path| at(agent, path).map(plain).unwrap_or_default());
    said.join(" ").trim_end().to_owned()
}

/// So many of what is counted: `1 file`, `2 files`.
pub(super) fn count(n: &str, one: &str) -> String {
    format!("{n} {one}{}", if n == "1" { "" } else { "s" })
}

/// A title before what it heads. One that ends a sentence, as an input prompt does that says `Name:`, needs no colon.
pub(super) fn headed(title: &str, rest: &str) -> String {
    let between = if title.is_empty() || title.ends_with([':', ';', ',', '.', '?', '!']) { "" } else { ":" };
    format!("{title}{between} {rest}").trim_start().to_owned()
}

pub(super) fn why_delivery(item: &Value) -> &str {
    // What went wrong on the way of what arrived is in `show`.
    let error = str_at(item, "lastError").filter(|_| str_at(item, "state") != Some("delivered"));
    str_at(item, "reason").or(error).unwrap_or_default()
}

/// Where it stands; of an approval that counts no more, that too.
pub(super) fn review_state(review: &Value) -> String {
    let back = at(review, "takenBack").and_then(Value::as_bool).unwrap_or_default();
    format!("{}{}", text(review, "state"), if back { ", taken back" } else { "" })
}

pub(super) fn change_size(review: &Value) -> String {
    at(review, "diff").map_or_else(|| text(review, "prId"), diff_size)
}

pub(super) fn diff_size(diff: &Value) -> String {
    let (files, added, removed) = (text(diff, "files"), text(diff, "added"), text(diff, "removed"));
    format!("{}, +{added} −{removed}", count(&files, "file"))
}

pub(super) fn why_webhook(item: &Value, since: impl Fn(&Value) -> String) -> String {
    let gap = &item["gap"];
    let dead = str_at(gap, "why").map(|why| format!("since {} ago: {why}", since(gap)));
    let last = || str_at(item, "lastError").map(|error| format!("not taken yet: {error}"));
    str_at(item, "fault").map(str::to_owned).or(dead).or_else(last).unwrap_or_else(|| "–".to_owned())
}
