//! Holds a value against a schema, and says in words what does not fit and where.
//!
//! It knows the keywords of our own generated schemas alone, which a test checks. It speaks before serde does, whose
//! complaints name no field, and it proves that what a verb answers fits the schema that it publishes.

use serde_json::{Map, Value};

use crate::domain::text::nearest;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Where: `taskId`, `workspace.repo`, `artifacts[0].kind`; empty for the whole.
    pub(crate) at: String,
    /// What is wrong, as a fragment that follows the name: `must be a string, not a number`.
    pub(crate) what: String,
}

impl Misfit {
    pub(crate) fn sentence(&self) -> String {
        if self.at.is_empty() { self.what.clone() } else { format!("`{}` {}", self.at, self.what) }
    }
}

pub(crate) fn check(schema: &Value, value: &Value) -> Result<(), Misfit> {
    check_at(schema, value, "")
}

fn check_at(schema: &Value, value: &Value, at: &str) -> Result<(), Misfit> {
    let Some(rules) = schema.as_object() else { return Ok(()) };
    if let Some(choices) = rules.get("anyOf").or_else(|| rules.get("oneOf")).and_then(Value::as_array) {
        return check_choices(choices, value, at);
    }
    if let Some(wanted) = rules.get("type")
        && !types(wanted).any(|name| is_type(name, value))
    {
        return Err(misfit(at, format!("must be {}, not {}", expected(schema), kind_of(value))));
    }
    let allowed = rules.get("enum").and_then(Value::as_array);
    if allowed.is_some_and(|all| !all.contains(value)) || rules.get("const").is_some_and(|only| only != value) {
        return Err(misfit(at, format!("must be {}", expected(schema))));
    }
    match value {
        Value::Object(object) => check_object(rules, object, at),
        Value::Array(items) => check_array(rules, items, at),
        Value::Number(number) => check_number(rules, number.as_f64().unwrap_or_default(), at),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

/// One of several must fit; the complaint is that of the one that was meant: the first of the value's own kind.
fn check_choices(choices: &[Value], value: &Value, at: &str) -> Result<(), Misfit> {
    if choices.iter().any(|choice| check_at(choice, value, at).is_ok()) {
        return Ok(());
    }
    let meant = choices.iter().find(|choice| {
        choice.get("const").is_none() && choice.get("type").is_some_and(|kind| types(kind).any(|t| is_type(t, value)))
    });
    if let Some(meant) = meant {
        return check_at(meant, value, at);
    }
    let mut names: Vec<String> = choices.iter().map(expected).collect();
    names.retain(|name| name != "null");
    Err(misfit(at, format!("must be {}, not {}", names.join(" or "), shown(value))))
}

fn check_object(rules: &Map<String, Value>, object: &Map<String, Value>, at: &str) -> Result<(), Misfit> {
    let fields = rules.get("properties").and_then(Value::as_object);
    for (name, value) in object {
        let path = join(at, name);
        match (fields.and_then(|fields| fields.get(name)), rules.get("additionalProperties")) {
            (Some(schema), _) => check_at(schema, value, &path)?,
            (None, Some(Value::Bool(false))) => {
                return Err(misfit(&join(at, &cut(name)), unknown(name, fields)));
            }
            (None, Some(schema)) => check_at(schema, value, &path)?,
            (None, None) => {}
        }
    }
    for name in rules.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(name) {
            let wanted = fields.and_then(|fields| fields.get(name)).map_or_else(|| "given".to_owned(), expected);
            return Err(misfit(&join(at, name), format!("is missing: it must be {wanted}")));
        }
    }
    Ok(())
}

fn check_array(rules: &Map<String, Value>, items: &[Value], at: &str) -> Result<(), Misfit> {
    let Some(schema) = rules.get("items") else { return Ok(()) };
    items.iter().enumerate().try_for_each(|(index, item)| check_at(schema, item, &format!("{at}[{index}]")))
}

fn check_number(rules: &Map<String, Value>, number: f64, at: &str) -> Result<(), Misfit> {
    let bound = |name: &str| rules.get(name).and_then(Value::as_f64);
    if let Some(least) = bound("minimum")
        && number < least
    {
        return Err(misfit(at, format!("must be at least {least}")));
    }
    match bound("maximum") {
        Some(most) if number > most => Err(misfit(at, format!("must be at most {most}"))),
        Some(_) | None => Ok(()),
    }
}

fn unknown(name: &str, fields: Option<&Map<String, Value>>) -> String {
    let known: Vec<&str> = fields.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let near = nearest(name, known.iter().copied());
    if near.is_empty() {
        let all: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        format!("is not a field of this tool; its fields are {}", all.join(", "))
    } else {
        let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
        format!("is not a field of this tool; did you mean {}?", near.join(" or "))
    }
}

/// What a schema asks for, in words: `a string`, `one of normal, high, critical`.
pub(crate) fn expected(schema: &Value) -> String {
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    if let Some(choices) = choices {
        let consts: Vec<&str> = choices.iter().filter_map(|c| c.get("const").and_then(Value::as_str)).collect();
        if consts.len() == choices.len() {
            return format!("one of {}", consts.join(", "));
        }
        let names: Vec<String> = choices.iter().map(expected).filter(|name| name != "null").collect();
        return names.join(" or ");
    }
    if let Some(all) = schema.get("enum").and_then(Value::as_array) {
        let names: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", names.join(", "));
    }
    if let Some(only) = schema.get("const") {
        return only.as_str().map_or_else(|| only.to_string(), ToOwned::to_owned);
    }
    let names: Vec<&str> = schema.get("type").into_iter().flat_map(types).collect();
    match names.iter().find(|name| **name != "null") {
        Some(name) => article(name).to_owned(),
        None if names.is_empty() => "any value".to_owned(),
        None => "null".to_owned(),
    }
}

/// The names of types in the keyword `type`, one or several.
pub(super) fn types(wanted: &Value) -> impl Iterator<Item = &str> {
    let several = wanted.as_array().into_iter().flatten().filter_map(Value::as_str);
    wanted.as_str().into_iter().chain(several)
}

/// Whether a value is of the type of that name, as JSON Schema names them.
pub(super) fn is_type(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::Number(number) => name == "number" || (name == "integer" && (number.is_i64() || number.is_u64())),
    }
}

fn article(name: &str) -> &'static str {
    match name {
        "string" => "a string",
        "number" => "a number",
        "integer" => "a whole number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
    }
}

/// A short text is shown as it is, anything else by its kind.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{}`", cut(text)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) | Value::Number(_) => {
            kind_of(value).to_owned()
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(48).collect()
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn misfit(at: &str, what: String) -> Misfit {
    Misfit { at: at.to_owned(), what }
}

#[cfg(test)]
mod tests;
