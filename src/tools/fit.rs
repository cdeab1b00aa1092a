//! Results that a client can hand to its model: below [`MOST`] bytes, with what is left out named, and how to get it.
//!
//! The fields of a result are written twice, as structure and as text, so each costs both. A text is cut with a mark, a
//! list at one end; the message names the places, as JSON pointers that `get_task_context` takes.

use serde_json::{Map, Value};

use crate::domain::text::cut;

/// The most bytes of one result, as it is written. Models are given some 25,000 tokens of one at most (Claude Code's
/// `MAX_MCP_OUTPUT_TOKENS` by default).
pub(super) const MOST: usize = 80_000;

/// What is kept free for the envelope of a result, and for naming what was cut.
const ENVELOPE: usize = 4_000;

/// The most that a task's own text may take of a result, in bytes as it is written.
pub(super) const PROMPT: usize = 40_000;

/// What is tried, one after the other: the most bytes of one text, and the most items of one list.
const STEPS: [(usize, usize); 12] = [
    (24_000, 200),
    (12_000, 100),
    (8_000, 50),
    (4_000, 50),
    (2_000, 50),
    (2_000, 20),
    (1_000, 20),
    (1_000, 10),
    (500, 10),
    (500, 5),
    (200, 3),
    (100, 1),
];

/// Fields whose values have any shape: one that is too long is shown as the beginning of its JSON.
const OF_ANY_SHAPE: [&str; 3] = ["context", "evidence", "data"];

/// How many cuts are named in a message.
const NAMED: usize = 4;

/// How to get what was left out of a result of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remainder {
    /// By `get_task_context`, field by field. Of lists the newest items are at the end, and stay.
    OfTask,
    /// By the same verb, with `skip`. Of lists the first items stay.
    OfSearch,
}

/// A place at which something was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    /// Where: a JSON pointer.
    pub(super) field: String,
    pub(super) shown: usize,
    /// How much there is.
    pub(super) of: usize,
    /// `bytes` or `items`.
    unit: &'static str,
}

/// What a text takes of a result in which it stands as structure and as text, in bytes.
pub(super) fn cost_of(text: &str) -> usize {
    cost(&Value::from(text))
}

pub(super) fn cost(value: &Value) -> usize {
    let written = value.to_string();
    written.len() + Value::from(written.as_str()).to_string().len()
}

/// The longest beginning of `text`, among halves, that takes at most `budget`.
pub(super) fn beginning(text: &str, budget: usize) -> &str {
    let mut shown = cut(text, budget / 2);
    while cost_of(shown) > budget {
        shown = cut(shown, shown.len() * 3 / 4);
    }
    shown
}

/// Cuts `fields` so that they take at most `budget` bytes, and says where.
pub(super) fn fit(fields: &mut Map<String, Value>, budget: usize, rest: Remainder) -> Vec<Cut> {
    let whole = Value::Object(std::mem::take(fields));
    let mut cuts = Vec::new();
    let mut shown = whole.clone();
    for (text, items) in STEPS {
        if cost(&shown) <= budget {
            break;
        }
        cuts.clear();
        shown = Shrink { text, items, rest, cuts: &mut cuts }.value("", "", &whole);
    }
    if let Value::Object(shown) = shown {
        *fields = shown;
    }
    cuts
}

/// The budget of the fields of a result that holds so much beside them.
pub(super) const fn left_beside(taken: usize) -> usize {
    MOST.saturating_sub(ENVELOPE).saturating_sub(taken)
}

/// The words about what was cut; `task` is the one that the result is about.
pub(super) fn in_words(cuts: &[Cut], rest: Remainder, task: Option<&str>) -> String {
    let named =
        cuts.iter().take(NAMED).map(|Cut { field, shown, of, unit }| format!("{field} ({shown} of {of} {unit})"));
    let more = cuts.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} more, each marked") } else { String::new() };
    let how = match (rest, task) {
        (Remainder::OfTask, Some(task)) => format!(
            "get_task_context with taskId {task}, that field and an offset has the rest; that of /progress is in its \
             /task/history"
        ),
        (Remainder::OfTask, None) => "get_task_context with that field and an offset has the rest".to_owned(),
        (Remainder::OfSearch, _) => {
            "call again with skip for later matches, and with max_results 1 and context_lines 0 for \
                                one line alone"
                .to_owned()
        }
    };
    format!(" Shown in part: {}{more}: {how}.", named.collect::<Vec<_>>().join(", "))
}

struct Shrink<'a> {
    text: usize,
    items: usize,
    rest: Remainder,
    cuts: &'a mut Vec<Cut>,
}

impl Shrink<'_> {
    fn value(&mut self, path: &str, name: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => self.string(path, text),
            Value::Array(_) | Value::Object(_)
                if OF_ANY_SHAPE.contains(&name) && value.to_string().len() > self.text =>
            {
                self.string(path, &value.to_string())
            }
            Value::Array(items) => self.list(path, items),
            Value::Object(fields) => {
                let cut = |(name, value): (&String, &Value)| {
                    (name.clone(), self.value(&format!("{path}/{}", escaped(name)), name, value))
                };
                Value::Object(fields.iter().map(cut).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn string(&mut self, path: &str, text: &str) -> Value {
        if text.len() <= self.text {
            return text.into();
        }
        let (text, bytes) = unmarked(text);
        let shown = cut(text, self.text);
        self.cuts.push(Cut { field: path.to_owned(), shown: shown.len(), of: bytes, unit: "bytes" });
        marked(shown, bytes).into()
    }

    fn list(&mut self, path: &str, items: &[Value]) -> Value {
        let left_out = items.len().saturating_sub(self.items);
        if left_out > 0 {
            self.cuts.push(Cut { field: path.to_owned(), shown: self.items, of: items.len(), unit: "items" });
        }
        let from = if self.rest == Remainder::OfTask { left_out } else { 0 };
        let shown = items.iter().enumerate().skip(from).take(self.items);
        Value::Array(shown.map(|(index, item)| self.value(&format!("{path}/{index}"), "", item)).collect())
    }
}

/// The beginning of a text, with a mark that there is more.
pub(super) fn marked(shown: &str, bytes: usize) -> String {
    format!("{shown}\n[{} of {bytes} bytes are shown here]", shown.len())
}

/// A text that may have been cut and marked before, and how long it was then.
fn unmarked(text: &str) -> (&str, usize) {
    let mark = || {
        let (before, mark) = text.strip_suffix(" bytes are shown here]")?.rsplit_once("\n[")?;
        let (shown, bytes) = mark.split_once(" of ")?;
        (shown.parse() == Ok(before.len())).then_some((before, bytes.parse().ok()?))
    };
    mark().unwrap_or((text, text.len()))
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
