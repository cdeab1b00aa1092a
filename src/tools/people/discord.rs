//! What people order from Discord. Their roles there and `permissions.yaml` say what they may; the order is the one
//! that every door gives, under their principal of `people.yaml`. The audit gets every decision with its rule.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::call::PersonCall;
use super::question::{AnswerQuestion, find_question};
use super::refused::words;
use super::task::{AnswerTask, CancelTask, CommentOnTask, EditTask, RetryTask, TaskAfter, find_task};
use super::verdict::{ApproveWork, RequestChanges, Wish};
use crate::actors::HubRef;
use crate::actors::discord::{LONGEST_LINE, by_entries, roles_that_may};
use crate::actors::dispatcher::{Asker, AssignError, AssignReceipt, AssignRequest};
use crate::audit::{Decision, Note};
use crate::domain::discord::{Act, Grants, Ruling};
use crate::domain::ids::{AgentId, PrincipalId, RoleId};
use crate::domain::permission::Whose;
use crate::domain::principal::{Principal, PrincipalKind, Scope, Surface};
use crate::domain::review::Grounds;
use crate::domain::routing::Roster;
use crate::domain::session::question::{Question, QuestionView, Reply};
use crate::domain::task::{Authority, BlockedOn, Priority, RightsSet, Task, TaskCommand, TaskState};
use crate::domain::text::Sanitized;
use crate::domain::time::Timestamp;
use crate::domain::trace::Trace;
use crate::journal::IdempotencyKey;
use crate::settings::{Settings, Snowflake};
use crate::tools::key::digest;
use crate::tools::{Caller, Follows, Refusal, authorize, refuse};

#[derive(Debug, Clone, Default)]
pub struct DiscordUser {
    pub id: u64,
    pub name: String,
    /// The ids of their roles now, each with its name where that is known and counts.
    pub roles: Vec<(u64, String)>,
}

#[derive(Debug, Clone)]
pub struct DiscordWork {
    pub target: String,
    pub text: String,
    pub priority: Priority,
    pub context: Value,
    /// What it is done once for: the id of the message or interaction.
    pub once: String,
}

#[derive(Debug, Clone)]
pub enum DiscordOrder {
    Cancel,
    Retry,
    /// Say something to who has the task, or answer what blocks it.
    Say(String),
    /// Say something that is no answer, whatever the task waits for.
    Comment(String),
    /// Ask for something else, written then, until somebody has read it.
    Edit(String, Option<Timestamp>),
    /// Take the request back, until somebody has read it.
    Withdraw,
    /// Approve the work, as it was handed in for this round; none: whatever was handed in last.
    Approve(Option<u32>),
    /// Want something changed of what was handed in for this round; none: of whatever was handed in last.
    Change(String, Option<u32>),
}

/// A person on Discord, ready to order.
#[derive(Debug, Clone)]
pub struct OnDiscord {
    hub: HubRef,
    user: DiscordUser,
    caller: Caller,
}

impl OnDiscord {
    /// Somebody of `people.yaml`, or known to Discord only. Never fails for an id that Discord gave.
    pub fn new(hub: &HubRef, user: DiscordUser) -> Result<Self, Refusal> {
        let settings = hub.settings();
        let person = settings.people.by_discord(Snowflake(user.id));
        let unknown = || PrincipalId::parse(&format!("discord:{}", user.id));
        let id = person.and_then(|(_, person)| person.principal.clone()).map_or_else(unknown, Ok);
        let id = id.map_err(|error| Refusal::new("INVALID_ARGUMENTS", error.to_string()))?;
        let name = person.map(|(key, person)| person.display_name.clone().unwrap_or_else(|| key.to_owned()));
        let caller = Caller {
            principal: Principal {
                scopes: hub.credentials.of_person(&id),
                id,
                display_name: name.unwrap_or_else(|| user.name.clone()),
                kind: PrincipalKind::Person,
            },
            surface: Surface::Discord,
            client: None,
            instance: None,
            session: None,
            request: hub.ids.request(),
            trace: Trace::begun(hub.ids.trace()),
            peer: None,
            reports: None,
            follows: Follows::default(),
        };
        Ok(Self { hub: hub.clone(), user, caller })
    }

