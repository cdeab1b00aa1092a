//! One table of a TOML file, put in as text: a table ends where the next begins. What the file means is read by a
//! library, before and after: nothing else may have changed.

use serde_json::Value;
use toml::Table;

use super::client::{CODEX_SECONDS, VARIABLE};
use super::entry::Entry;

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

/// The entry of that name, however it is written.
///
/// # Errors
/// Why the text is no TOML.
pub(super) fn entry(text: &str, name: &str) -> Result<Option<Value>, String> {
    let entry = taken(&mut parsed(text)?, name);
    entry.map(serde_json::to_value).transpose().map_err(|error| error.to_string())
}

fn parsed(text: &str) -> Result<Table, String> {
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| format!("line {}: ", before.matches('\n').count() + 1));
        format!("{}{}", line.unwrap_or_default(), error.message())
    })
}

/// Takes the entry of that name out.
fn taken(document: &mut Table, name: &str) -> Option<toml::Value> {
    let servers = document.get_mut("mcp_servers")?.as_table_mut()?;
    let entry = servers.remove(name);
    if servers.is_empty() {
        document.remove("mcp_servers");
    }
    entry
}

/// The text with the table in it, in place of an older one, and nothing else changed.
///
/// # Errors
/// Why the text is no TOML, or that it has the entry in a form that is not taken apart here.
pub(super) fn put(text: &str, name: &str, block: &str) -> Result<String, String> {
    let (mut before, written) = (parsed(text)?, join(text, block));
    taken(&mut before, name);
    let wanted = taken(&mut parsed(block)?, name);
    // A header in quotes, with dots or inside a long text is not seen here: then the file would mean something else.
    let as_meant = parsed(&written).is_ok_and(|mut after| {
        let own = taken(&mut after, name);
        let wanted = wanted.iter().filter_map(toml::Value::as_table).flatten();
        wanted.into_iter().all(|(field, value)| own.as_ref().and_then(|own| own.get(field)) == Some(value))
            && after == before
    });
    if as_meant {
        return Ok(written);
    }
    Err(format!("its entry `{name}` is no table `[mcp_servers.{name}]` of its own: take it out, and try again"))
}

fn join(text: &str, block: &str) -> String {
    let name = block.lines().next().unwrap_or_default();
    if let Some((from, to)) = range(text, name) {
        return format!("{}{block}{}", &text[..from], &text[to..]);
    }
    let gap = match text {
        "" => "",
        whole if whole.ends_with("\n\n") => "",
        whole if whole.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{block}")
}

/// The table of that name, as it is written.
pub(super) fn find<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (from, to) = range(text, &format!("[mcp_servers.{name}]"))?;
    Some(&text[from..to])
}

fn range(text: &str, header: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    let mut from = None;
    for line in text.split_inclusive('\n') {
        match from {
            None if is_header(line, header) => from = Some(at),
            Some(from) if line.trim_start().starts_with('[') => {
                // The blank lines before the next table are its own.
                let table = text[from..at].trim_end_matches('\n').len() + 1;
                return Some((from, (from + table).min(at)));
            }
            None | Some(_) => {}
        }
        at += line.len();
    }
    from.map(|from| (from, text.len()))
}

/// Whether the line is that header, whatever is remarked behind it.
fn is_header(line: &str, header: &str) -> bool {
    let rest = line.trim().strip_prefix(header).map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// A basic string: TOML's are JSON's, but for what no path holds.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
