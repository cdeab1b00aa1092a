//! The input schema of a tool as a list shows it to a model, which pays for every word of it with each request. It
//! leaves out what only programs need and what the hub refuses by name anyway; whatever fits the schema that arguments
//! are checked against, apart from the fields left out here, fits this one.

use serde_json::{Map, Value, json};

use super::common::Common;
use super::reply::FORM;
use super::table::ToolEntry;

/// What no model needs to know: it says what is refused, and the refusal says it again.
const LEFT_OUT: [&str; 5] = ["additionalProperties", "uniqueItems", "default", "minimum", "maximum"];

/// The schema: without the common fields (`agentId`, `sessionId`, `idempotencyKey`), unless the tool has one of them
/// as its own, and without what only a client's hooks ask for.
#[must_use]
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
mod tests {
    use super::*;
    use crate::tools::table::table;

    /// Every field of `full`, apart from those that may be hidden, is in `listed` with the same rules.
    fn agrees(full: &Value, listed: &Value, hidden: &[&str], at: &str) {
        let (Some(rules), Some(left)) = (full.as_object(), listed.as_object()) else { panic!("{at}") };
        for (keyword, inner) in rules.iter().filter(|(keyword, _)| !LEFT_OUT.contains(&keyword.as_str())) {
            match (keyword.as_str(), inner) {
                ("properties", Value::Object(fields)) => {
                    for (name, rules) in fields.iter().filter(|(name, _)| !hidden.contains(&name.as_str())) {
                        agrees(rules, &left["properties"][name], &[], &format!("{at}.{name}"));
                    }
                    let left = left["properties"].as_object().expect("fields");
                    assert!(left.keys().all(|name| fields.contains_key(name) && !hidden.contains(&name.as_str())));
                }
                ("items", inner) => agrees(inner, &left["items"], &[], &format!("{at}[]")),
                ("anyOf", Value::Array(choices)) => {
                    for (index, choice) in choices.iter().enumerate() {
                        agrees(choice, &left["anyOf"][index], &[], &format!("{at}|{index}"));
                    }
                }
                ("oneOf", Value::Array(choices)) => {
                    let names: Vec<&Value> = choices.iter().map(|choice| &choice["const"]).collect();
                    assert_eq!(left["enum"].as_array().expect("names").iter().collect::<Vec<_>>(), names, "{at}");
                }
                (_, inner) => assert_eq!(left.get(keyword), Some(inner), "{at}: {keyword}"),
            }
        }
    }

    #[test]
    fn a_list_says_the_same_of_every_field_as_the_schema_that_arguments_are_checked_against() {
        for entry in table() {
            let common = Common::FIELDS.into_iter().filter(|name| !entry.own_fields.contains(name));
            let hidden: Vec<&str> = common.chain([FORM]).collect();
            agrees(&entry.input_schema, &listed_input(entry), &hidden, entry.name);
        }
    }

    #[test]
    fn ids_and_keys_are_listed_where_a_model_needs_them() {
        let with = |name: &str| {
            let fields = |entry: &ToolEntry| listed_input(entry)["properties"][name].is_object();
            table().iter().filter(|entry| fields(entry)).map(|entry| entry.name).collect::<Vec<_>>()
        };
        assert_eq!(with("agentId"), ["get_agent_status", "register_agent"]);
        assert_eq!(with("sessionId"), Vec::<&str>::new());
        assert_eq!(with("idempotencyKey"), Vec::<&str>::new());
    }
}
