//! The verbs as MCP lists them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::extract::Query;
use http::request::Parts;
use http::{HeaderMap, Uri};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, JsonObject, MetaObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::caller::{TOOLS, caller};
use super::changes::Ear;
use crate::actors::HubRef;
use crate::domain::tool_set::ToolSets;
use crate::tools::{self, ToolEntry};

/// Under this key a tool says that a client which loads tools as they are needed should have it from the start.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// Every verb as MCP lists it, made once: the library asks for the tool with each call, and schemas are large.
static LIST: LazyLock<Vec<Tool>> = LazyLock::new(|| tools::table().iter().map(tool).collect());

/// The verb of that name as MCP lists it, whether a list shows it or not.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    LIST.iter().find(|tool| tool.name == name)
}

/// What these sets show, with the schemas of what the verbs answer or without them.
pub(super) fn list(sets: &ToolSets, with_outputs: bool) -> Vec<Tool> {
    let mut shown: Vec<Tool> = LIST.iter().filter(|tool| sets.show(tools::set_of(&tool.name))).cloned().collect();
    if !with_outputs {
        shown.iter_mut().for_each(|tool| tool.output_schema = None);
    }
    shown
}

/// What the list shows: the sets asked for by name, else the caller's own. Fails for a set that does not exist.
pub(super) async fn listed(
    hub: &HubRef,
    ear: Option<&Ear>,
    context: &RequestContext<RoleServer>,
) -> Result<Vec<Tool>, ErrorData> {
    let caller = caller(hub, context)?;
    let asked = context.extensions.get::<Parts>().map(asked_for).transpose()?.flatten();
    let sets = match asked {
        Some(sets) => sets,
        None => {
            let sets = tools::shown_to(hub, &caller.principal).await;
            let sets = sets.map_err(|refusal| ErrorData::internal_error(refusal.message, None))?;
            if let Some(ear) = ear {
                ear.was_shown(sets.clone());
            }
            sets
        }
    };
    let with_outputs = hub.settings().client(caller.client_name()).is_none_or(|row| row.output_schemas);
    Ok(list(&sets, with_outputs))
}

/// The sets of tools that a request asks for by name. Fails when there is no such set.
pub(super) fn asked_for(head: &Parts) -> Result<Option<ToolSets>, ErrorData> {
    let Some(asked) = sets_in(&head.uri, &head.headers) else { return Ok(None) };
    let sets = asked.parse::<ToolSets>().map_err(|unknown| {
        let data = json!({"code": "INVALID_ARGUMENTS", "prompt": "Name sets of tools, as /mcp?tools=work,terminals."});
        ErrorData::invalid_params(unknown.to_string(), Some(data))
    })?;
    Ok(Some(sets))
}

/// The same as it is written: in the query (`?tools=core`), or in a proxy's header.
pub(super) fn sets_in(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let query: Query<BTreeMap<String, String>> = Query::try_from_uri(uri).unwrap_or_default();
    let header = || headers.get(TOOLS).and_then(|value| value.to_str().ok()).map(str::to_owned);
    query.0.get("tools").cloned().or_else(header).filter(|asked| !asked.is_empty())
}

fn tool(entry: &ToolEntry) -> Tool {
    let annotations = ToolAnnotations::with_title(entry.title)
        .read_only(entry.read_only)
        .destructive(entry.destructive)
        .idempotent(entry.idempotent)
        .open_world(false);
    let tool = Tool::new(entry.name, entry.description, object(&tools::listed_input(entry)))
        .with_title(entry.title)
        .with_annotations(annotations);
    // Who declares what an answer holds has to send it beside the text.
    let tool =
        if entry.to_client { tool } else { tool.with_raw_output_schema(object(&without_words(&entry.output_schema))) };
    if !tools::is_in_the_loop(entry.name) {
        return tool;
    }
    let mut meta = MetaObject::new();
    meta.insert(ALWAYS_LOAD.to_owned(), Value::Bool(true));
    tool.with_meta(meta)
}

/// What an answer may hold, without the words to it: no model needs them, and they were more than half of the list.
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
mod tests;
