//! What an agent's client does: registers, waits, acknowledges, reports, hangs up.

use std::collections::BTreeSet;
use std::time::Duration;

use callboard::actors::agent::{AgentError, AgentRef, RegisterRequest, WaitEnd, WaitRequest};
use callboard::domain::agent::{AgentRefusal, Claim};
use callboard::domain::ids::{AgentId, LeaseEpoch, RoleId, TaskId};
use callboard::domain::review::Submission;
use callboard::domain::task::{KeptText, Report, ReportKind, RightsSet, TaskCommand};

use crate::ledger::Said;
use crate::schedule::{CAST, Speech};
use crate::stage::{Ordered, Stage, Voice};
use crate::traps::Trap;

pub(crate) fn agent_id(agent: usize) -> AgentId {
    AgentId::parse(CAST[agent].0).unwrap()
}

impl Stage {
    pub(crate) async fn agent_line(&self, agent: usize) -> Option<AgentRef> {
        match self.hub.dispatcher.hire(&agent_id(agent)).await {
            Ok(line) => line.map(|line| line.agent),
            Err(fault) => {
                self.faulted("a call", &fault);
                None
            }
        }
    }

    pub(crate) async fn register(self, agent: usize) {
        let Some(line) = self.agent_line(agent).await else { return };
        let claim = Claim {
            role: RoleId::parse(CAST[agent].1).unwrap(),
            display_name: CAST[agent].0.to_owned(),
            capabilities: BTreeSet::new(),
            can_delegate_to: RightsSet::All,
            reports_to: BTreeSet::new(),
            workspace: None,
            client: None,
            instance: None,
            new_session: self.hub.ids.session(),
        };
        let request = RegisterRequest { claim, by: Voice::Agent(agent).by(), request: None, key: None };
        if let Err(error) = line.register(request).await {
            self.refused("a registration", &error);
        }
    }

    /// A call begins: what was heard before it is settled by it.
    pub(crate) async fn begin_call(&self, agent: usize, line: &AgentRef) -> bool {
        let (shown, disturbances) = {
            let ledger = self.ledger.borrow();
            (ledger.players[agent].shown.clone(), ledger.disturbances)
        };
        let skipped = self.trap == Some(Trap::SkipsTheHeartbeat) && !shown.is_empty();
        if !skipped && let Err(error) = line.called(None).await {
            self.refused("a call", &error);
            return false;
        }
        self.note(|ledger| {
            let tick = ledger.tick();
            if !ledger.faulty && ledger.disturbances == disturbances {
                let player = &mut ledger.players[agent];
                for id in shown.iter().filter(|id| player.shown.remove(*id)) {
                    player.settled.insert(id.clone(), tick);
                }
            }
        });
        !self.pulse.is_dead()
    }

    pub(crate) async fn wait(self, agent: usize, seconds: u64) -> Option<WaitEnd> {
        let line = self.agent_line(agent).await?;
        if !self.begin_call(agent, &line).await {
            return None;
        }
        let id = self.hub.next_wait();
        let until = self.now() + Duration::from_secs(seconds);
        let began = self.note(|ledger| {
            ledger.players[agent].parked = Some(id.0);
            ledger.tick()
        })?;
        if self.trap == Some(Trap::NeverWaits) && id.0.is_multiple_of(4) {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            return None;
        }
        let end = line.wait(WaitRequest { id, instance: None, until }).await;
        self.note(|ledger| {
            let player = &mut ledger.players[agent];
            if player.parked == Some(id.0) {
                player.parked = None;
            }
            if player.ghosts.remove(&id.0) {
                return None;
            }
            match &end {
                Ok(WaitEnd::Task(offered)) => {
                    ledger.receives(agent, &offered.spec.id, offered.epoch);
                    if self.trap == Some(Trap::DoublesADelivery) && offered.epoch.0 > 1 {
                        ledger.receives((agent + 1) % CAST.len(), &offered.spec.id, offered.epoch);
                    }
                }
                Ok(WaitEnd::Notices(notices)) => ledger.hears(agent, began, notices),
                Ok(
                    WaitEnd::Idle
                    | WaitEnd::Evicted(_)
                    | WaitEnd::Superseded
                    | WaitEnd::AtCapacity(_)
                    | WaitEnd::Draining,
                )
                | Err(_) => {}
            }
            let name = CAST[agent].0;
            let words = match &end {
                Ok(WaitEnd::Task(offered)) => format!("TASK {} epoch {}", offered.spec.id, offered.epoch),
                Ok(WaitEnd::Notices(notices)) => format!("{} notices", notices.len()),
                Ok(WaitEnd::AtCapacity(held)) => format!("at capacity with {}", held.len()),
                other => format!("{other:?}"),
            };
            ledger.trace.push(format!("    {name} wait {} ends: {words}", id.0));
            Some(())
        })??;
        end.inspect_err(|error| self.refused("a wait", error)).ok()
    }

    pub(crate) async fn collect(self, agent: usize) {
        let Some(line) = self.agent_line(agent).await else { return };
        if !self.begin_call(agent, &line).await {
            return;
        }
        let Some(began) = self.note(|ledger| ledger.tick()) else { return };
        let notices = line.collect().await;
        self.note(|ledger| ledger.hears(agent, began, &notices));
    }

