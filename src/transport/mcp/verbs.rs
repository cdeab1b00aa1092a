//! The verbs as MCP lists them.

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::tools::{self, ToolEntry};

/// Every verb as MCP lists it, made once: the library asks for the tool with each call, and schemas are large.
pub(super) static LIST: LazyLock<Vec<Tool>> = LazyLock::new(|| tools::table().iter().map(tool).collect());

/// A verb as MCP lists it.
fn tool(entry: &ToolEntry) -> Tool {
    let annotations = ToolAnnotations::with_title(entry.title)
        .read_only(entry.read_only)
        .destructive(entry.destructive)
        .idempotent(entry.idempotent)
        .open_world(false);
    Tool::new(entry.name, entry.description, object(&entry.input_schema))
        .with_title(entry.title)
        .with_raw_output_schema(object(&without_words(&entry.output_schema)))
        .with_annotations(annotations)
}

/// What an answer may hold, without the words to it. A client holds answers against it, and no model fills it in; with
/// the words, of views within views, it was more than half of the list. The description of plain HTTP has them.
fn without_words(schema: &Value) -> Value {
    let Value::Object(rules) = schema else { return schema.clone() };
    let rules = rules.iter().filter(|(keyword, _)| *keyword != "description").map(|(keyword, inner)| {
        let inner = match (keyword.as_str(), inner) {
            ("properties", Value::Object(fields)) => {
                fields.iter().map(|(name, rules)| (name.clone(), without_words(rules))).collect()
            }
            ("anyOf" | "oneOf", Value::Array(choices)) => choices.iter().map(without_words).collect(),
            ("items" | "additionalProperties", inner) => without_words(inner),
            (_, inner) => inner.clone(),
        };
        (keyword.clone(), inner)
    });
    Value::Object(rules.collect())
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_answer_may_hold_is_listed_without_the_words_to_it() {
        let schema = json!({
            "type": "object",
            "description": "gone",
            "properties": {
                "description": {"type": "string", "description": "gone", "enum": ["description"]},
                "list": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"const": 1, "description": "gone"}]}},
            },
            "required": ["description"],
        });
        let wanted = json!({
            "type": "object",
            "properties": {
                "description": {"type": "string", "enum": ["description"]},
                "list": {"type": "array", "items": {"anyOf": [{"type": "null"}, {"const": 1}]}},
            },
            "required": ["description"],
        });
        assert_eq!(without_words(&schema), wanted);
        let size = |schemas: Vec<String>| schemas.iter().map(String::len).sum::<usize>();
        let told = size(tools::table().iter().map(|entry| entry.output_schema.to_string()).collect());
        let listed = LIST.iter().filter_map(|tool| serde_json::to_string(&tool.output_schema).ok()).collect();
        let (listed, whole) = (size(listed), serde_json::to_string(&*LIST).map_or(0, |list| list.len()));
        assert!(whole < 160_000 && listed * 3 < told * 2, "{listed} of {told} bytes, {whole} in all");
    }

    #[test]
    fn what_a_model_fills_in_keeps_its_words() {
        for (tool, entry) in LIST.iter().zip(tools::table()) {
            assert_eq!(Value::Object((*tool.input_schema).clone()), entry.input_schema, "{}", entry.name);
        }
    }
}
