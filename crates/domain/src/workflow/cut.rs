//! Arguments that are not what the user typed. Some clients hand over only what stands before the first blank, with
//! quotes kept; others a placeholder such as `$1`, and put in what was typed where the answer has it.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::plan::Plan;

/// What a quote begins and ends with.
const QUOTES: [(char, char); 4] = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’')];

/// Why a text looks cut, as it goes on after "it looks cut: "; none where it does not.
pub(super) fn looks_cut(text: &str, plan: &Plan) -> Option<String> {
    let text = text.trim();
    if is_open(text) {
        return Some("it begins with a quote that never ends".to_owned());
    }
    if ends_what_never_began(text) {
        return Some("it ends with a quote that never began".to_owned());
    }
    let (name, value) = text.trim_start_matches('-').split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let quoted = QUOTES.iter().any(|(begin, _)| value.starts_with(*begin));
    let meant = is_open(value) || plan.parameters.iter().any(|parameter| parameter.name == name);
    (is_name && quoted && meant).then(|| format!("it begins with `{name}=` and a quote"))
}

/// Whether a text begins with a quote that never ends. A lone `'` before several words is an apostrophe.
fn is_open(text: &str) -> bool {
    QUOTES.iter().any(|(begin, end)| {
        text.strip_prefix(*begin).is_some_and(|rest| !rest.contains(*end) && !is_apostrophe(*end, rest))
    })
}

/// Whether a text ends a quote that never began. A lone `'` behind words is an apostrophe, `"` behind a number an inch.
fn ends_what_never_began(text: &str) -> bool {
    QUOTES.iter().any(|(begin, end)| {
        let inch = |head: &str| *end == '"' && head.ends_with(|c: char| c.is_ascii_digit()) && has_blank(head);
        text.strip_suffix(*end).is_some_and(|head| !head.contains(*begin) && !is_apostrophe(*end, head) && !inch(head))
    })
}

fn is_apostrophe(quote: char, text: &str) -> bool {
    matches!(quote, '\'' | '’') && has_blank(text)
}

fn has_blank(text: &str) -> bool {
    text.contains(char::is_whitespace)
}

/// Whether a text stands for what a client puts in later.
pub(super) fn is_placeholder(text: &str) -> bool {
    let name = text.trim().strip_prefix('$').unwrap_or_default();
    name == "ARGUMENTS" || (!name.is_empty() && name.len() <= 2 && name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The parameters that no step may be carried out with: placeholders; where the client `cuts`, all texts of one word.
pub fn unsure(parameters: &Map<String, Value>, cuts: bool) -> BTreeSet<String> {
    let texts = parameters.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
    texts
        .filter(|(_, text)| is_placeholder(text) || (cuts && !has_blank(text.trim())))
        .map(|(name, _)| name.clone())
        .collect()
}
