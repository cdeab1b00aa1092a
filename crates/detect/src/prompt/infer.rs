//! What one would answer: from the words of the prompt, from what is around it, from what people answered before.
//!
//! Never typed by itself. Secrets get none; where an answer may destroy something, the safe one comes before any habit.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::danger::destroys;
use super::detect::detect;
use super::kind::PromptKind;
use super::learn::{Pattern, RankedAnswer};
use super::screen_view::{Moment, ScreenView};
use callboard_base::time::Timestamp;

#[derive(Debug, Clone, Copy)]
pub struct InferenceInput<'a> {
    pub prompt_text: &'a str,
    pub kind: PromptKind,
    /// What is around it: `cwd`, `file`, `path` and their like name paths.
    pub context: &'a BTreeMap<String, String>,
    /// The answers that are known to be offered, where its own words do not name them.
    pub choices: &'a [String],
    /// What people answered to this kind of prompt.
    pub pattern: Option<&'a Pattern>,
    /// Whether the detector already knows that the answer may destroy something.
    pub dangerous: bool,
    pub now: Timestamp,
}

/// Where a suggestion comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuggestionSource {
    /// People answered so before.
    PatternLearning,
    /// The session's context names it.
    ContextInference,
    /// The prompt itself, or what is usual.
    Default,
}

/// A possible answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suggestion {
    /// What to type; empty for a secret, which a person types, and for a key that may be any.
    pub input_text: String,
    /// How likely it is the answer wanted, 0.0 to 1.0.
    pub confidence: f64,
    /// Where it comes from.
    pub source: SuggestionSource,
    /// Why, in a sentence.
    pub reasoning: String,
}

/// Possible answers, best first, and what to beware of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Inference {
    /// The best one comes first.
    pub suggestions: Vec<Suggestion>,
    /// What to beware of.
    pub warnings: Vec<String>,
}

/// The most paths of the context that are offered.
const MOST_PATHS: usize = 5;

pub fn infer(asked: &InferenceInput<'_>) -> Inference {
    let dangerous = asked.dangerous || destroys(asked.prompt_text);
    let mut inference = Inference { suggestions: by_kind(asked, dangerous), warnings: Vec::new() };
    if asked.kind == PromptKind::Password {
        inference.warnings.push("this prompt asks for a secret: let a person type it".to_owned());
    } else if dangerous {
        inference.warnings.push("dangerous: the answer may destroy something or cannot be taken back".to_owned());
    } else {
        learned(asked, &mut inference.suggestions);
        // What was learned goes before what is as likely.
        inference.suggestions.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.source.cmp(&b.source)));
    }
    inference
}

fn by_kind(asked: &InferenceInput<'_>, dangerous: bool) -> Vec<Suggestion> {
    match asked.kind {
        PromptKind::Password => vec![plain("", 1.0, "a secret is typed by a person and never suggested")],
        PromptKind::YesNo => yes_no(asked.prompt_text, dangerous),
        PromptKind::Choice => choices(asked, dangerous),
        PromptKind::Path => paths(asked.context),
        PromptKind::Text => default_of(asked.prompt_text).into_iter().collect(),
        PromptKind::Command => ["help", "exit"].map(|word| plain(word, 0.1, "most shells know it")).to_vec(),
        PromptKind::Unknown => vec![plain("", 0.5, "any key, or Enter, usually goes on")],
    }
}

fn plain(input: &str, confidence: f64, reasoning: &str) -> Suggestion {
    let (input_text, reasoning) = (input.to_owned(), reasoning.to_owned());
    Suggestion { input_text, confidence, source: SuggestionSource::Default, reasoning }
}

/// The two answers, in the words of the prompt, its default first.
fn yes_no(text: &str, dangerous: bool) -> Vec<Suggestion> {
    let named = named_choices(text);
    let (yes, no) = match named.as_slice() {
        [yes, no, ..] => (yes.clone(), no.clone()),
        [] | [_] => ("yes".to_owned(), "no".to_owned()),
    };
    let upper = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let (default_yes, default_no) = (upper(&yes) && !upper(&no), upper(&no) && !upper(&yes));
    let (yes, no) = (yes.to_lowercase(), no.to_lowercase());
    if dangerous {
        return vec![plain(&no, 0.85, "the safe answer"), plain(&yes, 0.15, "only when a person wants it")];
    }
    let asked = "the prompt asks for yes or no";
    match (default_yes, default_no) {
        (true, _) => vec![plain(&yes, 0.75, "the prompt's default"), plain(&no, 0.25, asked)],
        (_, true) => vec![plain(&no, 0.75, "the prompt's default"), plain(&yes, 0.25, asked)],
        (false, false) => vec![plain(&yes, 0.5, asked), plain(&no, 0.5, asked)],
    }
}

