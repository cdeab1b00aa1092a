//! One step: its tool is called as any call is, or its resource is read, and what came is one outcome.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::actors::HubRef;
use crate::broken::{self, Break};
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::Step;
use crate::domain::workflow::run::{Content, FollowUp, MatchedBy, Outcome, ToolFacts};
use crate::tools::SPANS;
use crate::tools::call::call;
use crate::tools::caller::{Caller, Follows};
use crate::tools::common::Common;
use crate::tools::follow::outcome;
use crate::tools::reply::Reply;
use crate::tools::table::{ToolEntry, find};

/// The tools that only a client can call: the hub would take work in its place, or end what it is about to do.
const CLIENTS_OWN: [(&str, &str); 2] = [
    ("wait_for_prompt", "only your own call can wait for work"),
    ("workflow_complete", "only you know what came of it"),
];

/// Reads resources, as the door of whoever asks shows them.
pub trait Resources: Sync {
    /// What stands under this name. The error says why nothing does that the caller may read.
    fn read(&self, uri: &str) -> impl Future<Output = Result<String, String>> + Send;
}

pub(super) enum Came {
    Outcome(Outcome),
    /// It waits for something that another call brings.
    Waits(FollowUp),
    /// Its arguments do not fit its schema.
    Misfit(Outcome),
}

/// What is known of a tool before it is called; none where the hub has no such tool.
pub(super) fn facts(tool: &str) -> Option<ToolFacts<'static>> {
    let entry = find(tool)?;
    let client_only = CLIENTS_OWN.iter().find(|(name, _)| *name == tool).map(|(_, why)| *why);
    let repeatable = entry.read_only || entry.mutating;
    Some(ToolFacts { schema: &entry.input_schema, repeatable, client_only })
}

/// What a second run of a step would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepNature {
    /// Nothing, and it takes no time.
    Looks,
    /// Nothing a second time: it has a key, or waits.
    Repeatable,
    /// What it did the first time.
    OnlyOnce,
}

/// Of this step; a tool that the hub does not have is not run.
pub(super) fn nature(step: &Step) -> StepNature {
    match step.tool().map(find) {
        None => StepNature::Looks,
        Some(Some(entry)) if entry.read_only && !entry.blocks => StepNature::Looks,
        Some(Some(entry)) if entry.read_only || entry.mutating => StepNature::Repeatable,
        Some(Some(_) | None) => StepNature::OnlyOnce,
    }
}

/// The call of a step, for at most `within`.
pub(super) async fn run(
    hub: &HubRef,
    caller: &Caller,
    (id, step, tool): (&WorkflowId, &str, &str),
    arguments: Map<String, Value>,
    within: Duration,
) -> Came {
    // The plan is the hub's own doing: what it calls is recorded by who carries it out.
    let caller = Caller { follows: Follows::Nothing, ..caller.clone() };
    let given = find(tool).map(|entry| given(entry, id, step, &arguments, within)).unwrap_or_default();
    let reply = Box::pin(call(hub, &caller, tool, given)).await;
    if let Ok(reply) = &reply
        && let Some(follow_up) = waits(tool, reply, &arguments)
    {
        return Came::Waits(follow_up);
    }
    let misfit = matches!(&reply, Err(refusal) if refusal.code == "INVALID_ARGUMENTS");
    let outcome = outcome(&reply, hub.clock.now(), caller.by(), MatchedBy::Plan);
    // What else the answer carried is told again with the client's own next call: nothing of it was delivered.
    if misfit { Came::Misfit(outcome) } else { Came::Outcome(outcome) }
}

/// The arguments with the key that follows from run and step, and with no wait longer than there is time.
fn given(entry: &ToolEntry, id: &WorkflowId, step: &str, arguments: &Map<String, Value>, within: Duration) -> Value {
    let mut given = arguments.clone();
    if entry.mutating && !broken::by(Break::ForgetsStepKeys) {
        given.entry(Common::KEY).or_insert_with(|| json!(format!("workflow:{id}:{step}")));
    }
    if entry.blocks {
        let left = within.as_secs();
        let named = given.keys().find(|name| SPANS.contains(&name.as_str())).cloned();
        let usual = if entry.name == "request_input" { "wait_seconds" } else { "timeout" };
        let name = named.unwrap_or_else(|| usual.to_owned());
        let wanted = given.get(&name).and_then(Value::as_u64).unwrap_or(left);
        given.insert(name, json!(wanted.min(left)));
    }
    Value::Object(given)
}

/// The call that brings what this one did not, where it ended because its time was over.
fn waits(tool: &str, reply: &Reply, arguments: &Map<String, Value>) -> Option<FollowUp> {
    let is = |field: &str, value: Value| reply.fields.get(field) == Some(&value);
    match tool {
        "wait_for_task" if is("ended", json!(false)) => {
            Some(FollowUp { tool: tool.to_owned(), arguments: arguments.clone() })
        }
        "request_input" | "wait_for_answer" if is("state", json!("pending")) => {
            let question = reply.fields.get("question_id")?.clone();
            let arguments = Map::from_iter([("question_id".to_owned(), question)]);
            Some(FollowUp { tool: "wait_for_answer".to_owned(), arguments })
        }
        _ => None,
    }
}

pub(super) async fn read(hub: &HubRef, caller: &Caller, uri: &str, resources: &impl Resources) -> Outcome {
    let read = resources.read(uri).await;
    let is_error = read.is_err();
    let text = read.unwrap_or_else(|why| why);
    let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
    let (at, by) = (hub.clock.now(), caller.principal.id.clone());
    Outcome { content: Content::of(value), is_error, at, by, matched_by: MatchedBy::Plan }
}
