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
        .with_raw_output_schema(object(&entry.output_schema))
        .with_annotations(annotations)
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
