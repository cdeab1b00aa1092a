//! What `prompts` does, tried.

use super::*;

fn both() -> (Settings, SystemPrompts) {
    (Settings::defaults(), SystemPrompts::load(None).expect("the compiled-in prompts"))
}

fn arguments(value: Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}

#[test]
fn every_role_has_a_prompt_and_they_come_in_order() {
    let (settings, prompts) = both();
    let names: Vec<String> = list(&settings, &prompts).into_iter().map(|prompt| prompt.name).collect();
    assert!(names.contains(&"role/full-stack-engineer".to_owned()));
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(names.iter().all(|name| get(&settings, &prompts, name, None).is_ok()));
}

#[test]
fn an_alias_is_as_good_and_a_wrong_name_or_argument_is_refused() {
    let (settings, prompts) = both();
    assert!(get(&settings, &prompts, "role/pm", Some(&arguments(json!({"agentId": "pm-1"})))).is_ok());
    assert!(get(&settings, &prompts, "role/nobody", None).is_err());
    assert!(get(&settings, &prompts, "pm", None).is_err());
    assert!(get(&settings, &prompts, "role/pm", Some(&arguments(json!({"agentId": "Not An Id"})))).is_err());
    assert!(get(&settings, &prompts, "role/pm", Some(&arguments(json!({"colour": "red"})))).is_err());
}
