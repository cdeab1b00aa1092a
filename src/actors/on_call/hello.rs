//! Who may be a host, its slots as agents, and what becomes of the runs that it has, or does not have any more.

use std::collections::BTreeSet;
use std::fmt::Display;

use tokio::time::Instant;

use super::connection::{ConnectionLost, HostCaller, HostConnection, HostMeans, Slot, SlotAgent};
use crate::actors::HubRef;
use crate::actors::agent::{AgentRef, Awaited, RegisterRequest};
use crate::actors::common::Fault;
use crate::actors::task::OfferedTask;
use crate::domain::agent::{Claim, ClientDoor, DeclaredClient};
use crate::domain::ids::{AgentId, RoleId, RunId, SessionId};
use crate::domain::on_call::{Ended, Hello, SlotState, ToHost, VERSION};
use crate::domain::task::{Limited, ReturnReason, Run, RunEnd, RunState, StopOrder, StopReason, TaskCommand};
use crate::domain::time::Timestamp;
use crate::journal::{Page, TaskFilter};

/// How long the ids of tasks are that the hub makes.
const TASK_ID: usize = 26;

/// How long an agent of one task alone waits for the offer that is passed on to it.
const PASSED_WITHIN: std::time::Duration = std::time::Duration::from_secs(10);

/// How long a host that is back may take to say how a process ended that it does not have any more.
const SETTLES_WITHIN: std::time::Duration = std::time::Duration::from_secs(15);

impl HostConnection {
    /// A host introduces itself: its slots are registered as agents, and its runs go on or end. Fails with the refusal
    /// to be told to the host.
    pub async fn open(
        hub: HubRef,
        caller: HostCaller,
        hello: Hello,
        means: HostMeans,
    ) -> Result<(Self, ToHost), ToHost> {
        let role = permitted(&hub, &caller, &hello)?;
        let ids = slot_ids(&hello)?;
        recall_limits(&hub).await.map_err(|why| refused("UNAVAILABLE", why, "Connect again in a moment."))?;
        for id in &ids {
            is_free(&hub, &role, id).await?;
        }
        let Some((number, orders)) = hub.on_call.arrives(&hello, ids.iter().cloned().collect()) else {
            let error = format!("another host is connected whose agents are called `{}-N`", hello.prefix);
            return Err(refused("HOST_PREFIX_TAKEN", error, "Start this host with another --agent PREFIX."));
        };
        let mut connection = Self::new(hub, caller, hello, means, role, (number, orders));
        for id in ids {
            match connection.hire(&id).await {
                Ok(own) => drop(connection.slots.insert(id.clone(), Slot::new(own))),
                Err(why) => return Err(refused("UNAVAILABLE", why, "Connect again in a moment.")),
            }
            connection.shows(&id, SlotState::Away);
        }
        let runs = connection.takes_up_runs().await;
        let runs = runs.map_err(|lost| refused("UNAVAILABLE", lost.to_string(), "Connect again in a moment."))?;
        let settings = connection.hub.settings();
        let oncall = &settings.hub.oncall;
        let slots = connection.slots.keys().cloned().collect();
        let welcome = ToHost::Welcome { slots, linger: oncall.linger, silence: oncall.silence, runs };
        Ok((connection, welcome))
    }

    async fn hire(&mut self, id: &AgentId) -> Result<SlotAgent, String> {
        let known = self.hub.dispatcher.hire(id).await.map_err(|fault| fault.to_string())?;
        let line = known.ok_or_else(|| format!("agent `{id}` cannot be reached"))?.agent;
        let session = self.register(id, &line).await?;
        Ok(SlotAgent { id: id.clone(), line, session })
    }

