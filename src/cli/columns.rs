//! The tables of the command line as data: heads and cells. `true` marks what only `-o wide` shows. On a narrow screen
//! the columns before the last go first, from the right.

use serde_json::Value;

use super::cells::{
    agent_state, change_size, client_of, events_of, headed, holder, review_state, why_delivery, why_webhook,
};
use super::output::cell::{ago, at, line, list_at, one_line, plain, str_at, text, until};
use super::output::table::Plan;
use super::output::table::Shows::{Ago, Id, Line, Of, Text, Until};
use super::token;

pub(super) const TASKS: &[Plan] = &[
    ("TASK", Id("taskId"), false),
    ("STATE", Text("state"), false),
    ("FOR", Text("target"), false),
    ("HELD BY", Of(|task, _| holder(task)), false),
    ("PRIORITY", Text("priority"), false),
    ("AGE", Ago("createdAt"), false),
    ("ASKED BY", Text("from.displayName"), true),
    ("ATTEMPT", Text("attempt"), true),
    (
        "NEXT",
        Of(|task, now| match (str_at(task, "deadline.at"), str_at(task, "deadline.reason")) {
            (Some(at), Some(reason)) => format!("{} {}", until(at, now), one_line(reason)),
            (_, _) => text(task, "waitsFor"),
        }),
        true,
    ),
    (
        "WHAT",
        Of(|task, _| one_line(str_at(task, "title").or_else(|| str_at(task, "prompt")).unwrap_or_default())),
        false,
    ),
];

pub(super) const AGENTS: &[Plan] = &[
    ("AGENT", Id("agentId"), false),
    ("ROLE", Text("role"), false),
    ("STATE", Of(|item, _| agent_state(item)), false),
    ("QUEUED", Text("queued"), false),
    ("LAST SEEN", Ago("lastSeen"), false),
    ("NOTE", Text("note"), true),
    ("NAME", Text("displayName"), true),
    ("WAITS SINCE", Ago("waitingSince"), true),
    ("CLIENT", Of(|item, _| client_of(item)), true),
    ("TREATED AS", Text("client.row"), true),
    (
        "LONGEST WAIT",
        Of(|item, _| at(item, "client.waitCapSeconds").map_or("–".into(), |cap| format!("{} s", plain(cap)))),
        true,
    ),
    ("WOKEN BY", Text("client.wake"), true),
    ("CAN", Text("capabilities"), true),
    ("SESSION", Id("sessionId"), true),
    ("HOLDS", Id("currentTasks"), false),
];

pub(super) const SESSIONS: &[Plan] = &[
    ("SESSION", Id("sessionId"), false),
    ("AGENT", Id("agentId"), false),
    ("STATE", Text("lifecycle"), false),
    ("SAYS", Of(|session, _| text(session, "workflowStatus").replace('_', " ")), false),
    ("OPENED", Ago("openedAt"), false),
    ("TAKEN UP", Ago("takenUpAt"), true),
    ("ADDS", Line("message"), true),
    ("LAST TASK", Id("taskId"), false),
];

pub(super) const QUESTIONS: &[Plan] = &[
    ("QUESTION", Id("id"), false),
    ("ASKED BY", Id("agentId"), false),
    (
        "STATE",
        Of(|question, _| match str_at(question, "resolution.type") {
            Some("human") => "answered".to_owned(),
            Some("timeout") => "by default".to_owned(),
            Some(other) => other.to_owned(),
            None => text(question, "state"),
        }),
        false,
    ),
    // Whether it is overdue the hub knows by its own clock, which does not go back with the machine's.
    (
        "DUE",
        Of(|question, now| match (str_at(question, "state"), str_at(question, "expiresAt")) {
            (Some("open"), Some(_)) if str_at(question, "overdueAt").is_some() => "overdue".to_owned(),
            (Some("open"), Some(at)) => until(at, now),
            (_, _) => "–".to_owned(),
        }),
        false,
    ),
    ("DANGEROUS", Of(|question, _| if question["dangerous"] == true { "yes" } else { "–" }.to_owned()), false),
    ("ASKED", Ago("askedAt"), true),
    // With the numbers by which `callboard question answer` takes them.
    (
        "OPTIONS",
        Of(|question, _| {
            let options = list_at(question, "options").iter().filter_map(Value::as_str).zip(1..);
            options.map(|(option, n)| format!("{n}. {}", one_line(option))).collect::<Vec<_>>().join("  ")
        }),
        true,
    ),
    ("DEFAULT", Line("defaultAction"), true),
    ("ANSWER", Line("resolution.value"), true),
    ("WHAT", Line("question"), false),
];

pub(super) const INBOX: &[Plan] = &[
    ("ITEM", Id("id"), false),
    ("AGENT", Id("agentId"), false),
    ("SINCE", Ago("since"), false),
    ("DUE", Until("deadline"), false),
    ("WAITING", Text("cost.waits"), false),
    ("STANDS STILL", Text("cost.standsStill"), false),
    ("PRIORITY", Text("priority"), true),
    ("YOU CAN", Of(|item, _| text(item, "actions").replace('_', "-")), true),
    (
        "WHY",
        Of(|item, _| {
            let (title, why) = (str_at(item, "title").unwrap_or_default(), str_at(item, "reason").unwrap_or_default());
            headed(&line(title, 60), &one_line(why))
        }),
        false,
    ),
];

