//! What is called after a prompt: recorded in the run that it belongs to, after the call and whatever it came to.
//!
//! A client names the run; a language model cannot, so a call that names none belongs to the only run of its caller
//! that has an open step for the tool. The call itself is done by then: nothing here can refuse or change it.

use serde_json::{Value, json};

use super::caller::{Caller, Follows};
use super::refusal::Result;
use super::reply::Reply;
use crate::actors::HubRef;
use crate::actors::workflow::WorkflowError;
use crate::domain::ids::WorkflowId;
use crate::domain::principal::By;
use crate::domain::time::Timestamp;
use crate::domain::workflow::run::{Content, MatchedBy, Outcome, Recorded, WorkflowCommand, WorkflowRefusal};

/// The run that a call goes on with, as far as it is known without asking anybody.
pub(super) enum Followed {
    Named(String),
    /// The only one with an open step for the tool.
    Only(WorkflowId),
}

/// The run that this call goes on with; none for nearly all calls.
pub(super) fn followed(hub: &HubRef, caller: &Caller, tool: &str) -> Option<Followed> {
    // It ends a run, and is no step of it.
    if tool == "workflow_complete" {
        return None;
    }
    match &caller.follows {
        Follows::Nothing => None,
        Follows::Named(id) => Some(Followed::Named(id.clone())),
        Follows::Unsaid => hub.open_steps.only(&caller.principal.id, tool).map(Followed::Only),
    }
}

/// Records what the call came to. Returns what the client is told: nothing where it named no run and none was recorded.
pub(super) async fn follow(
    hub: &HubRef,
    caller: &Caller,
    tool: &str,
    followed: Followed,
    reply: &Result<Reply>,
) -> Option<Value> {
    let (given, id, matched_by) = match followed {
        Followed::Named(given) => (given.clone(), WorkflowId::parse(&given).ok(), MatchedBy::Id),
        Followed::Only(id) => (id.to_string(), Some(id), MatchedBy::Implicit),
    };
    let Some(id) = id else { return Some(not_recorded(&given, "unknown")) };
    let outcome = outcome(reply, hub.clock.now(), caller.by(), matched_by);
    let command = WorkflowCommand::Record { tool: tool.to_owned(), outcome };
    let request = Some(caller.request.clone());
    let why = match hub.order_workflow(&id, command, caller.by(), request).await {
        Ok(done) => {
            let mut told = json!({"taskId": id, "recorded": true, "statusMessage": done.run.status_message()});
            if let Some(Recorded::Step(step)) = done.recorded {
                told["step"] = json!(step);
            }
            if matched_by == MatchedBy::Implicit {
                told["matchedBy"] = json!("implicit");
            }
            return Some(told);
        }
        Err(WorkflowError::Unknown | WorkflowError::KeyReused) => "unknown",
        Err(WorkflowError::Refused(WorkflowRefusal::Ended { .. })) => "ended",
        Err(WorkflowError::Refused(
            WorkflowRefusal::TooManyExtra | WorkflowRefusal::NotNext { .. } | WorkflowRefusal::ResultTooLarge { .. },
        )) => "full",
        Err(WorkflowError::Fault(fault)) => {
            tracing::warn!("what `{tool}` came to was not recorded in workflow `{id}`: {fault}");
            "unavailable"
        }
    };
    (matched_by == MatchedBy::Id).then(|| not_recorded(&given, why))
}

fn not_recorded(given: &str, why: &str) -> Value {
    let shown: String = given.chars().take(80).collect();
    json!({"taskId": shown, "recorded": false, "reason": why})
}

/// What a call came to, without what is told to its caller alone: notices, and what to do next.
pub(super) fn outcome(reply: &Result<Reply>, at: Timestamp, by: By, matched_by: MatchedBy) -> Outcome {
    let (mut value, is_error) = match reply {
        Ok(reply) => (reply.structured(), false),
        Err(refusal) => (refusal.structured(), true),
    };
    if let Value::Object(fields) = &mut value {
        fields.remove("notices");
        fields.remove("prompt");
    }
    Outcome { content: Content::of(value), is_error, at, by: by.principal, matched_by }
}