    /// A slot leaves its offer to an agent that is there for this task alone, and waits as that one; whether it could.
    pub(super) async fn passes_on(&mut self, slot: &AgentId, offered: &OfferedTask) -> Result<bool, ConnectionLost> {
        let (task, epoch) = (&offered.spec.id, offered.epoch);
        let Ok(to) = AgentId::parse(&format!("{}-{task}", self.hello.prefix)) else { return Ok(false) };
        let taken = is_free(&self.hub, &self.role, &to).await.is_err();
        if taken || self.closed_until(self.hub.clock.now()).is_some() {
            return Ok(false);
        }
        let fresh = self.hire(&to).await.map_err(Fault::Unavailable)?;
        let session = fresh.session.clone();
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.fresh = Some(fresh);
        }
        self.parks(slot, Awaited::Only(task.clone()));
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.rests_until = Some(Instant::now() + PASSED_WITHIN);
        }
        self.orders(task, TaskCommand::PassOn { agent: slot.clone(), epoch, to, session }).await
    }

    async fn register(&mut self, id: &AgentId, line: &AgentRef) -> Result<SessionId, String> {
        let settings = self.hub.settings();
        let own = settings.roles.agents.get(id);
        let config = settings.roles.roles.get(&self.role);
        let config = config.ok_or_else(|| format!("role `{}` is not configured any more", self.role))?;
        let named = own.and_then(|own| own.display_name.clone());
        let claim = Claim {
            role: self.role.clone(),
            display_name: named.unwrap_or_else(|| id.to_string()),
            capabilities: own.and_then(|own| own.capabilities.clone()).unwrap_or_else(|| config.capabilities.clone()),
            can_delegate_to: own
                .and_then(|own| own.can_delegate_to.clone())
                .unwrap_or_else(|| config.can_delegate_to.clone()),
            reports_to: own.and_then(|own| own.reports_to.clone()).unwrap_or_else(|| config.reports_to.clone()),
            workspace: None,
            client: Some(DeclaredClient::new(
                &self.hello.client,
                self.hello.version.as_deref(),
                ClientDoor::default(),
                false,
            )),
            instance: Some(self.hello.host.clone()),
            new_session: self.hub.ids.session(),
            sanitized: None,
        };
        let (by, request) = (self.caller.by.clone(), Some(self.caller.request.clone()));
        let registered = line.register(RegisterRequest { claim, by, request, key: None }).await;
        registered.map(|registered| registered.session).map_err(|error| error.to_string())
    }

    /// Runs of these slots that are not ended go on where their process is there, and where they wait without one,
    /// whichever host left them: nothing of them died with it. A process of another host ends now; what this host lost
    /// ends unless it says how.
    async fn takes_up_runs(&mut self) -> Result<Vec<RunId>, ConnectionLost> {
        let has: BTreeSet<RunId> = self.hello.runs.iter().cloned().collect();
        let mut kept = Vec::new();
        for (id, _) in self.hub.on_call.live() {
            let Some((task, run)) = self.run_of(&id).await? else { continue };
            if !run.is_live() {
                continue;
            }
            let own = run.host == self.hello.host;
            let waits = matches!(run.state, RunState::Waiting { .. });
            if waits && run.client == self.hello.client {
                self.takes_up(&run, SlotState::Waiting { run: id.clone() }).await?;
                self.parks(run.slot(), Awaited::Only(task.id().clone()));
            } else if has.contains(&id) || own {
                self.takes_up(&run, SlotState::Working { run: id.clone() }).await?;
                if task.is_reported(&run) {
                    let (run, agent, host) = (id.clone(), run.agent.clone(), run.host.clone());
                    self.hub.on_call.stop(StopOrder { run, agent, host, why: StopReason::Reported });
                }
                if !has.contains(&id) {
                    self.missing.insert(id.clone(), Instant::now() + SETTLES_WITHIN);
                }
            } else {
                self.is_lost(&run).await?;
                continue;
            }
            kept.push(id);
        }
        Ok(kept)
    }

    async fn takes_up(&mut self, run: &Run, state: SlotState) -> Result<(), ConnectionLost> {
        let fresh = match &run.slot {
            Some(_) => Some(self.hire(&run.agent).await.map_err(Fault::Unavailable)?),
            None => None,
        };
        if let Some(slot) = self.slots.get_mut(run.slot()) {
            (slot.run, slot.fresh) = (Some(run.id.clone()), fresh);
        }
        self.shows(run.slot(), state);
        Ok(())
    }

    /// Nobody has the process of this run, or its conversation, any more.
    pub(super) async fn is_lost(&mut self, run: &Run) -> Result<(), ConnectionLost> {
        if matches!(run.state, RunState::Waiting { .. }) {
            let command = TaskCommand::Release { agent: run.agent.clone(), why: ReturnReason::Killed };
            return self.orders_run(&run.id, command).await.map(drop);
        }
        let (process, reason) = (run.process, RunEnd::Killed);
        let run = run.id.clone();
        self.has_ended(Ended { run, process, reason, exit: None, tail: None, usage: None, limited: None }).await
    }
}

