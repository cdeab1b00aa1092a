//! Workflows as MCP prompts, and what a call says of the run that it goes on with.
//!
//! The result of `prompts/get` carries the run in `_meta` alone: its id is in no text that a model reads.

use std::collections::BTreeMap;

use rmcp::RoleServer;
use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult, JsonObject, MetaObject, Prompt,
    PromptArgument, PromptMessage, ResourceContents, Role,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::caller::caller;
use super::wait::Notes;
use super::{form, prompts, resources, result};
use crate::actors::HubRef;
use crate::domain::text::shown;
use crate::domain::workflow::Plan;
use crate::domain::workflow::run::{PlanMessage, Speaker, WorkflowRun};
use crate::settings::{Settings, SystemPrompts};
use crate::tools::workflow::{PlanRequest, Resources, prompt};
use crate::tools::{Caller, Refusal};

/// Under this key a result says which run it is about, and how that stands.
pub(super) const WORKFLOW: &str = "dev.callboard/workflow";

/// Under this key a request for a prompt carries the caller's idempotency key.
const KEY: &str = "dev.callboard/idempotencyKey";

/// Every prompt: those of the roles, and one for each workflow, by name.
pub(super) fn list(settings: &Settings, prompts: &SystemPrompts) -> Vec<Prompt> {
    let mut all = prompts::list(settings, prompts);
    all.extend(settings.workflows.iter().map(|workflow| listed(&workflow.plan)));
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn listed(plan: &Plan) -> Prompt {
    let arguments = plan.parameters.iter().map(|parameter| {
        let argument = PromptArgument::new(parameter.name.clone()).with_required(parameter.required);
        match &parameter.description {
            Some(description) => argument.with_description(description.clone()),
            None => argument,
        }
    });
    Prompt::new(plan.name.clone(), Some(plan.description.trim().to_owned()), Some(arguments.collect()))
}

pub(super) enum PromptRequest {
    /// At once to this: a role's text, or a form for what a workflow needs.
    Answered(Box<GetPromptResponse>),
    /// To what comes of a workflow, which may take long.
    Workflow(Box<WorkflowRequest>),
}

/// A request for what comes of a workflow, on its own.
pub(super) struct WorkflowRequest {
    plan: Plan,
    arguments: BTreeMap<String, String>,
    key: Option<String>,
    caller: Caller,
    meta: MetaObject,
    legacy: bool,
}

/// Reads a request for a prompt. Fails when there is no such prompt, or an argument is no text.
pub(super) fn read(
    hub: &HubRef,
    prompts: &SystemPrompts,
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<PromptRequest, ErrorData> {
    let settings = hub.settings();
    let Some(workflow) = settings.workflows.find(&request.name) else {
        let mut found = prompts::get(&settings, prompts, &request.name, request.arguments.as_ref())?;
        found.meta = result::meta(context);
        return Ok(PromptRequest::Answered(Box::new(found.into())));
    };
    let plan = &workflow.plan;
    let caller = caller(hub, context)?;
    let mut arguments = texts(request.arguments.as_ref())?;
    match form::filled_in(request.input_responses.as_ref())? {
        Some(fields) => {
            for (name, text) in texts(Some(&fields))? {
                let given = arguments.entry(name).or_default();
                if given.is_empty() {
                    *given = text;
                }
            }
        }
        None => {
            if let Some(form) = form::for_missing(plan, &arguments, context) {
                return Ok(PromptRequest::Answered(Box::new(form.into())));
            }
        }
    }
    let key = context.meta.get(KEY).map(|key| match key {
        Value::String(key) => Ok(key.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(ErrorData::invalid_params(format!("`_meta[\"{KEY}\"]` must be a text"), None))
        }
    });
    Ok(PromptRequest::Workflow(Box::new(WorkflowRequest {
        plan: plan.clone(),
        arguments,
        key: key.transpose()?,
        caller,
        meta: result::meta(context).unwrap_or_default(),
        legacy: result::is_legacy(context),
    })))
}

impl WorkflowRequest {
    /// The notes, with what is done meanwhile.
    pub(super) fn shows(&mut self, notes: Notes) -> Notes {
        notes.with_reports(&mut self.caller)
    }

    /// Carries the plan out, and says what came of it. Fails when an argument is not right, or the hub is busy.
    pub(super) async fn answer(self, hub: &HubRef, prompts: &SystemPrompts) -> Result<GetPromptResult, ErrorData> {
        let Self { plan, arguments, key, caller, meta, legacy } = self;
        let asked = PlanRequest { plan: &plan, arguments, key };
        let reads = Reads { hub, prompts, caller: &caller };
        let run = prompt(hub, &caller, asked, &reads).await.map_err(refused)?;
        let messages = run.messages().into_iter().map(message).collect();
        let mut answer = GetPromptResult::new(messages).with_description(run.wanted());
        answer.meta = Some(handle(&run, meta, legacy));
        Ok(answer)
    }
}

fn texts(arguments: Option<&JsonObject>) -> Result<BTreeMap<String, String>, ErrorData> {
    let given = arguments.into_iter().flatten().filter(|(_, value)| !value.is_null());
    let read = given.map(|(name, value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok((name.clone(), value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            let data = Some(json!({"code": "INVALID_ARGUMENTS"}));
            Err(ErrorData::invalid_params(format!("`{}` must be a text", shown(name)), data))
        }
    });
    read.collect()
}

fn message(said: PlanMessage) -> PromptMessage {
    let role = match said.speaker {
        Speaker::User => Role::User,
        Speaker::Assistant => Role::Assistant,
    };
    PromptMessage::new_text(role, said.text)
}

/// What goes with the conversation, and what no model reads.
fn handle(run: &WorkflowRun, mut meta: MetaObject, legacy: bool) -> MetaObject {
    if legacy {
        meta.insert("task_id".to_owned(), json!(run.id));
        meta.insert("task_status".to_owned(), json!(run.status.as_str()));
    }
    meta.insert(WORKFLOW.to_owned(), run.handle());
    meta
}

/// A no, as an error of the protocol: the caller's fault is one of its parameters.
pub(super) fn refused(refusal: Refusal) -> ErrorData {
    let data = Some(json!({"code": refusal.code, "prompt": refusal.prompt}));
    match refusal.status() {
        429 | 500.. => ErrorData::internal_error(refusal.message, data),
        _ => ErrorData::invalid_params(refusal.message, data),
    }
}

/// Resources as this door shows them to whoever asks for the prompt.
struct Reads<'a> {
    hub: &'a HubRef,
    prompts: &'a SystemPrompts,
    caller: &'a Caller,
}

impl Resources for Reads<'_> {
    async fn read(&self, uri: &str) -> Result<String, String> {
        let read = resources::read(self.hub, self.prompts, self.caller, uri).await;
        let read = read.map_err(|error| error.message.into_owned())?;
        // What this hub shows is text.
        let texts = read.contents.into_iter().filter_map(|content| match content {
            ResourceContents::TextResourceContents { text, .. } => Some(text),
            ResourceContents::BlobResourceContents { .. } | _ => None,
        });
        Ok(texts.collect::<Vec<_>>().join("\n"))
    }
}
