//! Rules of components: rows of buttons, selects, and the newer layout of texts and containers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::error::ApiError;

/// Rows in a message.
const ROWS: usize = 5;
/// Buttons in a row.
const BUTTONS: usize = 5;
/// Options of a select.
const OPTIONS: usize = 25;
/// Components of the newer layout, those inside of others too.
const ALL_OF_V2: usize = 40;
/// Characters of all texts of the newer layout.
const TEXT_OF_V2: usize = 4_000;

/// What was seen on the way through the components of one body.
#[derive(Debug, Default)]
struct Seen {
    custom_ids: BTreeSet<String>,
    count: usize,
    characters: usize,
}

/// Checks the `components` of a message.
pub(crate) fn check(components: &Value, is_v2: bool) -> Result<(), ApiError> {
    let Some(list) = components.as_array() else {
        return if components.is_null() { Ok(()) } else { Err(not_a("components", "list")) };
    };
    if !is_v2 && list.len() > ROWS {
        return Err(ApiError::form("components", "BASE_TYPE_BAD_LENGTH", "Must be between 0 and 5 in length."));
    }
    let mut seen = Seen::default();
    for (at, component) in list.iter().enumerate() {
        let path = format!("components.{at}");
        match component["type"].as_u64() {
            Some(1) => row(component, &path, &mut seen)?,
            Some(9 | 10 | 12 | 13 | 14 | 17) if is_v2 => layout(component, &path, &mut seen)?,
            Some(_) | None => return Err(bad_type(&path)),
        }
    }
    if seen.count > ALL_OF_V2 && is_v2 {
        return Err(ApiError::form("components", "MAX_NUMBER_OF_COMPONENTS", "Must be 40 or fewer in all."));
    }
    if seen.characters > TEXT_OF_V2 {
        return Err(ApiError::form("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "Must be 4000 or fewer."));
    }
    Ok(())
}

fn row(row: &Value, path: &str, seen: &mut Seen) -> Result<(), ApiError> {
    let inside = row["components"].as_array().map(Vec::as_slice).unwrap_or_default();
    if inside.is_empty() || inside.len() > BUTTONS {
        let path = format!("{path}.components");
        return Err(ApiError::form(&path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."));
    }
    seen.count += 1;
    for (at, component) in inside.iter().enumerate() {
        let path = format!("{path}.components.{at}");
        match component["type"].as_u64() {
            Some(2) => button(component, &path, seen)?,
            Some(3 | 5..=8) if inside.len() == 1 => select(component, &path, seen)?,
            Some(_) | None => return Err(bad_type(&path)),
        }
    }
    Ok(())
}

fn button(button: &Value, path: &str, seen: &mut Seen) -> Result<(), ApiError> {
    seen.count += 1;
    text(button, path, "label", 0, 80)?;
    let has_face = button["label"].as_str().is_some_and(|label| !label.is_empty()) || button["emoji"].is_object();
    if !has_face {
        return Err(ApiError::form(path, "BUTTON_COMPONENT_INVALID", "A button needs a label or an emoji."));
    }
    match button["style"].as_u64() {
        Some(1..=4) => custom_id(button, path, seen),
        Some(5) if button["url"].is_string() && button["custom_id"].is_null() => Ok(()),
        Some(5) => Err(ApiError::form(path, "BUTTON_COMPONENT_INVALID", "A link button needs a url and no custom_id.")),
        Some(_) | None => Err(ApiError::form(&format!("{path}.style"), "BASE_TYPE_CHOICES", "Not a valid style.")),
    }
}

pub(crate) fn select_alone(component: &Value, path: &str) -> Result<(), ApiError> {
    select(component, path, &mut Seen::default())
}

fn select(select: &Value, path: &str, seen: &mut Seen) -> Result<(), ApiError> {
    seen.count += 1;
    custom_id(select, path, seen)?;
    text(select, path, "placeholder", 0, 150)?;
    if select["type"] != 3 {
        return Ok(());
    }
    let options = select["options"].as_array().map(Vec::as_slice).unwrap_or_default();
    if options.is_empty() || options.len() > OPTIONS {
        let path = format!("{path}.options");
        return Err(ApiError::form(&path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length."));
    }
    let mut values = BTreeSet::new();
    for (at, option) in options.iter().enumerate() {
        let path = format!("{path}.options.{at}");
        text(option, &path, "label", 1, 100)?;
        text(option, &path, "value", 1, 100)?;
        text(option, &path, "description", 0, 100)?;
        if !values.insert(option["value"].as_str()) {
            let path = format!("{path}.value");
            return Err(ApiError::form(
                &path,
                "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
                "The value is already used.",
            ));
        }
    }
    let bound = |field: &str, default| select[field].as_u64().unwrap_or(default);
    let (least, most) = (bound("min_values", 1), bound("max_values", 1));
    if least > most || most > options.len() as u64 || most == 0 {
        return Err(ApiError::form(
            &format!("{path}.max_values"),
            "SELECT_COMPONENT_MAX_VALUES",
            "Not within options.",
        ));
    }
    Ok(())
}

fn layout(component: &Value, path: &str, seen: &mut Seen) -> Result<(), ApiError> {
    seen.count += 1;
    match component["type"].as_u64() {
        Some(10) => {
            text(component, path, "content", 1, TEXT_OF_V2)?;
            seen.characters += component["content"].as_str().unwrap_or_default().chars().count();
        }
        Some(1) => return row(component, path, seen),
        Some(2) => return button(component, path, seen),
        Some(9 | 17) => {}
        Some(11..=14) => return Ok(()),
        Some(_) | None => return Err(bad_type(path)),
    }
    for (at, inside) in component["components"].as_array().into_iter().flatten().enumerate() {
        layout(inside, &format!("{path}.components.{at}"), seen)?;
    }
    if component["type"] == 9 {
        layout(&component["accessory"], &format!("{path}.accessory"), seen)?;
    }
    Ok(())
}

/// A `custom_id` has 1 to 100 characters and stands once in a message.
fn custom_id(component: &Value, path: &str, seen: &mut Seen) -> Result<(), ApiError> {
    text(component, path, "custom_id", 1, 100)?;
    let id = component["custom_id"].as_str().unwrap_or_default();
    if seen.custom_ids.insert(id.into()) {
        return Ok(());
    }
    let path = format!("{path}.custom_id");
    Err(ApiError::form(&path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"))
}

/// A text of so many characters; a missing one only where none are needed.
pub(crate) fn text(object: &Value, path: &str, field: &str, least: usize, most: usize) -> Result<(), ApiError> {
    let path = if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") };
    let value = &object[field];
    if value.is_null() {
        return if least == 0 {
            Ok(())
        } else {
            Err(ApiError::form(&path, "BASE_TYPE_REQUIRED", "This field is required"))
        };
    }
    let Some(text) = value.as_str() else { return Err(not_a(&path, "string")) };
    let length = text.chars().count();
    if length > most {
        let sentence = format!("Must be {most} or fewer in length.");
        return Err(ApiError::form(&path, "BASE_TYPE_MAX_LENGTH", sentence));
    }
    if length < least {
        return Err(ApiError::form(
            &path,
            "BASE_TYPE_BAD_LENGTH",
            format!("Must be between {least} and {most} in length."),
        ));
    }
    Ok(())
}

fn not_a(path: &str, kind: &str) -> ApiError {
    ApiError::form(path, "BASE_TYPE_INVALID", format!("Only a {kind} is allowed here."))
}

fn bad_type(path: &str) -> ApiError {
    ApiError::form(&format!("{path}.type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one that fits here.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn buttons(labels: &[&str]) -> Value {
        let buttons = labels.iter().map(|label| json!({ "type": 2, "style": 1, "label": label, "custom_id": label }));
        json!([{ "type": 1, "components": buttons.collect::<Value>() }])
    }

    #[test]
    fn labels_ids_rows_and_options_have_limits() {
        let long = |length| "x".repeat(length);
        let options = |count: usize| {
            let options = (0..count).map(|at| json!({ "label": "l", "value": at.to_string() }));
            let select = json!({ "type": 3, "custom_id": "s", "options": options.collect::<Value>() });
            json!([{ "type": 1, "components": [select] }])
        };
        let row = json!({ "type": 1, "components": [{ "type": 2, "style": 5, "label": "l", "url": "https://a" }] });
        for good in
            [buttons(&["a", "b", "c", "d", &long(80)]), options(1), options(25), json!([row, row, row, row, row])]
        {
            assert_eq!(check(&good, false), Ok(()));
        }
        let six_rows = json!([row, row, row, row, row, row]);
        let bad = [
            buttons(&[]),
            buttons(&["a"; 2]),
            buttons(&["a", "b", "c", "d", "e", "f"]),
            buttons(&[&long(81)]),
            buttons(&[""]),
        ];
        for bad in bad.into_iter().chain([options(0), options(26), six_rows, json!([{ "type": 10, "content": "a" }])]) {
            assert!(check(&bad, false).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_newer_layout_counts_components_and_characters() {
        let text = |length: usize| json!({ "type": 10, "content": "x".repeat(length) });
        assert_eq!(check(&json!([{ "type": 17, "components": [text(2_000), text(2_000)] }]), true), Ok(()));
        assert!(check(&json!([{ "type": 17, "components": [text(2_000), text(2_001)] }]), true).is_err());
        assert!(check(&Value::Array(vec![text(1); 41]), true).is_err());
    }
}
