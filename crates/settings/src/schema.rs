//! The JSON Schema of each settings file, from the types that read it, and the sentences beside `hub.yaml`'s defaults.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::clients::Clients;
use super::discord::Permissions;
use super::files::{AGENTS, CLIENTS, HUB, PATTERNS, PEOPLE, PERMISSIONS, SCHEDULES, Trees};
use super::hub::HubSettings;
use super::on_call::{ON_CALL, OnCallFile};
use super::patterns::PatternsFile;
use super::people::People;
use super::roles::Roles;
use super::schedules::SchedulesFile;
use super::source::node::Node;
use super::workflows::WorkflowFile;

/// What the schema of each file in `workflows` is called.
pub(super) const WORKFLOW: &str = "workflow.yaml";

/// The schema of one file, by its name; `None` for a file that is no settings file.
pub fn schema(file: &str) -> Option<Value> {
    let mut schema = match file {
        name if name == HUB.name => described_hub(),
        name if name == AGENTS.name => of::<Roles>(),
        name if name == PERMISSIONS.name => of::<Permissions>(),
        name if name == PEOPLE.name => of::<People>(),
        name if name == CLIENTS.name => of::<Clients>(),
        name if name == PATTERNS.name => of::<PatternsFile>(),
        name if name == SCHEDULES.name => of::<SchedulesFile>(),
        ON_CALL => of::<OnCallFile>(),
        WORKFLOW => of::<WorkflowFile>(),
        _ => return None,
    };
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".to_owned(), Value::from(file));
    }
    Some(schema)
}

pub fn schemas() -> Map<String, Value> {
    let names = [HUB, AGENTS, PERMISSIONS, PEOPLE, CLIENTS, PATTERNS, SCHEDULES].map(|file| file.name);
    names.into_iter().chain([ON_CALL, WORKFLOW]).filter_map(|name| Some((name.to_owned(), schema(name)?))).collect()
}

/// The schema of `hub.yaml` without its sentences.
pub(super) fn hub() -> Value {
    of::<HubSettings>()
}

fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn described_hub() -> Value {
    let mut schema = hub();
    if let Some(root) = schema.as_object_mut() {
        // Every key has a default, so a file needs none of them.
        forget_required(root);
    }
    if let Ok(trees) = Trees::defaults() {
        describe(&mut schema, &trees.hub);
    }
    schema
}

fn forget_required(object: &mut Map<String, Value>) {
    object.remove("required");
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        for below in properties.values_mut().filter_map(Value::as_object_mut) {
            forget_required(below);
        }
    }
}

fn describe(schema: &mut Value, node: &Node) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for entry in node.entries() {
        let Some(below) = properties.get_mut(&entry.key) else { continue };
        describe(below, &entry.node);
        if let Some(object) = below.as_object_mut()
            && let Some(sentence) = sentence_above(HUB.defaults, entry.key_place.line)
        {
            object.insert("description".to_owned(), Value::from(sentence));
        }
    }
}

/// The comment that ends on the line above a line (from 1), joined to one; `None` when there is none.
pub(super) fn sentence_above(text: &str, line: u32) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(usize::try_from(line).ok()?.checked_sub(1)?).collect();
    let mut words: Vec<&str> =
        lines.iter().rev().map_while(|line| line.trim_start().strip_prefix('#')).map(str::trim).collect();
    words.reverse();
    (!words.is_empty()).then(|| words.join(" "))
}