pub(super) const OUTBOX: &[Plan] = &[
    ("DELIVERY", Id("id"), false),
    ("TO", Text("destination"), false),
    ("STATE", Text("state"), false),
    ("SINCE", Ago("createdAt"), false),
    ("TRIES", Text("attempts"), false),
    ("BEHIND", Text("lane"), true),
    ("WHAT", Line("summary"), false),
    ("WHY", Of(|item, _| one_line(why_delivery(item))), false),
];

pub(super) const NODES: &[Plan] = &[
    ("HUB", Id("name"), false),
    ("STATE", Text("state"), false),
    ("SINCE", Ago("since"), false),
    ("LAST BEAT", Ago("lastBeat"), false),
    ("VERSION", Text("version"), false),
    ("PUBLIC URL", Line("publicUrl"), false),
];

pub(super) const REVIEWS: &[Plan] = &[
    ("TASK", Id("taskId"), false),
    ("STATE", Of(|item, _| review_state(item)), false),
    ("ROUND", Text("round"), false),
    ("AGENT", Id("agentId"), false),
    ("SINCE", Ago("submittedAt"), false),
    ("CHANGE", Of(|item, _| change_size(item)), false),
    ("OPEN COMMENTS", Text("unresolved"), false),
    ("PULL REQUEST", Text("prUrl"), true),
    (
        "WHAT",
        Of(|review, _| {
            let said = list_at(review, "rounds").last().and_then(|round| str_at(round, "message")).unwrap_or_default();
            headed(&line(str_at(review, "title").unwrap_or_default(), 60), &one_line(said))
        }),
        false,
    ),
];

pub(super) const SCHEDULES: &[Plan] = &[
    ("SCHEDULE", Id("name"), false),
    ("STATE", Text("state"), false),
    ("NEXT", Until("next"), false),
    ("AT", Text("nextLocal"), false),
    ("FOR", Text("definition.target"), false),
    ("LAST TASK", Id("lastTask"), false),
    ("TASKS MADE", Text("fired"), false),
    ("SKIPPED", Text("skipped"), true),
    ("MISSED", Text("missed"), true),
    ("MADE BY", Text("madeBy"), true),
    ("WHEN", Line("when"), false),
];

pub(super) const WEBHOOKS: &[Plan] = &[
    ("WEBHOOK", Id("name"), false),
    ("STATE", Of(|item, _| if item["stopped"] == true { "stopped" } else { "on" }.to_owned()), false),
    ("EVENTS", Of(|item, _| events_of(item)), false),
    ("WAITING", Text("waiting"), false),
    ("ARRIVED", Text("delivered"), false),
    ("GIVEN UP", Text("deadLetters"), false),
    ("MISSED", Text("gap.missed"), false),
    ("WHY", Of(|item, now| one_line(&why_webhook(item, |gap| ago(gap, "since", now)))), false),
    ("ADDED BY", Of(|item, _| str_at(item, "addedBy").unwrap_or("hub.yaml").to_owned()), true),
    ("ADDRESS", Line("url"), false),
];

pub(super) const TOKENS: &[Plan] = &[
    ("TOKEN", Id("id"), false),
    ("WHOSE", Id("principal"), false),
    ("MAY", Text("scopes"), false),
    ("MADE", Ago("createdAt"), false),
    ("LAST USED", Ago("lastUsed"), false),
    ("EXPIRES", Of(token::expires), false),
];

pub(super) const AUDIT: &[Plan] = &[
    ("LINE", Id("seq"), false),
    ("TIME", Text("at"), false),
    ("WHO", Text("who"), false),
    ("DECISION", Text("decision"), false),
    ("WANTED", Text("action"), false),
    ("BY RULE", Text("rule"), true),
    ("THROUGH", Text("through"), true),
    ("OF", Text("target"), false),
];

pub(super) const ACTORS: &[Plan] = &[
    (
        "ACTOR",
        Of(|actor, _| {
            let depth = actor["depth"].as_u64().and_then(|depth| usize::try_from(depth).ok()).unwrap_or_default();
            format!("{}{}", "  ".repeat(depth), text(actor, "id"))
        }),
        false,
    ),
    ("KIND", Text("kind"), false),
    ("STATE", Text("state"), false),
    ("MAIL", Of(|actor, _| format!("{} of {}", text(actor, "mailbox.depth"), text(actor, "mailbox.limit"))), false),
    ("HANDLED", Text("handled"), false),
    ("RESTARTS", Text("restarts.count"), false),
    ("NEXT DEADLINE", Text("deadline.reason"), true),
    ("LAST FAILURE", Text("restarts.last"), true),
    ("RUNS FOR", Ago("startedAt"), false),
];

pub(super) const RUNS: &[Plan] = &[
    ("RUN", Id("workflowId"), false),
    ("WORKFLOW", Text("name"), false),
    ("STATE", Text("status"), false),
    ("STARTED BY", Text("owner"), false),
    ("BEGAN", Ago("startedAt"), false),
    ("STOPPED FOR", Of(|run, _| text(run, "pauseReason.type").replace('_', " ")), true),
    ("EXPIRES", Until("expiresAt"), true),
    ("STEPS", Line("statusMessage"), false),
];

pub(super) const WORKFLOWS: &[Plan] = &[
    ("WORKFLOW", Id("name"), false),
    ("STEPS", Text("steps"), false),
    ("ARGUMENTS", Text("usage"), false),
    ("FROM", Text("from"), true),
    ("WHAT IT DOES", Line("description"), false),
];

#[cfg(test)]
mod tests;