    /// Whether `permissions.yaml` lists this user by id: direct messages are heard of those alone.
    pub fn is_listed(&self) -> bool {
        self.hub.settings().permissions.users.contains_key(&Snowflake(self.user.id))
    }

    /// A repeat for the same message is answered as the first time. Fails with `NOT_PERMITTED`, and as `assign_task`.
    pub async fn hand_out(&self, work: DiscordWork) -> Result<AssignReceipt, Refusal> {
        self.call(&work.once).require(Scope::Operate)?;
        let roster = self.roster().await?;
        let allowed = self.allowed(&work.target, &roster)?;
        let rights = authorize::assignable(&self.hub, &self.caller.principal).await?.intersect(&allowed, &roster);
        let text = words("prompt", &work.text)?;
        let key = IdempotencyKey {
            principal: self.caller.principal.id.clone(),
            key: format!("discord:{}:{}", work.once, work.target),
            digest: digest(["discord", "assign", work.target.as_str(), work.text.as_str()]),
        };
        let request = AssignRequest {
            asker: Asker { by: self.caller.by(), origin: self.caller.origin(), rights, agent: None },
            target: work.target,
            capabilities: BTreeSet::new(),
            prompt: text,
            title: None,
            spec: None,
            context: Some(work.context),
            priority: work.priority,
            dependencies: Vec::new(),
            workspace: None,
            ttl: None,
            worktree: None,
            key: Some(key),
            request: Some(self.caller.request.clone()),
            sanitized: Sanitized::of(&work.text),
            after: None,
        };
        match self.hub.dispatcher.assign(request).await {
            Ok(receipt) => Ok(receipt),
            Err(AssignError::Repeated(first)) => Ok(*first),
            Err(error) => Err(refuse::assign(error)),
        }
    }

    /// Checks before anything is written. Fails with `NOT_PERMITTED`, with whom they may assign to.
    pub async fn may_assign(&self, target: &str) -> Result<(), Refusal> {
        self.allowed(target, &*self.roster().await?).map(drop)
    }

    /// Whom the user may hand work to, where that reaches this target.
    fn allowed(&self, target: &str, roster: &Roster) -> Result<RightsSet, Refusal> {
        let settings = self.hub.settings();
        let whose = whose(target, roster);
        let ruling = self.rules(&settings, |grants| grants.decide(Act::Assign, &whose, false));
        self.audit(Act::Assign, &ruling, target);
        let allowed = self.rules(&settings, |grants| grants.assignable(roster));
        if ruling.allowed {
            return Ok(allowed);
        }
        let whom = target.strip_prefix("role:").unwrap_or(target);
        if matches!(&allowed, RightsSet::Only(names) if names.is_empty()) {
            let said = "You have no role that may call agents; ask an admin.";
            return Err(Refusal::without_advice("NOT_PERMITTED", said));
        }
        let others = allowed.to_string().replace('`', "").replace("role:", "");
        let who = who_may(&settings, Act::Assign, &whose);
        let said = format!("You may not assign tasks to {whom}. Allowed for you: {others}.{who}");
        Err(Refusal::without_advice("NOT_PERMITTED", said))
    }

    /// `once` is the id of the message or interaction. Fails with `NOT_PERMITTED`, and the verb's refusals.
    pub async fn direct(&self, task: &str, order: DiscordOrder, once: &str) -> Result<TaskAfter, Refusal> {
        let (found, rule) = self.may_direct(task, &order).await?;
        let call = self.call(once).approving(Grounds { given: rule.ends_with(".canApprove"), rule, forge_login: None });
        match order {
            DiscordOrder::Cancel => call.run(task, &CancelTask { reason: None }).await,
            DiscordOrder::Retry => call.run(task, &RetryTask {}).await,
            DiscordOrder::Say(text) if awaits_answer(&found) => {
                match call.run(task, &AnswerTask { answer: text.clone() }).await {
                    // Somebody else answered meanwhile: then they are a comment, as all other words.
                    Err(refusal) if refusal.code == "TASK_WRONG_STATE" => {
                        call.run(task, &CommentOnTask::plain(text)).await
                    }
                    done => done,
                }
            }
            DiscordOrder::Say(text) | DiscordOrder::Comment(text) => call.run(task, &CommentOnTask::plain(text)).await,
            DiscordOrder::Edit(text, written) => call.run(task, &EditTask::words(text, written)).await,
            DiscordOrder::Withdraw => {
                let withdraw = TaskCommand::Cancel { authority: Authority::Request, reason: None };
                call.order(task, &CancelTask { reason: None }, withdraw).await
            }
            DiscordOrder::Approve(round) => call.run(task, &ApproveWork { message: None, round }).await,
            DiscordOrder::Change(text, round) => {
                let wanted = RequestChanges { comments: vec![Wish::plain(&text)], round };
                call.run(task, &wanted).await
            }
        }
    }

