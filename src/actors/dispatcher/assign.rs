//! Assigning a task: checks rights and target, and offers the task at once if a suitable agent is parked.
//!
//! If an eligible agent is parked, the task is created *with* its first offer: `Created` and `Offered` in one append.
//! The dispatcher does not wait for the disk: the task itself answers who asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use ractor::RpcReplyPort;
use tracing::Span;

use super::message::{AssignReceipt, AssignRefusal, AssignRequest};
use super::perform::queued_as;
use super::state::{State, TaskEntry};
use crate::actors::task::{ActError, ReceiptNote, TaskAct, TaskBirth, TaskMessage, TaskReceipt};
use crate::broken::{self, Break};
use crate::domain::ids::TaskId;
use crate::domain::routing::{Delegation, Granted, KnownAgent, Roster, TargetUnknown};
use crate::domain::task::{Cause, Dependency, KeptText, RightsSet, Target, TargetWho, TaskCommand, TaskSpec};

/// The tasks that one waits for, and how each stands.
type Dependencies = BTreeMap<TaskId, Dependency>;
type Reply = RpcReplyPort<Result<TaskReceipt, ActError>>;

impl State {
    pub(super) async fn assign(&mut self, request: AssignRequest, dependencies: Dependencies, reply: Reply) {
        match self.plan(&request) {
            Ok(planned) => self.create(request, planned, dependencies, reply).await,
            Err(refusal) => {
                self.refusals.note(self.clock.now(), refusal.code, refusal.message.clone());
                let _ = reply.send(Err(refusal.into()));
            }
        }
    }

    /// For whom a task would be. Who is held to a list of targets does not give it to `any`, which others could read.
    pub(super) fn retarget(&mut self, id: &TaskId, target: &str, rights: &RightsSet) -> Result<Target, AssignRefusal> {
        let roster = self.roster();
        let summary = self.tasks.get(id).and_then(|entry| entry.summary.as_ref());
        let capabilities = summary.map(|known| known.spec.target.capabilities.clone()).unwrap_or_default();
        let target = roster.target(target, capabilities).map_err(|unknown| unknown_target(&unknown))?;
        let wide = matches!((&target.who, rights), (TargetWho::Any, RightsSet::Only(_)));
        if wide || !rights.allows_target(&target, &roster) {
            return Err(not_permitted(&target, rights));
        }
        Ok(target)
    }

    /// Everybody who can be named. Kept from one task to the next: only who comes, or is called otherwise, changes it.
    pub(super) fn roster(&mut self) -> Arc<Roster> {
        if let Some(known) = &self.roster {
            return Arc::clone(known);
        }
        let fresh = Arc::new(self.fresh_roster());
        self.roster = Some(Arc::clone(&fresh));
        fresh
    }

    fn fresh_roster(&self) -> Roster {
        let registered = self.agents.iter().filter_map(|(id, entry)| {
            let profile = entry.profile.as_ref()?;
            Some((id.clone(), profile.display_name.clone(), profile.role.clone()))
        });
        let mut roster = self.settings.borrow().roster(registered);
        // An agent that has a token is known before it registers: work may wait for it by name.
        for id in self.agents.keys() {
            roster.agents.entry(id.clone()).or_insert_with(|| KnownAgent { display_name: id.to_string(), role: None });
        }
        roster
    }

    fn plan(&mut self, request: &AssignRequest) -> Result<(Target, Granted), AssignRefusal> {
        let roster = self.roster();
        let target =
            roster.target(&request.target, request.capabilities.clone()).map_err(|unknown| unknown_target(&unknown))?;
        let granted = self.grant(request, &target, &roster)?;
        self.room_for(&target)?;
        Ok((target, granted))
    }

    /// What the new task inherits from the chain that it stands in.
    fn grant(&self, request: &AssignRequest, target: &Target, roster: &Roster) -> Result<Granted, AssignRefusal> {
        let limit = self.settings.borrow().hub.limits.delegation_depth;
        let Some(asker) = &request.asker.agent else {
            let rights = request.asker.rights.clone();
            if !rights.allows_target(target, roster) {
                return Err(not_permitted(target, &rights));
            }
            let granted = match &request.after {
                Some(ended) => Granted::after(ended, limit),
                None => Ok(Granted::from_outside()),
            };
            return granted
                .map(|granted| Granted { rights, ..granted })
                .map_err(|denied| refusal(denied.code(), denied.to_string()));
        };
        let mut held: Vec<_> = self
            .tasks
            .values()
            .filter_map(|entry| entry.summary.as_ref())
            .filter(|summary| summary.holder.as_ref() == Some(asker))
            .collect();
        held.sort_by_key(|summary| (summary.leased_since, summary.id.clone()));
        let held: Vec<&TaskSpec> = held.iter().map(|summary| summary.spec.as_ref()).collect();
        let delegation = Delegation { asker, rights: &request.asker.rights, held: &held, limit };
        delegation.grant(target, roster).map_err(|denied| refusal(denied.code(), denied.to_string()))
    }

    fn room_for(&self, target: &Target) -> Result<(), AssignRefusal> {
        let limits = &self.settings.borrow().hub.limits;
        let (waiting, here) = (self.matching.len(), self.matching.queued_for(&target.who));
        if waiting >= limits.queue_total {
            let message = format!("{waiting} tasks are queued, and {} is the most", limits.queue_total);
            return Err(refusal("QUEUE_FULL", message));
        }
        if here >= limits.queue_per_agent {
            let message = format!("{here} tasks are queued for `{target}`, and {} is the most", limits.queue_per_agent);
            return Err(refusal("QUEUE_FULL", message));
        }
        Ok(())
    }

