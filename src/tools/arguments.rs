//! Arguments on their way in, read kindly and strictly. The other case of a field's name is as good as the right one;
//! `null` or an empty text for an optional field means that it is left out, and so does `{}` where an object needs
//! fields; a text that parses as exactly the list, object, number or boolean that the schema asks for is taken for it.
//! Anything else that does not fit the schema is refused by the field's name before serde sees it.

use serde_json::{Map, Value};

use super::check::{Misfit, check, is_type, types};
use super::is_left_out;
use super::unique::doubled_key;

/// Reads `given` as `schema` means it, at every depth that the schema describes, and checks the whole against it.
pub(super) fn normalise(schema: &Value, given: Value) -> Result<Value, Misfit> {
    let given = match given {
        // A client without arguments to give may leave them out.
        Value::Null => Value::Object(Map::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => given,
    };
    let read = read(schema, given, "")?;
    check(schema, &read)?;
    Ok(read)
}

fn read(schema: &Value, value: Value, at: &str) -> Result<Value, Misfit> {
    match parsed(schema, value, at)? {
        Value::Object(object) => read_object(schema, object, at).map(Value::Object),
        Value::Array(items) => match schema_of(schema, "items") {
            Some(inner) => items
                .into_iter()
                .enumerate()
                .map(|(index, item)| read(inner, item, &format!("{at}[{index}]")))
                .collect::<Result<Vec<Value>, Misfit>>()
                .map(Value::Array),
            None => Ok(Value::Array(items)),
        },
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => Ok(plain),
    }
}

fn read_object(schema: &Value, object: Map<String, Value>, at: &str) -> Result<Map<String, Value>, Misfit> {
    let Some(fields) = schema_of(schema, "properties").and_then(Value::as_object) else { return Ok(object) };
    let required = schema_of(schema, "required").and_then(Value::as_array);
    let optional = |name: &str| !required.is_some_and(|all| all.iter().any(|known| known.as_str() == Some(name)));
    let mut out = Map::new();
    for (name, value) in object {
        let right = right_name(&name, fields);
        if is_left_out(&value) && fields.contains_key(&right) && optional(&right) {
            // Many clients and models fill in something for what they leave out.
            continue;
        }
        let path = if at.is_empty() { right.clone() } else { format!("{at}.{right}") };
        let value = match fields.get(&right) {
            Some(schema) => read(schema, value, &path)?,
            None => value,
        };
        if optional(&right) && is_empty_and_cannot_be(fields.get(&right), &value) {
            continue;
        }
        match out.get(&right) {
            Some(before) if *before != value => {
                return Err(Misfit { at: path, what: "is given twice, with different values".to_owned() });
            }
            Some(_) | None => out.insert(right, value),
        };
    }
    Ok(out)
}

/// Whether a value is an object without a field, where the schema asks for one with some: what many models fill in.
fn is_empty_and_cannot_be(schema: Option<&Value>, value: &Value) -> bool {
    let required = schema.and_then(|schema| schema_of(schema, "required")).and_then(Value::as_array);
    value.as_object().is_some_and(Map::is_empty) && required.is_some_and(|names| !names.is_empty())
}

/// A text as the list, object, number or boolean that it spells, where the schema asks for that and for no text.
fn parsed(schema: &Value, value: Value, at: &str) -> Result<Value, Misfit> {
    let Value::String(text) = &value else { return Ok(value) };
    let wanted = wanted(schema);
    if wanted.is_empty() || wanted.contains(&"string") {
        return Ok(value);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(spelt) if !spelt.is_null() && wanted.iter().any(|name| is_type(name, &spelt)) => {
            match doubled_key(text.as_bytes()) {
                Some(doubled) => {
                    Err(Misfit { at: at.to_owned(), what: format!("cannot be read in one way: {doubled}") })
                }
                None => Ok(spelt),
            }
        }
        Ok(_) | Err(_) => Ok(value),
    }
}

/// The types that a schema takes; none where it takes anything.
fn wanted(schema: &Value) -> Vec<&str> {
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let own = schema.get("type").into_iter().flat_map(types);
    own.chain(choices.into_iter().flatten().flat_map(wanted)).collect()
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
mod tests;
