//! Turns the errors of the layers below into refusals that an agent can act upon: one place, one arm per case.

mod session;

use super::caller::Caller;
use super::check::Misfit;
use super::common::Common;
use super::refusal::Refusal;
use crate::actors::agent::AgentError;
use crate::actors::common::Fault;
use crate::actors::dispatcher::{AssignError, AssignRefusal};
use crate::actors::session::SessionError;
use crate::actors::task::ActError;
use crate::actors::workflow::WorkflowError;
use crate::domain::agent::{AgentRefusal, Eviction};
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::principal::Scope;
use crate::domain::reminder;
use crate::domain::review::ReviewRefusal;
use crate::domain::routing::TargetUnknown;
use crate::domain::session::SessionRefusal;
use crate::domain::task::TaskRefusal;
use crate::domain::text::{nearest, shown};
use crate::journal::ReadError;

pub(super) fn task(refusal: TaskRefusal) -> Refusal {
    let said = Refusal::new(refusal.code(), refusal.to_string());
    match refusal {
        TaskRefusal::NotFound { .. } => said.advise(
            "Check the taskId: use the one from wait_for_prompt or assign_task, letter by letter. If you have none, \
             call wait_for_prompt.",
        ),
        TaskRefusal::LeaseLost { task, given, current, holds } => {
            let advice = if holds { reminder::other_lease(&task, current) } else { reminder::lease_lost(&task) };
            said.advise(advice).detail("given", given.0).detail("current", current.0)
        }
        TaskRefusal::Closed { task, state } => said.advise(reminder::closed(&task)).detail("state", state.as_str()),
        TaskRefusal::Cancelled { task, .. } => said.advise(reminder::cancelled(&task)),
        TaskRefusal::WrongState { task, state, .. } => said
            .advise(format!("Call get_task_context with taskId {task} to see where it stands."))
            .detail("state", state.as_str()),
        TaskRefusal::ChangesRequested { task, offer, wishes } => {
            let comments: Vec<String> = wishes.iter().map(|wish| wish.id.to_string()).collect();
            let said = said.advise(reminder::sent_back(&task, offer)).detail("comments", comments);
            match offer {
                Some(epoch) => said.detail("leaseEpoch", epoch.0),
                None => said,
            }
        }
        TaskRefusal::QuestionOpen { question, .. } => session::while_open(said, &question),
        TaskRefusal::BlockedReasonMissing => said,
        TaskRefusal::RunNotFound { run } | TaskRefusal::RunWrongState { run, .. } => {
            said.detail("runId", run.to_string())
        }
        TaskRefusal::NotYoursToJudge => said,
    }
}

pub(super) fn review(refusal: &ReviewRefusal) -> Refusal {
    Refusal::new(refusal.code(), refusal.to_string())
}

/// The agent holds no task that could be meant, or more than one.
pub(super) fn which_task(verb: &str, held: &[TaskId]) -> Refusal {
    match held {
        [] => Refusal::new("NO_TASK", format!("{verb}: you hold no task"))
            .advise("Call wait_for_prompt for a task, or name the one you mean with task_id."),
        many => Refusal::new("NO_TASK", format!("{verb}: you hold {} tasks, and name none", many.len()))
            .advise("Call it again with task_id: get_agent_status lists what you hold.")
            .detail("held", many.iter().map(ToString::to_string).collect::<Vec<_>>()),
    }
}

pub(super) fn no_diff(verb: &str) -> Refusal {
    Refusal::new("DIFF_INVALID", format!("{verb}: `diff` is no unified diff: it names no file"))
        .advise("Hand in the output of git diff as it is, or leave diff out and give pr_id or pr_url.")
        .detail("field", "diff")
}

/// The same answer for a task that is not there, and for one that is not the caller's. The id is shown as it came.
pub(super) fn no_such_task(given: &str) -> Refusal {
    task(TaskRefusal::NotFound { task: shown(given) })
}

/// An order to a task came to nothing. A repeat is not a no: whoever can repeat looks for it first.
pub fn act(error: ActError) -> Refusal {
    match error {
        ActError::Refused(refusal) => task(refusal),
        ActError::Declined(refusal) => declined(refusal),
        ActError::Review(refusal) => review(&refusal),
        ActError::Repeated(receipt) => Refusal::new(
            "UNAVAILABLE",
            format!("this was done before, for task `{}`, and its result cannot be shown again", receipt.task_id),
        ),
        ActError::KeyReused => key_reused(),
        ActError::Moved(_) | ActError::ChangedHands(_) => fault(Fault::Unavailable(error.to_string())),
        ActError::Fault(error) => fault(error),
    }
}

