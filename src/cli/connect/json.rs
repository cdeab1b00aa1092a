//! One entry of a JSON file, put in as text: whatever else stands there stays as it was written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The text with `name` in the object at `path`.
///
/// # Errors
/// Why it is no JSON object.
pub(super) fn put(text: &str, path: &[&str], name: &str, value: &Value) -> Result<String, String> {
    put_text(text, path, name, &pretty(value, 2 + 2 * path.len()))
}

/// The same for a value that is known as text.
///
/// # Errors
/// As [`put`].
pub(super) fn put_text(text: &str, path: &[&str], name: &str, value: &str) -> Result<String, String> {
    let whole = if text.trim().is_empty() { "{\n}\n" } else { text };
    let (mut at, mut inside) = (0, whole);
    for (depth, table) in path.iter().enumerate() {
        let known = fields(inside).map_err(|why| within(&path[..depth], &why))?;
        let Some(entries) = known.get(*table) else {
            let object = wrapped(&path[depth + 1..], name, value, 2 * (depth + 1));
            return Ok(insert(whole, at, known.is_empty(), table, &object, 2 * (depth + 1)));
        };
        (at, inside) = (place(whole, entries.get()), entries.get());
    }
    let known = fields(inside).map_err(|why| within(path, &why))?;
    Ok(match known.get(name) {
        Some(old) => {
            let old_at = place(whole, old.get());
            format!("{}{value}{}", &whole[..old_at], &whole[old_at + old.get().len()..])
        }
        None => insert(whole, at, known.is_empty(), name, value, 2 + 2 * path.len()),
    })
}

/// An object that has `name` at `path` and nothing else; its end is moved in by so much.
fn wrapped(path: &[&str], name: &str, value: &str, indent: usize) -> String {
    let pad = " ".repeat(indent);
    let (key, inner) = match path.split_first() {
        Some((table, rest)) => (*table, wrapped(rest, name, value, indent + 2)),
        None => (name, value.to_owned()),
    };
    format!("{{\n{pad}  {}: {inner}\n{pad}}}", quoted(key))
}

fn within(path: &[&str], why: &str) -> String {
    if path.is_empty() { why.to_owned() } else { format!("`{}`: {why}", path.join(".")) }
}

/// The text with an item in the list `name`, where none has that `id` yet.
///
/// # Errors
/// Why it is no JSON object, or that no list.
pub(super) fn put_item(text: &str, name: &str, id: &str, item: &Value) -> Result<String, String> {
    let all = fields(text)?;
    let item = pretty(item, 4);
    let Some(list) = all.get(name) else {
        return Ok(insert(text, 0, all.is_empty(), name, &format!("[\n    {item}\n  ]"), 2));
    };
    let items: Vec<Value> =
        serde_json::from_str(list.get()).map_err(|error| format!("`{name}` is no list: {error}"))?;
    if items.iter().any(|known| known["id"] == id) {
        return Ok(text.to_owned());
    }
    let after = place(text, list.get()) + 1;
    let comma = if items.is_empty() { "\n  " } else { "," };
    Ok(format!("{}\n    {item}{comma}{}", &text[..after], &text[after..]))
}

/// The value of `name` in the object at `path`, as it is written.
///
/// # Errors
/// As [`put`].
pub(super) fn find<'a>(text: &'a str, path: &[&str], name: &str) -> Result<Option<&'a str>, String> {
    let mut inside = text;
    for table in path {
        let Some(entries) = fields(inside)?.get(*table).copied() else { return Ok(None) };
        inside = entries.get();
    }
    Ok(fields(inside)?.get(name).map(|value| value.get()))
}

/// Whether there is an object at `path` that holds objects, and is none of them itself.
pub(super) fn holds_objects(text: &str, path: &[&str]) -> bool {
    let whole: Value = serde_json::from_str(text).unwrap_or_default();
    let inside = path.iter().try_fold(&whole, |inside, table| inside.get(table));
    inside.and_then(Value::as_object).is_some_and(|entries| entries.values().all(Value::is_object))
}

fn fields(text: &str) -> Result<Fields<'_>, String> {
    serde_json::from_str(text).map_err(|error| format!("it is no plain JSON object: {error}"))
}

/// Where a part of a text begins: the reader borrows from it.
fn place(whole: &str, part: &str) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

/// A first field of the object that begins at or after `from`.
fn insert(whole: &str, from: usize, empty: bool, name: &str, value: &str, indent: usize) -> String {
    let brace = from + whole[from..].find('{').unwrap_or_default() + 1;
    let comma = if empty { "" } else { "," };
    let rest = &whole[brace..];
    // An object that was written on one line is broken before what it had.
    let pad = " ".repeat(indent);
    let gap = if rest.starts_with(['\n', '\r']) { String::new() } else { format!("\n{pad}") };
    let gap = if empty && !rest.trim_start_matches([' ', '\t']).starts_with(['\n', '\r']) {
        format!("\n{}", " ".repeat(indent - 2))
    } else {
        gap
    };
    format!("{}\n{pad}{}: {value}{comma}{gap}{rest}", &whole[..brace], quoted(name))
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

/// A value as people write it, its inner lines moved in by so much.
fn pretty(value: &Value, indent: usize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}
