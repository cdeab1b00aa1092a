//! `tasks/*` for runs of workflows: how one stands, what it came to, and its end. Tickets use the same methods.
//!
//! The era of 2026-07-28 asks with the extension's types. For the tasks of earlier eras the library has no types left:
//! what they ask about a run arrives as a request of our own (`rewritten`). `tasks/result` has a type in neither.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ClientCapabilities, ConstString, ContentBlock, CustomRequest, CustomResult, DetailedTask,
    ErrorCode, ErrorData, GetTaskResult, JsonObject, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::caller::{RELATED_TASK, caller};
use super::workarounds::rewritten::{self, names_a_run};
use super::workarounds::unread;
use super::workflows::{WORKFLOW, refused};
use super::{result, tickets};
use crate::actors::HubRef;
use crate::domain::workflow::run::{RunStatus, WorkflowRun};
use crate::tools::Refusal;
use crate::tools::workflow::{end, find};

/// How long a client is asked to pause between two questions, in milliseconds. A run moves by its client's own calls.
const PAUSE_MS: u64 = 1_000;

/// The code of an error for no result, yet or at all. The protocol keeps the codes from -32768 to -32000 for itself.
const NO_RESULT: ErrorCode = ErrorCode(1409);

/// How a run stands, to a peer of 2026-07-28. Fails when there is no such run of the caller's, or the hub cannot say.
pub(super) async fn get(
    hub: &HubRef,
    given: &str,
    context: &RequestContext<RoleServer>,
) -> Result<GetTaskResult, ErrorData> {
    let run = found(hub, given, context).await?;
    let mut meta = result::meta(context).unwrap_or_default();
    meta.insert(WORKFLOW.to_owned(), without_result(&run));
    Ok(result::task(DetailedTask::new(task(&run), payload(&run)), Some(meta)))
}

/// Ends a run: completed with the request's result, else cancelled. Fails without such a run, or when it is over.
pub(super) async fn cancel(hub: &HubRef, given: &str, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let brought = rewritten::result_in(context.meta.get(rewritten::COMPLETE));
    end(hub, &caller(hub, context)?, given, brought).await.map_err(error_data)
}

/// That there is such a run of the caller's. No run asks its client for anything. Fails when there is none.
pub(super) async fn update(hub: &HubRef, given: &str, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    found(hub, given, context).await.map(drop)
}

/// What has no type in the library: `tasks/result`, and all that eras before 2026-07-28 ask about a run. Fails when it
/// is none of these, there is no such run, or it has no result.
pub(super) async fn custom(
    hub: &HubRef,
    request: &CustomRequest,
    context: &RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    let given = request.params.as_ref().and_then(|params| params.get("taskId")).and_then(Value::as_str);
    let Some(given) = given.filter(|given| names_a_run(given)) else { return Err(unread::error_data(request)) };
    let legacy = result::is_legacy(context);
    match request.method.as_str() {
        "tasks/result" => {
            if !legacy && !context.meta.client_capabilities().is_some_and(|able| able.supports_tasks()) {
                let needed = ClientCapabilities::builder().enable_tasks().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            let run = found(hub, given, context).await?;
            let mut answer = json!(came_to(&run)?);
            if legacy {
                answer.as_object_mut().map(|fields| fields.remove("resultType"));
            }
            let mut meta = result::meta(context).unwrap_or_default();
            meta.insert(RELATED_TASK.to_owned(), json!({"taskId": run.id}));
            answer["_meta"] = json!(meta);
            Ok(CustomResult::new(answer))
        }
        rewritten::GET if legacy => Ok(CustomResult::new(of_old(&found(hub, given, context).await?))),
        rewritten::CANCEL if legacy => {
            cancel(hub, given, context).await?;
            Ok(CustomResult::new(of_old(&found(hub, given, context).await?)))
        }
        _ => Err(unread::error_data(request)),
    }
}

/// Refuses peers of eras before 2026-07-28: they have no such tasks, whatever their clients declare.
pub(super) fn not_before_tasks<M: ConstString>(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if result::is_legacy(context) { Err(ErrorData::method_not_found::<M>()) } else { Ok(()) }
}

async fn found(hub: &HubRef, given: &str, context: &RequestContext<RoleServer>) -> Result<WorkflowRun, ErrorData> {
    find(hub, &caller(hub, context)?, given).await.map_err(error_data)
}

fn task(run: &WorkflowRun) -> Task {
    let task = Task::new(run.id.to_string(), status(run), run.started_at.to_string(), run.updated_at.to_string());
    let task = task.with_status_message(run.status_message()).with_poll_interval_ms(PAUSE_MS);
    match lasts_ms(run) {
        Some(lasts) => task.with_ttl_ms(lasts),
        None => task,
    }
}

/// How long it lasts unless somebody goes on with it, from its beginning; what is over is kept.
fn lasts_ms(run: &WorkflowRun) -> Option<u64> {
    let lasts = run.next_expiry()?.since(run.started_at).as_millis();
    Some(u64::try_from(lasts).unwrap_or(u64::MAX))
}

const fn status(run: &WorkflowRun) -> TaskStatus {
    match run.status {
        RunStatus::Working => TaskStatus::Working,
        RunStatus::Completed => TaskStatus::Completed,
        RunStatus::Cancelled => TaskStatus::Cancelled,
        // The protocol has no word for a run that nobody went on with.
        RunStatus::Expired => TaskStatus::Failed,
    }
}

fn payload(run: &WorkflowRun) -> TaskPayload {
    match (run.status, completed(run)) {
        (RunStatus::Completed, Some(result)) => match json!(result) {
            Value::Object(result) => TaskPayload::Completed { result },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                TaskPayload::Completed { result: JsonObject::new() }
            }
        },
        (RunStatus::Completed, None) => TaskPayload::Completed { result: JsonObject::new() },
        (RunStatus::Working, _) => TaskPayload::Working,
        (RunStatus::Cancelled, _) => TaskPayload::Cancelled,
        (RunStatus::Expired, _) => {
            let error = json!(none(run));
            TaskPayload::Failed { error: error.as_object().cloned().unwrap_or_default() }
        }
    }
}

