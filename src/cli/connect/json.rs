//! One entry of a JSON file, put in as text: whatever else stands there stays as it was written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The text with `name` in `table`.
///
/// # Errors
/// Why it is no JSON object.
pub(super) fn put(text: &str, table: &str, name: &str, value: &Value) -> Result<String, String> {
    put_text(text, table, name, &pretty(value, 4))
}

/// The same for a value that is known as text.
///
/// # Errors
/// As [`put`].
pub(super) fn put_text(text: &str, table: &str, name: &str, value: &str) -> Result<String, String> {
    let whole = if text.trim().is_empty() { "{\n}\n" } else { text };
    let fields = fields(whole)?;
    let Some(entries) = fields.get(table) else {
        let object = format!("{{\n    {}: {value}\n  }}", quoted(name));
        return Ok(insert(whole, 0, fields.is_empty(), table, &object, 2));
    };
    let at = place(whole, entries.get());
    let known = self::fields(entries.get()).map_err(|why| format!("`{table}`: {why}"))?;
    Ok(match known.get(name) {
        Some(old) => {
            let old_at = place(whole, old.get());
            format!("{}{value}{}", &whole[..old_at], &whole[old_at + old.get().len()..])
        }
        None => insert(whole, at, known.is_empty(), name, value, 4),
    })
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

/// The value of `name` in `table`, as it is written.
///
/// # Errors
/// As [`put`].
pub(super) fn find<'a>(text: &'a str, table: &str, name: &str) -> Result<Option<&'a str>, String> {
    let whole = fields(text)?;
    let Some(entries) = whole.get(table) else { return Ok(None) };
    Ok(fields(entries.get())?.get(name).map(|value| value.get()))
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
