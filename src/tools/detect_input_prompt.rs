//! `detect_input_prompt`: whether the program in a terminal waits for its user, for what, and how dangerously.

use super::prelude::*;
use crate::domain::prompt::MIN_CONFIDENCE;
use crate::domain::terminal::SeenPrompt;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DetectInputPrompt {
    /// The session whose terminal is meant: yours, or a monitor's.
    session_id: String,
    /// How sure it must be to count, 0.0 to 1.0; 0.70 when left out.
    #[serde(default)]
    min_confidence: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Whether a program waits.
    detected: bool,
    /// What waits; null when nothing does.
    prompt: Option<SeenPrompt>,
}

impl Verb for DetectInputPrompt {
    const NAME: &'static str = "detect_input_prompt";
    const TITLE: &'static str = "Does the terminal wait for somebody?";
    const DESCRIPTION: &'static str = "\
        Whether the program in a terminal waits for its user: for what, how surely, on which evidence, and whether the \
        answer may destroy something. Call infer_expected_input for possible answers; never type a secret yourself.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let least = input.min_confidence.unwrap_or(MIN_CONFIDENCE);
        if !(0.0..=1.0).contains(&least) {
            return Err(Refusal::new("INVALID_CONFIDENCE", "Confidence must be 0.0-1.0"));
        }
        let seen = match call.terminal(&input.session_id).await? {
            Some(terminal) => terminal.detect().await.map_err(refuse::fault)?,
            None => None,
        };
        let prompt = seen.filter(|seen| seen.confidence >= least);
        let message = match &prompt {
            Some(prompt) => format!("The program waits: {}.", prompt.prompt_type.as_str()),
            None => "Nothing waits.".to_owned(),
        };
        Ok(Answer::new(message, Output { detected: prompt.is_some(), prompt }))
    }
}
