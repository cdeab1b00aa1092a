//! Rules of a modal: a title, an id, and one to five fields.

use serde_json::Value;

use super::component;
use super::error::ApiError;

/// Checks `data` of an answer with a modal.
pub(crate) fn check(data: &Value) -> Result<(), ApiError> {
    component::text(data, "data", "title", 1, 45)?;
    component::text(data, "data", "custom_id", 1, 100)?;
    let fields = data["components"].as_array().map(Vec::as_slice).unwrap_or_default();
    if fields.is_empty() || fields.len() > 5 {
        let sentence = "Must be between 1 and 5 in length.";
        return Err(ApiError::form("data.components", "BASE_TYPE_BAD_LENGTH", sentence));
    }
    let mut ids = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        let path = format!("data.components.{at}");
        let inside = inside(field).ok_or_else(|| {
            ApiError::form(&format!("{path}.type"), "UNION_TYPE_CHOICES", "Must be a row, a label or a text.")
        })?;
        if field["type"] == 18 {
            component::text(field, &path, "label", 1, 45)?;
            component::text(field, &path, "description", 0, 100)?;
        }
        match inside["type"].as_u64() {
            Some(4) => text_input(inside, &path, field["type"] == 1)?,
            Some(3) if field["type"] == 18 => component::select_alone(inside, &path)?,
            Some(10) => continue,
            Some(_) | None => {
                return Err(ApiError::form(&format!("{path}.type"), "UNION_TYPE_CHOICES", "Not a field of a modal."));
            }
        }
        if ids.contains(&&inside["custom_id"]) {
            let path = format!("{path}.custom_id");
            return Err(ApiError::form(
                &path,
                "COMPONENT_CUSTOM_ID_DUPLICATED",
                "Component custom id cannot be duplicated",
            ));
        }
        ids.push(&inside["custom_id"]);
    }
    Ok(())
}

/// The field inside of a row or a label; a text is one itself.
pub(crate) fn inside(field: &Value) -> Option<&Value> {
    match field["type"].as_u64() {
        Some(1) => field["components"].as_array().filter(|list| list.len() == 1)?.first(),
        Some(18) => field.get("component"),
        Some(10) => Some(field),
        Some(_) | None => None,
    }
}

fn text_input(input: &Value, path: &str, needs_label: bool) -> Result<(), ApiError> {
    component::text(input, path, "custom_id", 1, 100)?;
    component::text(input, path, "label", usize::from(needs_label), 45)?;
    component::text(input, path, "placeholder", 0, 100)?;
    component::text(input, path, "value", 0, 4_000)?;
    if !matches!(input["style"].as_u64(), Some(1 | 2)) {
        return Err(ApiError::form(&format!("{path}.style"), "BASE_TYPE_CHOICES", "Must be 1 or 2."));
    }
    let bound = |field: &str, default| input[field].as_u64().unwrap_or(default);
    let (least, most) = (bound("min_length", 0), bound("max_length", 4_000));
    if least > most || most > 4_000 || most == 0 {
        return Err(ApiError::form(&format!("{path}.max_length"), "NUMBER_TYPE_MAX", "Must be between 1 and 4000."));
    }
    Ok(())
}
