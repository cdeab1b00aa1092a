//! Hosts of agents on call: a host connects with two slots, starts what it is offered, and is lost with all of it. How
//! a process ends is drawn from its run, so that a script says the same each time.

use std::collections::BTreeMap;
use std::time::Duration;

use callboard::actors::on_call::{HostCaller, HostConnection, HostMeans};
use callboard::domain::ids::{AgentId, PrincipalId, TaskId};
use callboard::domain::on_call::{Ended, FromHost, Hello, Numbered, Offer, RunToken, ToHost, VERSION};
use callboard::domain::principal::{By, Surface};
use callboard::domain::task::{KeptText, Limited, Report, ReportKind, RunEnd, TargetWho, Task, TaskCommand, Usage};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep_until};

use crate::hub_setup::role;
use crate::life::Life;
use crate::script::HubSetup;
use crate::stage::{Stage, Voice};

const ROLE: &str = "full-stack-engineer";

/// How long a process is there.
const WORKS: Duration = Duration::from_secs(3);

/// Whether a slot of a host, or an agent of one task in it, may ever take that task.
pub(crate) fn fits_slot(house: HubSetup, agent: &AgentId, task: &Task) -> bool {
    let (role, settings) = (role(ROLE), house.settings());
    let target = match &task.spec.target.who {
        TargetWho::Agent(wanted) => wanted == agent,
        TargetWho::Role(wanted) => *wanted == role,
        TargetWho::Any => task.spec.rights.allows(Some(agent), Some(&role)),
    };
    let can = task.spec.target.capabilities.is_subset(&settings.roles.roles[&role].capabilities);
    agent.as_str().starts_with("slot-") && target && can && !task.spec.excluded.contains(agent)
}

impl Life {
    /// A host connects, unless one is there: the one of before, without its processes, or another.
    pub(crate) fn host_comes(&self, same: bool, fresh: bool) {
        let mut ledger = self.stage.ledger.borrow_mut();
        if ledger.host.as_ref().is_none_or(tokio::task::AbortHandle::is_finished) {
            ledger.host_number += u32::from(!same);
            let name = format!("host-{}", ledger.host_number);
            ledger.host = Some(spawn_local(self.stage.clone().serves(name, fresh)).abort_handle());
        }
    }

    pub(crate) fn host_is_lost(&self) {
        if let Some(host) = self.stage.ledger.borrow_mut().host.take() {
            host.abort();
        }
    }
}

/// A host, and what runs in it until when.
struct Host {
    stage: Stage,
    connection: HostConnection,
    number: u64,
    runs: BTreeMap<Instant, Vec<Offer>>,
}

impl Stage {
    async fn serves(self, name: String, fresh: bool) {
        let hello = Hello {
            protocol: VERSION,
            host: name,
            role: role(ROLE),
            client: "claude".to_owned(),
            version: None,
            max: 2,
            prefix: "slot".to_owned(),
            fresh,
            workspace: "/work".to_owned(),
            account: None,
            runs: Vec::new(),
        };
        let principal = PrincipalId::parse("host:build").unwrap();
        let by = By { principal, surface: Surface::Agent };
        let caller = HostCaller { by, role: role(ROLE), request: "host".to_owned() };
        let means = HostMeans {
            token: Box::new(|_| RunToken(String::new())),
            system: Box::new(|_, _| String::new()),
            mcp: String::new(),
        };
        let Ok((connection, welcome)) = HostConnection::open(self.hub.clone(), caller, hello, means).await else {
            return self.count("host refused");
        };
        let ToHost::Welcome { slots, .. } = welcome else { return };
        self.count(if fresh { "host came, fresh" } else { "host came" });
        let mut host = Host { stage: self, connection, number: 0, runs: BTreeMap::new() };
        for slot in slots {
            if host.says(FromHost::Parked { slot }).await.is_none() {
                return;
            }
        }
        while host.goes_on().await.is_some() {}
    }
}

