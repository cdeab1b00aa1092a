//! Which tasks need a person, and why.

use super::behind::Behind;
use super::item::{InboxAction, InboxCost, InboxItem, InboxKind};
use crate::agent::Departure;
use crate::ids::AgentId;
use crate::task::{BlockedOn, OnTimeout, TargetWho, Task, TaskState};
use crate::text::shorten;
use crate::time::Timestamp;

/// The longest title and the longest reason, in characters.
pub(super) const LINE: usize = 200;

/// What a task needs of a person; none when it goes on by itself. `is_gone` says of an agent that it is not there.
pub fn of_task(task: &Task, behind: &Behind, is_gone: impl Fn(&AgentId) -> bool) -> Option<InboxItem> {
    use InboxAction::{Answer, Approve, Cancel, Reassign, RequestChanges, Requeue, Retry};
    match &task.state {
        TaskState::InReview { holder, since, approved: false } => {
            let reason = format!("`{holder}` submitted it: approve it, or say what is to change");
            Some(item(task, behind, InboxKind::Review, *since, &reason, &[Approve, RequestChanges, Cancel]))
        }
        TaskState::InReview { holder, since, approved: true } if is_gone(holder) => {
            let reason = format!("it is approved, and `{holder}`, which is to merge it, is gone");
            Some(item(task, behind, InboxKind::Stranded, *since, &reason, &[Reassign, Cancel]))
        }
        // Its question is in the list, and whoever answers that one frees the task.
        TaskState::Blocked { on: BlockedOn::Answer { question: Some(_), .. }, .. } => None,
        TaskState::Blocked { on: BlockedOn::Answer { agent, reason, question: None }, since } => {
            let reason = format!("`{agent}` needs an answer: {reason}");
            Some(item(task, behind, InboxKind::Blocked, *since, &reason, &[Answer, Reassign, Cancel]))
        }
        TaskState::Blocked { on: BlockedOn::DependencyFailed { .. }, since } => {
            let reason = task.blocked_reason().unwrap_or_default();
            // Whoever else gets it waits for the same: what works is to mend the other one, or to call this one off.
            Some(item(task, behind, InboxKind::Blocked, *since, &reason, &[Cancel]))
        }
        TaskState::Timeout { since } => {
            let reason = "its lease ran out without a sign of progress, and policy holds it";
            Some(item(task, behind, InboxKind::Timeout, *since, reason, &[Retry, Reassign, Cancel]))
        }
        TaskState::DeadLetter { at, reason } => {
            Some(item(task, behind, InboxKind::DeadLetter, *at, reason, &[Requeue]))
        }
        TaskState::InReview { .. }
        | TaskState::Blocked { on: BlockedOn::Dependencies, .. }
        | TaskState::Queued { .. }
        | TaskState::Assigned { .. }
        | TaskState::InProgress { .. }
        | TaskState::Completed { .. }
        | TaskState::Failed { .. }
        | TaskState::Cancelled { .. } => None,
    }
}

/// A task whose holder's client went away: it goes on when that comes back or the lease runs out. None without a lease.
pub fn of_abandoned(task: &Task, behind: &Behind, departure: &Departure, now: Timestamp) -> Option<InboxItem> {
    let lease = task.lease()?;
    let reason = format!("`{}` works on it, but {}", lease.agent, departure.told(now, Some(lease.expires_at)));
    let then = match lease.terms.on_timeout {
        OnTimeout::Retry => "its lease runs out, and it goes back into the queue",
        OnTimeout::Escalate => "its lease runs out, and it goes to whom its role reports to",
        OnTimeout::Hold => "its lease runs out, and policy holds it",
    };
    let actions = [InboxAction::Reassign, InboxAction::Cancel];
    Some(InboxItem {
        deadline: Some(lease.expires_at),
        then: Some(then.to_owned()),
        ..item(task, behind, InboxKind::Stranded, departure.at, &reason, &actions)
    })
}

/// A queued task that nobody takes; `reachable`: a registered agent could take it. None when it is queued no more.
pub fn of_starving(task: &Task, behind: &Behind, reachable: bool) -> Option<InboxItem> {
    let TaskState::Queued { since, .. } = &task.state else { return None };
    let target = &task.spec.target;
    let reason = match reachable {
        true => format!("it waits for {target}, and nobody takes it"),
        false => format!("nobody who is registered could take it ({target}): start an agent that fits, or reassign it"),
    };
    let actions = [InboxAction::Reassign, InboxAction::Cancel];
    let role = match &target.who {
        TargetWho::Role(role) => Some(role.clone()),
        TargetWho::Agent(_) | TargetWho::Any => None,
    };
    Some(InboxItem { role, ..item(task, behind, InboxKind::Stranded, *since, &reason, &actions) })
}

fn item(
    task: &Task,
    behind: &Behind,
    kind: InboxKind,
    since: Timestamp,
    reason: &str,
    actions: &[InboxAction],
) -> InboxItem {
    let agent = task.holder().or(task.last_holder.as_ref());
    // Of a dead letter only those wait who stand behind it, and an agent that asked for it.
    let worker = agent.filter(|_| matches!(kind, InboxKind::Review | InboxKind::Blocked));
    let asker = task.spec.asking_agent();
    let mut waits: Vec<String> = worker.into_iter().chain(&asker).map(ToString::to_string).collect();
    waits.dedup();
    InboxItem {
        title: title(task),
        reason: shorten(reason, LINE),
        task_id: Some(task.id().to_string()),
        agent_id: agent.map(ToString::to_string),
        role: agent.and_then(|agent| task.tenures.get(agent)).map(|tenure| tenure.terms.role.clone()),
        priority: task.spec.priority,
        cost: InboxCost { waits, stands_still: behind.count(task.id()) },
        actions: actions.to_vec(),
        sanitized: task.spec.sanitized.clone(),
        ..InboxItem::new(kind, task.id(), since)
    }
}

/// The title of a task, or the first line of its text.
pub(super) fn title(task: &Task) -> String {
    let text = task.spec.title.as_deref().unwrap_or(&task.spec.prompt);
    shorten(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim(), LINE)
}
