//! What an agent that is not there has not heard, as something that needs a person.

use super::item::{InboxCost, InboxItem, InboxKind};
use super::tasks::LINE;
use crate::agent::Agent;
use crate::task::Priority;
use crate::text::shorten;

/// What an agent that is gone would hear; none when it has heard everything, or never registered.
#[must_use]
pub fn of_unheard(agent: &Agent) -> Option<InboxItem> {
    let registration = agent.registration.as_ref()?;
    let (id, newest) = (&agent.id, agent.unheard().last()?);
    let oldest = agent.unheard().map(|notice| notice.at).min().unwrap_or(newest.at);
    let title = match agent.unheard().count() {
        1 => format!("1 notice for `{id}`"),
        many => format!("{many} notices for `{id}`"),
    };
    Some(InboxItem {
        id: format!("{}:{id}", InboxKind::Undelivered.as_str()),
        kind: InboxKind::Undelivered,
        title,
        reason: shorten(&format!("`{id}` is not there to hear: {}", newest.text), LINE),
        task_id: None,
        workflow_id: None,
        agent_id: Some(id.to_string()),
        session_id: Some(registration.session.to_string()),
        role: Some(registration.role.clone()),
        owner: None,
        since: oldest,
        deadline: None,
        then: None,
        options: Vec::new(),
        dangerous: false,
        priority: Priority::Normal,
        cost: InboxCost::default(),
        actions: Vec::new(),
        sanitized: None,
    })
}
