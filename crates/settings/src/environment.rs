//! `CALLBOARD_*` variables and flags, laid over the files. Which variables there are follows from the schema of
//! `hub.yaml`: `leases.ackWithin` is `CALLBOARD_LEASES_ACK_WITHIN`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema;
use super::source::node::{Kind, Node};
use super::source_location::{ConfigFault, Layer, SourceLocation};
use crate::domain::text::nearest;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagValue {
    /// As it was typed: `--listen`.
    pub flag: String,
    /// The key: `listen`.
    pub path: String,
    pub value: String,
}

const PREFIX: &str = "CALLBOARD_";

/// Variables that other rooms read: where the hub is, who the agent is, and secrets.
const OTHERS: [&str; 14] = [
    "CALLBOARD_URL", "CALLBOARD_TOKEN", "CALLBOARD_TOKEN_FILE", "CALLBOARD_AGENT_ID", "CALLBOARD_AGENT_ROLE",
    "CALLBOARD_SESSION_ID", "CALLBOARD_CONFIG", "CALLBOARD_CONFIG_DIR", "CALLBOARD_FORGE_TOKEN",
    "CALLBOARD_STORE_PASSWORD", "CALLBOARD_TRACKER_TOKEN", "CALLBOARD_LOG", "CALLBOARD_TERMINAL",
    "CALLBOARD_PAGE_ASSETS",
];

/// What kind of text a key takes from a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Text,
    Whole,
    Truth,
    Texts,
    Wholes,
}

/// A key of `hub.yaml` that a variable may set.
#[derive(Debug)]
struct Settable {
    path: String,
    variable: String,
    takes: Takes,
}

/// Each variable that sets a key of `hub.yaml`, with the key's dotted path.
pub fn settable_variables() -> BTreeMap<String, String> {
    settable().into_iter().map(|key| (key.variable, key.path)).collect()
}

/// Lays variables over the tree of `hub.yaml`. An empty one counts as not set; an unknown one is a warning.
pub(super) fn lay_environment(environment: &BTreeMap<String, String>, hub: &mut Node, warnings: &mut Vec<ConfigFault>) {
    let known = settable();
    for (name, text) in environment.iter().filter(|(name, text)| name.starts_with(PREFIX) && !text.is_empty()) {
        let place = SourceLocation::whole(Layer::Environment, name);
        if let Some(key) = known.iter().find(|key| key.variable == *name) {
            put(hub, key, text, place);
        } else if !OTHERS.contains(&name.as_str()) {
            let names = known.iter().map(|key| key.variable.as_str()).chain(OTHERS);
            let near = nearest(name, names);
            let hint = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            warnings.push(place.fault(format!("nothing reads this variable{hint}")));
        }
    }
}

/// Lays flags over the tree of `hub.yaml`.
pub(super) fn lay_flags(flags: &[FlagValue], hub: &mut Node, faults: &mut Vec<ConfigFault>) {
    let known = settable();
    for flag in flags {
        let place = SourceLocation::whole(Layer::Flag, &flag.flag);
        match known.iter().find(|key| key.path == flag.path) {
            Some(key) => put(hub, key, &flag.value, place),
            None => faults.push(place.fault(format!("`{}` is not a key of hub.yaml", flag.path))),
        }
    }
}

fn put(hub: &mut Node, key: &Settable, text: &str, place: SourceLocation) {
    let path: Vec<&str> = key.path.split('.').collect();
    let list = |item: fn(&str) -> Kind| {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        Kind::List(parts.map(|part| Node { place: place.clone(), kind: item(part) }).collect())
    };
    let kind = match key.takes {
        Takes::Text => Kind::Text(text.to_owned()),
        Takes::Whole => whole(text),
        Takes::Truth => truth(text),
        Takes::Texts => list(|part| Kind::Text(part.to_owned())),
        Takes::Wholes => list(whole),
    };
    hub.put(&path, Node { place, kind });
}

fn whole(text: &str) -> Kind {
    text.trim().parse().map_or_else(|_| Kind::Text(text.to_owned()), Kind::Whole)
}

fn truth(text: &str) -> Kind {
    match text.trim().to_lowercase().as_str() {
        "true" | "1" => Kind::Bool(true),
        "false" | "0" => Kind::Bool(false),
        _ => Kind::Text(text.to_owned()),
    }
}

fn settable() -> Vec<Settable> {
    let mut found = Vec::new();
    collect(&schema::hub(), "", &mut found);
    found
}

fn collect(schema: &Value, path: &str, found: &mut Vec<Settable>) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (key, below) in properties {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            collect(below, &path, found);
        }
    } else if !is(schema, "object") {
        let takes = match schema.get("items") {
            Some(items) if is(items, "integer") => Takes::Wholes,
            Some(_) => Takes::Texts,
            None if is(schema, "integer") => Takes::Whole,
            None if is(schema, "boolean") => Takes::Truth,
            None => Takes::Text,
        };
        found.push(Settable { variable: variable_of(path), path: path.to_owned(), takes });
    }
}

fn is(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => false,
    }
}

fn variable_of(path: &str) -> String {
    let mut variable = PREFIX.to_owned();
    for c in path.chars() {
        match c {
            '.' => variable.push('_'),
            c if c.is_ascii_uppercase() => variable.extend(['_', c]),
            c => variable.push(c.to_ascii_uppercase()),
        }
    }
    variable
}