impl Host {
    /// Says it until it is kept; none where the connection ends by it.
    async fn says(&mut self, message: FromHost) -> Option<bool> {
        self.number += 1;
        match self.connection.hears(Numbered { number: self.number, message }).await.ok()? {
            ToHost::Kept { waits, .. } => Some(waits),
            _ => None,
        }
    }

    async fn goes_on(&mut self) -> Option<()> {
        let due = self.runs.keys().next().copied();
        let wake = tokio::select! {
            biased;
            wake = self.connection.wakes() => Some(wake),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => None,
        };
        let Some(wake) = wake else {
            for offer in self.runs.remove(&due?)? {
                self.ends(offer).await?;
            }
            return Some(());
        };
        for told in self.connection.acts(wake).await.ok()? {
            match told {
                ToHost::Offer(offer) => {
                    let (task, epoch) = (offer.task.clone(), offer.epoch);
                    self.stage.note(|ledger| ledger.receives_on_call(&task, epoch));
                    self.judges_offer(&offer).await;
                    self.runs.entry(Instant::now() + WORKS).or_default().push(*offer);
                }
                // What a run has to be ended for, ends by itself in a moment.
                _ => self.stage.count("host told"),
            }
        }
        Some(())
    }

    /// A slot has one run: none that the hub holds to be there when it is offered the next.
    async fn judges_offer(&self, offer: &Offer) {
        for earlier in self.runs.values().flatten().filter(|earlier| earlier.slot == offer.slot) {
            let Ok(Some(task)) = self.stage.hub.task(&earlier.task).await else { continue };
            if task.live_run().is_some_and(|live| live.id == earlier.run) {
                let (slot, one, two) = (&offer.slot, &earlier.run, &offer.run);
                self.stage.note(|ledger| ledger.find(format!("A1: `{slot}` was given {two} beside {one}")));
            }
        }
    }

    /// What the hub said that it keeps is in the run.
    async fn judges_end(&self, ended: &Ended, of: &TaskId) {
        let Ok(Some(task)) = self.stage.hub.task(of).await else { return };
        let known = task.run(&ended.run).filter(|run| run.process == ended.process);
        if known.is_some_and(|run| !run.knows_exit_of(ended.process)) {
            let run = &ended.run;
            self.stage.note(|ledger| ledger.find(format!("J2: the end of {run} was kept, and it does not know it")));
        }
    }

    /// A process ends, and its slot is free.
    async fn ends(&mut self, offer: Offer) -> Option<()> {
        let Offer { slot, agent, run, task, epoch, .. } = offer;
        let draw = run.as_str().bytes().fold(epoch.0, |sum, byte| sum * 31 % 9_973 + u64::from(byte)) % 8;
        if draw != 0 {
            let command = TaskCommand::Acknowledge { agent: agent.clone(), epoch: Some(epoch) };
            self.stage.order(Voice::Operator, &task, command).await;
        }
        let reason = match draw {
            0 => RunEnd::Crashed,
            1 => RunEnd::NoReport,
            2 => RunEnd::Limited,
            3 => RunEnd::Killed,
            _ => RunEnd::Reported,
        };
        if reason == RunEnd::Reported {
            let (kind, message) = (ReportKind::Completed, KeptText::inline("done on call"));
            let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
            let command = TaskCommand::Report { agent, epoch: Some(epoch), report };
            self.stage.order(Voice::Operator, &task, command).await;
        }
        self.stage.count(format!("host ended {}", reason.as_str()));
        let limited = (reason == RunEnd::Limited).then(|| {
            let until = Some(self.stage.now() + Duration::from_secs(60));
            Limited { until, account: None }
        });
        let usage = Some(Usage { input_tokens: Some(100), ..Usage::default() });
        let ended = Ended { run, process: 1, reason, exit: Some(0), tail: None, usage, limited };
        self.says(FromHost::Ended(ended.clone())).await?;
        self.judges_end(&ended, &task).await;
        self.says(FromHost::Parked { slot }).await.map(drop)
    }
}