    /// The task, and the rule that lets them. Fails with `TASK_NOT_FOUND`, `NOT_PERMITTED`.
    pub async fn may_direct(&self, task: &str, order: &DiscordOrder) -> Result<(Task, String), Refusal> {
        let found = find_task(&self.hub, task).await?;
        let whose = Whose::of_task(&found);
        let act = match order {
            DiscordOrder::Cancel | DiscordOrder::Retry | DiscordOrder::Edit(..) | DiscordOrder::Withdraw => Act::Cancel,
            DiscordOrder::Say(_) | DiscordOrder::Comment(_) => Act::Answer,
            DiscordOrder::Approve(_) => Act::Approve { given: self.hub.settings().roles.need_approval(&whose) },
            DiscordOrder::Change(..) => Act::Approve { given: false },
        };
        let rule = self.may(act, &whose, self.asked_for(&found).await?, &format!("task:{task}"))?;
        Ok((found, format!("permissions.{rule}")))
    }

    /// One that they may do any of this with. No decision for the audit, since nothing is tried.
    pub fn sees(&self, task: &Task, acts: &[Act]) -> bool {
        self.may_any(acts, &Whose::of_task(task), task.spec.asker == self.caller.principal.id)
    }

    pub fn may_any(&self, acts: &[Act], whose: &Whose, own: bool) -> bool {
        self.rules(&self.hub.settings(), |grants| acts.iter().any(|act| grants.decide(*act, whose, own).allowed))
    }

    /// Whether they asked for it, or for a task in whose course it is.
    async fn asked_for(&self, task: &Task) -> Result<bool, Refusal> {
        let mut spec = Arc::clone(&task.spec);
        for _ in 0..LONGEST_LINE {
            if spec.asker == self.caller.principal.id {
                return Ok(true);
            }
            let Some(whole) = &spec.parent else { break };
            let Some(found) = self.hub.task(whole).await.map_err(super::refused::fault)? else { break };
            spec = found.spec;
        }
        Ok(false)
    }

    /// By option, by default, or in words. Fails with `NOT_PERMITTED`, and the refusals of answering.
    pub async fn answer(&self, question: &str, answer: DiscordAnswer, once: &str) -> Result<QuestionView, Refusal> {
        let found = self.may_answer(question).await?;
        let spec = &found.spec;
        let gone = || Refusal::without_advice("INVALID_ARGUMENTS", "the question has no such option");
        let chosen = |value| AnswerQuestion { value, own_words: false };
        let answer = match answer {
            DiscordAnswer::Option(at) => chosen(spec.options.get(at).cloned().ok_or_else(gone)?),
            DiscordAnswer::Default => chosen(spec.default_action.clone()),
            // What is none of the options is refused where no other words are allowed.
            DiscordAnswer::Words(text) => chosen(match spec.read_reply(&text) {
                Reply::Option(option) => option,
                Reply::Words(_) | Reply::Talk => text,
            }),
        };
        self.call(once).run(question, &answer).await
    }

    /// Whether they may answer this question: the question. Fails with `QUESTION_NOT_FOUND`, `NOT_PERMITTED`.
    pub async fn may_answer(&self, question: &str) -> Result<Question, Refusal> {
        let found = find_question(&self.hub, question).await?;
        let (whose, own) = self.whose_question(&found).await?;
        self.may(Act::Answer, &whose, own, &format!("question:{question}"))?;
        Ok(found)
    }

