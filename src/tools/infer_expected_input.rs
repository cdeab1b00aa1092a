//! `infer_expected_input`: what one would answer to a prompt, and what to beware of.

use std::collections::BTreeMap;

use super::prelude::*;
use crate::domain::prompt::PromptKind;
use crate::domain::prompt::infer::{InferenceInput, Suggestion, infer};

/// The most bytes of a prompt.
pub(super) const PROMPT_LIMIT: usize = 4 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InferExpectedInput {
    /// What the program asks, as `detect_input_prompt` gave it.
    prompt_text: String,
    /// Of which kind it is, as `detect_input_prompt` gave it.
    prompt_type: PromptKind,
    /// What is around it: cwd, file, path and their like name paths, workspace where people answered alike,
    /// `session_id` the terminal that shows it: then what it offers there is known, too.
    #[serde(default)]
    session_context: Map<String, Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Possible answers, best first.
    suggestions: Vec<Suggestion>,
    /// What to beware of.
    warnings: Vec<String>,
}

impl Verb for InferExpectedInput {
    const NAME: &'static str = "infer_expected_input";
    const TITLE: &'static str = "What would one answer?";
    const DESCRIPTION: &'static str = "\
        Possible answers to an input prompt, best first: the ones that it names, what people answered before, paths \
        around it. What people answered counts from the third time on. A secret gets no value, and for a dangerous \
        prompt the safe answer comes first: leave both to a person.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let prompt_text = words(Self::NAME, "prompt_text", &input.prompt_text, PROMPT_LIMIT)?;
        let context: BTreeMap<String, String> = input
            .session_context
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.as_str()?.to_owned())))
            .collect();
        let workspace = match &call.agent {
            Some(agent) => call.hub.workspace_of(&agent.id).await.map_err(refuse::fault)?,
            None => context.get("workspace").cloned(),
        };
        let learned = call.hub.learner.find(workspace, prompt_text.clone()).await.map_err(refuse::fault)?;
        let (own_kind, dangerous) = call.hub.settings().patterns.judge(&prompt_text);
        // A secret is one, whatever the caller takes it for.
        let kind = if own_kind == PromptKind::Password { own_kind } else { input.prompt_type };
        let shown = match context.get("session_id") {
            Some(session) => call.shown(session, &prompt_text).await?,
            None => None,
        };
        let dangerous = dangerous || shown.as_ref().is_some_and(|prompt| prompt.is_dangerous);
        let inferred = infer(&InferenceInput {
            prompt_text: &prompt_text,
            kind,
            context: &context,
            choices: shown.as_ref().map_or(&[], |prompt| &prompt.choices),
            pattern: learned.as_ref().map(|kept| &kept.pattern),
            dangerous,
            now: call.hub.clock.now(),
        });
        let message = match inferred.suggestions.len() {
            1 => "1 suggestion.".to_owned(),
            many => format!("{many} suggestions."),
        };
        Ok(Answer::new(message, Output { suggestions: inferred.suggestions, warnings: inferred.warnings }))
    }
}
