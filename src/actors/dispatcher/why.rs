//! Explains why a task is not being worked on: for each agent, what speaks for or against it.

use std::time::Duration;

use ractor::RpcReplyPort;

use super::message::{Why, WhyAgent};
use super::perform::queued_of;
use super::state::{AgentEntry, State};
use crate::actors::on_call::HostView;
use crate::actors::task::TaskSummary;
use crate::domain::ids::{AgentId, RoleId, TaskId};
use crate::domain::on_call::SlotView;
use crate::domain::routing::matching::QueuedTask;
use crate::domain::task::{TargetWho, TaskStateName};
use crate::domain::time::Timestamp;

impl State {
    pub(super) fn answer_why(&self, id: &TaskId, reply: RpcReplyPort<Option<Why>>) {
        let summary = self.tasks.get(id).and_then(|entry| entry.summary.as_ref());
        let _ = reply.send(summary.map(|summary| self.why(summary)));
    }

    fn why(&self, summary: &TaskSummary) -> Why {
        let now = self.clock.now();
        let task = queued_of(summary);
        let reachable = self.matching.reachable(&task);
        let agents = self.agents.iter().filter(|(_, entry)| entry.profile.is_some());
        Why {
            task_id: summary.id.to_string(),
            state: summary.state.to_string(),
            summary: self.in_a_sentence(now, summary, reachable),
            position: self.matching.position(now, &summary.id),
            reachable,
            agents: agents.map(|(id, entry)| self.about(now, id, entry, (summary, &task))).collect(),
        }
    }

    pub(super) fn in_a_sentence(&self, now: Timestamp, summary: &TaskSummary, reachable: bool) -> String {
        let target = &summary.spec.target;
        let holder = summary.holder.as_ref().map_or("nobody", AgentId::as_str);
        match summary.state {
            TaskStateName::Queued if !reachable => {
                format!("no registered agent could take it: nobody fits {target}; start one, or reassign it")
            }
            TaskStateName::Queued => match &summary.held_for {
                Some((agent, until)) if *until > now => {
                    format!("kept for its last holder {agent} until {until}, then for {target}")
                }
                Some(_) | None => format!(
                    "waits for an agent that fits {target} to call wait_for_prompt{}",
                    self.on_call_for(now, summary)
                ),
            },
            TaskStateName::Assigned => format!("offered to {holder}, who has not acknowledged it yet"),
            TaskStateName::InProgress => match self.departure_of_holder(now, summary) {
                Some(departed) => format!("{holder} holds it, but {departed}"),
                None => format!("{holder} works on it"),
            },
            TaskStateName::Blocked if !summary.waits_for.is_empty() => {
                if let Some(repair) = &summary.repair {
                    return repair.clone();
                }
                let tasks: Vec<_> = summary.waits_for.iter().map(TaskId::as_str).collect();
                format!("waits for {} to complete", tasks.join(", "))
            }
            TaskStateName::Blocked => format!("{holder} needs an answer: use answer_task"),
            TaskStateName::InReview => "waits for a reviewer: approve it or request changes".to_owned(),
            TaskStateName::Timeout => "its lease ran out and policy holds it: retry, reassign or cancel it".to_owned(),
            TaskStateName::Completed | TaskStateName::Failed | TaskStateName::Cancelled | TaskStateName::DeadLetter => {
                format!("it is closed: {}", summary.state)
            }
        }
    }

    /// How many slots of hosts are there for a task, where there are any.
    fn on_call_for(&self, now: Timestamp, summary: &TaskSummary) -> String {
        if let TargetWho::Role(role) = &summary.spec.target.who
            && let Some(why) = self.used_up(now, role)
        {
            return format!("; on call: {why}");
        }
        let hosts = self.spawner.on_call.hosts(now);
        let fits = |host: &&HostView| match &summary.spec.target.who {
            TargetWho::Role(role) => *role == host.hello.role,
            TargetWho::Agent(agent) => host.slots.iter().any(|slot| slot.agent_id == agent.as_str()),
            TargetWho::Any => true,
        };
        let slots: Vec<&SlotView> = hosts.iter().filter(fits).flat_map(|host| &host.slots).collect();
        let free = slots.iter().filter(|slot| slot.is_free()).count();
        if slots.is_empty() { String::new() } else { format!("; on call: {free} of {} free", slots.len()) }
    }