pub fn session_order(error: SessionError) -> Refusal {
    match error {
        SessionError::Refused(refusal) => session::refused(&refusal),
        SessionError::Task(error) => act(error),
        SessionError::KeyReused => key_reused(),
        SessionError::Moved => fault(Fault::Unavailable(error.to_string())),
        SessionError::Fault(error) => fault(error),
    }
}

pub fn assign(error: AssignError) -> Refusal {
    match error {
        AssignError::Refused(refusal) => declined(refusal),
        AssignError::Repeated(receipt) => Refusal::new(
            "UNAVAILABLE",
            format!("this was done before, as task `{}`, and its result cannot be shown again", receipt.task_id),
        ),
        AssignError::Act(error) => act(error),
    }
}

fn declined(refusal: AssignRefusal) -> Refusal {
    let AssignRefusal { code, message, advice, nearest } = refusal;
    let said = Refusal::new(code, message);
    let said = match nearest {
        Some(names) => said.detail("nearest", names),
        None => said,
    };
    match advice {
        Some(advice) => said.advise(advice),
        None => said,
    }
}

pub(super) fn target(unknown: &TargetUnknown) -> Refusal {
    Refusal::new(TargetUnknown::CODE, unknown.to_string()).detail("nearest", unknown.nearest.clone())
}

pub fn agent(id: &AgentId, error: AgentError) -> Refusal {
    match error {
        AgentError::Refused(refusal) => {
            let said = Refusal::new(refusal.code(), refusal.to_string());
            match refusal {
                AgentRefusal::NotRegistered { .. } => said.advise(reminder::not_registered(id)),
                AgentRefusal::Superseded { .. } => said.advise(reminder::superseded(id)),
                AgentRefusal::Evicted { .. } => said.advise(reminder::evicted_before(id)),
                AgentRefusal::NoticesFull { .. } => said,
            }
        }
        AgentError::Repeated(notice) => {
            Refusal::new("UNAVAILABLE", format!("this was done before, as notice `{notice}`"))
        }
        AgentError::KeyReused => key_reused(),
        AgentError::Fault(error) => fault(error),
    }
}

/// It was sent away, and calls for something else than to hear it.
pub(super) fn evicted(id: &AgentId, eviction: &Eviction) -> Refusal {
    let refusal = AgentRefusal::Evicted { agent: id.to_string(), reason: eviction.reason.clone() };
    Refusal::new(refusal.code(), refusal.to_string()).advise(reminder::evicted(eviction.action))
}

pub fn workflow(error: WorkflowError) -> Refusal {
    match error {
        WorkflowError::Unknown => Refusal::new("WORKFLOW_NOT_FOUND", "there is no such workflow, or it is not yours"),
        WorkflowError::Refused(refusal) => Refusal::new(refusal.code(), refusal.to_string()),
        WorkflowError::KeyReused => key_reused(),
        WorkflowError::Fault(unknown) => fault(unknown),
    }
}

pub fn fault(error: Fault) -> Refusal {
    match error {
        Fault::Busy { .. } => Refusal::new("BUSY", format!("the hub is busy and did nothing: {error}")),
        Fault::Unavailable(why) => Refusal::new("UNAVAILABLE", format!("the hub could not do it just now: {why}")),
        Fault::Storage { full, why } => {
            let code = if full { "STORAGE_FULL" } else { "STORAGE_FAILED" };
            Refusal::new(code, format!("the hub did nothing, for {why}"))
        }
    }
}

pub(super) fn read(error: &ReadError) -> Refusal {
    fault(Fault::Unavailable(error.to_string()))
}

pub(super) fn unknown_tool(name: &str, verbs: impl Iterator<Item = &'static str>) -> Refusal {
    let near = nearest(name, verbs);
    let meant = match near.as_slice() {
        [] => String::new(),
        names => format!("; did you mean {}?", quoted(names)),
    };
    Refusal::new("UNKNOWN_TOOL", format!("there is no tool `{}`{meant}", shown(name))).detail("nearest", near)
}

/// An argument does not fit the verb's schema.
pub(super) fn misfit(verb: &'static str, schema: &serde_json::Value, misfit: &Misfit) -> Refusal {
    invalid(verb, format!("{verb}: {}", misfit.sentence()), Some(schema)).detail("field", misfit.at.clone())
}

/// An argument has the right type, and cannot be what it is to be.
pub(super) fn bad_argument(verb: &'static str, field: &str, what: impl std::fmt::Display) -> Refusal {
    invalid(verb, format!("{verb}: `{field}` {what}"), None).detail("field", field)
}

/// The arguments fit the schema, and still cannot be read.
pub(super) fn unreadable(verb: &'static str, why: &str) -> Refusal {
    invalid(verb, format!("{verb}: {why}"), None)
}

