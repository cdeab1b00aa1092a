//! What an absent agent has not heard, a paused slot, and limits and budget of a role, as things that need a person.

use super::item::{InboxItem, InboxKind};
use super::tasks::LINE;
use crate::agent::Agent;
use crate::ids::RoleId;
use crate::on_call::{SlotState, SlotView};
use crate::task::{Allowance, BudgetLevel, BudgetNews, Spent};
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

/// What a role used of its budget of this day, from 80 % on, or once a process did not say what it used.
///
/// None before, nor while the question stands there whether it goes on. `asked` is how that question stands.
pub fn of_budget(
    role: &RoleId,
    per_day: Allowance,
    spent: Spent,
    asked: Option<BudgetNews>,
    now: Timestamp,
) -> Option<InboxItem> {
    let (level, until) = (per_day.level(spent), now.next_day());
    let used = level == BudgetLevel::Used;
    if (level == BudgetLevel::Within && spent.unknown == 0) || (used && asked == Some(BudgetNews::DayUsed)) {
        return None;
    }
    let goes_on = used && asked == Some(BudgetNews::DayGoesOn);
    let next = match (used, asked) {
        (false, _) => "",
        (true, Some(BudgetNews::DayGoesOn)) => "; people let it go on",
        (true, Some(_)) => "; it was not let go on: raise `budget.perDay` of the role in agents.yaml if it is to",
        (true, None) => "; the next task of the role asks people whether it goes on",
    };
    let near = until.near(now);
    Some(InboxItem {
        title: match level {
            BudgetLevel::Used if goes_on => format!("budget of role {role} used up, and it goes on until {near}"),
            BudgetLevel::Used => format!("budget of role {role} used up until {near}"),
            BudgetLevel::Near => format!("budget of role {role} nearly used up"),
            BudgetLevel::Within => format!("budget of role {role}: not all is known"),
        },
        reason: shorten(&format!("{} today (UTC){next}", per_day.told(spent)), LINE),
        role: Some(role.clone()),
        deadline: (used && !goes_on).then_some(until),
        then: (used && !goes_on).then(|| "its runs start again".to_owned()),
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

/// A role for which `queued` tasks wait while the account of each of its slots is at a limit; none otherwise.
pub fn of_limited(role: &RoleId, slots: &[&SlotView], queued: usize, now: Timestamp) -> Option<InboxItem> {
    let limits: Option<Vec<Timestamp>> = slots.iter().map(|slot| slot.limited_until).collect();
    let until = limits?.into_iter().min().filter(|_| queued > 0)?;
    let (tasks, wait) = if queued == 1 { ("task", "waits") } else { ("tasks", "wait") };
    let reason = format!("{queued} {tasks} {wait}; start a host with another `account`, or an agent of this role");
    Some(InboxItem {
        title: format!("role {role} on call is at its limit until {}", until.near(now)),
        reason,
        role: Some(role.clone()),
        deadline: Some(until),
        then: Some("its runs start again".to_owned()),
        ..InboxItem::new(InboxKind::OnCall, format_args!("limit:{role}"), now)
    })
}
