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

/// The tables of a server that may stand below its own.
const BELOW: [&str; 3] = ["env", "http_headers", "env_http_headers"];

/// The entry of that name with the tables below it, as far as its fields can be read.
pub(super) fn entry(text: &str, name: &str) -> Option<Value> {
    let mut entry = fields(find(text, name)?.lines().skip(1));
    for below in BELOW {
        if let Some((from, to)) = range(text, &format!("[mcp_servers.{name}.{below}]")) {
            entry[below] = fields(text[from..to].lines().skip(1));
        }
    }
    Some(entry)
}

/// The fields of a table, as far as they are texts, numbers, lists and tables in one line: what a server's entry has.
fn fields<'a, L: Iterator<Item = &'a str>>(lines: L) -> Value {
    let pairs = lines.filter_map(|line| line.split_once('='));
    let fields = pairs.filter_map(|(name, written)| Some((plain(name), value(written)?)));
    Value::Object(fields.collect())
}

fn value(written: &str) -> Option<Value> {
    let written = written.trim();
    if let Some(inside) = written.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Some(fields(items(inside)));
    }
    // A literal string has no escapes; the others are JSON's, and so are lists without a last comma.
    let literal = written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    literal.map(Value::from).or_else(|| serde_json::from_str(written).ok())
}

/// A key, with or without its quotes.
fn plain(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).to_owned()
}

/// What stands between the commas that are in no string.
fn items(inside: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    inside.split(move |c| {
        match quote {
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if open == c => quote = None,
            None | Some(_) => {}
        }
        c == ',' && quote.is_none()
    })
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