/// The most choices that are offered.
const MOST_CHOICES: usize = 40;

fn choices(asked: &InferenceInput<'_>, dangerous: bool) -> Vec<Suggestion> {
    let named = named_choices(asked.prompt_text);
    let (named, source, why) = if named.is_empty() {
        (asked.choices.to_vec(), SuggestionSource::ContextInference, "it stands on the screen")
    } else {
        (named, SuggestionSource::Default, "the prompt names it")
    };
    let share = 1.0 / f64::from(u16::try_from(named.len().max(1)).unwrap_or(u16::MAX));
    let offered = named.into_iter().take(MOST_CHOICES);
    let mut found: Vec<Suggestion> =
        offered.map(|choice| Suggestion { source, ..plain(&choice, share, why) }).collect();
    if dangerous {
        found.sort_by_key(|suggestion| !leaves(&suggestion.input_text));
    }
    found
}

/// Whether a choice lets nothing happen: `q`, `no`, `keep both`.
fn leaves(choice: &str) -> bool {
    let lower = choice.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    matches!(first, "n" | "no" | "q" | "quit" | "exit" | "cancel" | "abort" | "skip" | "keep" | "none" | "never")
}

fn named_choices(text: &str) -> Vec<String> {
    detect(&ScreenView::of_text(text), &Moment::default()).map(|prompt| prompt.choices).unwrap_or_default()
}

fn paths(context: &BTreeMap<String, String>) -> Vec<Suggestion> {
    let named = context.iter().filter(|(key, value)| {
        let key = key.to_lowercase();
        let path = ["cwd", "dir", "path", "file", "folder"].iter().any(|word| key.contains(word));
        path && !value.is_empty() && value.len() <= 4096
    });
    let mut found: Vec<Suggestion> = named
        .take(MOST_PATHS)
        .map(|(key, value)| Suggestion {
            input_text: value.clone(),
            confidence: 0.8,
            source: SuggestionSource::ContextInference,
            reasoning: format!("`{key}` of the session"),
        })
        .collect();
    found.push(plain("./", 0.6, "the current folder"));
    found.push(plain("/tmp/", 0.4, "the folder for what may go"));
    found
}

/// `Port [8080]: `, `name: (demo) `: the default that a prompt names.
fn default_of(text: &str) -> Option<Suggestion> {
    let body = text.trim_end_matches([' ', ':', '?', '>']);
    let (open, close) = if body.ends_with(']') { ('[', ']') } else { ('(', ')') };
    let inner = body.strip_suffix(close)?;
    let inner = &inner[inner.rfind(open)? + 1..];
    let short = !inner.is_empty() && inner.chars().count() <= 80;
    short.then(|| plain(inner, 0.6, "the prompt's default"))
}

/// What people answered replaces what is merely usual, and goes first.
fn learned(asked: &InferenceInput<'_>, suggestions: &mut Vec<Suggestion>) {
    let Some(pattern) = asked.pattern else { return };
    let only_named = matches!(asked.kind, PromptKind::YesNo | PromptKind::Choice) && !suggestions.is_empty();
    let mut first = Vec::new();
    for RankedAnswer { input, share, count, total } in pattern.standings(asked.now) {
        let known = suggestions.iter().position(|suggestion| suggestion.input_text == input);
        if only_named && known.is_none() {
            continue;
        }
        if let Some(known) = known {
            suggestions.remove(known);
        }
        first.push(Suggestion {
            reasoning: format!("answered '{input}' {count}/{total} times"),
            input_text: input,
            confidence: share,
            source: SuggestionSource::PatternLearning,
        });
    }
    first.append(suggestions);
    *suggestions = first;
}