    pub async fn sees_question(&self, question: &Question) -> bool {
        let found = self.whose_question(question).await;
        found.is_ok_and(|(whose, own)| self.may_any(&[Act::Answer], &whose, own))
    }

    async fn whose_question(&self, question: &Question) -> Result<(Whose, bool), Refusal> {
        let spec = &question.spec;
        let task = match &spec.task_id {
            Some(task) => self.hub.task(task).await.map_err(super::refused::fault)?,
            None => None,
        };
        let role = self.roster().await?.role_of(&spec.agent_id).cloned();
        let whose = Whose::Agent { agent: spec.agent_id.clone(), role };
        let own = if let Some(task) = task { self.asked_for(&task).await? } else { false };
        Ok((whose, own))
    }

    /// The principal's id, as tasks name their asker.
    pub const fn principal(&self) -> &PrincipalId {
        &self.caller.principal.id
    }

    fn call(&self, once: &str) -> PersonCall {
        PersonCall::new(self.hub.clone(), self.caller.clone(), Some(format!("discord:{once}")))
    }

    /// The rule that lets them.
    fn may(&self, act: Act, whose: &Whose, own: bool, target: &str) -> Result<String, Refusal> {
        let settings = self.hub.settings();
        let ruling = self.rules(&settings, |grants| grants.decide(act, whose, own));
        self.audit(act, &ruling, target);
        if ruling.allowed {
            return Ok(ruling.rule);
        }
        let what = match act {
            Act::Assign => "assign tasks to",
            Act::Answer => "answer",
            Act::Approve { .. } => "approve the work of",
            Act::Cancel => "cancel or retry tasks of",
        };
        let whom = whose.to_string().replace("role:", "");
        let said = format!("You may not {what} {whom}.{}", who_may(&settings, act, whose));
        Err(Refusal::without_advice("NOT_PERMITTED", said))
    }

    /// What the entries of `permissions.yaml` that speak of this user say.
    fn rules<T>(&self, settings: &Settings, ask: impl FnOnce(&Grants<'_>) -> T) -> T {
        by_entries(settings, self.user.id, &self.user.roles, ask)
    }

    fn audit(&self, act: Act, ruling: &Ruling, target: &str) {
        let decision = if ruling.allowed { Decision::Allowed } else { Decision::Denied };
        let note = Note {
            rule: Some(ruling.rule.clone()),
            who: self.caller.principal.id.to_string(),
            through: Surface::Discord.as_str().to_owned(),
            request: Some(self.caller.request.clone()),
            target: Some(target.to_owned()),
            ..Note::of_hub(self.hub.clock.now(), &format!("discord.{act}"), decision)
        };
        if ruling.allowed { self.hub.audit.noted(note) } else { self.hub.audit.denied(note) }
    }

    async fn roster(&self) -> Result<Arc<Roster>, Refusal> {
        self.hub.dispatcher.roster().await.map_err(super::refused::fault)
    }
}

#[derive(Debug, Clone)]
pub enum DiscordAnswer {
    /// The option of this place, from 0.
    Option(usize),
    Default,
    Words(String),
}

/// Which roles of the server may do this, in a sentence; empty where none may.
fn who_may(settings: &Settings, act: Act, whose: &Whose) -> String {
    let who = roles_that_may(settings, act, whose);
    if who.is_empty() { String::new() } else { format!(" Who may: {}.", who.join(", ")) }
}

/// Whether words are what a task stands still for.
const fn awaits_answer(task: &Task) -> bool {
    matches!(task.state, TaskState::Blocked { on: BlockedOn::Answer { .. }, .. })
}

/// Whose work it would be.
fn whose(target: &str, roster: &Roster) -> Whose {
    if let Some(role) = target.strip_prefix("role:").and_then(|role| RoleId::parse(role).ok()) {
        return Whose::Role { role };
    }
    match AgentId::parse(target) {
        Ok(agent) => Whose::Agent { role: roster.role_of(&agent).cloned(), agent },
        Err(_) => Whose::Anybody,
    }
}

#[cfg(test)]
mod tests;
