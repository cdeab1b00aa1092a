//! What `listing` does, tried.

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