    /// The door could not write out the end of the last wait.
    pub(crate) async fn not_written(self, agent: usize) {
        let Some(line) = self.agent_line(agent).await else { return };
        let offer = self.note(|ledger| {
            let player = &mut ledger.players[agent];
            player.shown.clear();
            player.last_offer.take()
        });
        line.undelivered(offer.flatten());
    }

    pub(crate) async fn acknowledge(self, agent: usize, task: TaskId, epoch: LeaseEpoch) {
        let Some(line) = self.agent_line(agent).await else { return };
        if !self.begin_call(agent, &line).await {
            return;
        }
        let command = TaskCommand::Acknowledge { agent: agent_id(agent), epoch: Some(epoch) };
        if let Some(Ordered::Refused(_)) = self.order(Voice::Agent(agent), &task, command).await {
            self.drops(agent, &task);
        }
    }

    /// Says something new.
    pub(crate) async fn say(self, agent: usize, task: TaskId, epoch: Option<LeaseEpoch>, speech: Speech) {
        let said = self.note(|ledger| {
            let text = format!("r{}", ledger.tick());
            ledger.said.push(Said { agent, task, epoch, text, speech, recorded: false });
            let place = ledger.said.len() - 1;
            ledger.players[agent].last_said = Some(place);
            place
        });
        if let Some(said) = said {
            self.say_it(said).await;
        }
    }

    /// Says it, for the first time or again.
    pub(crate) async fn say_it(self, place: usize) {
        let Said { agent, task, epoch, text, speech, .. } = self.ledger.borrow().said[place].clone();
        let Some(line) = self.agent_line(agent).await else { return };
        if !self.begin_call(agent, &line).await {
            return;
        }
        let id = agent_id(agent);
        let epoch = if self.trap == Some(Trap::DropsTheEpoch) { None } else { epoch };
        let message = KeptText::inline(text.clone());
        let kind = match speech {
            Speech::Progress => ReportKind::Progress { phase: None, percent: Some(50) },
            Speech::Complete => ReportKind::Completed,
            Speech::Fail => ReportKind::Failed,
            Speech::Block => ReportKind::Blocked { reason: "which one?".to_owned() },
            Speech::Submit => {
                let submission = Submission { pr_id: Some("7".to_owned()), ..Submission::default() };
                let submit = TaskCommand::SubmitForReview {
                    agent: id,
                    epoch,
                    message,
                    diff: None,
                    artifacts: Vec::new(),
                    submission: Box::new(submission),
                };
                let outcome = self.order(Voice::Agent(agent), &task, submit).await;
                return self.heard_of(place, outcome);
            }
        };
        let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None };
        let outcome = self.order(Voice::Agent(agent), &task, TaskCommand::Report { agent: id, epoch, report }).await;
        self.heard_of(place, outcome);
    }

    fn heard_of(&self, place: usize, outcome: Option<Ordered>) {
        self.note(|ledger| {
            let said = &mut ledger.said[place];
            let (agent, task, over) = (said.agent, said.task.clone(), said.speech != Speech::Progress);
            let words = match outcome {
                Some(Ordered::Done(receipt)) => {
                    said.recorded = true;
                    format!("{} epoch {} changed {}", receipt.state, receipt.epoch, receipt.changed)
                }
                Some(Ordered::Refused(code)) => code.to_owned(),
                None => "no answer".to_owned(),
            };
            let line = format!("    {} says {} of {task}: {words}", CAST[agent].0, said.text);
            let recorded = said.recorded;
            ledger.trace.push(line);
            if over && recorded {
                ledger.players[agent].hands.retain(|(held, _)| *held != task);
            }
        });
    }

    fn drops(&self, agent: usize, task: &TaskId) {
        self.note(|ledger| ledger.players[agent].hands.retain(|(held, _)| held != task));
    }

    pub(crate) fn refused(&self, what: &str, error: &AgentError) {
        match error {
            AgentError::Fault(fault) => self.faulted(what, fault),
            AgentError::Refused(AgentRefusal::NotRegistered { .. }) => {}
            AgentError::Refused(_) | AgentError::Repeated(_) | AgentError::KeyReused => {
                let finding = format!("{what} was refused: {error}");
                self.note(|ledger| ledger.find(finding));
            }
        }
    }

    /// It works properly from now on, until it is told to go.
    pub(crate) async fn works(self, agent: usize) {
        self.clone().register(agent).await;
        loop {
            match self.clone().wait(agent, 45).await {
                Some(WaitEnd::Task(offered)) => {
                    let (task, epoch) = (offered.spec.id.clone(), offered.epoch);
                    self.clone().acknowledge(agent, task.clone(), epoch).await;
                    self.clone().say(agent, task, Some(epoch), Speech::Complete).await;
                }
                Some(WaitEnd::AtCapacity(held)) => {
                    for held in held {
                        self.clone().say(agent, held.id, Some(held.epoch), Speech::Complete).await;
                    }
                }
                Some(WaitEnd::Draining | WaitEnd::Superseded) => return,
                Some(WaitEnd::Notices(_) | WaitEnd::Idle) => {}
                Some(WaitEnd::Evicted(_)) | None => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    self.clone().register(agent).await;
                }
            }
        }
    }
}
