//! What stands in a cell of a table and in a line of `show` alike.

use serde_json::Value;

use super::output::cell::{at, plain, str_at, text};

pub(super) fn agent_state(agent: &Value) -> String {
    match (at(agent, "onCall.slot.state").and_then(Value::as_str), at(agent, "onCall.limitedUntil")) {
        (Some("free"), Some(_)) => "limited".to_owned(),
        (Some("free"), None) => "on call".to_owned(),
        (Some("paused"), _) => "paused".to_owned(),
        (Some(_), _) | (None, _) => text(agent, "availability"),
    }
}

/// The client as it declared itself: its name, and its version where it said one.
pub(super) fn client_of(agent: &Value) -> String {
    let said = ["client.name", "client.version"].map(|path| at(agent, path).map(plain).unwrap_or_default());
    said.join(" ").trim_end().to_owned()
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
    format!("{files} {}, +{added} −{removed}", if files == "1" { "file" } else { "files" })
}

pub(super) fn why_webhook(item: &Value, since: impl Fn(&Value) -> String) -> String {
    let gap = &item["gap"];
    let dead = str_at(gap, "why").map(|why| format!("since {} ago: {why}", since(gap)));
    str_at(item, "fault").map(str::to_owned).or(dead).unwrap_or_default()
}
