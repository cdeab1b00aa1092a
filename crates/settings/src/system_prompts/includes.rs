//! Which template includes which: bare names alone, all of them known, and never in a circle.

use std::collections::BTreeMap;

use super::{Template, place};
use crate::domain::text::{nearest, shorten};
use crate::source_location::ConfigFault;

#[derive(Debug, PartialEq, Eq)]
struct Include {
    /// The name in quotes; `None` when it is no plain text in quotes.
    name: Option<String>,
    line: u32,
    column: u32,
}

/// The tags by which a template reaches another.
const TAGS: [&str; 4] = ["include", "extends", "import", "from"];

/// The text with each `{{include: NAME}}` as `{% include "NAME" %}`, on the same lines.
pub(super) fn rewritten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let old = after.split_once("}}").and_then(|(inside, tail)| {
            let name = inside.trim().strip_prefix("include:")?.trim();
            (!name.contains(['"', '\n', '%'])).then_some((name, tail))
        });
        match old {
            Some((name, tail)) => {
                out.push_str(&format!("{{% include \"{name}\" %}}"));
                rest = tail;
            }
            None => {
                out.push_str("{{");
                rest = after;
            }
        }
    }
    out + rest
}

/// Every include that is not a bare, known name, and every circle.
pub(super) fn check(templates: &BTreeMap<String, Template>) -> Vec<ConfigFault> {
    let mut faults = Vec::new();
    let mut edges: BTreeMap<&str, Vec<(String, Include)>> = BTreeMap::new();
    for (name, template) in templates {
        for include in includes_of(&template.text) {
            let at = place(name, templates, include.line, include.column);
            match include.name.clone() {
                None => faults.push(at.fault("an include must name a file in quotes, as `{% include \"_base.md\" %}`")),
                Some(wanted) if !is_bare(&wanted) => faults.push(at.fault(format!(
                    "`{}` is no bare file name: includes stay in the folder `system-prompts`",
                    shorten(&wanted, 80)
                ))),
                Some(wanted) if !templates.contains_key(&wanted) => {
                    let near = nearest(&wanted, templates.keys().map(String::as_str));
                    let hint = near.first().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
                    faults.push(at.fault(format!("there is no template `{}`{hint}", shorten(&wanted, 80))));
                }
                Some(wanted) => edges.entry(name).or_default().push((wanted, include)),
            }
        }
    }
    for name in templates.keys() {
        if let Some((include, circle)) = circle_from(name, &edges) {
            let at = place(name, templates, include.line, include.column);
            faults.push(at.fault(format!("includes go in a circle: {}", circle.join(" → "))));
        }
    }
    faults
}

fn is_bare(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0'])
}

/// The way from a template back to itself, with the include that it begins with.
fn circle_from<'a>(
    start: &str,
    edges: &'a BTreeMap<&str, Vec<(String, Include)>>,
) -> Option<(&'a Include, Vec<String>)> {
    for (first, include) in edges.get(start)? {
        let mut ways = vec![vec![start.to_owned(), first.clone()]];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(way) = ways.pop() {
            let here = way.last()?.clone();
            if here == start {
                return Some((include, way));
            }
            if seen.insert(here.clone()) {
                for (next, _) in edges.get(here.as_str()).into_iter().flatten() {
                    ways.push(way.iter().cloned().chain([next.clone()]).collect());
                }
            }
        }
    }
    None
}

/// The mentions of other templates, with their places; comments do not count.
fn includes_of(text: &str) -> Vec<Include> {
    let text = without_comments(text);
    let mut found = Vec::new();
    for (at, _) in text.match_indices("{%") {
        let tag = text[at + 2..].trim_start_matches(['-', '+']).trim_start();
        let word: String = tag.chars().take_while(char::is_ascii_alphabetic).collect();
        if !TAGS.contains(&word.as_str()) {
            continue;
        }
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let name = quoted(tag[word.len()..].trim_start());
        found.push(Include { name, line: narrow(line), column: narrow(column) });
    }
    found
}

/// The text in quotes that begins here, when nothing is joined to it.
fn quoted(rest: &str) -> Option<String> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (name, after) = rest[1..].split_once(quote)?;
    let after = after.trim_start();
    let ends = after.starts_with("%}") || after.starts_with("-%}") || after.starts_with("+%}");
    let goes_on = after.starts_with("import ") || after.starts_with("as ") || after.starts_with("ignore ");
    ((ends || goes_on) && !name.contains('\\')).then(|| name.to_owned())
}

/// The text with `{# … #}` blanked out, so that places stay right.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find("{#") {
        out.push_str(&rest[..begin]);
        let end = rest[begin..].find("#}").map_or(rest.len(), |length| begin + length + 2);
        out.extend(rest[begin..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    out + rest
}
