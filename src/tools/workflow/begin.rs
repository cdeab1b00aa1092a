//! Somebody asks for a workflow's prompt: its arguments are read, its run begins, and the plan is carried out.

use std::collections::BTreeMap;

use super::drive::drive;
use super::step::Resources;
use crate::actors::HubRef;
use crate::actors::workflow::Start;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::WorkflowRun;
use crate::domain::workflow::{Plan, read_parameters, unsure};
use crate::journal::IdempotencyKey;
use crate::tools::caller::Caller;
use crate::tools::common::Common;
use crate::tools::key::digest;
use crate::tools::refusal::{Refusal, Result};
use crate::tools::refuse;
use crate::tools::session::open_round;

#[derive(Debug)]
pub struct PlanRequest<'a> {
    pub plan: &'a Plan,
    pub arguments: BTreeMap<String, String>,
    /// The caller's key: the same request under it is the same run.
    pub key: Option<String>,
}

/// Begins a run: on disk once this returns, and nothing of it has run. A repeat under its key is that run.
pub async fn begin(hub: &HubRef, caller: &Caller, asked: PlanRequest<'_>) -> Result<WorkflowId> {
    let PlanRequest { plan, arguments, key } = asked;
    let parameters = read_parameters(plan, &arguments).map_err(|faults| {
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        let said = said.join("; ");
        // A hint ends in a question mark of its own.
        let end = if said.ends_with('?') { "" } else { "." };
        let refusal = Refusal::new("INVALID_ARGUMENTS", format!("{said}{end}"));
        refusal.advise(format!("Correct the arguments, and ask for the prompt `{}` again.", plan.name))
    })?;
    let cuts = hub.settings().cuts_prompt_arguments(caller.client_name());
    let start = Start {
        owner: caller.principal.id.clone(),
        plan: plan.clone(),
        unsure: unsure(&parameters, cuts),
        parameters,
        by: caller.by(),
        request: Some(caller.request.clone()),
        key: key.map(|key| keyed(caller, plan, &arguments, key)).transpose()?,
    };
    let id = hub.start_workflow(start).await.map_err(refuse::workflow)?;
    if let Some(agent) = caller.principal.agent().cloned() {
        // What cannot be read is no reason to refuse a run that has begun.
        let known = hub.journal.read(move |reader| reader.agent(&agent)).await.ok().flatten();
        if let Some(registration) = known.and_then(|agent| agent.registration) {
            open_round(hub, caller, &registration.session).await;
        }
    }
    Ok(id)
}

/// Begins a run and carries its plan out as far as the hub can. Fails with every fault of every argument
/// (`INVALID_ARGUMENTS`), `IDEMPOTENCY_KEY_REUSED`, or when the hub is busy.
pub async fn prompt(
    hub: &HubRef,
    caller: &Caller,
    asked: PlanRequest<'_>,
    resources: &impl Resources,
) -> Result<WorkflowRun> {
    let id = begin(hub, caller, asked).await?;
    drive(hub, caller, &id, resources).await
}

fn keyed(caller: &Caller, plan: &Plan, arguments: &BTreeMap<String, String>, key: String) -> Result<IdempotencyKey> {
    if key.is_empty() || key.len() > Common::KEY_LIMIT {
        return Err(refuse::bad_key());
    }
    let asked = serde_json::to_string(arguments).unwrap_or_default();
    let digest = digest([b"prompts/get".as_slice(), plan.name.as_bytes(), asked.as_bytes()]);
    Ok(IdempotencyKey { principal: caller.principal.id.clone(), key, digest })
}
