//! What an agent that is not there has not heard, a slot that its host has paused, and the budget of a role, as things
//! that need a person.

use super::item::{InboxItem, InboxKind};
use super::tasks::LINE;
use crate::agent::Agent;
use crate::ids::RoleId;
use crate::on_call::{SlotState, SlotView};
use crate::task::{Allowance, BudgetLevel, Spent};
use crate::text::shorten;
use crate::time::Timestamp;

/// What an agent that is gone would hear; none when it has heard everything, or never registered.
pub fn of_unheard(agent: &Agent) -> Option<InboxItem> {
    let registration = agent.registration.as_ref()?;
    let (id, newest) = (&agent.id, agent.unheard().last()?);
    let oldest = agent.unheard().map(|notice| notice.at).min().unwrap_or(newest.at);
    let title = match agent.unheard().count() {
        1 => format!("1 notice for `{id}`"),
        many => format!("{many} notices for `{id}`"),
    };
    Some(InboxItem {
        title,
        reason: shorten(&format!("`{id}` is not there to hear: {}", newest.text), LINE),
        agent_id: Some(id.to_string()),
        session_id: Some(registration.session.to_string()),
        role: Some(registration.role.clone()),
        ..InboxItem::new(InboxKind::Undelivered, id, oldest)
    })
}

/// What a role used of its budget of this day, from 80 % on, or once a process did not say what it used; none before.
pub fn of_budget(role: &RoleId, per_day: Allowance, spent: Spent, now: Timestamp) -> Option<InboxItem> {
    let (level, until) = (per_day.level(spent), now.next_day());
    if level == BudgetLevel::Within && spent.unknown == 0 {
        return None;
    }
    let used = level == BudgetLevel::Used;
    let next = "raise `budget.perDay` of the role in agents.yaml if it is to go on";
    let next = if used { format!("; {next}") } else { String::new() };
    Some(InboxItem {
        title: match level {
            BudgetLevel::Used => format!("budget of role {role} used up until {}", until.near(now)),
            BudgetLevel::Near => format!("budget of role {role} nearly used up"),
            BudgetLevel::Within => format!("budget of role {role}: not all is known"),
        },
        reason: shorten(&format!("{} today (UTC){next}", per_day.told(spent)), LINE),
        role: Some(role.clone()),
        deadline: used.then_some(until),
        then: used.then(|| "its runs start again".to_owned()),
        ..InboxItem::new(InboxKind::OnCall, format_args!("budget:{role}"), now)
    })
}

/// A slot that its host has paused; none of any other.
pub fn of_slot(slot: &SlotView, role: &RoleId, now: Timestamp) -> Option<InboxItem> {
    let SlotState::Paused { until, .. } = &slot.slot else { return None };
    Some(InboxItem {
        title: format!("`{}` on call is paused", slot.agent_id),
        reason: shorten(&slot.why_not(now)?, LINE),
        agent_id: Some(slot.agent_id.clone()),
        role: Some(role.clone()),
        deadline: Some(*until),
        then: Some("one run is tried".to_owned()),
        ..InboxItem::new(InboxKind::OnCall, &slot.agent_id, now)
    })
}
