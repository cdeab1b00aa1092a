//! One table of a TOML file, put in by a library that keeps everything else as it was written.
//!
//! What the entry itself says is written anew, but for tables of it that are the user's own, as `env`.

use serde_json::Value;
use toml_edit::{Decor, DocumentMut, Item, Key, RawString, Table, TableLike};

use super::entry::{Entry, VARIABLE};

mod lines;

/// How long Codex may wait for a call, in seconds: a wait of the hub's ends before.
const CODEX_SECONDS: u64 = 300;

/// The table of a server.
pub(super) fn block(name: &str, entry: &Entry) -> String {
    let what = match entry {
        Entry::Stdio { command, arguments } => {
            let arguments: Vec<_> = arguments.iter().map(|argument| quoted(argument)).collect();
            format!("command = {}\nargs = [{}]\n", quoted(command), arguments.join(", "))
        }
        Entry::Http { url } => format!("url = {}\nbearer_token_env_var = {}\n", quoted(url), quoted(VARIABLE)),
    };
    let late = format!("# A wait of the hub's ends before this.\ntool_timeout_sec = {CODEX_SECONDS}\n");
    format!("[mcp_servers.{name}]\n{what}{late}")
}

/// The entry of that name, however it is written. The error says why the text is no TOML.
pub(super) fn entry(text: &str, name: &str) -> Result<Option<Value>, String> {
    Ok(meaning(&parsed(text)?)?[SERVERS].get(name).cloned())
}

/// The text with the entry in place of an older one, in any form, and nothing else changed. The error says why not.
pub(super) fn put(text: &str, name: &str, block: &str) -> Result<String, String> {
    let (mut document, other) = (parsed(text)?, parsed(block)?);
    let entry = other.get(SERVERS).and_then(|servers| servers.get(name)).ok_or("there is no entry to put in")?;
    let (mut wanted, mut own) = (meaning(&document)?, meaning(&other)?[SERVERS][name].take());
    let no = || format!("`{SERVERS}` is written there so that `{name}` cannot be put in alone: put it in by hand");
    insert(&mut document, name, entry.clone()).ok_or_else(no)?;
    let mut written = document.to_string();
    if text.contains("\r\n") {
        // The library ends every line in its own way.
        written = written.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let older = wanted[SERVERS][name].take();
    for (field, value) in older.as_object().into_iter().flatten().filter(|(_, value)| value.is_object()) {
        own.as_object_mut().ok_or_else(no)?.entry(field).or_insert_with(|| value.clone());
    }
    wanted[SERVERS][name] = own;
    // A form that the library does not write back as it was would change what the file means.
    if meaning(&parsed(&written)?)? == wanted { Ok(written) } else { Err(no()) }
}

/// The text with a field of the entry set to a text. The error says why the text is no TOML, or that there is no entry.
pub(super) fn set(text: &str, name: &str, field: &str, value: &str) -> Result<String, String> {
    let mut document = parsed(text)?;
    let entry = document.get_mut(SERVERS).and_then(|servers| servers.get_mut(name));
    let entry = entry.and_then(Item::as_table_like_mut).ok_or_else(|| format!("there is no entry `{name}` in it"))?;
    entry.insert(field, toml_edit::value(value));
    let written = document.to_string();
    let crlf = || written.replace("\r\n", "\n").replace('\n', "\r\n");
    Ok(if text.contains("\r\n") { crlf() } else { written })
}

/// The text without the entry, or with the one that `was` there before, and nothing else changed. The error says that
/// the text is no TOML, that there is no entry, or that it cannot be taken out alone.
pub(super) fn take(text: &str, name: &str, was: &str) -> Result<String, String> {
    if entry(text, name)?.is_some()
        && let Ok(put) = put(text, name, was)
    {
        return Ok(put);
    }
    let document = parsed(text)?;
    let mut wanted = meaning(&document)?;
    let servers = wanted.get_mut(SERVERS).and_then(Value::as_object_mut);
    servers.and_then(|servers| servers.remove(name)).ok_or_else(|| format!("there is no entry `{name}` in it"))?;
    let among_others = || {
        let mut document = document.clone();
        document.get_mut(SERVERS)?.as_table_like_mut()?.remove(name)?;
        Some(document.to_string())
    };
    let is_it = |left: &String| {
        parsed(left)
            .and_then(|left| meaning(&left))
            .is_ok_and(|left| without_none(left) == without_none(wanted.clone()))
    };
    let left = lines::without(text, &[SERVERS, name]).filter(is_it).or_else(|| among_others().filter(is_it));
    left.ok_or_else(|| format!("`{SERVERS}` is written there so that `{name}` cannot be taken out alone"))
}

/// A table of no servers says what none says.
fn without_none(mut meaning: Value) -> Value {
    if let Some(whole) = meaning.as_object_mut()
        && whole.get(SERVERS).and_then(Value::as_object).is_some_and(serde_json::Map::is_empty)
    {
        whole.remove(SERVERS);
    }
    meaning
}

const SERVERS: &str = "mcp_servers";

fn parsed(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| format!("line {}: ", before.matches('\n').count() + 1));
        format!("{}{}", line.unwrap_or_default(), error.message())
    })
}

