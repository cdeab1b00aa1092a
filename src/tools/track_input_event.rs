//! `track_input_event`: what was typed at a prompt, and how it went. A secret is taken out at this door, before
//! anything is written, answered or logged. Of what an agent or a program tells, the text is kept only where the prompt
//! is known to be harmless.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::infer_expected_input::PROMPT_LIMIT;
use super::key::hex;
use super::prelude::*;
use super::terminals::may_change;
use crate::actors::learner::Track;
use crate::domain::ids::TerminalId;
use crate::domain::prompt::learn::{InputSource, Provenance};
use crate::domain::prompt::redact::{REDACTED, is_harmless, kept_input};
use crate::domain::prompt::{EchoStrainer, Host};
use crate::domain::terminal::TrackedInput;
use crate::domain::text::clean;
use crate::domain::time::Millis;

/// The longest answer, in bytes.
const INPUT_LIMIT: usize = 4 * 1024;

/// Its arguments. It has no `Debug` that could show what was typed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrackInputEvent {
    /// The session in whose terminal it was typed.
    session_id: String,
    /// What the program had asked.
    prompt_text: String,
    /// What was typed. At a prompt for a secret the hub keeps [REDACTED] instead.
    input_text: String,
    /// Whether the program took it.
    success: bool,
    /// Who typed it, as far as is known.
    input_source: InputSource,
    /// How long the prompt had waited, in milliseconds.
    #[serde(default)]
    response_time_ms: u64,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// The event that it became.
    event_id: String,
    /// Whether it was kept.
    recorded: bool,
    /// Whether a pattern was changed by it.
    pattern_updated: bool,
}

impl Verb for TrackInputEvent {
    const NAME: &'static str = "track_input_event";
    const TITLE: &'static str = "Tell what was typed at a prompt";
    const DESCRIPTION: &'static str = "\
        Tell what was typed at an input prompt and whether it worked, so that the hub can suggest it again. What you \
        tell counts a tenth of what the hub saw itself, and nothing for dangerous prompts and secrets.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ADDS;

    type Output = Output;

    async fn run(mut call: Call, input: Self) -> Result<Answer<Output>> {
        let Self { session_id, prompt_text, input_text, success, input_source, response_time_ms } = input;
        let prompt_text = words(Self::NAME, "prompt_text", &prompt_text, PROMPT_LIMIT)?;
        // A part of an answer is another answer, and would be learned as one.
        if input_text.len() > INPUT_LIMIT {
            return Err(refuse::too_long(Self::NAME, "input_text", input_text.len(), INPUT_LIMIT));
        }
        let patterns = Arc::clone(&call.hub.settings().patterns);
        let strained = EchoStrainer::default().strain_with("", prompt_text.as_bytes(), &patterns).into_owned();
        let prompt_text = String::from_utf8_lossy(&strained).trim().to_owned();
        let (prompt_type, dangerous) = patterns.judge(&prompt_text);
        // A program's report is no better than an agent's.
        let attested = call.caller.principal.is_person();
        let kept = if attested || is_harmless(&prompt_text, prompt_type) {
            kept_input(&prompt_text, &input_text, Some(prompt_type), Host::default())
        } else {
            REDACTED.into()
        };
        if kept == REDACTED
            && let Some(key) = &mut call.key
        {
            // Also the digest of a secret says something about it to who can guess.
            key.digest = hex(&Sha256::digest(format!("{}\u{1f}{session_id}\u{1f}{prompt_text}", Self::NAME)));
        }
        let kept = clean(&kept, INPUT_LIMIT).text;
        let provenance = if attested { Provenance::Attested } else { Provenance::AgentReported };
        let tracked = call.once(async {
            let (terminal, agent, workspace) = place(&call, &session_id).await?;
            may_change(&call.hub, &call.caller.principal, agent.clone()).await?;
            let input = TrackedInput {
                prompt_text,
                prompt_type,
                dangerous,
                input_text: kept,
                success,
                source: input_source,
                provenance,
                response_time: Millis(response_time_ms),
                workspace,
                pattern: None,
            };
            let (by, request) = (call.caller.by(), Some(call.caller.request.clone()));
            let tracked = call.hub.learner.track(Track { terminal, agent, input, by, request }).await;
            let tracked = tracked.map_err(refuse::fault)?;
            Ok(Output {
                event_id: format!("ev_{}", tracked.seq),
                recorded: true,
                pattern_updated: tracked.pattern.is_some(),
            })
        });
        let tracked = tracked.await?;
        let message = if tracked.pattern_updated { "Kept, and learned from." } else { "Kept." };
        Ok(Answer::new(message, tracked))
    }
}

type PromptLocation = (TerminalId, Option<crate::domain::ids::AgentId>, Option<String>);

/// In which terminal, whose, and in which workspace.
async fn place(call: &Call, given: &str) -> Result<PromptLocation> {
    let terminal = call.terminal(given).await?;
    let id = TerminalId::parse(given.trim()).map_err(|_| super::terminals::not_found(given))?;
    let agent = match terminal {
        Some(terminal) => terminal.view().await.map_err(refuse::fault)?.agent_id,
        None => match id.session() {
            Some(session) => {
                let line = call.hub.supervisor.session(&session).await.map_err(refuse::fault)?;
                let line = line.ok_or_else(|| super::terminals::not_found(given))?;
                Some(line.show().await.map_err(refuse::fault)?.0.agent)
            }
            None => None,
        },
    };
    let workspace = match &agent {
        Some(agent) => call.hub.workspace_of(agent).await.map_err(refuse::fault)?,
        None => None,
    };
    Ok((id, agent, workspace))
}
