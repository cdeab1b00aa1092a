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

/// What somebody is shown who asks for the list: the sets that they ask for by name, else those that are theirs.
///
/// # Errors
/// When a set is asked for that does not exist, or an actor is busy.
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

/// The sets of tools that a request asks for by name.
///
/// # Errors
/// When there is no such set.
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

/// A verb as MCP lists it.
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

    /// What a model is sent of a list, in tokens of the vocabulary o200k.
    fn tokens(sets: &str) -> usize {
        let shown = list(&sets.parse().expect("sets"), true);
        let sent: Vec<Value> = shown
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": *tool.input_schema}))
            .collect();
        let vocabulary = tiktoken_rs::o200k_base().expect("the vocabulary");
        vocabulary.encode_ordinary(&Value::from(sent).to_string()).len()
    }

    #[test]
    fn what_a_list_costs_a_model_stays_within_its_bounds_and_the_documents_say_so() {
        let cost = ["core", "work", "forge", "terminals", "permissions", "work,terminals", "all"]
            .map(|sets| (sets, tokens(sets)));
        assert!(cost[0].1 <= 2_200 && cost[1].1 <= 4_500, "{cost:?}");
        let costs = cost.map(|(sets, tokens)| {
            format!("| `{sets}` | {} | {tokens} |", list(&sets.parse().expect("sets"), true).len())
        });
        let named = tools::table().iter().map(|tool| format!("| `{}` | `{}` |", tool.name, tools::set_of(tool.name)));
        let rows: Vec<String> = named.chain(costs).collect();
        let page = include_str!("../../../docs/tools.md");
        let missing: Vec<&String> = rows.iter().filter(|row| !page.contains(*row)).collect();
        assert!(missing.is_empty(), "docs/tools.md says something else: {missing:?}");
        assert_eq!(page.matches("\n| `").count(), rows.len(), "docs/tools.md has rows of tools that are not there");
    }

    #[test]
    fn a_list_shows_its_sets_and_marks_what_is_called_in_every_round() {
        let names = |sets: &str| {
            list(&sets.parse().expect("sets"), true).iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>()
        };
        let core = [
            "assign_task",
            "get_task_context",
            "list_agents",
            "register_agent",
            "request_input",
            "send_response",
            "wait_for_prompt",
            "wait_for_task",
        ];
        assert_eq!(names("core"), core);
        assert!(core.iter().all(|name| names("work").contains(&(*name).to_owned())));
        assert!(names("terminals").iter().all(|name| !names("work").contains(name)));
        assert_eq!(names("all").len(), tools::table().len());
        let marked = list(&"all".parse().expect("sets"), true);
        let marked = marked.iter().filter(|tool| tool.meta.as_ref().is_some_and(|meta| meta[ALWAYS_LOAD] == true));
        let marked: Vec<&str> = marked.map(|tool| &*tool.name).collect();
        assert_eq!(marked, ["register_agent", "request_input", "send_response", "wait_for_prompt"]);
        let asks = list(&"permissions".parse().expect("sets"), true);
        assert!(asks.iter().all(|tool| tool.name == "ask_permission" && tool.output_schema.is_none()), "text alone");
        assert!(list(&"all".parse().expect("sets"), false).iter().all(|tool| tool.output_schema.is_none()));
    }
}