/// What it says, whatever the form.
fn meaning(document: &DocumentMut) -> Result<Value, String> {
    toml_edit::de::from_document(document.clone()).map_err(|error| error.to_string())
}

/// None where `mcp_servers` is something else than a table.
fn insert(document: &mut DocumentMut, name: &str, entry: Item) -> Option<()> {
    let last_words = document.trailing().as_str().unwrap_or_default().to_owned();
    let gap = if document.is_empty() && last_words.is_empty() { "" } else { "\n" };
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let mut own = entry.into_table().ok()?;
    own.set_dotted(false);
    // What is the user's own stays: `env`, say.
    let older = servers.get(name).and_then(Item::as_table_like).map(TableLike::iter);
    for (field, value) in older.into_iter().flatten().filter(|(_, value)| value.is_table_like()) {
        if !own.contains_key(field) {
            own.insert(field, value.clone());
        }
    }
    if let Item::Value(servers) = servers {
        let mut entry = Item::Table(own).into_value().ok()?;
        entry.as_inline_table_mut()?.fmt();
        servers.as_inline_table_mut()?.insert(name, entry);
        return Some(());
    }
    let servers = servers.as_table_mut()?;
    match servers.get(name).and_then(Item::as_table).filter(|old| !old.is_dotted()) {
        Some(old) => {
            *own.decor_mut() = old.decor().clone();
            own.set_position(old.position());
            servers.insert(name, Item::Table(own));
        }
        None => {
            let above = servers.remove_entry(name).map(|(key, old)| remarks(&key, &old)).unwrap_or_default();
            // What is remarked at the end of the file stays above what comes behind it.
            *own.decor_mut() = Decor::new(format!("{last_words}{gap}{above}"), "");
            own.set_position(Some(isize::MAX));
            servers.insert(name, Item::Table(own));
            document.set_trailing("");
        }
    }
    Some(())
}

/// What is remarked around an entry that is no table of its own, on lines of their own.
fn remarks(key: &Key, entry: &Item) -> String {
    let of_key = |key: &Key| key.leaf_decor().prefix().and_then(RawString::as_str).unwrap_or_default().to_owned();
    let behind = |item: &Item| {
        let decor = item.as_value().map(toml_edit::Value::decor);
        decor.and_then(Decor::suffix).and_then(RawString::as_str).unwrap_or_default().to_owned()
    };
    let mut parts = vec![of_key(key), behind(entry)];
    if let Some(dotted) = entry.as_table().filter(|table| table.is_dotted()) {
        for (field, value) in dotted.iter() {
            parts.extend(dotted.key(field).map(|key| {
                let dotted = key.dotted_decor().prefix().and_then(RawString::as_str).unwrap_or_default();
                format!("{}{dotted}", of_key(key))
            }));
            parts.push(behind(value));
        }
    }
    let lines = parts.iter().flat_map(|part| part.lines()).map(str::trim).filter(|line| line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

/// A basic string: TOML's are JSON's, but for what no path holds.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
