//! `patterns.yaml`, as values: input prompts and words of danger beside those that the detector knows by itself.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::prompt::{OwnPrompt, Patterns, PromptKind};

/// `patterns.yaml`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PatternsFile {
    /// Each by a name of the operator's choice.
    pub(super) prompts: BTreeMap<String, PromptPattern>,
    /// Words that make any question dangerous.
    pub(super) danger_words: Vec<String>,
}

/// A prompt that the detector does not know by itself.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PromptPattern {
    /// What the line with the cursor ends in.
    pub(super) ends: String,
    /// What is waited for.
    pub(super) kind: PromptKind,
    /// The answers that it takes.
    #[serde(default)]
    pub(super) choices: Vec<String>,
    /// Whether its answer destroys something; as its words say when left out.
    #[serde(default)]
    pub(super) dangerous: Option<bool>,
}

impl PatternsFile {
    pub(super) fn patterns(&self) -> Patterns {
        let own = |(name, prompt): (&String, &PromptPattern)| {
            OwnPrompt::new(name, &prompt.ends, prompt.kind, prompt.choices.clone(), prompt.dangerous)
        };
        Patterns::new(self.prompts.iter().map(own).collect(), &self.danger_words)
    }
}
