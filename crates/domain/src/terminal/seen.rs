//! A prompt as a terminal shows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prompt::{InputPrompt, PromptKind, RuleId, Signal};
use crate::text::redact;
use crate::time::Timestamp;

/// A prompt as it is shown and kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeenPrompt {
    pub prompt_text: String,
    /// How likely it is that the program waits, 0.0 to 1.0.
    pub confidence: f64,
    pub prompt_type: PromptKind,
    /// The rule that decided, as `yes_no.brackets`.
    pub matched_pattern: RuleId,
    /// How many bytes the program had printed when it began to wait.
    pub file_position: u64,
    /// When it printed the last of them, RFC 3339.
    pub timestamp: Timestamp,
    /// Whether the answer may destroy something or cannot be taken back.
    pub is_dangerous: bool,
    /// The evidence, strongest first.
    pub signals: Vec<Signal>,
    /// Whether what is typed now certainly reaches this prompt, and is no secret.
    pub safe_to_type: bool,
    /// The answers that the prompt names, in its order.
    pub choices: Vec<String>,
}

impl SeenPrompt {
    /// A prompt, with where and when it was printed. What has the shape of a token is taken out of its text.
    pub fn of(prompt: InputPrompt, file_position: u64, timestamp: Timestamp) -> Self {
        Self {
            prompt_text: redact(&prompt.prompt_text).into_owned(),
            confidence: prompt.confidence,
            prompt_type: prompt.prompt_type,
            matched_pattern: prompt.matched_pattern,
            file_position,
            timestamp,
            is_dangerous: prompt.is_dangerous,
            signals: prompt.signals,
            safe_to_type: prompt.safe_to_type,
            choices: prompt.choices,
        }
    }
}
