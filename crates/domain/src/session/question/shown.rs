//! A call of a tool as people read it before they give leave: its command, its other arguments, and what it changes.

use serde_json::{Value, json};
use similar::TextDiff;

use crate::text::{for_terminal, redact};

/// The most lines that the two texts of a change have together where they are compared: the time grows with the square.
const COMPARED: usize = 4_000;
/// How clients call a text to be replaced, and the one in its place.
const CHANGES: [(&str, &str); 4] =
    [("old_string", "new_string"), ("oldString", "newString"), ("old_str", "new_str"), ("oldText", "newText")];
/// How they call what a file is to hold, and a diff, each with what stands before its lines.
#[rustfmt::skip]
const TEXTS: [(&str, &str); 7] = [
    ("content", "+"), ("file_text", "+"), ("new_source", "+"), ("newText", "+"),
    ("diff", ""), ("patch", ""), ("unified_diff", ""),
];
/// How they call the file.
const PATHS: [&str; 4] = ["path", "file_path", "filePath", "notebook_path"];

/// All arguments, without secrets, and with what hides or turns text made visible.
///
/// A command comes first, as it is. Then come other arguments as JSON, and then texts: a unified diff where old and new
/// are given, the lines of a new file, each behind a `+`, and diffs as they were written.
pub(super) fn shown(input: &Value) -> String {
    let (mut rest, mut texts) = (input.clone(), Vec::new());
    let command = rest.as_object_mut().and_then(|all| {
        let key = ["command", "cmd"].into_iter().find(|key| all.get(*key).is_some_and(Value::is_string))?;
        all.remove(key)
    });
    take_texts(&mut rest, "", &mut texts);
    // Some clients give the same change twice, in two forms.
    texts.dedup();
    let mut parts: Vec<String> = command.iter().filter_map(Value::as_str).map(plain).collect();
    if rest != json!({}) || (parts.is_empty() && texts.is_empty()) {
        parts.push(plain(&format!("{rest:#}")));
    }
    parts.append(&mut texts);
    parts.join("\n\n")
}

/// Takes the texts out of the arguments. `place` is the file that they are about, else how their argument is called.
fn take_texts(value: &mut Value, place: &str, texts: &mut Vec<String>) {
    match value {
        Value::Object(all) => {
            let file = PATHS.iter().find_map(|key| all.get(*key)?.as_str()).map(str::to_owned);
            let about = file.as_deref().unwrap_or(place);
            // A name with a line end in it must not pass for a line of the diff.
            let name = redact(if about.is_empty() { "text" } else { about }).escape_debug().to_string();
            for (old, new) in CHANGES {
                if let (Some(Value::String(before)), Some(Value::String(after))) = (all.get(old), all.get(new)) {
                    texts.push(change(&name, &plain(before), &plain(after)));
                    all.retain(|key, _| key != old && key != new);
                }
            }
            for (key, sign) in TEXTS.into_iter().filter(|_| !about.is_empty()) {
                if let Some(Value::String(text)) = all.get(key) {
                    texts.push(format!("{key} of {name}:\n{}", signed(sign, &plain(text)).trim_end()));
                    all.remove(key);
                }
            }
            for (key, value) in all {
                let below = format!("{place}/{key}");
                take_texts(value, file.as_deref().unwrap_or(below.trim_start_matches('/')), texts);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| take_texts(value, place, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn change(name: &str, before: &str, after: &str) -> String {
    let diff = if before.lines().count() + after.lines().count() > COMPARED {
        signed("-", before) + &signed("+", after)
    } else {
        // Whether the last line ends matters only where the two differ in it.
        let alike = before.ends_with('\n') == after.ends_with('\n');
        let ended = |text: &str| text.to_owned() + if alike && !text.is_empty() { "\n" } else { "" };
        TextDiff::from_lines(&ended(before), &ended(after)).unified_diff().to_string()
    };
    let diff = if diff.is_empty() { "(no difference in what is shown)" } else { diff.trim_end_matches('\n') };
    format!("--- {name}\n+++ {name}\n{diff}")
}

/// Each line behind a sign.
fn signed(sign: &str, text: &str) -> String {
    text.lines().map(|line| format!("{sign}{line}\n")).collect()
}

/// A text of the client's. Secrets go before the texts are taken apart: cut to lines, a key is not known any more.
fn plain(text: &str) -> String {
    for_terminal(&redact(text)).into_owned()
}

#[cfg(test)]
mod tests;
