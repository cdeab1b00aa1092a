//! The values of a step's arguments, as far as they are known: parameters, constants, outputs of earlier steps.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::plan::{Plan, Source, Step};

/// What is known while a plan is carried out.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The parameters that were given, as their types say.
    pub parameters: &'a Map<String, Value>,
    /// What steps came to, by their bindings.
    pub outputs: &'a BTreeMap<String, Value>,
}

/// One argument of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolved {
    /// Its value.
    Value(Value),
    /// An optional parameter was not given, so the argument is not given either.
    LeftOut,
    /// Not known, or not all of it: words such as `<output from deploy>` stand for what is missing.
    Placeholder(Value),
}

/// What a source comes to.
#[must_use]
pub fn resolve(source: &Source, known: Known<'_>) -> Resolved {
    match source {
        Source::Constant(value) => {
            let mut complete = true;
            let value = substituted(value, known, &mut complete);
            if complete { Resolved::Value(value) } else { Resolved::Placeholder(value) }
        }
        Source::Argument(name) => match known.parameters.get(name) {
            Some(value) => Resolved::Value(value.clone()),
            None if is_required(known.plan, name) => placeholder(prompt_arg(name)),
            None => Resolved::LeftOut,
        },
        Source::Output { binding, field } => {
            let step = known.plan.bound(binding).map_or(binding.as_str(), |step| step.name.as_str());
            let output = known.outputs.get(binding);
            match field {
                None => output.cloned().map_or_else(|| placeholder(format!("<output from {step}>")), Resolved::Value),
                Some(field) => output
                    .and_then(|output| at(output, field))
                    .cloned()
                    .map_or_else(|| placeholder(format!("<field '{field}' from {step}>")), Resolved::Value),
            }
        }
    }
}

fn placeholder(words: String) -> Resolved {
    Resolved::Placeholder(Value::from(words))
}

fn prompt_arg(name: &str) -> String {
    format!("<prompt arg {name}>")
}

fn is_required(plan: &Plan, name: &str) -> bool {
    plan.parameters.iter().any(|parameter| parameter.name == name && parameter.required)
}

/// The value at a dotted path; a segment of digits is an index where it meets a list.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, segment| match value {
        Value::Object(fields) => fields.get(segment),
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// The keys that a tool's input schema requires and the step will not give.
#[must_use]
pub fn missing_in(schema: &Value, step: &Step, known: Known<'_>) -> Vec<String> {
    let given = |key: &str| {
        let source = step.sources().find(|(name, _)| *name == key).map(|(_, source)| source);
        source.is_some_and(|source| resolve(source, known) != Resolved::LeftOut)
    };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).filter(|key| !given(key)).map(ToOwned::to_owned).collect()
}

/// A text with the parameters put in: nothing for an optional one that was not given, and words for a required one.
#[must_use]
pub fn substitute(text: &str, known: Known<'_>) -> String {
    substitute_into(text, known, &mut true)
}

/// A text with a value for each `{name}`.
pub(super) fn fill(text: &str, mut value_of: impl FnMut(&str) -> String) -> String {
    let filled = parts(text).map(|part| match part {
        Part::Text(text) => text.to_owned(),
        Part::Name(name) => value_of(name),
    });
    filled.collect()
}

/// A value as it stands in a text.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// As `substitute`; `complete` becomes false where a required parameter was not given.
fn substitute_into(text: &str, known: Known<'_>, complete: &mut bool) -> String {
    fill(text, |name| match known.parameters.get(name) {
        Some(value) => plain(value),
        None if is_required(known.plan, name) => {
            *complete = false;
            prompt_arg(name)
        }
        None => String::new(),
    })
}

fn substituted(value: &Value, known: Known<'_>, complete: &mut bool) -> Value {
    match value {
        Value::String(text) => Value::from(substitute_into(text, known, complete)),
        Value::Array(items) => items.iter().map(|item| substituted(item, known, complete)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, field)| (key.clone(), substituted(field, known, complete))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// The names in braces of a text, in order.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter_map(|part| match part {
        Part::Name(name) => Some(name),
        Part::Text(_) => None,
    })
}

enum Part<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// A text cut at `{name}`. Braces around anything else are text, so that JSON may stand in it.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(name) = name_at(rest) {
            rest = &rest[name.len() + 2..];
            return Some(Part::Name(name));
        }
        let begins = rest.char_indices().skip(1).find(|(at, c)| *c == '{' && name_at(&rest[*at..]).is_some());
        let (head, tail) = rest.split_at(begins.map_or(rest.len(), |(at, _)| at));
        rest = tail;
        Some(Part::Text(head))
    })
}

fn name_at(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (!name.is_empty() && name.chars().all(fits)).then_some(name)
}
