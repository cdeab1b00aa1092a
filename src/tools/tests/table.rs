//! The table of verbs, as every door shows it.

use serde_json::{Value, json};

use crate::domain::tool_call::{NATURES, Nature};
use crate::tools::{ToolEntry, set_of, table};

/// What `check` understands; a keyword besides these would be silently passed over.
const KEYWORDS: &[&str] = &[
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "oneOf", "enum", "const", "minimum",
    "maximum", "uniqueItems", "description", "title", "format", "default",
];

#[test]
fn the_table_drifts_only_on_purpose() {
    let shown: Vec<Value> = table()
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "set": set_of(entry.name),
                "title": entry.title,
                "description": entry.description,
                "readOnly": entry.read_only,
                "idempotent": entry.idempotent,
                "destructive": entry.destructive,
                "mutating": entry.mutating,
                "blocks": entry.blocks,
                "input": entry.input_schema,
                "output": entry.output_schema,
            })
        })
        .collect();
    insta::assert_json_snapshot!(shown);
}

/// Who passes calls on goes by the table of the domain: it is not to know the verbs themselves.
#[test]
fn a_verb_is_of_the_nature_that_is_known_beside_the_hub() {
    let nature = |entry: &ToolEntry| Nature { name: entry.name, mutating: entry.mutating, blocks: entry.blocks };
    assert_eq!(table().iter().map(nature).collect::<Vec<_>>(), NATURES);
}

#[test]
fn schemas_are_objects_without_references_and_with_known_keywords_alone() {
    for entry in table() {
        for schema in [&entry.input_schema, &entry.output_schema] {
            assert_eq!(schema["type"], "object", "{}", entry.name);
            known(schema, entry.name);
        }
    }
}

fn known(schema: &Value, of: &str) {
    let Some(rules) = schema.as_object() else { return };
    for (keyword, inner) in rules {
        assert!(KEYWORDS.contains(&keyword.as_str()), "`{keyword}` in a schema of {of}");
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(fields)) => fields.values().for_each(|field| known(field, of)),
            ("anyOf" | "oneOf", Value::Array(choices)) => choices.iter().for_each(|choice| known(choice, of)),
            ("items" | "additionalProperties", inner) => known(inner, of),
            _ => {}
        }
    }
}

#[test]
fn every_input_refuses_what_it_does_not_know_and_every_output_asks_for_success_and_message() {
    for entry in table() {
        assert_eq!(entry.input_schema["additionalProperties"], false, "{}", entry.name);
        assert_eq!(entry.output_schema["required"], json!(["success", "message"]), "{}", entry.name);
        let fields = &entry.input_schema["properties"];
        let session = fields["sessionId"].is_object() || fields["session_id"].is_object();
        assert!(fields["agentId"].is_object() && session, "{}", entry.name);
        assert_eq!(fields["idempotencyKey"].is_object(), entry.mutating, "{}", entry.name);
    }
}

#[test]
fn every_field_that_a_model_fills_in_is_explained() {
    for entry in table() {
        let fields = entry.input_schema["properties"].as_object().cloned().unwrap_or_default();
        let silent: Vec<String> =
            fields.into_iter().filter(|(_, rules)| rules.get("description").is_none()).map(|(name, _)| name).collect();
        assert!(silent.is_empty(), "{}: {silent:?}", entry.name);
    }
}
