//! The story of a task in lines, for `task show` and `task follow`: what, how long after the line above, who, what was
//! said. Minor events are counted in one line.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::cells::diff_size;
use super::follow::{IN_A_LINE, step};
use super::output::cell::{at, list_at, one_line, plain, span, str_at};
use super::typed::as_typed;
use crate::domain::story::{Spent, folds, word};
use crate::domain::text::for_terminal;
use crate::domain::time::Timestamp;

/// What stands behind who did it, where the event says it: a field, and the words around it.
const MARKS: &[(&str, &str, &str)] = &[
    ("target", "for ", ""),
    ("percent", "", " %"),
    ("phase", "", ""),
    ("round", "round ", ""),
    ("client", "", ""),
    ("host", "on ", ""),
    ("waitsFor.kind", "for ", ""),
    ("policy", "then ", ""),
    ("number", "#", ""),
    ("is", "", ""),
];

/// Where an event says what was said, the first that it has.
const SAID: &[&str] = &[
    "message", "text", "response", "question", "answer.value", "resolution.value", "reason", "title", "priority",
    "why", "until",
];

/// Where an event says who did it, before its principal.
const BY: &[&str] =
    &["from.displayName", "by.displayName", "resolution.by.displayName", "answer.by.displayName", "from"];

/// Tells events one after the other, as they come.
#[derive(Debug, Default)]
pub(super) struct StoryWriter {
    before: Option<Timestamp>,
    /// What was counted since the last line, by kind.
    folded: BTreeMap<String, usize>,
    /// Whether nothing folds away.
    all: bool,
}

impl StoryWriter {
    pub(super) fn new(all: bool) -> Self {
        Self { all, ..Self::default() }
    }

    /// The lines that an event adds: of the stream, or of a task's history.
    pub(super) fn tell(&mut self, event: &Value) -> Vec<String> {
        let kind = str_at(event, "type").unwrap_or_default();
        if !self.all && folds(kind).is_some() {
            *self.folded.entry(kind.to_owned()).or_default() += 1;
            return Vec::new();
        }
        let moment = ["at", "time"].iter().find_map(|key| str_at(event, key)).and_then(Timestamp::parse);
        let after = moment.zip(self.before).map(|(at, before)| format!("+{}", span(at.since(before))));
        self.before = moment.or(self.before);
        let data = event.get("data").unwrap_or(&Value::Null);
        let said = said(kind, data);
        let head = [vec![who(event, data)], marks(data)].concat().join(", ");
        let fits = !said.trim_end().contains('\n') && said.chars().count() <= IN_A_LINE;
        let what = if fits && !said.is_empty() { format!("{head}: {}", one_line(&said)) } else { head };
        let mut lines: Vec<String> = self.rest().into_iter().collect();
        lines.push(step(&named(kind, data), &after.unwrap_or_default(), &what));
        if !fits {
            lines.extend(for_terminal(said.trim_end()).lines().map(|line| format!("      {line}")));
        }
        lines
    }

    /// What was counted since the last line.
    pub(super) fn rest(&mut self) -> Option<String> {
        let counted = std::mem::take(&mut self.folded);
        let several = |(kind, count): (&String, &usize)| match (count, folds(kind)) {
            (1, _) | (_, None) => word(kind),
            (count, Some(name)) => format!("{count} {name}"),
        };
        let counted = counted.iter().map(several).collect::<Vec<_>>().join(", ");
        (!counted.is_empty()).then(|| step("…", "", &counted))
    }
}

/// All of it, from what the hub knows of the task, of its questions, and of what was delegated.
pub(super) fn story(task: &Value, (questions, tree): (&[Value], &[Value]), all: bool) -> String {
    let mut teller = StoryWriter::new(all);
    let mut lines: Vec<String> = happened(task, questions, tree).iter().flat_map(|event| teller.tell(event)).collect();
    lines.extend(teller.rest());
    lines.join("\n")
}

/// How long it waited and was worked on; none where nothing is known to have happened.
pub(super) fn spent(task: &Value, questions: &[Value], is_closed: bool, now: Timestamp) -> Option<String> {
    let last = Timestamp::parse(str_at(list_at(task, "history").last()?, "at")?)?;
    let all = happened(task, questions, &[]);
    let happened = all.iter();
    let happened = happened.filter_map(|event| Some((Timestamp::parse(str_at(event, "at")?)?, str_at(event, "type")?)));
    let until = if is_closed { last } else { now };
    let spent = Spent::of(happened, until);
    Some(format!("waited {}, worked on {}", span(spent.waited), span(spent.worked)))
}

