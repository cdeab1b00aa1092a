//! Patterns as people and programs see them.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::prompt::PromptKind;
use crate::domain::prompt::book::{KeptPattern, PatternPlace};
use crate::domain::prompt::learn::AnswerCounts;

/// In which order patterns are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortBy {
    /// The most answered first.
    #[default]
    Occurrences,
    /// The latest answered first.
    LastSeen,
    /// The one whose answers were taken most often first.
    SuccessRate,
}

/// What people answer to one kind of prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedPattern {
    /// Its name, for `forget_pattern`.
    pub pattern_id: String,
    /// The prompt, with numbers, names and paths taken out.
    pub prompt_text: String,
    pub prompt_type: PromptKind,
    /// `hub`, or `workspace`.
    pub scope: String,
    /// The workspace that it was learned in; absent for the whole hub's, and outside any workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// How often it was answered.
    pub total_occurrences: u64,
    /// The answer that was taken most often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_common_response: Option<LearnedResponse>,
    pub all_responses: Vec<LearnedResponse>,
    /// When it was answered last, RFC 3339.
    pub last_seen: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedResponse {
    /// What was typed.
    pub input_text: String,
    pub count: u64,
    /// How often it was taken.
    pub success_count: u64,
    /// The share of it, 0.0 to 1.0.
    pub success_rate: f64,
}

impl From<&KeptPattern> for LearnedPattern {
    fn from(kept: &KeptPattern) -> Self {
        let mut all: Vec<LearnedResponse> =
            kept.pattern.answers.iter().map(|(input, tally)| LearnedResponse::of(input, tally)).collect();
        all.sort_by(|a, b| b.success_count.cmp(&a.success_count).then_with(|| a.input_text.cmp(&b.input_text)));
        let (scope, workspace) = match &kept.place {
            PatternPlace::Hub => ("hub", None),
            PatternPlace::Workspace(workspace) => ("workspace", (!workspace.is_empty()).then(|| workspace.clone())),
        };
        Self {
            pattern_id: kept.id.to_string(),
            prompt_text: kept.pattern.prompt_text.clone(),
            prompt_type: kept.pattern.kind,
            scope: scope.to_owned(),
            workspace,
            total_occurrences: all.iter().map(|response| response.count).sum(),
            most_common_response: all.first().cloned(),
            all_responses: all,
            last_seen: kept.pattern.last_seen.to_string(),
        }
    }
}

impl LearnedResponse {
    fn of(input: &str, tally: &AnswerCounts) -> Self {
        let (taken, all) = (tally.successes, tally.successes.saturating_add(tally.failures));
        Self {
            input_text: input.to_owned(),
            count: all.into(),
            success_count: taken.into(),
            success_rate: f64::from(taken) / f64::from(all.max(1)),
        }
    }
}

impl LearnedPattern {
    fn success_rate(&self) -> f64 {
        self.most_common_response.as_ref().map_or(0.0, |response| response.success_rate)
    }
}

/// Patterns that were answered at least so often, in this order.
pub fn listed(kept: &[KeptPattern], least: u64, by: SortBy) -> Vec<LearnedPattern> {
    let mut patterns: Vec<LearnedPattern> = kept.iter().map(LearnedPattern::from).collect();
    patterns.retain(|pattern| pattern.total_occurrences >= least);
    // By name what is equal otherwise: a stable sort over what came by name.
    match by {
        SortBy::Occurrences => patterns.sort_by_key(|pattern| Reverse(pattern.total_occurrences)),
        SortBy::LastSeen => patterns.sort_by(|a, b| b.last_seen.cmp(&a.last_seen)),
        SortBy::SuccessRate => patterns.sort_by(|a, b| b.success_rate().total_cmp(&a.success_rate())),
    }
    patterns
}
