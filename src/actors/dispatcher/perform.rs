//! What follows when a task reports a new state: notices to its agent and dependents, changes of the queues.

use std::collections::BTreeSet;

use super::roster::held_of;
use super::state::{State, TaskEntry};
use crate::actors::agent::AgentMessage;
use crate::actors::task::{TaskAct, TaskRef, TaskSummary};
use crate::broken::{self, Break};
use crate::domain::agent::Notice;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::routing::matching::QueuedTask;
use crate::domain::task::{
    Cause, Dependency, LeaseTerms, Origin, RightsSet, Target, TargetWho, TaskCommand, TaskSpec, TaskStateName,
};
use crate::domain::time::Timestamp;

impl State {
    pub(super) fn task_moved(
        &mut self,
        summary: TaskSummary,
        line: TaskRef,
        offered: bool,
        notices: Vec<(AgentId, Notice)>,
    ) {
        let id = summary.id.clone();
        let (before, offering) = match self.tasks.remove(&id) {
            Some(entry) => (entry.summary, entry.offering),
            None => (None, None),
        };
        self.matching.dequeue(&id);
        if let Some(agent) = &offering {
            self.matching.release(&id, agent);
        }
        let entry = TaskEntry { line, summary: Some(summary.clone()), offering: None };
        self.tell_holders(before.as_ref(), &entry, &summary, offered);
        for (agent, notice) in notices {
            self.tell_agent(&agent, AgentMessage::Noticed { notice });
        }
        let comes_back = before.is_some();
        let was_waiting = before.is_none_or(|before| before.waits_for != summary.waits_for);
        if summary.state != TaskStateName::Queued && summary.state != TaskStateName::Assigned {
            self.starving.end(&id);
        }
        if summary.state.is_closed() {
            let took = self.clock.now().since(summary.spec.created_at);
            self.spawner.counters.tasks.observe(took.as_secs_f64());
            self.tell_dependents(&summary);
        } else {
            self.tasks.insert(id.clone(), entry);
            // What it waits for may have closed while its actor was being built anew, and heard nothing.
            let in_vain = summary.waits_for.iter().any(|dependency| !self.told_that_it_is_open(dependency));
            if was_waiting || in_vain {
                self.await_dependencies(&summary);
            }
            if summary.state == TaskStateName::Queued {
                self.matching.enqueue(queued_of(&summary));
                self.watch_for_starving(&summary);
                if !(comes_back && broken::by(Break::WakesNobody)) {
                    self.match_task(&id);
                }
            }
        }
        if let Some(agent) = offering {
            self.match_agent(&agent);
        }
    }

    /// Looks for an agent for a queued task, and offers.
    pub(super) fn match_task(&mut self, id: &TaskId) {
        let now = self.clock.now();
        if self.draining {
            return;
        }
        let agent = self.matching.queued(id).and_then(|task| {
            if broken::by(Break::IgnoresCapabilities) {
                let target = Target { capabilities: BTreeSet::new(), ..task.target.clone() };
                return self.matching.agent_for(now, &QueuedTask { target, ..task.clone() });
            }
            self.matching.agent_for(now, task)
        });
        if let Some(agent) = agent {
            self.offer(id, &agent);
        }
    }

    /// Looks for a task for a parked agent, and offers.
    pub(super) fn match_agent(&mut self, id: &AgentId) {
        if self.draining {
            return;
        }
        if let Some(task) = self.matching.task_for(self.clock.now(), id) {
            self.offer(&task, id);
        }
    }

    pub(super) fn reoffer(&mut self, agent: &AgentId, task: &TaskId) {
        let Some(terms) = self.terms_for(agent, task) else { return };
        if let Some(entry) = self.tasks.get(task) {
            entry.line.tell(self.own_act(TaskCommand::Offer { agent: agent.clone(), terms }));
        }
    }

