//! The verdict: what waits, how surely, and by which rule.

use schemars::JsonSchema;
use serde::Serialize;

use super::kind::{PromptKind, Signal};
use super::rule_id::RuleId;

/// A program that waits for its user, as far as can be seen.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct InputPrompt {
    /// The question, at most [`MOST_TEXT`](super::MOST_TEXT) characters.
    pub prompt_text: String,
    /// How likely it is that the program waits, 0.0 to 1.0.
    pub confidence: f64,
    pub prompt_type: PromptKind,
    /// The rule that decided, as `yes_no.brackets`.
    pub matched_pattern: RuleId,
    /// Whether the answer may destroy something or cannot be taken back.
    pub is_dangerous: bool,
    /// The evidence, strongest first.
    pub signals: Vec<Signal>,
    /// Whether what is typed now certainly reaches this prompt, and is no secret. Needs a host.
    pub safe_to_type: bool,
    /// The answers that the prompt names, in its order.
    pub choices: Vec<String>,
}
