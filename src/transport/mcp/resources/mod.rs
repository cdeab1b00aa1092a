//! What a client may read beside its tools: tasks, what came out of them, agents, sessions, and how each role works
//! (`skills`). Everything is shown with the rights of the verb that shows the same (`tools::look`). What is not the
//! caller's, what is not there, and what is no name at all (`uri`) get one and the same answer.

pub(super) mod skills;
pub(super) mod uri;

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::actors::HubRef;
use crate::settings::{Settings, SystemPrompts};
use crate::tools::{self, Caller, Refusal, ViewTarget};

const JSON: &str = "application/json";

/// What does not depend on who asks: the agents, and the file of each skill.
pub(super) fn common(settings: &Settings, prompts: &SystemPrompts) -> Vec<Resource> {
    let agents = Resource::new(uri::AGENTS, "agents")
        .with_title("Agents")
        .with_description("Who is registered, and whether they wait, work or are offline.")
        .with_mime_type(JSON);
    let mut all = vec![agents];
    all.extend(skills::files(settings, prompts));
    all
}

/// What `caller` may read without knowing a name, its own session first.
pub(super) async fn list(hub: &HubRef, prompts: &SystemPrompts, caller: &Caller) -> Result<Vec<Resource>, ErrorData> {
    let own = tools::session_of(hub, &caller.principal).await.map_err(|refusal| error_data(&refusal, ""))?;
    let own = own.map(|session| {
        Resource::new(uri::of(&ViewTarget::Session(session)), "session")
            .with_title("Your session")
            .with_description("Your working context: status, open question, the task you are on, what happened last.")
            .with_mime_type(JSON)
    });
    Ok(own.into_iter().chain(common(&hub.settings(), prompts)).collect())
}

/// What may be read by who knows its id.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, title: &str, description: &str, kind: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_description(description).with_mime_type(kind)
    };
    let task = "A task that you hold, held or assigned, as get_task_context shows it.";
    vec![
        template(uri::SESSIONS, "session", "A session", "A working context, as get_session shows it.", JSON),
        template(uri::TASKS, "task", "A task", task, JSON),
        template(uri::WORKFLOWS, "workflow", "A workflow", "How far a workflow came that you began.", JSON),
        template(uri::RESULTS, "task-result", "A task's result", "What came out of a task, whole.", JSON),
        template(skills::TEMPLATE, "skill", "How a role works", "How to work in a role.", skills::MARKDOWN),
    ]
}

/// What stands under that name. Fails when nothing does that the caller may read, or when it may read nothing.
pub(super) async fn read(
    hub: &HubRef,
    prompts: &SystemPrompts,
    caller: &Caller,
    name: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let (text, kind) = match uri::target(name) {
        Some(target) => {
            let shown = tools::look(hub, caller, &target).await.map_err(|refusal| error_data(&refusal, name))?;
            (shown.to_string(), JSON)
        }
        None => (skills::read(&hub.settings(), prompts, name)?.ok_or_else(|| nothing(name))?, skills::MARKDOWN),
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, name).with_mime_type(kind)]))
}

/// There is nothing under that name, or nothing that the caller may know of.
pub(super) fn nothing(name: &str) -> ErrorData {
    let data = Some(json!({ "uri": name }));
    ErrorData::resource_not_found("there is nothing under this name that you may read", data)
}

/// There is no such skill; every era has the same code for that.
pub(super) fn no_skill() -> ErrorData {
    ErrorData::invalid_params("there is no skill of this name: skills/list has them all", None)
}

/// The refusal of a read, as an error of the protocol.
fn error_data(refusal: &Refusal, name: &str) -> ErrorData {
    let data = Some(json!({"code": refusal.code}));
    match refusal.code {
        "TASK_NOT_FOUND" | "SESSION_NOT_FOUND" | "WORKFLOW_NOT_FOUND" => nothing(name),
        "BUSY" | "UNAVAILABLE" => ErrorData::internal_error(refusal.message.clone(), data),
        _ => ErrorData::invalid_request(refusal.message.clone(), data),
    }
}