    /// Until when runs of a role do not start, for its budget, in words.
    fn used_up(&self, now: Timestamp, role: &RoleId) -> Option<String> {
        let settings = self.settings.borrow();
        self.spawner.on_call.used_up_told(role, &settings.roles.roles.get(role)?.budget, now)
    }

    fn about(
        &self,
        now: Timestamp,
        id: &AgentId,
        entry: &AgentEntry,
        (summary, task): (&TaskSummary, &QueuedTask),
    ) -> WhyAgent {
        let mut against = Vec::new();
        let Some(profile) = &entry.profile else {
            return WhyAgent {
                agent_id: id.to_string(),
                eligible: false,
                reasons: vec!["never registered".to_owned()],
            };
        };
        match &task.target.who {
            TargetWho::Agent(wanted) if wanted != id => against.push(format!("the task is for {wanted} alone")),
            TargetWho::Role(role) if role != &profile.role => {
                against.push(format!("its role is {}, the task is for {role}", profile.role));
            }
            TargetWho::Any if !task.within.allows(Some(id), Some(&profile.role)) => {
                against.push(format!("{} may not delegate to it, only to {}", summary.spec.from.id, task.within));
            }
            TargetWho::Agent(_) | TargetWho::Role(_) | TargetWho::Any => {}
        }
        let missing: Vec<_> = task.target.capabilities.difference(&profile.capabilities).map(String::as_str).collect();
        if !missing.is_empty() {
            against.push(format!("lacks {}", missing.join(", ")));
        }
        if task.excluded.contains(id) {
            against.push("is in the chain that delegated this work".to_owned());
        }
        if self.matching.kept_for_another(now, id, task) {
            against.push("the task is kept for its last holder for a moment".to_owned());
        }
        if summary.holder.as_ref() == Some(id) {
            against.push("has it already".to_owned());
            against.extend(self.departure_of_holder(now, summary));
        } else {
            let slot = self.spawner.on_call.slot(id, now);
            let used = slot.as_ref().and_then(|_| self.used_up(now, &profile.role));
            let closed = slot.and_then(|slot| slot.why_not(now)).or(used);
            against.extend(closed.or_else(|| self.not_open(now, entry)));
        }
        if against.is_empty() {
            let reason = "fits, and waits".to_owned();
            return WhyAgent { agent_id: id.to_string(), eligible: true, reasons: vec![reason] };
        }
        WhyAgent { agent_id: id.to_string(), eligible: false, reasons: against }
    }

    fn departure_of_holder(&self, now: Timestamp, summary: &TaskSummary) -> Option<String> {
        let standing = &self.agents.get(summary.holder.as_ref()?)?.standing;
        Some(standing.departed?.told(now, summary.leased_until))
    }

    /// Why an agent takes nothing just now.
    fn not_open(&self, now: Timestamp, entry: &AgentEntry) -> Option<String> {
        let standing = &entry.standing;
        let offline_after = self.settings.borrow().hub.leases.offline_after;
        if standing.evicted {
            return Some("was evicted, and has not registered again".to_owned());
        }
        if standing.waiting_since.is_some() {
            return None;
        }
        if let Some(departed) = standing.departed {
            return Some(departed.told(now, None));
        }
        if let (0, Some(at)) = (standing.held, standing.nudged) {
            return Some(format!("was woken at {}, and has not called since", at.near(now)));
        }
        let silent = standing.last_seen.map_or(Duration::MAX, |seen| now.since(seen));
        Some(match (standing.held, silent >= offline_after) {
            (0, true) => "is offline".to_owned(),
            (0, false) => "is present, and does not wait: it must call wait_for_prompt".to_owned(),
            (1, _) => "holds a task, and takes no more until it is done".to_owned(),
            (held, _) => format!("holds {held} tasks, and takes no more until one is done"),
        })
    }
}