/// Everything that happened, oldest first, each as an event.
fn happened(task: &Value, questions: &[Value], tree: &[Value]) -> Vec<Value> {
    let history = list_at(task, "history");
    let kind_of = |event: &Value| str_at(event, "type").unwrap_or_default().to_owned();
    let moment = |event: &Value| str_at(event, "at").unwrap_or_default().to_owned();
    let own: BTreeSet<_> = history.iter().map(|event| (kind_of(event), moment(event))).collect();
    // Of a review there are two records: its own says more when it is handed in, and the task's else.
    let is_told = |event: &&Value| match kind_of(event).split_once('.') {
        Some(("question", _)) => false,
        Some(("task", "submitted")) => !own.contains(&("review.submitted".to_owned(), moment(event))),
        Some(("review", verb)) if verb != "submitted" => !own.contains(&(format!("task.{verb}"), moment(event))),
        Some(_) | None => true,
    };
    let mut all: Vec<Value> = history.iter().filter(is_told).cloned().collect();
    let known: BTreeSet<_> = history.iter().filter_map(|event| str_at(event, "data.commentId")).collect();
    let wishes = list_at(task, "comments").iter().filter(|one| str_at(one, "id").is_none_or(|id| !known.contains(id)));
    all.extend(wishes.map(|one| json!({ "type": "review.commented", "at": one["at"], "data": one })));
    all.extend(questions.iter().flat_map(asked));
    let worker = str_at(task, "lease.agentId").or_else(|| str_at(list_at(task, "attempts").last()?, "agentId"));
    let parts = tree.iter().filter(|one| str_at(one, "parent").is_some_and(|of| Some(of) == str_at(task, "taskId")));
    all.extend(parts.map(|one| {
        let data = json!({ "target": one["target"], "is": plain(&one["state"]), "title": one["title"] });
        json!({ "type": "task.delegated", "at": one["createdAt"], "by": worker, "data": data })
    }));
    all.extend(list_at(task, "pullRequests").iter().map(|one| {
        let data = json!({ "number": one["number"], "is": one["state"], "title": one["title"] });
        json!({ "type": "pr.opened", "at": one["requestedAt"], "by": worker, "data": data })
    }));
    all.sort_by_key(moment);
    name_people(&mut all, history);
    all
}

/// Gives an event that names nobody the name that another event of the history has for the same principal.
fn name_people(all: &mut [Value], history: &[Value]) {
    let known = |event: &Value| {
        let who = ["from", "by"].iter().find_map(|path| at(at(event, "data")?, path))?;
        Some((str_at(who, "id")?.to_owned(), who.clone()))
    };
    let known: BTreeMap<_, _> = history.iter().filter_map(known).collect();
    for event in all {
        let who = str_at(event, "by").and_then(|by| known.get(by)).cloned();
        let is_named = BY.iter().any(|path| event.get("data").is_some_and(|data| str_at(data, path).is_some()));
        if let Some(who) = who.filter(|_| !is_named) {
            event["data"]["by"] = who;
        }
    }
}

/// A question, and what came of it.
fn asked(one: &Value) -> Vec<Value> {
    let data = json!({ "question": one["question"], "options": one["options"] });
    let mut all = vec![json!({ "type": "question.asked", "at": one["askedAt"], "by": one["agentId"], "data": data })];
    if let Some(resolution) = at(one, "resolution") {
        let data = json!({ "resolution": resolution });
        all.push(json!({ "type": "question.resolved", "at": resolution["at"], "data": data }));
    }
    let late = list_at(one, "lateAnswers").iter();
    all.extend(late.map(|late| json!({"type": "question.answered_late", "at": late["at"], "data": {"answer": late}})));
    all
}

fn named(kind: &str, data: &Value) -> String {
    match (kind, str_at(data, "resolution.type")) {
        ("question.resolved", Some("timeout")) => "default".to_owned(),
        ("question.resolved", Some("cancelled" | "superseded")) => "withdrawn".to_owned(),
        (_, _) => word(kind),
    }
}

fn who(event: &Value, data: &Value) -> String {
    let named = BY.iter().find_map(|path| str_at(data, path));
    let principal = || {
        let whole = ["actor.principal", "by"].iter().find_map(|path| str_at(event, path)).unwrap_or_default();
        let name = whole.split_once(':').map_or(whole, |(_, name)| name);
        if name == "hub" { "the hub" } else { name }
    };
    for_terminal(named.unwrap_or_else(principal)).into_owned()
}

fn marks(data: &Value) -> Vec<String> {
    let marks = MARKS.iter().filter_map(|(path, before, after)| {
        let value = at(data, path).map(plain).filter(|value| !value.is_empty())?;
        Some(format!("{before}{}{after}", one_line(&value.replace('_', " "))))
    });
    let place = at(data, "file").map(|file| match at(data, "line") {
        Some(line) => format!("{}:{}", plain(file), plain(line)),
        None => plain(file),
    });
    let size = at(data, "diff").filter(|diff| diff.is_object()).map(diff_size);
    marks.chain(place).chain(size).chain(at(data, "usage").and_then(usage)).collect()
}

/// What a run used: `12000 tokens in, 800 out, 0.25 USD`.
pub(super) fn usage(usage: &Value) -> Option<String> {
    let part = |path: &str, unit: &str| at(usage, path).map(|value| format!("{} {unit}", plain(value)));
    let parts = [part("inputTokens", "tokens in"), part("outputTokens", "out"), part("costUsd", "USD")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What was said with it; a question with the numbers of its options.
fn said(kind: &str, data: &Value) -> String {
    let said = SAID.iter().find_map(|path| str_at(data, path)).unwrap_or_default();
    let options = list_at(data, "options").iter().filter_map(Value::as_str).zip(1..);
    let options = options.map(|(option, n)| format!("  {n}. {option}")).collect::<String>();
    match kind {
        "question.asked" => format!("{said}{options}"),
        // The hub's own sentence and words; what others said stays as it is.
        "hub.task_starving" => as_typed(said),
        "task.released" | "task.offer_returned" | "run.ended" | "review.withdrawn" => said.replace('_', " "),
        _ => said.to_owned(),
    }
}

#[cfg(test)]
mod tests;
