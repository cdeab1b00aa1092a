//! Runs of workflows over plain HTTP: who owns one begins it and has the hub carry it out, and people cancel one.

use std::collections::BTreeMap;

use super::prelude::*;
use super::refused::scope;
use crate::actors::workflow::{WorkflowError, WorkflowOrder};
use crate::domain::ids::{AgentId, WorkflowId};
use crate::domain::text::nearest;
use crate::domain::workflow::run::{WorkflowCommand, WorkflowRefusal, WorkflowRun};
use crate::domain::workflow::{Action, Plan, read_parameters};
use crate::tools::workflow::{PlanRequest, Resources, RunView, begin, goes_on};
use crate::tools::{Caller, find, look, target_named};

/// Begins a run of a workflow. Nothing of it runs yet: `continue` carries it out.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginWorkflow {
    /// The name of the workflow.
    pub name: String,
    /// Its arguments, as texts.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
}

/// Carries a run out as far as the hub can.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContinueWorkflow {}

/// Ends a run.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelWorkflow {}

/// Resources as a step reads them for who asks over plain HTTP.
struct Looks<'a> {
    hub: &'a HubRef,
    caller: &'a Caller,
}

impl Resources for Looks<'_> {
    async fn read(&self, uri: &str) -> Result<String, String> {
        let target = target_named(uri).ok_or("there is nothing under this name that you may read")?;
        let seen = look(self.hub, self.caller, &target).await.map_err(|refusal| refusal.message)?;
        Ok(seen.to_string())
    }
}

/// Begins a run, and goes on as far as it goes by itself.
///
/// Fails with `INSUFFICIENT_SCOPE`, `WORKFLOW_UNKNOWN` with the nearest name, `INVALID_ARGUMENTS` with every fault or
/// with what a person left out, and `SESSION_REQUIRED` where a step of a person's run needs a session.
pub async fn begin_workflow(call: &PersonCall, asked: &BeginWorkflow) -> Result<RunView> {
    works(call.who())?;
    let settings = call.hub.settings();
    let Some(workflow) = settings.workflows.find(&asked.name) else {
        let near = nearest(&asked.name, settings.workflows.iter().map(|workflow| workflow.plan.name.as_str()));
        let hint = near.first().map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        let message = format!("there is no workflow `{}`{hint}", shown(&asked.name));
        return Err(Refusal::without_advice("WORKFLOW_UNKNOWN", message));
    };
    if call.who().agent().is_none() && call.caller.session.is_none() {
        needs_no_session(&workflow.plan)?;
    }
    if call.who().agent().is_none() {
        has_arguments(&workflow.plan, &asked.arguments)?;
    }
    let key = call.key().map(ToOwned::to_owned);
    let prompt = PlanRequest { plan: &workflow.plan, arguments: asked.arguments.clone(), key };
    let id = begin(&call.hub, &call.caller, prompt).await.map_err(here)?;
    Ok(RunView::whole(&find_run(&call.hub, call.who(), id.as_str()).await?))
}

