//! `send_message`: a word to another agent.

use super::prelude::*;
use super::texts::NOTICE_LIMIT;
use crate::actors::agent::{AgentError, PostRequest};
use crate::domain::agent::{NoticeKind, Registration};
use crate::domain::ids::RoleId;
use crate::domain::task::TargetWho;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SendMessage {
    /// To whom: an agent's id or display name.
    to: String,
    /// What you want to say.
    text: String,
    /// The task it is about.
    #[serde(default)]
    task_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    notice_id: String,
    /// Who will hear it.
    to: String,
}

impl Verb for SendMessage {
    const NAME: &'static str = "send_message";
    const TITLE: &'static str = "Send a message";
    const DESCRIPTION: &'static str = "\
        Tell another agent something that is not a task: it hears it with its next call. Only to agents that you \
        may delegate to, or that you report to. To have work done, use assign_task.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::ADDS;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let text = words(Self::NAME, "text", &input.text, NOTICE_LIMIT)?;
        let to = addressee(&call, &input.to).await?;
        let task_id = match &input.task_id {
            Some(given) => Some(call.visible_task(given).await?.spec.id.clone()),
            None => None,
        };
        let (id, at) = (call.hub.ids.notice(), call.hub.clock.now());
        let notice = Notice { task_id, ..Notice::new(id, NoticeKind::Message, text, call.origin(), at) };
        let line = call.hub.agent(&to).await.map_err(refuse::fault)?;
        let line = line.ok_or_else(|| refuse::no_such_agent(to.as_str(), &[]))?;
        let (by, request, key) = (call.caller.by(), Some(call.caller.request.clone()), call.key.clone());
        let id = match line.post(PostRequest { notice, by, request, key }).await {
            Ok(id) | Err(AgentError::Repeated(id)) => id,
            Err(error) => return Err(refuse::agent(&to, error)),
        };
        let fields = Output { notice_id: id.to_string(), to: to.to_string() };
        Ok(Answer::new(format!("Message kept for {to}: it hears it with its next call."), fields))
    }
}

/// Whom the caller means, and may write to.
async fn addressee(call: &Call, given: &str) -> Result<AgentId> {
    if let Some(to) = by_id(call, given).await? {
        return Ok(to);
    }
    let roster = call.hub.dispatcher.roster().await.map_err(refuse::fault)?;
    let target = roster.target(given, std::collections::BTreeSet::new()).map_err(|unknown| refuse::target(&unknown))?;
    let to = match target.who {
        TargetWho::Agent(agent) => agent,
        TargetWho::Role(_) | TargetWho::Any => {
            let what = "must name one agent, by its id or display name";
            return Err(refuse::bad_argument(SendMessage::NAME, "to", what));
        }
    };
    // Who has a token, and has neither registered nor a role, hears nothing yet.
    let role = roster.role_of(&to).ok_or_else(|| refuse::no_such_agent(to.as_str(), &[]))?;
    match call.registration() {
        Some(mine) if may_write(mine, &to, Some(role)) => Ok(to),
        Some(_) | None => Err(refuse::message_denied(&to)),
    }
}

/// The same by an agent's own id, which is how most are called: two rows are read, and not every agent's.
async fn by_id(call: &Call, given: &str) -> Result<Option<AgentId>> {
    // `any` is nobody's id where somebody is called.
    let named = AgentId::parse(given).ok().filter(|_| given != "any");
    let (Some(to), Some(mine)) = (named, call.registration()) else { return Ok(None) };
    let wanted = to.clone();
    let found =
        call.hub.journal.read(move |reader| reader.agent(&wanted)).await.map_err(|error| refuse::read(&error))?;
    let Some(known) = found.and_then(|agent| agent.registration) else { return Ok(None) };
    if may_write(mine, &to, Some(&known.role)) { Ok(Some(to)) } else { Err(refuse::message_denied(&to)) }
}

fn may_write(mine: &Registration, to: &AgentId, role: Option<&RoleId>) -> bool {
    let reports =
        mine.reports_to.contains(to.as_str()) || role.is_some_and(|role| mine.reports_to.contains(role.as_str()));
    reports || mine.can_delegate_to.allows(Some(to), role)
}
