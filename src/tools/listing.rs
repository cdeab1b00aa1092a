//! The input schema of a tool as a list shows it to a model, which pays for every word of it with each request. It
//! leaves out what only programs need and what the hub refuses by name anyway; whatever fits the schema that arguments
//! are checked against, apart from the fields left out here, fits this one.

use serde_json::{Map, Value, json};

use super::common::Common;
use super::reply::FORM;
use super::table::ToolEntry;

/// What no model needs to know: it says what is refused, and the refusal says it again.
const LEFT_OUT: [&str; 5] = ["additionalProperties", "uniqueItems", "default", "minimum", "maximum"];

/// The schema without the common fields that are not the tool's own, and without what only a client's hooks ask for.
pub fn listed_input(entry: &ToolEntry) -> Value {
    let mut schema = shorter(&entry.input_schema);
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.retain(|name, _| !Common::FIELDS.contains(&name.as_str()) || entry.own_fields.contains(&name.as_str()));
        fields.remove(FORM);
    }
    schema
}

fn shorter(schema: &Value) -> Value {
    let Value::Object(rules) = schema else { return schema.clone() };
    let mut out: Map<String, Value> = rules
        .iter()
        .filter(|(keyword, _)| !LEFT_OUT.contains(&keyword.as_str()))
        .map(|(keyword, inner)| {
            let inner = match (keyword.as_str(), inner) {
                ("properties", Value::Object(fields)) => {
                    fields.iter().map(|(name, rules)| (name.clone(), shorter(rules))).collect()
                }
                ("anyOf" | "oneOf", Value::Array(choices)) => choices.iter().map(shorter).collect(),
                ("items", inner) => shorter(inner),
                (_, inner) => inner.clone(),
            };
            (keyword.clone(), inner)
        })
        .collect();
    if let Some(names) = out.get("oneOf").and_then(names) {
        // The names say what the words to each of them say.
        out.remove("oneOf");
        out.insert("type".to_owned(), json!("string"));
        out.insert("enum".to_owned(), names);
    }
    Value::Object(out)
}

/// The choices of a field that is one of several names.
fn names(choices: &Value) -> Option<Value> {
    choices.as_array()?.iter().map(|choice| choice.get("const").filter(|name| name.is_string()).cloned()).collect()
}

#[cfg(test)]
mod tests;