/// What a run came to, in the shape of a tool's answer. A result that is no object stands in one, under `result`.
fn completed(run: &WorkflowRun) -> Option<CallToolResult> {
    let result = run.result.as_ref()?;
    let structured = if result.is_object() { result.clone() } else { json!({"result": result}) };
    let text = result.as_str().map_or_else(|| result.to_string(), ToOwned::to_owned);
    let mut answer = CallToolResult::success(vec![ContentBlock::text(text)]);
    answer.structured_content = Some(structured);
    Some(answer)
}

fn came_to(run: &WorkflowRun) -> Result<CallToolResult, ErrorData> {
    completed(run).filter(|_| run.status == RunStatus::Completed).ok_or_else(|| none(run))
}

/// Why a run has no result.
fn none(run: &WorkflowRun) -> ErrorData {
    let (code, said, prompt) = match run.status {
        RunStatus::Working => (
            "WORKFLOW_WORKING",
            format!("the workflow is not done, so it has no result yet: {}", run.status_message()),
            "Go on with it, and complete it with `workflow_complete` or `tasks/cancel` with a `result`.",
        ),
        RunStatus::Expired => (
            "WORKFLOW_EXPIRED",
            format!("nobody went on with the workflow, and it expired: {}", run.status_message()),
            "Ask for its prompt again.",
        ),
        RunStatus::Cancelled | RunStatus::Completed => (
            "WORKFLOW_ENDED",
            format!("the workflow has no result: {}", run.status_message()),
            "Ask for its prompt again.",
        ),
    };
    ErrorData::new(NO_RESULT, said, Some(json!({"code": code, "prompt": prompt})))
}

/// A run as eras before 2026-07-28 write a task: its variables in `_meta`, each under its own name.
fn of_old(run: &WorkflowRun) -> Value {
    let mut about = without_result(run);
    let variables = about.as_object_mut().and_then(|about| about.remove("variables"));
    let mut meta = match variables {
        Some(Value::Object(variables)) => variables,
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | None => {
            JsonObject::new()
        }
    };
    meta.insert(WORKFLOW.to_owned(), about);
    json!({
        "taskId": run.id,
        "status": status(run),
        "statusMessage": run.status_message(),
        "createdAt": run.started_at,
        "lastUpdatedAt": run.updated_at,
        "ttl": lasts_ms(run),
        "pollInterval": PAUSE_MS,
        "_meta": meta,
    })
}

fn without_result(run: &WorkflowRun) -> Value {
    let mut about = run.view();
    about.as_object_mut().map(|about| about.remove("result"));
    about
}

/// A run that is not the caller's is one that there is not, in the words in which a ticket is.
fn error_data(refusal: Refusal) -> ErrorData {
    if refusal.code == "WORKFLOW_NOT_FOUND" { tickets::unknown() } else { refused(refusal) }
}
