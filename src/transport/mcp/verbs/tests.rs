//! What `verbs` does, tried.

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
    let cost =
        ["core", "work", "forge", "terminals", "permissions", "work,terminals", "all"].map(|sets| (sets, tokens(sets)));
    assert!(cost[0].1 <= 2_200 && cost[1].1 <= 4_500, "{cost:?}");
    let costs = cost
        .map(|(sets, tokens)| format!("| `{sets}` | {} | {tokens} |", list(&sets.parse().expect("sets"), true).len()));
    let named = tools::table().iter().map(|tool| format!("| `{}` | `{}` |", tool.name, tools::set_of(tool.name)));
    let rows: Vec<String> = named.chain(costs).collect();
    let page = include_str!("../../../../docs/tools.md");
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
        "assign_task", "get_task_context", "list_agents", "register_agent", "request_input", "send_response",
        "wait_for_prompt", "wait_for_task",
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
