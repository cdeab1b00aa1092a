//! `get_learned_patterns`: what people answer to input prompts.

use super::patterns::{LearnedPattern, SortBy, listed};
use super::prelude::*;
use crate::domain::prompt::PromptKind;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct GetLearnedPatterns {
    /// Only prompts that have these words.
    prompt_filter: Option<String>,
    /// Only prompts of this kind.
    prompt_type: Option<PromptKind>,
    /// Only what was answered so often, at least 1.
    #[schemars(range(min = 1))]
    min_occurrences: Option<u64>,
    /// In which order; occurrences when left out.
    sort_by: Option<SortBy>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// What was learned.
    patterns: Vec<LearnedPattern>,
    /// How many those are.
    total_patterns: usize,
}

impl Verb for GetLearnedPatterns {
    const NAME: &'static str = "get_learned_patterns";
    const TITLE: &'static str = "What people answer to prompts";
    const DESCRIPTION: &'static str = "\
        What was learned from answers to input prompts, in your workspace and in the whole hub.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let mut known = call.hub.learner.list().await.map_err(refuse::fault)?;
        if let Some(agent) = &call.agent {
            let own = call.hub.workspace_of(&agent.id).await.map_err(refuse::fault)?;
            known.retain(|kept| kept.place.holds_in(own.as_deref()));
        }
        let words = input.prompt_filter.unwrap_or_default().to_lowercase();
        known.retain(|kept| {
            kept.pattern.prompt_text.contains(&words) && input.prompt_type.is_none_or(|kind| kept.pattern.kind == kind)
        });
        let least = input.min_occurrences.unwrap_or(1);
        let patterns = listed(&known, least, input.sort_by.unwrap_or_default());
        let message = match patterns.len() {
            1 => "1 pattern.".to_owned(),
            several => format!("{several} patterns."),
        };
        Ok(Answer::new(message, Output { total_patterns: patterns.len(), patterns }))
    }
}
