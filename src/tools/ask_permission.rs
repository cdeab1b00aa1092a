//! `ask_permission`: a client asks whether it may call one of its own tools, in the place of its own prompt.

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::prelude::*;
use super::texts;
use super::wait_for_prompt::span;
use crate::audit::{Decision, Digested, Note};
use crate::domain::danger::{MOST, find_in};
use crate::domain::ids::QuestionId;
use crate::domain::session::question::permission::{ALLOW_FOR_TASK, ALLOW_ONCE, DENY, Permission};
use crate::domain::session::question::{Question, QuestionKind, QuestionSpec, Resolution, ResolutionType};
use crate::domain::session::{Asker, SessionOutcome};
use crate::domain::text::{redact, shorten};
use crate::domain::tool_rule::{ToolCall, ToolLeave};

/// How much of what a call is about stands in the question itself, in bytes; all that is shown is beside it.
const ABOUT: usize = 2_000;

/// The longest name of a tool, in bytes, and the longest reason.
const TOOL: usize = 200;
const REASON: usize = 1_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskPermission {
    /// The tool that the client is about to call, by its own name.
    #[serde(default)]
    tool: Option<String>,
    /// The same, as some clients call it.
    #[serde(default)]
    tool_name: Option<String>,
    /// Its arguments, all of them.
    input: Value,
    /// Why it is asked.
    #[serde(default)]
    reason: Option<String>,
    /// The working folder.
    #[serde(default)]
    cwd: Option<String>,
    /// Rules that the client would add; not used.
    #[serde(default)]
    #[expect(dead_code, reason = "clients send it, and the hub has rules of its own")]
    suggestions: Option<Value>,
    /// The client's id of the call; not used.
    #[serde(default)]
    #[expect(dead_code, reason = "clients send it")]
    tool_use_id: Option<String>,
}

/// Whether it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Behavior {
    Allow,
    Deny,
}

/// The form of its answer: as clients read it that ask a tool in the place of their prompt.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Form {
    Permission,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Whether the client may make this call, now.
    behavior: Behavior,
    /// The arguments, as they were given; only where it may.
    #[serde(rename = "updatedInput", skip_serializing_if = "Option::is_none")]
    updated_input: Option<Value>,
    /// The question that people were asked; none where a rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    question_id: Option<String>,
    /// Nobody answered yet: the same call finds the answer when it comes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    open: bool,
    /// The form of the answer.
    form: Form,
}

impl Verb for AskPermission {
    const NAME: &'static str = "ask_permission";
    const TITLE: &'static str = "Ask leave for a call of a tool";
    const DESCRIPTION: &'static str = "\
        For clients, not for models: ask people whether a tool may be called, in the place of the client's own prompt. \
        Answers {behavior: allow, updatedInput} or {behavior: deny, message}. Rules of the role answer what needs \
        nobody; no answer in time is deny.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::ADDS;
    // What was asked is found by its digest, and leave is taken once: a repeat needs no key.
    const KEYED: bool = false;
    const BLOCKS: bool = true;
    const TO_CLIENT: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let until = Instant::now() + span(&call, None);
        let given = input.tool.as_deref().or(input.tool_name.as_deref()).unwrap_or_default();
        let tool = texts::words(Self::NAME, "tool", given, TOOL)?;
        let asked = ToolCall::new(&tool, &input.input);
        if let Some((behavior, said)) = by_rule(&call, &asked, input.cwd.as_deref()) {
            return Ok(answer(behavior, said, None, &input.input));
        }
        let spec = spec(&call, &asked, &input)?;
        loop {
            let asker = Box::new(Asker { spec: spec.clone(), ends: None });
            let question = match call.order_session(SessionCommand::Ask { asker }).await {
                Ok(receipt) => receipt.question.ok_or_else(|| refuse::no_such_question(""))?,
                Err(refusal) if refusal.code == "QUESTION_OPEN" && Instant::now() < until => {
                    // A session asks one thing at a time: this one is next.
                    let other = refusal.details.get("questionId").and_then(Value::as_str);
                    let Some(other) = other.and_then(|id| QuestionId::parse(id).ok()) else { return Err(refusal) };
                    if call.await_answer(&other, until).await?.is_overdue() {
                        return Err(refusal);
                    }
                    continue;
                }
                Err(refusal) if refusal.code == "QUESTION_OPEN" => {
                    let said = "People are asked something else first. Ask again, or go on without it.";
                    return Ok(still_open(answer(Behavior::Deny, said.to_owned(), None, &input.input)));
                }
                Err(refusal) => return Err(refusal),
            };
            let id = question.spec.id.clone();
            let question = if question.is_open() { call.await_answer(&id, until).await? } else { question };
            if question.is_open() {
                let said = format!("Nobody answered yet; question {id} is open until {}. Ask again.", spec.expires_at);
                return Ok(still_open(answer(Behavior::Deny, said, Some(&id), &input.input)));
            }
            match call.order_session(SessionCommand::Use { question: id.clone() }).await {
                Ok(receipt) => {
                    let SessionOutcome::Resolved(_, resolution) = receipt.outcome else { continue };
                    let behavior = if resolution.allows() { Behavior::Allow } else { Behavior::Deny };
                    return Ok(answer(behavior, said(&question, &resolution), Some(&id), &input.input));
                }
                // Another call took it: this one asks for itself.
                Err(refusal) if refusal.code == "ALREADY_RESOLVED" && Instant::now() < until => {}
                Err(refusal) => return Err(refusal),
            }
        }
    }
}

