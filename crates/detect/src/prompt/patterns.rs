//! Prompts and words of danger that an operator adds to what the rules know by themselves (`patterns.yaml`).
//!
//! A prompt is told by what its line ends in, to the letter and whatever the case: no expression, so that nothing that
//! stands in a file can take more than linear time.
//!
//! The hub alone reads that file. What a host tells of an answer, the hub looks at again (`transport::terminal`).

use super::kind::PromptKind;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    prompts: Vec<OwnPrompt>,
    danger: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPrompt {
    /// As verdicts name it.
    pub(super) name: String,
    /// What the open line ends in, in lower case.
    ends: String,
    pub(super) kind: PromptKind,
    pub(super) choices: Vec<String>,
    pub(super) dangerous: Option<bool>,
}

impl OwnPrompt {
    /// A prompt. `name` is the operator's, `ends` what its line ends in; `dangerous` is as the words say when left out.
    pub fn new(name: &str, ends: &str, kind: PromptKind, choices: Vec<String>, dangerous: Option<bool>) -> Self {
        let (name, ends) = (format!("patterns.{name}"), ends.trim().to_lowercase());
        Self { name, ends, kind, choices, dangerous }
    }
}

impl Patterns {
    /// Nothing but what the rules know.
    pub const NONE: &Self = &Self { prompts: Vec::new(), danger: Vec::new() };

    /// These prompts, and words or phrases that make a question dangerous.
    pub fn new(mut prompts: Vec<OwnPrompt>, danger: &[String]) -> Self {
        // The longest fits best.
        prompts.sort_by_key(|prompt| std::cmp::Reverse(prompt.ends.len()));
        Self { prompts, danger: danger.iter().map(|words| words.trim().to_lowercase()).collect() }
    }

    /// Whether a text has one of the words of danger in it, from the beginning of a word to the end of one.
    pub(super) fn names_danger(&self, text: &str) -> bool {
        if self.danger.is_empty() {
            return false;
        }
        let lower = text.to_lowercase();
        let parts = |c: char| c.is_alphanumeric() || c == '_';
        self.danger.iter().any(|words| {
            lower.match_indices(words.as_str()).any(|(at, found)| {
                let before = lower[..at].chars().next_back().is_some_and(parts);
                let after = lower[at + found.len()..].chars().next().is_some_and(parts);
                !before && !after
            })
        })
    }

    /// The prompt that this line is, in lower case and without blanks at its ends.
    pub(super) fn find(&self, lower: &str) -> Option<&OwnPrompt> {
        self.prompts.iter().find(|prompt| lower.ends_with(&prompt.ends))
    }

    /// Where in a line a prompt for a secret ends, in bytes: what stands behind it was typed.
    pub(super) fn end_of_secret_prompt(&self, line: &str) -> Option<usize> {
        let secrets = self.prompts.iter().filter(|prompt| prompt.kind == PromptKind::Password);
        secrets.filter_map(|prompt| end_of(line, &prompt.ends)).min()
    }

    /// Whether any prompt for a secret is among them.
    pub(super) fn has_secrets(&self) -> bool {
        self.prompts.iter().any(|prompt| prompt.kind == PromptKind::Password)
    }
}

/// Where `ends`, in lower case, ends in a line of any case for the first time.
fn end_of(line: &str, ends: &str) -> Option<usize> {
    let mut lower = String::with_capacity(line.len());
    // A letter may be longer or shorter in lower case: each byte of it knows where its letter ends in the line.
    let mut places = Vec::with_capacity(line.len());
    for (at, letter) in line.char_indices() {
        lower.extend(letter.to_lowercase());
        places.resize(lower.len(), at + letter.len_utf8());
    }
    let found = lower.find(ends)?;
    places.get((found + ends.len()).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests;