    fn spec(
        &self,
        request: &mut AssignRequest,
        (target, granted): (Target, Granted),
        dependencies: &Dependencies,
    ) -> TaskSpec {
        TaskSpec {
            id: self.ids.task(),
            title: request.title.take(),
            prompt: std::mem::take(&mut request.prompt),
            context: request.context.take(),
            spec: request.spec.take(),
            target,
            priority: request.priority,
            from: request.asker.origin.clone(),
            asker: request.asker.by.principal.clone(),
            via: granted.via,
            parent: granted.parent,
            depth: granted.depth,
            rights: granted.rights,
            excluded: granted.excluded,
            dependencies: dependencies.keys().cloned().collect(),
            workspace: request.workspace.take(),
            ttl: request.ttl,
            worktree: request.worktree,
            created_at: self.clock.now(),
            sanitized: request.sanitized.take(),
        }
    }

    async fn create(
        &mut self,
        mut request: AssignRequest,
        planned: (Target, Granted),
        dependencies: Dependencies,
        reply: Reply,
    ) {
        let spec = Arc::new(self.spec(&mut request, planned, &dependencies));
        let now = self.clock.now();
        let id = spec.id.clone();
        let dependencies = if broken::by(Break::IgnoresDependencies) { pretended(dependencies) } else { dependencies };
        let ready = dependencies.values().all(|how| matches!(how, Dependency::Met { .. }));
        let queued = queued_as(&spec, None);
        let agent = if ready && !self.draining { self.matching.agent_for(now, &queued) } else { None };
        let first_offer = agent.and_then(|agent| self.terms(&agent, &spec).map(|terms| (agent, terms)));
        let receipt = self.receipt(&spec, first_offer.is_some(), ready);
        let line = match self.spawner.task(TaskBirth::New(id.clone())).await {
            Ok(line) => line,
            Err(fault) => {
                let _ = reply.send(Err(ActError::Fault(fault)));
                return;
            }
        };
        let offering = first_offer.as_ref().map(|(agent, _)| agent.clone());
        if let Some(agent) = &offering {
            self.matching.reserve(&id, agent);
        }
        self.tasks.insert(id, TaskEntry { line: line.clone(), summary: None, offering });
        let notices = (0..Cause::NOTICES).map(|_| self.ids.notice()).collect();
        let cause = Cause { by: request.asker.by, who: request.asker.origin, notices };
        let act = TaskAct {
            request: request.request,
            key: request.key,
            note: Some(ReceiptNote::Assigned(Box::new(receipt))),
            ..TaskAct::new(TaskCommand::Create { spec, dependencies, first_offer }, cause)
        };
        line.send(TaskMessage::Act { act: Box::new(act), span: Span::current(), reply: Some(reply) });
    }

    fn receipt(&self, spec: &TaskSpec, offered: bool, ready: bool) -> AssignReceipt {
        let reachable = self.matching.reachable(&queued_as(spec, None));
        let (id, target) = (&spec.id, &spec.target);
        let message = if offered {
            format!("Task {id} delivered to {target}.")
        } else if !ready {
            format!("Task {id} waits for {} other task(s), then for {target}.", spec.dependencies.len())
        } else if reachable {
            format!("Task {id} queued for {target}.")
        } else {
            let among = match (&target.who, &spec.rights) {
                (TargetWho::Any, RightsSet::Only(_)) => format!(" among those you may assign to ({})", spec.rights),
                (TargetWho::Agent(_) | TargetWho::Role(_) | TargetWho::Any, RightsSet::All | RightsSet::Only(_)) => {
                    String::new()
                }
            };
            format!("Task {id} queued, but no registered agent could take it: nobody fits {target}{among} yet.")
        };
        AssignReceipt {
            task_id: spec.id.clone(),
            queued: !offered,
            position: (!offered && ready).then(|| self.matching.queued_for(&spec.target.who) + 1),
            target: spec.target.to_string(),
            reachable,
            message,
        }
    }
}

fn unknown_target(unknown: &TargetUnknown) -> AssignRefusal {
    let nearest = Some(unknown.nearest.clone());
    AssignRefusal { nearest, ..refusal(TargetUnknown::CODE, unknown.to_string()) }
}

/// `people.yaml` lets a person hand work to others, and not to these.
fn not_permitted(target: &Target, allowed: &RightsSet) -> AssignRefusal {
    let message = format!("you may not assign tasks to `{target}`; allowed for you: {allowed}");
    let advice = "Give it to one of those, or have `canAssignTo` in config/people.yaml reach further.";
    AssignRefusal { advice: Some(advice), ..refusal("NOT_PERMITTED", message) }
}

pub(super) const fn refusal(code: &'static str, message: String) -> AssignRefusal {
    AssignRefusal { code, message, advice: None, nearest: None }
}

/// Only for [`Break::IgnoresDependencies`].
fn pretended(dependencies: Dependencies) -> Dependencies {
    let met = || Dependency::Met { message: KeptText::inline(""), artifacts: Vec::new() };
    dependencies.into_keys().map(|id| (id, met())).collect()
}