/// An agent makes the call itself that lacks an argument; a person's run would stop there for good.
fn has_arguments(plan: &Plan, given: &BTreeMap<String, String>) -> Result<()> {
    // What is wrong with those that were given is told first.
    let Ok(read) = read_parameters(plan, given) else { return Ok(()) };
    let lacks = |name: &String| !read.contains_key(name);
    let required = plan.parameters.iter().filter(|one| one.required).map(|one| &one.name);
    let missing: Vec<String> = required.filter(|name| lacks(name)).map(|name| format!("`{name}`")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("nothing of `{}` ran: it needs the arguments {}", plan.name, missing.join(", "));
    Err(Refusal::without_advice("INVALID_ARGUMENTS", message))
}

/// A person has no session: a plan with a step that needs one would stop there.
fn needs_no_session(plan: &Plan) -> Result<()> {
    const NAMED: [&str; 4] = ["session_id", "sessionId", "task_id", "taskId"];
    let lacks_one = plan.steps.iter().find_map(|step| match &step.action {
        Action::Tool { name, arguments } => {
            let needs = find(name).is_some_and(|entry| entry.in_session);
            (needs && !NAMED.iter().any(|key| arguments.contains_key(*key))).then_some((&step.name, name))
        }
        Action::Resource { .. } => None,
    });
    let Some((step, tool)) = lacks_one else { return Ok(()) };
    let name = &plan.name;
    let message =
        format!("nothing of `{name}` ran: its step `{step}` calls `{tool}` in an agent's session, and none is named");
    Err(Refusal::without_advice("SESSION_REQUIRED", message).detail("step", step.clone()))
}

/// For at most 45 seconds; waits for who does so already. Fails with `WORKFLOW_NOT_FOUND`, or when the hub is busy.
pub async fn continue_workflow(call: &PersonCall, given: &str) -> Result<RunView> {
    works(call.who())?;
    let run = find_run(&call.hub, call.who(), given).await?;
    if run.owner != call.who().id {
        return Err(no_such_workflow(given));
    }
    // A repeat goes on where the first request stopped: no step runs twice.
    call.claim(&["continue_workflow", given], Value::Null).await?;
    let resources = Looks { hub: &call.hub, caller: &call.caller };
    let after = goes_on(&call.hub, &call.caller, &run.id, &resources).await.map_err(here)?;
    Ok(RunView::whole(&after))
}

impl PersonVerb for CancelWorkflow {
    const NAME: &'static str = "cancel_workflow";
    type Reply = RunView;

    async fn act(&self, call: &PersonCall, given: &str) -> Result<RunView> {
        let run = find_run(&call.hub, call.who(), given).await?;
        if run.owner != call.who().id {
            authorize::person(&call.hub, call.who(), Deed::CancelWorkflow, whose(&run)).await?;
        }
        let key = call.key_of(given, self);
        let order = WorkflowOrder {
            commands: vec![WorkflowCommand::Cancel],
            owner: run.owner,
            by: call.caller.by(),
            request: Some(call.caller.request.clone()),
            key: key.clone(),
        };
        let repeated = async || Ok::<_, Refusal>(used(&call.hub, key.as_ref(), read).await?.transpose()?.is_some());
        if !repeated().await? {
            match call.hub.give_workflow(&run.id, order).await {
                Ok(_) => {}
                // It ended meanwhile, perhaps by the same request that came twice.
                Err(WorkflowError::Refused(WorkflowRefusal::Ended { .. })) if repeated().await? => {}
                Err(error) => return Err(here(refuse::workflow(error))),
            }
        }
        Ok(RunView::whole(&find_run(&call.hub, call.who(), given).await?))
    }
}

/// A run by its id, as far as the caller may see it. Fails with `WORKFLOW_NOT_FOUND`, or when the hub cannot say.
pub async fn find_run(hub: &HubRef, who: &Principal, given: &str) -> Result<WorkflowRun> {
    let id = WorkflowId::parse(given).map_err(|_| no_such_workflow(given))?;
    let run = hub.workflow(&id).await.map_err(fault)?;
    let seen = |run: &WorkflowRun| run.owner == who.id || (who.agent().is_none() && who.may(Scope::View));
    run.filter(seen).ok_or_else(|| no_such_workflow(given))
}

fn no_such_workflow(given: &str) -> Refusal {
    let message = format!("there is no run `{}` of a workflow, or it is not yours", shown(given));
    Refusal::without_advice("WORKFLOW_NOT_FOUND", message)
}

/// A refusal for who asks over plain HTTP: what to do next is the door's to say, unless it is the same everywhere.
fn here(refusal: Refusal) -> Refusal {
    if refusal.code == "IDEMPOTENCY_KEY_REUSED" { refusal } else { refusal.unadvised() }
}

/// Agents work, and people who may operate.
fn works(who: &Principal) -> Result<()> {
    if who.agent().is_some() || who.may(Scope::Operate) { Ok(()) } else { Err(scope(Scope::Operate)) }
}

/// An agent's run is that agent's; one of a person is nobody's agent's.
fn whose(run: &WorkflowRun) -> Whose {
    let agent = run.owner.as_str().strip_prefix("agent:").and_then(|id| AgentId::parse(id).ok());
    agent.map_or(Whose::Everybody, |agent| Whose::Agent { agent, role: None })
}
