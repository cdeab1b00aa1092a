//! The schemas of a verb, from the types that read its arguments and write its answer.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::common::Common;
use crate::domain::agent::Notice;

/// The fields that every answer may have, of success and refusal alike. Only its schema is used: `Reply` and `Refusal`
/// write these fields.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    /// Whether it was done.
    success: bool,
    /// What happened, in a sentence.
    message: String,
    /// What to do next: the hub's instruction. Follow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// In a refusal: its stable code.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// In a refusal: more for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Map<String, Value>>,
    /// What you have not heard yet: answers, comments, cancel orders, messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Notice>,
}

/// The input schema of `T`, with the common fields beside its own.
pub(super) fn input<T: JsonSchema>(mutating: bool) -> Value {
    let mut schema = plain(SchemaSettings::draft2020_12().for_deserialize()).into_root_schema_for::<T>();
    let common = plain(SchemaSettings::draft2020_12().for_deserialize()).into_root_schema_for::<Common>();
    with_properties(&mut schema, |fields| {
        // Verbs about terminals name the session that they mean, as one word of theirs.
        let names_session = fields.contains_key("session_id");
        for (name, rules) in common.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let own = name == "sessionId" && names_session;
            if !own && (mutating || name != Common::KEY) {
                fields.entry(name.clone()).or_insert_with(|| rules.clone());
            }
        }
    });
    let mut schema = tidy(schema);
    each(&mut schema, &without_null);
    schema
}

/// The common fields that `T` has itself.
pub(super) fn shadowed<T: JsonSchema>() -> Vec<&'static str> {
    let own = plain(SchemaSettings::draft2020_12().for_deserialize()).into_root_schema_for::<T>();
    let has = |name: &str| own.get("properties").is_some_and(|fields| fields.get(name).is_some());
    Common::FIELDS.into_iter().filter(|name| has(name)).collect()
}

/// The output schema of `T`: the envelope, and the fields of `T` where the verb succeeds.
pub(super) fn output<T: JsonSchema>() -> Value {
    let mut schema = plain(SchemaSettings::draft2020_12().for_serialize()).into_root_schema_for::<Envelope>();
    let own = plain(SchemaSettings::draft2020_12().for_serialize()).into_root_schema_for::<T>();
    with_properties(&mut schema, |fields| {
        for (name, rules) in own.get("properties").and_then(Value::as_object).into_iter().flatten() {
            match fields.get_mut(name) {
                // One word for two things: a verb's own answer in success, the hub's words in a refusal.
                Some(envelope) => *envelope = either(envelope, rules),
                None => drop(fields.insert(name.clone(), rules.clone())),
            }
        }
    });
    schema.insert("required".to_owned(), Value::from(vec!["success", "message"]));
    let mut schema = tidy(schema);
    // Only the verb's own fields: inside them stand views that other doors write with null.
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.values_mut().filter_map(Value::as_object_mut).for_each(without_null);
    }
    schema
}

/// The field of the envelope, or what the verb means by the same word; absent where it is null.
fn either(envelope: &Value, own: &Value) -> Value {
    let mut choices = vec![envelope.clone()];
    match own.get("anyOf").and_then(Value::as_array) {
        Some(inner) => choices.extend(inner.iter().cloned()),
        None => choices.push(own.clone()),
    }
    let description = own.get("description").or_else(|| envelope.get("description")).cloned();
    json!({ "anyOf": choices, "description": description })
}

/// Without references: some clients cannot follow them.
fn plain(settings: SchemaSettings) -> schemars::SchemaGenerator {
    settings.with(|settings| settings.inline_subschemas = true).into_generator()
}

/// Gives the fields of a schema to `change`.
fn with_properties(schema: &mut Schema, change: impl FnOnce(&mut Map<String, Value>)) {
    let fields = schema.ensure_object().entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(fields) = fields {
        change(fields);
    }
}

/// The name of a Rust type says nothing to a model, and neither does the draft.
fn tidy(schema: Schema) -> Value {
    let mut value = schema.to_value();
    if let Value::Object(object) = &mut value {
        object.remove("$schema");
        object.remove("title");
        object.remove("description");
    }
    each(&mut value, &|rules| {
        // Formats of Rust's numbers, which no validator knows, and the default that an absent field has anyway.
        rules.remove("format");
        if rules.get("default") == Some(&Value::Null) {
            rules.remove("default");
        }
        if let Some(Value::String(text)) = rules.get_mut("description") {
            *text = text.replace('\n', " ");
        }
    });
    value
}

/// An optional field without the mention of null: an answer leaves it out, and `normalise` takes null for that.
fn without_null(rules: &mut Map<String, Value>) {
    let several = rules.get("type").and_then(Value::as_array).cloned().unwrap_or_default();
    if let [Value::String(only), Value::String(null)] = several.as_slice()
        && null == "null"
    {
        rules.insert("type".to_owned(), Value::String(only.clone()));
    }
    let choices = rules.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_default();
    if let [Value::Object(only), null] = choices.as_slice()
        && null.get("type").is_some_and(|kind| kind == "null")
    {
        rules.remove("anyOf");
        for (keyword, inner) in only {
            rules.entry(keyword.clone()).or_insert_with(|| inner.clone());
        }
    }
}

/// Gives every schema within a schema to `change`, the outer before the inner.
fn each(schema: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    let Value::Object(rules) = schema else { return };
    change(rules);
    for (keyword, inner) in rules {
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(fields)) => fields.values_mut().for_each(|field| each(field, change)),
            ("anyOf" | "oneOf", Value::Array(choices)) => choices.iter_mut().for_each(|choice| each(choice, change)),
            ("items" | "additionalProperties", inner) => each(inner, change),
            _ => {}
        }
    }
}
