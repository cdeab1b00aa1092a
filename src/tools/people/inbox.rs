//! What needs a person, as far as they may act on it, and many acts at once.

use super::delivery::{DropDelivery, RetryDelivery};
use super::prelude::*;
use super::question::AnswerQuestion;
use super::reassign_task::ReassignTask;
use super::task::{AnswerTask, CancelTask, RequeueTask, RetryTask, TaskAfter};
use super::type_input::answer_prompt;
use super::verdict::{ApproveWork, RequestChanges, Wish};
use super::workflow::CancelWorkflow;
use crate::domain::ids::{AgentId, RoleId};
use crate::domain::inbox::{InboxAction, InboxItem, InboxKind, prompt_of};

/// The most acts of one request.
const MOST: usize = 100;

/// What to do about many items.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActOnInbox {
    /// One after the other; each comes to something of its own.
    pub actions: Vec<InboxDeed>,
}

/// What to do about one item.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InboxDeed {
    /// The item, by its id.
    pub item: String,
    /// What to do.
    pub action: InboxAction,
    /// The answer, the remark, what is to change, the new target, or the reason.
    #[serde(default)]
    pub value: Option<String>,
}

#[derive(Debug)]
pub struct InboxOutcome {
    /// Its state: a task's, a delivery's or a run's, or `resolved` for a question, `typed` for a prompt.
    pub state: String,
    pub changed: bool,
}

/// The items that this person may act on, the most pressing first, of these kinds (all when empty) and this agent.
pub async fn inbox(hub: &HubRef, who: &Principal, kinds: &[InboxKind], agent: Option<&str>) -> Result<Vec<InboxItem>> {
    let mut items = hub.inbox().await.map_err(fault)?;
    let people = &hub.settings().people;
    items.retain_mut(|item| {
        let of = item.agent_id.as_deref().and_then(|id| AgentId::parse(id).ok());
        // Somebody's own is theirs alone.
        if let Some(owner) = &item.owner {
            return *owner == who.id && agent.is_none() && (kinds.is_empty() || kinds.contains(&item.kind));
        }
        // What goes out is not one agent's.
        let outside = item.kind == InboxKind::DeadDelivery;
        let whose = if outside { Whose::Everybody } else { whose(of, item.role.as_ref()) };
        let may = |deed| people.decide(&who.id, deed, &whose).is_ok();
        let types = item.kind == InboxKind::InputPrompt && may(Deed::TypeInTerminal);
        if item.kind == InboxKind::InputPrompt && !types {
            item.actions.clear();
        }
        (kinds.is_empty() || kinds.contains(&item.kind))
            && agent.is_none_or(|agent| item.agent_id.as_deref() == Some(agent))
            && (types || may(deed(item.kind)))
    });
    Ok(items)
}

/// Each act has an outcome of its own. Fails with `INSUFFICIENT_SCOPE`, and `INVALID_ARGUMENTS` for 0 or over 100.
pub async fn act_on_inbox(call: &PersonCall, asked: &ActOnInbox) -> Result<Vec<Result<InboxOutcome>>> {
    call.require(Scope::Operate)?;
    if asked.actions.is_empty() || asked.actions.len() > MOST {
        return Err(argument("actions", format_args!("must have 1 to {MOST} entries")));
    }
    let mut outcomes = Vec::with_capacity(asked.actions.len());
    for (n, deed) in asked.actions.iter().enumerate() {
        // A repeat of the request finds each of its acts under a key of its own.
        outcomes.push(act_on(&call.nth(n), deed).await);
    }
    Ok(outcomes)
}

/// What a person must be allowed to do before an item of this kind is shown to them.
const fn deed(kind: InboxKind) -> Deed {
    match kind {
        InboxKind::Question | InboxKind::InputPrompt => Deed::AnswerQuestion,
        InboxKind::Blocked => Deed::AnswerTask,
        InboxKind::Review => Deed::JudgeWork,
        InboxKind::Timeout => Deed::RetryTask,
        InboxKind::Stranded => Deed::ReassignTask,
        InboxKind::DeadLetter => Deed::RequeueTask,
        InboxKind::Undelivered | InboxKind::OnCall => Deed::EvictAgent,
        InboxKind::DeadDelivery => Deed::SettleDelivery,
        InboxKind::Workflow => Deed::CancelWorkflow,
    }
}