fn answer(behavior: Behavior, said: String, id: Option<&QuestionId>, input: &Value) -> Answer<Output> {
    let updated_input = (behavior == Behavior::Allow).then(|| input.clone());
    let question_id = id.map(ToString::to_string);
    Answer::new(said, Output { behavior, updated_input, question_id, open: false, form: Form::Permission })
}

fn still_open(mut answer: Answer<Output>) -> Answer<Output> {
    answer.fields.open = true;
    answer
}

/// What the rules of the caller's role say, which the audit is told; none where people are asked.
fn by_rule(call: &Call, asked: &ToolCall<'_>, folder: Option<&str>) -> Option<(Behavior, String)> {
    let role = &call.registration()?.role;
    let (id, config) = call.settings.roles.find(role.as_str())?;
    let (place, rule) = asked.judged(&config.permissions, folder)?;
    let rule_name = format!("permissions.{place} of role `{id}`");
    let (behavior, decision, said) = match rule.then {
        ToolLeave::Ask => return None,
        ToolLeave::Allow => (Behavior::Allow, Decision::Allowed, "Allowed"),
        ToolLeave::Deny => (Behavior::Deny, Decision::Denied, "Denied"),
    };
    let note = Note {
        at: call.hub.clock.now(),
        action: "permission".to_owned(),
        decision,
        rule: Some(rule_name.clone()),
        who: call.caller.principal.id.to_string(),
        through: call.caller.surface.as_str().to_owned(),
        peer: call.caller.peer,
        request: Some(call.caller.request.clone()),
        target: Some(format!("tool:{}", asked.tool)),
        body: Some(Digested::of(asked.about())),
    };
    call.hub.audit.noted(note);
    Some((behavior, format!("{said} by {rule_name}.")))
}

fn spec(call: &Call, asked: &ToolCall<'_>, input: &AskPermission) -> Result<QuestionSpec> {
    let verb = AskPermission::NAME;
    let agent = call.calling()?;
    let clean = redact(asked.about());
    // In one line, in which a second command still shows as one: without a sign it would pass for a part of the first.
    let lines: Vec<_> = clean.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut question = format!("May it use {}?\n{}", asked.tool, shorten(&lines.join(" ⏎ "), ABOUT));
    if let Some(folder) = input.cwd.as_deref().map(str::trim).filter(|folder| !folder.is_empty()) {
        question.push_str("\nIn ");
        question.push_str(&shorten(&redact(folder), REASON));
    }
    if let Some(reason) = input.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty()) {
        question.push_str("\nBecause: ");
        question.push_str(&shorten(&redact(reason), REASON));
    }
    let question = texts::words(verb, "input", &question, 2 * ABOUT + REASON)?;
    let too_long = (asked.about().len() > MOST).then(|| "longer than 64 kB: not all of it was looked at".to_owned());
    let risk = find_in(&[asked.about()]).map(|found| found.words).or(too_long);
    let digest = Sha256::digest(format!("{}\n{}", asked.tool, input.input).as_bytes());
    let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let asked_at = call.hub.clock.now();
    let timeout: Duration = call.settings.hub.permissions.timeout;
    Ok(QuestionSpec {
        work_item: None,
        id: call.hub.ids.question(),
        session_id: call.session.clone().ok_or_else(refuse::session_required)?,
        agent_id: AgentId::clone(&agent.id),
        task_id: None,
        kind: QuestionKind::Permission,
        permission: Some(Box::new(Permission::new(asked.tool.to_owned(), digest, &input.input, risk))),
        question,
        options: [ALLOW_ONCE, ALLOW_FOR_TASK, DENY].map(str::to_owned).to_vec(),
        default_action: DENY.to_owned(),
        danger: None,
        allow_free_text: false,
        asked_at,
        expires_at: asked_at + timeout,
        reminders: call.settings.hub.questions.reminders_in_order(),
        sanitized: call.sanitized.as_deref().cloned(),
    })
}

/// What the client, and through it the model, is told.
fn said(question: &Question, resolution: &Resolution) -> String {
    let name = &resolution.by.display_name;
    match resolution.kind {
        ResolutionType::Human if resolution.allows() => format!("{name} allowed it."),
        ResolutionType::Human if resolution.value == DENY => format!("{name} denied it."),
        ResolutionType::Human => format!("{name} denied it: {}", resolution.value),
        ResolutionType::Timeout => {
            let span = question.spec.expires_at.since(question.spec.asked_at);
            format!("Nobody answered within {} s: denied.", span.as_secs())
        }
        ResolutionType::Cancelled => format!("{name} took the question back: denied."),
        ResolutionType::Superseded => "The task went on without it: denied.".to_owned(),
    }
}
