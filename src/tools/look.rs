//! A look at a thing of the hub under its name: what the verbs show, with their rights, and nothing changed by it.
//!
//! A verb that names a task acknowledges its offer, because a model called it. Whoever only looks may be a client that
//! shows something beside the model: so this acknowledges nothing, and takes no notices with it.

use super::caller::Caller;
use super::prelude::*;
use super::visibility::may_see;
use super::{call, get_session, get_task_context, list_agents, wait_for_task};
use crate::actors::workflow::WorkflowError;
use crate::domain::ids::{PrincipalId, WorkflowId};
use crate::domain::principal::Principal;

/// What a read-only view can show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViewTarget {
    /// A task: what `get_task_context` shows.
    Task(TaskId),
    /// What came out of a task: what `wait_for_task` shows, and its result whole.
    TaskResult(TaskId),
    /// Who is there: what `list_agents` shows.
    Agents,
    /// A session: what `get_session` shows.
    Session(SessionId),
    /// A run of a workflow: how far it came, and what its steps came to.
    Workflow(WorkflowId),
}

/// What every name begins with.
const SCHEME: &str = "callboard://";

/// What a name as `callboard://tasks/{id}` means; none where it means nothing. Nothing is said of whether it is there.
pub fn target_named(uri: &str) -> Option<ViewTarget> {
    let mut parts = uri.strip_prefix(SCHEME)?.split('/');
    match (parts.next()?, parts.next(), parts.next(), parts.next()) {
        ("agents", None, None, None) => Some(ViewTarget::Agents),
        ("tasks", Some(id), None, None) => TaskId::parse(id).ok().map(ViewTarget::Task),
        ("tasks", Some(id), Some("result"), None) => TaskId::parse(id).ok().map(ViewTarget::TaskResult),
        ("workflows", Some(id), None, None) => WorkflowId::parse(id).ok().map(ViewTarget::Workflow),
        ("sessions", Some(id), None, None) => SessionId::parse(id).ok().map(ViewTarget::Session),
        _ => None,
    }
}

/// What the caller sees of what they name. Fails as the verb that shows the same, alike for what is not the caller's.
pub async fn look(hub: &HubRef, caller: &Caller, target: &ViewTarget) -> Result<Value> {
    match target {
        ViewTarget::Task(id) => {
            let call = call::looks(hub, caller, For::Anybody(Scope::View)).await?;
            let task = call.visible_task(id.as_str()).await?;
            Ok(written(&get_task_context::shown(&call, &task).await?))
        }
        ViewTarget::TaskResult(id) => {
            let call = call::looks(hub, caller, For::Anybody(Scope::View)).await?;
            let task = call.visible_task(id.as_str()).await?;
            Ok(written(&wait_for_task::shown_whole(&call, &task).await?))
        }
        ViewTarget::Agents => {
            let call = call::looks(hub, caller, For::Anybody(Scope::View)).await?;
            Ok(written(&list_agents::shown(&call, |_| true).await?))
        }
        ViewTarget::Workflow(id) => {
            let run = hub.workflow(id).await.map_err(refuse::fault)?;
            let run = run.filter(|run| may_see_run(&caller.principal, &run.owner));
            Ok(run.ok_or_else(|| refuse::workflow(WorkflowError::Unknown))?.view())
        }
        ViewTarget::Session(id) => {
            let mut call = call::looks(hub, caller, For::Anybody(Scope::Operate)).await?;
            if call.agent.is_some() && call.session.as_ref() != Some(id) {
                return Err(refuse::session());
            }
            call.session = Some(id.clone());
            Ok(written(&get_session::shown(&call).await?))
        }
    }
}

/// Whether this principal may look at that now. Calls nobody present. Fails when an actor is busy, or a read fails.
pub async fn sees(hub: &HubRef, who: &Principal, target: &ViewTarget) -> Result<bool> {
    match target {
        ViewTarget::Task(id) | ViewTarget::TaskResult(id) => {
            if who.agent().is_none() && !who.may(Scope::View) {
                return Ok(false);
            }
            let task = hub.task(id).await.map_err(refuse::fault)?;
            Ok(task.is_some_and(|task| may_see(who, &task)))
        }
        ViewTarget::Workflow(id) => {
            let run = hub.workflow(id).await.map_err(refuse::fault)?;
            Ok(run.is_some_and(|run| may_see_run(who, &run.owner)))
        }
        ViewTarget::Agents => Ok(who.agent().is_some() || who.may(Scope::View)),
        ViewTarget::Session(id) => match session_of(hub, who).await? {
            Some(own) => Ok(own == *id),
            None => Ok(who.agent().is_none() && who.may(Scope::Operate)),
        },
    }
}

/// A run is its owner's, and shown to people who may look at everything.
fn may_see_run(who: &Principal, owner: &PrincipalId) -> bool {
    who.id == *owner || (who.agent().is_none() && who.may(Scope::View))
}

/// The session of the agent that this principal is.
pub async fn session_of(hub: &HubRef, who: &Principal) -> Result<Option<SessionId>> {
    let Some(agent) = who.agent() else { return Ok(None) };
    let Some(line) = hub.agent(agent).await.map_err(refuse::fault)? else { return Ok(None) };
    let standing = line.show().await.map_err(refuse::fault)?;
    Ok(standing.agent.registration.map(|known| known.session))
}

fn written(shown: &impl Serialize) -> Value {
    // What a verb answers is made as JSON in the same way: this has no way to fail.
    serde_json::to_value(shown).unwrap_or_default()
}
