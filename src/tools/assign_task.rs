//! `assign_task`: hand out work.

use std::collections::BTreeSet;

use super::authorize;
use super::prelude::*;
use super::texts::value;
use crate::actors::dispatcher::{Asker, AssignError, AssignReceipt, AssignRequest};
use crate::domain::pull::address;
use crate::domain::task::{Priority, RightsSet, Workspace};
use crate::domain::time::Millis;

/// The most dependencies, capabilities and the like.
const MANY: usize = 64;

/// The longest time to live, in seconds: thirty days.
const TTL_LIMIT: u64 = 30 * 24 * 60 * 60;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AssignTask {
    /// For whom: an agent's id or display name, `role:<role>`, or `any` together with capabilities.
    target_agent_id: String,
    /// What is to be done, in full: the agent reads this and knows nothing else of you.
    prompt: String,
    /// How urgent; normal when left out.
    #[serde(default)]
    priority: Option<Priority>,
    /// Whatever else the agent should have, handed on as it is.
    #[serde(default)]
    context: Option<Value>,
    /// Tasks that must be COMPLETED first, by id; their results come with the task.
    #[serde(default)]
    dependencies: Option<Vec<String>>,
    /// What the agent must be able to do, each of them.
    #[serde(default)]
    capabilities: Option<BTreeSet<String>>,
    /// Where the work lies.
    #[serde(default)]
    workspace: Option<Workspace>,
    /// How long the agent may work without a sign of progress, in seconds; its role's time when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 2_592_000))]
    ttl_seconds: Option<u64>,
    /// Whether the agent is to work in a git worktree of its own; its role's way when left out.
    #[serde(default)]
    worktree: Option<bool>,
    /// A longer specification.
    #[serde(default)]
    spec: Option<String>,
    /// A line for lists.
    #[serde(default)]
    title: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// The new task. Keep it: it is needed to wait for, answer or cancel the task.
    task_id: String,
    /// Whether it waits in a queue; false when it was handed over at once.
    queued: bool,
    /// Its place in that queue, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
    /// For whom it is.
    target: String,
    /// Whether anybody registered could ever take it.
    reachable: bool,
}

impl Verb for AssignTask {
    const NAME: &'static str = "assign_task";
    const TITLE: &'static str = "Assign a task";
    const DESCRIPTION: &'static str = "\
        Hand a piece of work to another agent. It returns at once with a taskId; use wait_for_task to wait for \
        the result. You may delegate only to those \
        in your canDelegateTo, as register_agent returned it.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ADDS;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let rights = match &call.agent {
            Some(_) => call.registration().map_or_else(RightsSet::none, |known| known.can_delegate_to.clone()),
            None => authorize::assignable(&call.hub, &call.caller.principal).await?,
        };
        let request = request(&call, input, rights)?;
        let receipt = match call.hub.dispatcher.assign(request).await {
            Ok(receipt) => receipt,
            Err(AssignError::Repeated(first)) => *first,
            Err(error) => return Err(refuse::assign(error)),
        };
        Ok(answer(&call, receipt))
    }
}

fn request(call: &Call, input: AssignTask, rights: RightsSet) -> Result<AssignRequest> {
    const VERB: &str = AssignTask::NAME;
    let agent = call.agent.as_ref().map(|agent| agent.id.clone());
    let asker = Asker { by: call.caller.by(), origin: call.origin(), rights, agent };
    Ok(AssignRequest {
        asker,
        target: words(VERB, "targetAgentId", &input.target_agent_id, LINE_LIMIT)?,
        capabilities: few(VERB, "capabilities", input.capabilities.unwrap_or_default())?,
        prompt: words(VERB, "prompt", &input.prompt, TEXT_LIMIT)?,
        title: maybe(VERB, "title", input.title.as_deref(), LINE_LIMIT)?,
        spec: maybe(VERB, "spec", input.spec.as_deref(), TEXT_LIMIT)?,
        context: value(VERB, "context", input.context, TEXT_LIMIT)?,
        priority: input.priority.unwrap_or_default(),
        dependencies: few(VERB, "dependencies", input.dependencies.unwrap_or_default().into_iter().collect())?
            .into_iter()
            .collect(),
        workspace: input.workspace.map(|given| workspace(VERB, given)).transpose()?,
        ttl: input.ttl_seconds.map(|seconds| Millis(seconds.min(TTL_LIMIT).saturating_mul(1000))),
        worktree: input.worktree,
        key: call.key.clone(),
        request: Some(call.caller.request.clone()),
        sanitized: call.sanitized.as_deref().cloned(),
        after: None,
    })
}

fn answer(call: &Call, receipt: AssignReceipt) -> Answer<Output> {
    let AssignReceipt { task_id, queued, position, target, reachable, message } = receipt;
    let fields = Output { task_id: task_id.to_string(), queued, position, target, reachable };
    let answer = Answer::new(message, fields);
    if call.agent.is_none() {
        return answer;
    }
    answer.prompt(format!(
        "## NEXT STEP\nCall wait_for_task with taskId {task_id} if you need its result before you go on. Otherwise go \
         on: you will hear how it ends."
    ))
}

/// Not more names than anybody needs, each cleaned.
pub(super) fn few(verb: &'static str, field: &str, names: BTreeSet<String>) -> Result<BTreeSet<String>> {
    if names.len() > MANY {
        return Err(refuse::bad_argument(verb, field, format!("has {} entries; {MANY} is the most", names.len())));
    }
    let cleaned = names.iter().map(|name| maybe(verb, field, Some(name.trim()), 256));
    cleaned.filter_map(Result::transpose).collect()
}

/// A workspace with its texts cleaned.
pub(super) fn workspace(verb: &'static str, given: Workspace) -> Result<Workspace> {
    Ok(Workspace {
        // An address may hold somebody's password: that is never written down.
        repo: address(&words(verb, "workspace.repo", &given.repo, LINE_LIMIT)?),
        branch: maybe(verb, "workspace.branch", given.branch.as_deref(), LINE_LIMIT)?,
        path: maybe(verb, "workspace.path", given.path.as_deref(), LINE_LIMIT)?,
    })
}
