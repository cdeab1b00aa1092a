//! `request_input`: an agent asks a human.

use std::time::Duration;

use super::prelude::*;
use super::session::{Waited, is_held_back};
use super::texts;
use crate::domain::danger::by_default::{Effect, effect};
use crate::domain::danger::find_in;
use crate::domain::session::question::{Danger, LIMITS, QuestionKind, QuestionSpec};
use crate::domain::session::{Asker, SessionOutcome};
use crate::settings::DefaultsPolicy;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestInput {
    /// What you ask: short, and clear to somebody who sees nothing else. At most 4 KiB.
    question: String,
    /// What may be answered, at most 20; leave it out for any text.
    #[serde(default)]
    options: Vec<String>,
    /// What you do when nobody answers in time: one of the options where there are any.
    default_action: String,
    /// How long people have, in minutes; 30 when left out.
    #[serde(default)]
    #[schemars(range(min = 0.05, max = 1440))]
    timeout_minutes: Option<f64>,
    /// decision: which way to go. approval: whether something may be done; never answered by its default.
    /// information: what you cannot know.
    #[serde(default)]
    kind: Kind,
    /// True when the default could destroy something, cost money or not be undone: then it never applies by itself.
    #[serde(default)]
    dangerous: Option<bool>,
    /// Whether an answer may be another text than the options; so it is for information.
    #[serde(default)]
    allow_free_text: Option<bool>,
    /// How long to wait for the answer now, in seconds; 0 not at all; best left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 31_536_000))]
    wait_seconds: Option<f64>,
}

/// What sort of question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// Which way to go.
    #[default]
    Decision,
    /// Whether something may be done: never answered by a deadline.
    Approval,
    /// What the agent cannot know.
    Information,
}

impl From<Kind> for QuestionKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Decision => Self::Decision,
            Kind::Approval => Self::Approval,
            Kind::Information => Self::Information,
        }
    }
}

impl Verb for RequestInput {
    const NAME: &'static str = "request_input";
    const TITLE: &'static str = "Ask a person";
    const DESCRIPTION: &'static str = "\
        Ask a person something that only a person can decide, with options and a default. It waits for the answer for \
        a while; when it returns pending, call wait_for_answer or go on with other work. At the deadline the default \
        applies and you are told so. One that does not act (no, skip, keep, wait) always does; one that acts only when \
        the question is known to be harmless: else you are told at once that a person has to answer. Asking the same \
        again, with the same text, options, default and kind, returns the same question and its answer; the same text \
        with other options is another question.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;
    const BLOCKS: bool = true;
    // A proxy repeats it for what is left of the wait.
    const BESIDE: &'static [&'static str] = &["wait_seconds"];
    const TELLS: bool = true;

    type Output = Waited;

    async fn run(call: Call, input: Self) -> Result<Answer<Waited>> {
        let wait = input.wait_seconds;
        let until = call.waits_until(wait);
        let spec = spec(&call, input)?;
        let asked = spec.id.clone();
        let receipt = call.order_session(SessionCommand::Ask { asker: Box::new(Asker { spec, ends: None }) }).await?;
        let question = match (receipt.question, receipt.outcome) {
            // What its default will not do, the agent hears before it waits for it.
            (Some(question), _) if wait.is_none() && question.spec.id == asked && is_held_back(&question) => question,
            (Some(question), SessionOutcome::Open(id)) if !wait.is_some_and(|seconds| seconds <= 0.0) => {
                if question.is_open() { call.await_answer(&id, until).await? } else { question }
            }
            (Some(question), _) => question,
            (None, _) => return Err(refuse::no_such_question("")),
        };
        call.tells(question).await
    }
}

/// The question as it is asked; what the session knows better it fills in itself.
fn spec(call: &Call, input: RequestInput) -> Result<QuestionSpec> {
    let verb = RequestInput::NAME;
    let question = texts::words(verb, "question", &input.question, LIMITS.question)?;
    let default_action = texts::words(verb, "default_action", &input.default_action, LIMITS.default_action)?;
    let options = input.options.iter().take(LIMITS.options + 1);
    let options = options.map(|option| texts::words(verb, "options", option, LIMITS.option));
    let options = options.collect::<Result<Vec<String>, _>>()?;
    let asked_at = call.hub.clock.now();
    let questions = &call.settings.hub.questions;
    let role = call.agent.as_ref().and_then(|agent| agent.called.registration.as_ref()).map(|known| &known.role);
    let role = role.and_then(|role| call.settings.roles.find(role.as_str()));
    let policy = role.map_or(DefaultsPolicy::Cautious, |(_, role)| role.defaults);
    let danger = match input.kind {
        _ if input.dangerous == Some(true) => Some(Danger::Declared),
        Kind::Approval => Some(Danger::Approval),
        Kind::Decision | Kind::Information => danger_of(&question, &options, &default_action, policy),
    };
    Ok(QuestionSpec {
        work_item: None,
        id: call.hub.ids.question(),
        session_id: call.session.clone().ok_or_else(refuse::session_required)?,
        agent_id: call
            .agent
            .as_ref()
            .map_or_else(|| AgentId::parse("nobody"), |agent| Ok(agent.id.clone()))
            .map_err(|error| refuse::unreadable(verb, &error.to_string()))?,
        task_id: None,
        kind: input.kind.into(),
        permission: None,
        danger,
        question,
        allow_free_text: input.allow_free_text.unwrap_or(input.kind == Kind::Information),
        options,
        default_action,
        asked_at,
        expires_at: asked_at + timeout(input.timeout_minutes, questions.timeout),
        reminders: questions.reminders_in_order(),
        sanitized: call.sanitized.as_deref().cloned(),
    })
}

/// Why the default never applies by itself, by what it does and what the words say.
fn danger_of(question: &str, options: &[String], default: &str, policy: DefaultsPolicy) -> Option<Danger> {
    let effect = effect(question, options, default);
    if effect == Effect::Rests {
        return None;
    }
    let found = find_in(&[question, default]).map(|found| Danger::Found { words: found.words });
    let doubt = effect == Effect::Acts && policy == DefaultsPolicy::Cautious;
    found.or_else(|| doubt.then_some(Danger::Acts))
}

/// A span that no deadline can have is refused with the others, not cut.
fn timeout(minutes: Option<f64>, default: Duration) -> Duration {
    match minutes {
        None => default,
        Some(minutes) => Duration::try_from_secs_f64(minutes * 60.0).unwrap_or(Duration::ZERO),
    }
}
