//! What a client of a role may do by itself when it asks for leave to call one of its own tools: `permissions` of
//! `agents.yaml`. The first rule that matches decides; where none does, people are asked.
//!
//! A rule that allows is read narrowly, and one that denies widely:
//!
//! | Of | `allow` | `deny` and `ask` |
//! |---|---|---|
//! | a shell's command | one plain command: see `JOINS` for what may not stand in it | it, or any part between those |
//! | a path | below the working folder, without `..`; else by an absolute pattern | as it is written, and from there |
//! | anything else | the arguments as compact JSON | the same |
//!
//! In `match`, `*` stands for any text, also none. A rule without `match` is for every call of its tool.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A rule of a role.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolRule {
    /// The tool as the client calls it, such as `Bash`; `*` for all of them.
    pub tool: String,
    /// What the command, the path, the address or the arguments must look like: `cargo *`.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What is said where it matches.
    #[serde(rename = "do")]
    pub then: ToolLeave,
}

/// Whether people are asked, and where not, what they would have said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolLeave {
    Allow,
    Ask,
    Deny,
}

/// A call that leave is asked for.
#[derive(Debug, Clone)]
pub struct ToolCall<'a> {
    pub tool: &'a str,
    kind: Subject,
    about: Cow<'a, str>,
    /// Every command and path in its arguments: nobody knows by which of them the client goes.
    all: Vec<(Subject, &'a str)>,
}

#[derive(Debug, Clone, Copy)]
enum Subject {
    Command,
    Path,
    Text,
}

/// The argument of the usual clients that says what a call is about, and what it is. The first that is there counts.
const SUBJECTS: [(&str, Subject); 9] = [
    ("command", Subject::Command),
    ("cmd", Subject::Command),
    ("file_path", Subject::Path),
    ("filePath", Subject::Path),
    ("absolute_path", Subject::Path),
    ("notebook_path", Subject::Path),
    ("path", Subject::Path),
    ("url", Subject::Text),
    ("query", Subject::Text),
];

/// What makes more of a command than one plain program with its arguments.
const JOINS: [char; 11] = [';', '&', '|', '$', '`', '<', '>', '(', ')', '\n', '\r'];

impl<'a> ToolCall<'a> {
    pub fn new(tool: &'a str, input: &'a Value) -> Self {
        let known = SUBJECTS.iter().find_map(|(name, kind)| Some((*kind, Cow::Borrowed(input.get(*name)?.as_str()?))));
        let (kind, about) = known.unwrap_or_else(|| (Subject::Text, Cow::Owned(input.to_string())));
        let mut all = Vec::new();
        subjects(input, &mut all);
        Self { tool, kind, about, all }
    }

    /// What it is about, as people read it: the command, the path, or all arguments.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The rule that decides, by its place from 1, and what it says; none where people are asked for want of a rule.
    pub fn judged<'r>(&self, rules: &'r [ToolRule], folder: Option<&str>) -> Option<(usize, &'r ToolRule)> {
        rules.iter().enumerate().find(|(_, rule)| self.falls_under(rule, folder)).map(|(at, rule)| (at + 1, rule))
    }

    fn falls_under(&self, rule: &ToolRule, folder: Option<&str>) -> bool {
        if rule.tool != "*" && rule.tool != self.tool {
            return false;
        }
        let Some(pattern) = rule.pattern.as_deref() else { return true };
        let fits = |text: &str| fits(pattern, text);
        let about = self.about();
        let may = |(kind, text): (Subject, &str)| match kind {
            Subject::Command => !text.contains(JOINS) && fits(text.trim()),
            Subject::Path => {
                !text.split(['/', '\\']).any(|part| part == "..")
                    && below(text, folder).map_or_else(|| pattern.starts_with('/') && fits(text), fits)
            }
            Subject::Text => fits(text),
        };
        match (self.kind, rule.then) {
            (kind, ToolLeave::Allow) => may((kind, about)) && self.all.iter().copied().all(may),
            (Subject::Command, ToolLeave::Ask | ToolLeave::Deny) => {
                fits(about.trim()) || about.split(JOINS).any(|part| fits(part.trim()))
            }
            (Subject::Path, ToolLeave::Ask | ToolLeave::Deny) => fits(about) || below(about, folder).is_some_and(fits),
            (Subject::Text, ToolLeave::Ask | ToolLeave::Deny) => fits(about),
        }
    }
}

fn subjects<'a>(input: &'a Value, found: &mut Vec<(Subject, &'a str)>) {
    match input {
        Value::Object(fields) => {
            for (name, value) in fields {
                let kind = SUBJECTS.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
                let kind = kind.filter(|kind| !matches!(kind, Subject::Text));
                found.extend(kind.zip(value.as_str()));
                subjects(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| subjects(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A path as it is seen from the folder; none where it lies elsewhere.
fn below<'p>(path: &'p str, folder: Option<&str>) -> Option<&'p str> {
    if !path.starts_with('/') {
        return Some(path);
    }
    let folder = folder?.trim_end_matches('/');
    (!folder.is_empty()).then(|| path.strip_prefix(folder)?.strip_prefix('/')).flatten()
}

/// Whether a text is what the pattern says: `*` is any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').collect::<Vec<_>>();
    let Some(last) = parts.pop() else { return true };
    for part in parts {
        match text.split_once(part) {
            Some((_, behind)) => text = behind,
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests;
