//! The tasks of the protocol's extension, for clients of 2026-07-28 that declare it: a call that would wait is answered
//! by a ticket, and what it comes to is fetched with `tasks/get`.
//!
//! `tasks/get` waits by the verb that was called, for [`HOLD`] at most: an agent is there for work only while somebody
//! asks for its ticket. What comes is on disk before it goes out, and the same for whoever asks again; when it cannot
//! be written out, an offer goes back as that of a call does.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{DetailedTask, ErrorData, JsonObject, Task, TaskPayload, TaskStatus};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::reply_path::ReplyPath;
use super::result;
use crate::actors::HubRef;
use crate::actors::tickets::TicketWatch;
use crate::domain::ids::TicketId;
use crate::domain::ticket::{Ticket, TicketCall, TicketState};
use crate::tools::{self, Caller, Refusal, Reply, ToolEntry};

/// How long `tasks/get` waits at most: half of what the least patient client known waits for an answer, which is the
/// protocol's own conformance suite with ten seconds.
const HOLD: Duration = Duration::from_secs(5);

/// How long a client is asked to pause between two questions, in milliseconds. The questions wait, and not the client.
const PAUSE_MS: u64 = 100;

/// What a call under the extension comes to.
pub(super) enum Begun {
    /// Its answer, which was there at once.
    Now(Result<Reply, Refusal>),
    Later(Box<Ticket>),
    /// Nothing yet, and its caller has so many tickets that it has to wait for the answer.
    Full,
}

/// Whether the peer is to have a ticket for this call: it declares the extension, in the era that has it, and does not
/// ask for a wait that a call of its own can be.
pub(super) fn is_wanted(
    hub: &HubRef,
    caller: &Caller,
    entry: &ToolEntry,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
) -> bool {
    let declared = context.meta.client_capabilities().is_some_and(|able| able.supports_tasks());
    let longest = hub.settings().wait_cap(caller.client.as_ref());
    let short = tools::seconds(arguments).is_some_and(|seconds| seconds <= longest.as_secs_f64());
    declared && !result::is_legacy(context) && entry.blocks && !short
}

/// Calls, without waiting; the ticket is on disk when this returns one.
pub(super) async fn begin(hub: &HubRef, caller: &Caller, entry: &ToolEntry, arguments: &Value) -> Begun {
    let mut asked = arguments.as_object().cloned().unwrap_or_default();
    asked.retain(|name, _| !tools::SPANS.contains(&name.as_str()));
    let span = if entry.name == "request_input" { "wait_seconds" } else { "timeout" };
    let mut reply = match tools::call(hub, caller, entry.name, lasting(&asked, span, Duration::ZERO)).await {
        // What its default will not do, the agent hears at once, whatever it waits for then.
        Ok(reply) if entry.name == "request_input" && reply.fields.get("held_back") == Some(&json!(true)) => {
            return Begun::Now(Ok(reply));
        }
        Ok(reply) if goes_on(entry.name, &reply) && !*hub.draining.borrow() => reply,
        outcome => return Begun::Now(outcome),
    };
    let call = if entry.name == "request_input" {
        asked.retain(|name, _| matches!(name.as_str(), "session_id" | "sessionId"));
        asked.insert("question_id".to_owned(), reply.fields.get("question_id").cloned().unwrap_or_default());
        TicketCall { verb: "wait_for_answer".to_owned(), arguments: Value::Object(asked), alone: false }
    } else {
        let alone = entry.name == "wait_for_prompt";
        TicketCall { verb: entry.name.to_owned(), arguments: Value::Object(asked), alone }
    };
    // Whatever notices came with the answer that is not given now are told again.
    drop(reply.guard.take());
    let owner = caller.principal.id.clone();
    match hub.tickets.issue(owner, call, caller.by(), Some(caller.request.clone())).await {
        Ok(Some(ticket)) => Begun::Later(Box::new(ticket)),
        Ok(None) => Begun::Full,
        Err(fault) => Begun::Now(Err(tools::refuse::fault(fault))),
    }
}

/// What a ticket came to; waits a while for one that is open. Fails when there is no such ticket of the caller's.
pub(super) async fn ask(
    hub: &HubRef,
    caller: &Caller,
    given: &str,
    way: &ReplyPath,
) -> Result<DetailedTask, ErrorData> {
    let asked = found(hub, caller, given).await?;
    if asked.ticket.state != TicketState::Open {
        return shown(hub, asked.ticket).await;
    }
    let TicketCall { verb, arguments, .. } = &asked.ticket.call;
    let arguments = lasting(arguments.as_object().unwrap_or(&Map::new()), "timeout", HOLD);
    let outcome = tokio::select! {
        biased;
        () = asked.ended.cancelled() => None,
        outcome = tools::call(hub, caller, verb, arguments) => Some(outcome),
    };
    let Some(mut outcome) = outcome else { return shown(hub, found(hub, caller, given).await?.ticket).await };
    // Dropped on any way out of here but the one on which the answer goes out: what it carries goes back.
    let guard = match &mut outcome {
        Ok(reply) => reply.guard.take(),
        Err(refusal) => refusal.guard.take(),
    };
    let result = match outcome {
        Ok(reply) if goes_on(verb, &reply) || is_taken_over(hub, &asked, &reply).await => {
            return shown(hub, asked.ticket).await;
        }
        Err(refusal) if refusal.status() == 429 || refusal.status() >= 500 => {
            let data = Some(json!({"code": refusal.code}));
            return Err(ErrorData::internal_error(refusal.message, data));
        }
        Ok(reply) => result::success(reply, Some(result::about_us())),
        Err(refusal) => result::refused(&refusal, Some(result::about_us())),
    };
    // Made as JSON here: this has no way to fail.
    let answer = serde_json::to_string(&result).unwrap_or_default();
    let (id, request) = (asked.ticket.id.clone(), Some(caller.request.clone()));
    match hub.tickets.answer(id, answer, caller.by(), request).await {
        Ok(Some(ticket)) => {
            // Whoever hangs up meanwhile was not answered.
            let answer = shown(hub, ticket).await?;
            way.carries(guard);
            Ok(answer)
        }
        // It came to its end meanwhile: nobody gets this answer, and what it carries goes back.
        Ok(None) => shown(hub, found(hub, caller, given).await?.ticket).await,
        Err(fault) => Err(ErrorData::internal_error(fault.to_string(), None)),
    }
}

