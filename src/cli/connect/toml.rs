//! One table of a TOML file, put in as text. A table ends where the next begins, which is all that has to be known.

use super::client::Entry;

/// The table of a stdio server.
pub(super) fn block(name: &str, entry: &Entry) -> String {
    let arguments: Vec<_> = entry.arguments.iter().map(|argument| quoted(argument)).collect();
    let (command, arguments) = (quoted(&entry.command), arguments.join(", "));
    let late = "# A wait of the hub's ends before this.\ntool_timeout_sec = 300\n";
    format!("[mcp_servers.{name}]\ncommand = {command}\nargs = [{arguments}]\n{late}")
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
    serde_json::Value::from(text).to_string()
}