/// Reads the limits met before the hub started, and what was used today. Done for the first host only.
async fn recall_limits(hub: &HubRef) -> Result<(), String> {
    if !hub.on_call.has_to_recall() {
        return Ok(());
    }
    let now = hub.clock.now();
    let most = u64::try_from(Limited::LONGEST.as_millis()).unwrap_or(u64::MAX);
    let changed_since = Some(Timestamp(now.0.saturating_sub(most)));
    let filter = TaskFilter { changed_since, ..TaskFilter::default() };
    let read = hub.journal.read(move |reader| Page::all(|page| reader.tasks(&filter, page)));
    hub.on_call.recalls(&read.await.map_err(|error| error.to_string())?, now);
    Ok(())
}

/// A slot takes over no agent that is there in another role: name, session and what is for it would pass to the host.
async fn is_free(hub: &HubRef, role: &RoleId, id: &AgentId) -> Result<(), ToHost> {
    let failed = |fault: Fault| refused("UNAVAILABLE", fault.to_string(), "Connect again in a moment.");
    let Some(line) = hub.agent(id).await.map_err(failed)? else { return Ok(()) };
    let view = line.show().await.map_err(failed)?.view;
    match view.role.filter(|other| other != role.as_str() && view.departed_at.is_none()) {
        Some(other) => {
            let error = format!("`{id}` is an agent of role `{other}`, and no slot of a host for `{role}`");
            Err(refused("HOST_PREFIX_TAKEN", error, "Start this host with another --agent PREFIX."))
        }
        None => Ok(()),
    }
}

fn permitted(hub: &HubRef, caller: &HostCaller, hello: &Hello) -> Result<RoleId, ToHost> {
    let settings = hub.settings();
    if hello.protocol > VERSION {
        let error =
            format!("this host speaks version {} of the protocol, and the hub version {VERSION}", hello.protocol);
        return Err(refused("HOST_TOO_NEW", error, "Update the hub, or start the host with the hub's own program."));
    }
    let Some((role, _)) = settings.roles.find(hello.role.as_str()) else {
        let known: Vec<&str> = settings.roles.roles.keys().map(RoleId::as_str).collect();
        let error = format!("role `{}` is not configured", hello.role);
        let prompt = format!("Name one of {} with --role, or add the role to agents.yaml.", known.join(", "));
        return Err(refused("ROLE_UNKNOWN", error, &prompt));
    };
    let own = settings.roles.find(caller.role.as_str()).map_or(&caller.role, |(own, _)| own);
    if own != role {
        let error = format!("the token of this host is for role `{}`, and not for `{role}`", caller.role);
        let prompt = format!("Make one with `callboard token create --host NAME --role {role}`.");
        return Err(refused("IDENTITY_MISMATCH", error, &prompt));
    }
    let most = settings.hub.oncall.slots;
    if hello.max == 0 || hello.max > most {
        let error = format!("a host has 1 to {most} slots (`oncall.slots` of hub.yaml), and not {}", hello.max);
        return Err(refused("INVALID_ARGUMENTS", error, &format!("Start it with --max 1 to {most}.")));
    }
    Ok(role.clone())
}

fn slot_ids(hello: &Hello) -> Result<Vec<AgentId>, ToHost> {
    let id = |end: &dyn Display| AgentId::parse(&format!("{}-{end}", hello.prefix));
    let task = if hello.fresh { id(&"0".repeat(TASK_ID)).map(drop) } else { Ok(()) };
    let ids: Result<_, _> = (1..=hello.max).map(|number| id(&number)).collect();
    task.and(ids).map_err(|error| {
        let named = if hello.fresh { "TASK" } else { "N" };
        let error = format!("the agents of this host cannot be called `{}-{named}`: {error}", hello.prefix);
        refused("INVALID_ARGUMENTS", error, "Start it with another --agent PREFIX.")
    })
}

fn refused(code: &str, error: String, prompt: &str) -> ToHost {
    ToHost::Refused { code: code.to_owned(), error, prompt: Some(prompt.to_owned()) }
}
