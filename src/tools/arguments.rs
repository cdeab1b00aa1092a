//! Arguments on their way in: the other case of a field's name is as good as the right one, and what does not fit the
//! schema is said in words before serde sees it.

use serde_json::{Map, Value};

use super::check::{Misfit, check};

/// Puts the fields of `given` under the names that `schema` knows, also one level down, and holds the whole against it.
///
/// # Errors
/// The first thing that does not fit.
pub(super) fn normalise(schema: &Value, given: Value) -> Result<Value, Misfit> {
    let given = match given {
        // A client without arguments to give may leave them out.
        Value::Null => Value::Object(Map::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => given,
    };
    let renamed = rename(schema, given, 2, "")?;
    check(schema, &renamed)?;
    Ok(renamed)
}

fn rename(schema: &Value, value: Value, depth: u8, at: &str) -> Result<Value, Misfit> {
    if depth == 0 {
        return Ok(value);
    }
    match value {
        Value::Object(object) => rename_object(schema, object, depth, at).map(Value::Object),
        Value::Array(items) => match schema_of(schema, "items") {
            Some(inner) => {
                let items: Result<Vec<Value>, Misfit> =
                    items.into_iter().map(|item| rename(inner, item, depth, at)).collect();
                items.map(Value::Array)
            }
            None => Ok(Value::Array(items)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value),
    }
}

fn rename_object(
    schema: &Value,
    object: Map<String, Value>,
    depth: u8,
    at: &str,
) -> Result<Map<String, Value>, Misfit> {
    let Some(fields) = schema_of(schema, "properties").and_then(Value::as_object) else { return Ok(object) };
    let required = schema_of(schema, "required").and_then(Value::as_array);
    let optional = |name: &str| !required.is_some_and(|all| all.iter().any(|known| known.as_str() == Some(name)));
    let mut out = Map::new();
    for (name, value) in object {
        let right = right_name(&name, fields);
        if value.is_null() && fields.contains_key(&right) && optional(&right) {
            // Many models fill in null for what they leave out.
            continue;
        }
        let path = if at.is_empty() { right.clone() } else { format!("{at}.{right}") };
        let value = match fields.get(&right) {
            Some(schema) => rename(schema, value, depth - 1, &path)?,
            None => value,
        };
        match out.get(&right) {
            Some(before) if *before != value => {
                return Err(Misfit { at: path, what: "is given twice, with different values".to_owned() });
            }
            Some(_) | None => out.insert(right, value),
        };
    }
    Ok(out)
}

/// The field that `name` means: itself, or the same word in the other case.
fn right_name(name: &str, fields: &Map<String, Value>) -> String {
    if fields.contains_key(name) {
        return name.to_owned();
    }
    let other = [camel(name), snake(name)].into_iter().find(|candidate| fields.contains_key(candidate));
    other.unwrap_or_else(|| name.to_owned())
}

/// A keyword of a schema, looking through the choices of an optional field.
fn schema_of<'a>(schema: &'a Value, keyword: &str) -> Option<&'a Value> {
    schema.get(keyword).or_else(|| {
        schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().find_map(|choice| choice.get(keyword))
    })
}

fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut raise = false;
    for letter in name.chars() {
        match (letter, raise) {
            ('_', _) => raise = !out.is_empty(),
            (letter, true) => {
                out.extend(letter.to_uppercase());
                raise = false;
            }
            (letter, false) => out.push(letter),
        }
    }
    out
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() {
            if !out.is_empty() {
                out.push('_');
            }
            out.extend(letter.to_lowercase());
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "agentId": {"type": "string"},
                "session_id": {"type": "string"},
                "context": {},
                "workspace": {"anyOf": [
                    {"type": "object", "properties": {"repoUrl": {"type": "string"}}, "additionalProperties": false},
                    {"type": "null"},
                ]},
                "artifacts": {"type": "array", "items": {"anyOf": [
                    {"type": "string"},
                    {"type": "object", "properties": {"fileName": {"type": "string"}}, "additionalProperties": false},
                ]}},
            },
            "additionalProperties": false,
        })
    }

    #[rstest]
    #[case(json!({"agent_id": "a"}), json!({"agentId": "a"}))]
    #[case(json!({"agentId": "a", "agent_id": "a"}), json!({"agentId": "a"}))]
    #[case(json!({"sessionId": "s"}), json!({"session_id": "s"}))]
    #[case(json!({"workspace": {"repo_url": "x"}}), json!({"workspace": {"repoUrl": "x"}}))]
    #[case(json!({"artifacts": ["a", {"file_name": "x"}]}), json!({"artifacts": ["a", {"fileName": "x"}]}))]
    #[case(json!({"agentId": null, "workspace": {"repoUrl": null}}), json!({"workspace": {}}))]
    #[case(Value::Null, json!({}))]
    fn the_other_case_is_as_good(#[case] given: Value, #[case] wanted: Value) {
        assert_eq!(normalise(&schema(), given), Ok(wanted));
    }

    #[test]
    fn what_an_asker_put_into_a_free_field_stays_as_it_came() {
        let given = json!({"context": {"agent_id": "a", "workspace": {"repo_url": 1}}});
        assert_eq!(normalise(&schema(), given.clone()), Ok(given));
    }

    #[test]
    fn two_values_for_one_field_are_refused_rather_than_one_of_them_dropped() {
        let misfit = normalise(&schema(), json!({"agentId": "a", "agent_id": "b"})).expect_err("ambiguous");
        assert_eq!(misfit.sentence(), "`agentId` is given twice, with different values");
    }
}