    pub(super) fn own_act(&self, command: TaskCommand) -> TaskAct {
        let notices = (0..Cause::NOTICES).map(|_| self.ids.notice()).collect();
        TaskAct::new(command, Cause { by: self.hub.clone(), who: Origin::hub(), notices })
    }

    fn offer(&mut self, task: &TaskId, agent: &AgentId) {
        let Some(terms) = self.terms_for(agent, task) else { return };
        let act = self.own_act(TaskCommand::Offer { agent: agent.clone(), terms });
        let Some(entry) = self.tasks.get_mut(task) else { return };
        entry.offering = Some(agent.clone());
        entry.line.tell(act);
        self.matching.reserve(task, agent);
    }

    fn terms_for(&self, agent: &AgentId, task: &TaskId) -> Option<LeaseTerms> {
        let spec = &self.tasks.get(task)?.summary.as_ref()?.spec;
        self.terms(agent, spec)
    }

    /// The terms under which this agent would be offered what is asked.
    pub(super) fn terms(&self, agent: &AgentId, spec: &TaskSpec) -> Option<LeaseTerms> {
        let profile = self.agents.get(agent)?.profile.as_ref()?;
        let terms = self.settings.borrow().lease_terms(Some(agent), &profile.role, spec);
        Some(LeaseTerms { session: Some(profile.session.clone()), ..terms })
    }

    /// Who held it and who holds it hear of it. Whom it was offered to hears of it by the offer.
    fn tell_holders(&mut self, before: Option<&TaskSummary>, entry: &TaskEntry, summary: &TaskSummary, offered: bool) {
        let old = before.and_then(|before| before.holder.clone());
        if let Some(old) = &old
            && summary.holder.as_ref() != Some(old)
        {
            self.tell_agent(old, AgentMessage::Holds { task: summary.id.clone(), held: None });
        }
        match &summary.holder {
            // Its wait ends with this: until it parks anew it takes nothing else.
            Some(agent) if offered => self.matching.unpark(agent),
            Some(holder) => {
                let held = held_of(entry, summary);
                self.tell_agent(holder, AgentMessage::Holds { task: summary.id.clone(), held });
            }
            None => {}
        }
    }

    pub(super) fn tell_agent(&self, agent: &AgentId, message: AgentMessage) {
        if let Some(entry) = self.agents.get(agent) {
            entry.line.send(message);
        }
    }

    /// Whoever waits for a task that closed hears how it ended.
    fn tell_dependents(&mut self, summary: &TaskSummary) {
        let Some(dependents) = self.dependents.get(&summary.id) else { return };
        if broken::by(Break::ForgetsDependents) {
            return;
        }
        let now = match (&summary.state, &summary.result) {
            (TaskStateName::Completed, Some((message, artifacts))) => {
                Dependency::Met { message: message.clone(), artifacts: artifacts.clone() }
            }
            (state, _) => Dependency::Failed { state: *state },
        };
        for dependent in dependents {
            if let Some(entry) = self.tasks.get(dependent) {
                let command = TaskCommand::DependencyMoved { task: summary.id.clone(), now: now.clone() };
                entry.line.tell(self.own_act(command));
            }
        }
        if summary.state == TaskStateName::Completed {
            self.dependents.remove(&summary.id);
        }
    }
}

pub(super) fn queued_of(summary: &TaskSummary) -> QueuedTask {
    queued_as(&summary.spec, summary.held_for.clone())
}

/// A task that waits for an agent, as matching sees it.
pub(super) fn queued_as(spec: &TaskSpec, held_for: Option<(AgentId, Timestamp)>) -> QueuedTask {
    QueuedTask {
        id: spec.id.clone(),
        target: spec.target.clone(),
        priority: spec.priority,
        created_at: spec.created_at,
        excluded: spec.excluded.clone(),
        within: match &spec.target.who {
            TargetWho::Any => spec.rights.clone(),
            TargetWho::Agent(_) | TargetWho::Role(_) => RightsSet::All,
        },
        repo: spec.workspace.as_ref().map(|workspace| workspace.repo.clone()),
        held_for,
    }
}