fn whose(agent: Option<AgentId>, role: Option<&RoleId>) -> Whose {
    match (agent, role.cloned()) {
        (Some(agent), role) => Whose::Agent { agent, role },
        (None, Some(role)) => Whose::Role { role },
        (None, None) => Whose::Anybody,
    }
}

async fn act_on(call: &PersonCall, asked: &InboxDeed) -> Result<InboxOutcome> {
    let unknown = || argument("item", format_args!("`{}` is no item of the inbox", asked.item.escape_debug()));
    let (kind, id) = asked.item.split_once(':').ok_or_else(unknown)?;
    let kind = InboxKind::parse(kind).ok_or_else(unknown)?;
    let done = |state: &str| InboxOutcome { state: state.to_owned(), changed: true };
    match kind {
        InboxKind::Review | InboxKind::Blocked | InboxKind::Timeout | InboxKind::Stranded | InboxKind::DeadLetter => {
            let TaskAfter { state, changed, .. } = act_on_task(call, id, asked).await?;
            Ok(InboxOutcome { state: state.to_string(), changed })
        }
        InboxKind::Question if asked.action == InboxAction::Answer => {
            call.run(id, &AnswerQuestion { value: needed(asked)?, own_words: false }).await?;
            Ok(done("resolved"))
        }
        InboxKind::InputPrompt if asked.action == InboxAction::Answer => {
            let value = needed(asked)?;
            let (session, place) = prompt_of(id).ok_or_else(unknown)?;
            answer_prompt(call, session, place, value).await?;
            Ok(done("typed"))
        }
        InboxKind::DeadDelivery if asked.action == InboxAction::Retry => {
            let after = call.run(id, &RetryDelivery {}).await?;
            Ok(done(after.state.as_str()))
        }
        InboxKind::DeadDelivery if asked.action == InboxAction::Drop => {
            let reason = words("value", &needed(asked)?)?;
            let after = call.run(id, &DropDelivery { reason }).await?;
            Ok(done(after.state.as_str()))
        }
        InboxKind::Workflow if asked.action == InboxAction::Cancel => {
            let after = call.run(id, &CancelWorkflow {}).await?;
            Ok(done(&after.status))
        }
        InboxKind::Question
        | InboxKind::InputPrompt
        | InboxKind::Undelivered
        | InboxKind::DeadDelivery
        | InboxKind::OnCall
        | InboxKind::Workflow => Err(not_for(asked)),
    }
}

fn not_for(asked: &InboxDeed) -> Refusal {
    let (action, item) = (name(asked.action), &asked.item);
    argument("action", format_args!("`{action}` is nothing that can be done about `{item}`"))
}

async fn act_on_task(call: &PersonCall, id: &str, asked: &InboxDeed) -> Result<TaskAfter> {
    let said = asked.value.clone();
    let plain = call.asked_as(json!({ "value": said }));
    match asked.action {
        InboxAction::Approve => call.run(id, &ApproveWork { message: said, round: None }).await,
        InboxAction::RequestChanges => {
            let comments = said.as_deref().map(Wish::plain).into_iter().collect();
            call.run(id, &RequestChanges { comments, round: None }).await
        }
        InboxAction::Answer => plain.run(id, &AnswerTask { answer: needed(asked)? }).await,
        InboxAction::Reassign => plain.run(id, &ReassignTask { target_agent_id: needed(asked)? }).await,
        InboxAction::Cancel => {
            // Refused under the name that the field has here.
            said.as_deref().map(|reason| words("value", reason)).transpose()?;
            plain.run(id, &CancelTask { reason: said }).await
        }
        InboxAction::Retry => plain.run(id, &RetryTask {}).await,
        InboxAction::Requeue => plain.run(id, &RequeueTask {}).await,
        InboxAction::Drop => Err(not_for(asked)),
    }
}

/// The value, for acts that cannot do without one.
fn needed(asked: &InboxDeed) -> Result<String> {
    let missing = || argument("value", format_args!("is needed to {}", name(asked.action)));
    asked.value.clone().ok_or_else(missing)
}

const fn name(action: InboxAction) -> &'static str {
    match action {
        InboxAction::Answer => "answer",
        InboxAction::Approve => "approve",
        InboxAction::RequestChanges => "request-changes",
        InboxAction::Retry => "retry",
        InboxAction::Requeue => "requeue",
        InboxAction::Reassign => "reassign",
        InboxAction::Cancel => "cancel",
        InboxAction::Drop => "drop",
    }
}
