//! The values of a step's arguments, as far as they are known: parameters, constants, outputs of earlier steps.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::cut::is_placeholder;
use super::plan::{Plan, Source, Step, When};
use super::template::fill;

/// What is known while a plan is carried out.
#[derive(Debug, Clone, Copy)]
pub struct PlanValues<'a> {
    pub plan: &'a Plan,
    /// The parameters that were given, as their types say.
    pub parameters: &'a Map<String, Value>,
    /// What steps came to, by their bindings.
    pub outputs: &'a BTreeMap<String, Value>,
    /// The parameters whose values are for the client to fill in, whatever it handed over.
    pub unsure: &'a BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Resolved {
    Value(Value),
    /// An optional parameter was not given, so the argument is not given either.
    LeftOut,
    /// Not known, or not all of it: words such as `<output from deploy>` stand for what is missing.
    Placeholder(Value),
}

pub fn resolve(source: &Source, known: PlanValues<'_>) -> Resolved {
    match source {
        Source::Constant(value) => {
            let mut complete = true;
            let value = substituted(value, known, &mut complete);
            if complete { Resolved::Value(value) } else { Resolved::Placeholder(value) }
        }
        Source::Argument(name) => match known.parameters.get(name) {
            Some(value) if known.unsure.contains(name) => placeholder(to_fill_in(name, value)),
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

/// What stands for a value that the client is to fill in: its own placeholder, where it handed over one.
fn to_fill_in(name: &str, value: &Value) -> String {
    match value.as_str().filter(|text| is_placeholder(text)) {
        Some(own) => own.to_owned(),
        None => format!("<fill in `{name}` from what the user typed>"),
    }
}

/// The value that a condition is about; none where it is not known.
pub(super) fn judged<'a>(when: &When, output: &'a Value) -> Option<&'a Value> {
    when.field.as_ref().map_or(Some(output), |field| at(output, field))
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
pub fn missing_in(schema: &Value, step: &Step, known: PlanValues<'_>) -> Vec<String> {
    let given = |key: &str| {
        let source = step.sources().find(|(name, _)| *name == key).map(|(_, source)| source);
        source.is_some_and(|source| resolve(source, known) != Resolved::LeftOut)
    };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.filter_map(Value::as_str).filter(|key| !given(key)).map(ToOwned::to_owned).collect()
}

/// A text with the parameters put in, and words such as `<prompt arg region>` for those that were not given. A phrase,
/// `{region? in {region}}`, stands only where its parameter was given or is required.
pub fn substitute(text: &str, known: PlanValues<'_>) -> String {
    substitute_into(text, known, &mut true)
}

/// A value as it stands in a text.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// As `substitute`; `complete` becomes false where a parameter was not given, or is to be filled in.
fn substitute_into(text: &str, known: PlanValues<'_>, complete: &mut bool) -> String {
    let stands = |name: &str| known.parameters.contains_key(name) || is_required(known.plan, name);
    fill(text, &stands, &mut |name| match known.parameters.get(name) {
        Some(value) if !known.unsure.contains(name) => plain(value),
        value => {
            *complete = false;
            value.map_or_else(|| prompt_arg(name), |value| to_fill_in(name, value))
        }
    })
}

fn substituted(value: &Value, known: PlanValues<'_>, complete: &mut bool) -> Value {
    match value {
        Value::String(text) => Value::from(substitute_into(text, known, complete)),
        Value::Array(items) => items.iter().map(|item| substituted(item, known, complete)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, field)| (key.clone(), substituted(field, known, complete))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
