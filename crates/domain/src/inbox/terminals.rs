//! A terminal that waits for its user while its agent works, as something that needs a person.
//!
//! It also needs a person when nothing is heard of its agent, if a host sees a program stand at the prompt: who stands
//! at a prompt makes no calls, and a hub that began anew has heard of nobody.

use super::item::{InboxAction, InboxCost, InboxItem, InboxKind};
use crate::agent::Availability;
use crate::ids::{AgentId, RoleId};
use crate::prompt::MOST_TEXT;
use crate::terminal::SeenPrompt;
use crate::text::shorten;
use crate::time::Timestamp;

/// Whether a prompt in an agent's terminal needs a person: its agent works or has a task, or is not heard of while its
/// program stands there (`holds_up`): who stands at a prompt makes no calls.
pub const fn needs_somebody(availability: Availability, has_task: bool, holds_up: bool) -> bool {
    match availability {
        Availability::Working => true,
        Availability::Offline => has_task || holds_up,
        Availability::Waiting | Availability::Evicted => has_task,
    }
}

/// What a prompt in the terminal of a working agent needs: a person, there or from here. Redrawn it stays the same
/// item; another prompt of the same words is another one.
pub fn of_terminal(
    session: &str,
    agent: &AgentId,
    role: Option<&RoleId>,
    prompt: &SeenPrompt,
    since: Timestamp,
    takes_answer: bool,
) -> InboxItem {
    let kind = prompt.prompt_type.as_str();
    let mut reason = format!("the terminal of `{agent}` waits ({kind}), and the agent with it");
    if prompt.is_dangerous {
        reason.push_str("; the answer may destroy something");
    }
    InboxItem {
        // What is asked stands at its end.
        title: shorten(&prompt.prompt_text, MOST_TEXT),
        reason,
        agent_id: Some(agent.to_string()),
        session_id: Some(session.to_owned()),
        role: role.cloned(),
        options: prompt.choices.clone(),
        dangerous: prompt.is_dangerous,
        cost: InboxCost { waits: vec![agent.to_string()], stands_still: 0 },
        actions: if takes_answer { vec![InboxAction::Answer] } else { Vec::new() },
        ..InboxItem::new(InboxKind::InputPrompt, format_args!("{session}@{}", prompt.file_position), since)
    }
}

/// Which prompt the rest of such an item's id names: the terminal's, and where it stands.
pub fn prompt_of(id: &str) -> Option<(&str, u64)> {
    let (session, place) = id.rsplit_once('@')?;
    Some((session, place.parse().ok()?))
}