fn invalid(verb: &'static str, message: String, schema: Option<&serde_json::Value>) -> Refusal {
    let takes = schema.map(|schema| format!(" It takes {}.", fields(schema))).unwrap_or_default();
    Refusal::new("INVALID_ARGUMENTS", message).advise(format!("Call {verb} again with the arguments put right.{takes}"))
}

/// The fields of a verb in words: `taskId (a string, required), message (a string)`.
fn fields(schema: &serde_json::Value) -> String {
    let required = schema.get("required").and_then(serde_json::Value::as_array);
    let needed = |name: &str| required.is_some_and(|names| names.iter().any(|wanted| wanted.as_str() == Some(name)));
    let all = schema.get("properties").and_then(serde_json::Value::as_object);
    let mut words: Vec<(bool, String)> = all
        .into_iter()
        .flatten()
        .filter(|(name, _)| !Common::FIELDS.contains(&name.as_str()) || needed(name))
        .map(|(name, rules)| {
            let mark = if needed(name) { ", required" } else { "" };
            (!needed(name), format!("{name} ({}{mark})", super::check::expected(rules)))
        })
        .collect();
    words.sort();
    if words.is_empty() {
        return "no arguments".to_owned();
    }
    words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(", ")
}

pub(super) fn too_long(verb: &'static str, field: &str, bytes: usize, limit: usize) -> Refusal {
    Refusal::new("TEXT_TOO_LONG", format!("{verb}: `{field}` has {bytes} bytes; {limit} is the most"))
        .detail("field", field)
        .detail("limit", limit)
}

/// The arguments say that somebody else calls.
pub(super) fn identity(caller: &Caller) -> Refusal {
    let who = &caller.principal.id;
    let said = Refusal::new(
        "IDENTITY_MISMATCH",
        format!("your credential belongs to `{who}`: `agentId` must be that agent, or be left out"),
    );
    match caller.principal.agent() {
        Some(agent) => said.advise(format!("Call again with agentId \"{agent}\", or without agentId.")),
        None => said.advise("Call again without agentId."),
    }
}

/// No such question, or not the caller's. The id is shown as it came.
pub(super) fn no_such_question(given: &str) -> Refusal {
    session::refused(&SessionRefusal::QuestionNotFound { question: shown(given) })
}

pub(super) fn session_required() -> Refusal {
    Refusal::new("SESSION_REQUIRED", "Missing session id: set CALLBOARD_SESSION_ID or pass session_id")
}

/// Somebody else's session, or none.
pub(super) fn session() -> Refusal {
    Refusal::new("SESSION_NOT_FOUND", "that session does not exist, or is not yours")
}

pub(super) fn not_an_agent(caller: &Caller) -> Refusal {
    let who = &caller.principal.id;
    Refusal::new("INSUFFICIENT_SCOPE", format!("`{who}` is not an agent, and this tool is for agents"))
        .advise("Use the token of an agent.")
        .detail("needs", "agent")
}

pub(super) fn scope(caller: &Caller, needs: Scope) -> Refusal {
    let who = &caller.principal.id;
    Refusal::new("INSUFFICIENT_SCOPE", format!("the credential of `{who}` has not the scope `{needs}`"))
        .detail("needs", needs.to_string())
}

/// The key is too long, or empty.
pub(super) fn bad_key() -> Refusal {
    let limit = Common::KEY_LIMIT;
    Refusal::new("INVALID_ARGUMENTS", format!("`{}` must have 1 to {limit} bytes", Common::KEY))
        .advise("Choose a shorter key, or leave it out.")
        .detail("field", Common::KEY)
}

pub fn key_reused() -> Refusal {
    Refusal::new("IDEMPOTENCY_KEY_REUSED", "this idempotencyKey was used before, for another request")
}

/// One may not write to everybody.
pub(super) fn message_denied(to: &AgentId) -> Refusal {
    Refusal::new("MESSAGE_DENIED", format!("you may neither delegate to `{to}` nor do you report to it"))
}

pub(super) fn no_such_agent(given: &str, known: &[&str]) -> Refusal {
    let near = nearest(given, known.iter().copied());
    let meant = match near.as_slice() {
        [] => String::new(),
        names => format!("; did you mean {}?", quoted(names)),
    };
    Refusal::new("AGENT_NOT_FOUND", format!("no agent `{}` is registered{meant}", shown(given))).detail("nearest", near)
}

/// A closed task cannot be watched for its end, but its end can be read: this is for the task that vanished between.
pub(super) fn gone(id: &TaskId) -> Refusal {
    fault(Fault::Unavailable(format!("task `{id}` is being built anew")))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