/// No answer is wanted any more. Fails when there is no such ticket of the caller's, or it could not be written.
pub(super) async fn cancel(hub: &HubRef, caller: &Caller, given: &str) -> Result<(), ErrorData> {
    let id = TicketId::parse(given).map_err(|_| unknown())?;
    let (owner, request) = (caller.principal.id.clone(), Some(caller.request.clone()));
    let known = hub.tickets.cancel(id, owner, caller.by(), request).await;
    let known = known.map_err(|fault| ErrorData::internal_error(fault.to_string(), None))?;
    if known { Ok(()) } else { Err(unknown()) }
}

/// The ticket of that name. Fails when it is not there or not the caller's, alike; or the hub cannot say.
pub(super) async fn found(hub: &HubRef, caller: &Caller, given: &str) -> Result<TicketWatch, ErrorData> {
    let id = TicketId::parse(given).map_err(|_| unknown())?;
    let asked = hub.tickets.ask(id, caller.principal.id.clone()).await;
    asked.map_err(|fault| ErrorData::internal_error(fault.to_string(), None))?.ok_or_else(unknown)
}

/// A ticket as the protocol shows a task.
pub(super) fn task(ticket: &Ticket) -> Task {
    let (id, status) = (ticket.id.to_string(), status(ticket.state));
    let kept = ticket.keep_until.since(ticket.issued_at).as_millis();
    let task = Task::new(id, status, ticket.issued_at.to_string(), ticket.moved_at.to_string())
        .with_ttl_ms(u64::try_from(kept).unwrap_or(u64::MAX))
        .with_poll_interval_ms(PAUSE_MS);
    task.with_status_message(match ticket.state {
        TicketState::Open => "Ask with tasks/get: it waits for the answer.",
        TicketState::Answered => "The answer is here.",
        TicketState::Cancelled => "It was cancelled, or a newer wait of yours has taken its place.",
    })
}

const fn status(state: TicketState) -> TaskStatus {
    match state {
        TicketState::Open => TaskStatus::Working,
        TicketState::Answered => TaskStatus::Completed,
        TicketState::Cancelled => TaskStatus::Cancelled,
    }
}

async fn shown(hub: &HubRef, ticket: Ticket) -> Result<DetailedTask, ErrorData> {
    let payload = match ticket.state {
        TicketState::Open => TaskPayload::Working,
        TicketState::Cancelled => TaskPayload::Cancelled,
        TicketState::Answered => {
            let id = ticket.id.clone();
            let read = hub.journal.read(move |reader| reader.ticket_answer(&id)).await;
            let answer = read.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let result: Option<JsonObject> = answer.and_then(|answer| serde_json::from_str(&answer).ok());
            TaskPayload::Completed { result: result.ok_or_else(unknown)? }
        }
    };
    Ok(DetailedTask::new(task(&ticket), payload))
}

/// Whether a verb ended because its time was over, and not with what its caller waits for.
fn goes_on(verb: &str, reply: &Reply) -> bool {
    let is = |field: &str, value: Value| reply.fields.get(field) == Some(&value);
    match verb {
        "wait_for_prompt" => is("status", json!("IDLE")),
        "wait_for_task" => is("ended", json!(false)) && !is("state", json!("BLOCKED")),
        _ => is("state", json!("pending")),
    }
}

/// Whether this wait ended because the same ticket was asked for once more, as by a client that lost the first answer.
async fn is_taken_over(hub: &HubRef, asked: &TicketWatch, reply: &Reply) -> bool {
    let superseded = reply.fields.get("status") == Some(&json!("SUPERSEDED"));
    superseded && !hub.tickets.is_last(asked.ticket.id.clone(), asked.turn).await.unwrap_or(false)
}

fn lasting(arguments: &Map<String, Value>, name: &str, span: Duration) -> Value {
    let mut arguments = arguments.clone();
    arguments.insert(name.to_owned(), json!(span.as_secs()));
    Value::Object(arguments)
}

/// Another's ticket, one that is kept no longer, and what is no name of one.
pub(super) fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such task, or it is not yours", None)
}
