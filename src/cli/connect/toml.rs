//! One table of a TOML file, put in as text. A table ends where the next begins, which is all that has to be known.

use serde_json::Value;

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

/// The fields of a table, as far as they are texts, numbers and lists in one line: what a server's entry has.
pub(super) fn fields(block: &str) -> Value {
    let pairs = block.lines().filter_map(|line| line.split_once('='));
    let fields = pairs.filter_map(|(name, value)| {
        let value = value.trim();
        // A literal string has no escapes; the others are JSON's, and so are lists without a last comma.
        let literal = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        let value = literal.map(Value::from).or_else(|| serde_json::from_str(value).ok());
        Some((name.trim().to_owned(), value?))
    });
    Value::Object(fields.collect())
}

/// The text with the table in it, in place of an older one.
pub(super) fn put(text: &str, block: &str) -> String {
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
            None if line.trim() == header => from = Some(at),
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

/// A basic string: TOML's are JSON's, but for what no path holds.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
