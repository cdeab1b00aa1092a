//! What an agent's client does: registers, waits, acknowledges, reports, hangs up.

use std::collections::BTreeSet;
use std::time::Duration;

use callboard::actors::agent::{
    AgentError, AgentRef, AnswerGuard, Awaited, Called, RegisterRequest, WaitEnd, WaitRequest,
};
use callboard::domain::agent::{AgentRefusal, Claim};
use callboard::domain::ids::{LeaseEpoch, TaskId};
use callboard::domain::review::{Change, Submission};
use callboard::domain::task::{KeptText, Report, ReportKind, TaskCommand};

use crate::hub_setup::{agent_id, role};
use crate::ledger::SentReport;
use crate::script::{CAST, HubSetup, Speech};
use crate::stage::{Ordered, Stage, Voice};
use crate::traps::Trap;

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

    /// Which process of the agent speaks.
    pub(crate) fn instance(&self, agent: usize) -> Option<String> {
        let number = self.ledger.borrow().players[agent].instance;
        (self.house != HubSetup::Plain).then(|| format!("process-{number}"))
    }

    pub(crate) async fn register(self, agent: usize) -> bool {
        let Some(line) = self.agent_line(agent).await else { return false };
        let (process, instance) = (self.ledger.borrow().players[agent].instance, self.instance(agent));
        let claim = Claim {
            role: role(CAST[agent].1),
            display_name: CAST[agent].0.to_owned(),
            capabilities: self.house.capabilities(agent),
            can_delegate_to: self.house.rights(agent),
            reports_to: BTreeSet::new(),
            workspace: None,
            client: None,
            instance: instance.clone(),
            new_session: self.hub.ids.session(),
            sanitized: None,
        };
        let request = RegisterRequest { claim, by: Voice::Agent(agent).by(), request: None, key: None };
        self.note(|ledger| ledger.players[agent].registering += 1);
        let answered = line.register(request).await;
        self.note(|ledger| {
            let player = &mut ledger.players[agent];
            player.registering = player.registering.saturating_sub(1);
        });
        match answered {
            Ok(_) => self.note(|ledger| ledger.players[agent].registered = Some(process)).is_some(),
            Err(error) => {
                self.refused("a registration", agent, instance.as_deref(), &error);
                false
            }
        }
    }

    /// Another process of the same agent begins. The one before goes on, and does not know. Of two registrations that
    /// wait for an actor that is built anew, nobody promises which comes first: then it is not played.
    pub(crate) async fn take_over(self, agent: usize) {
        if self.ledger.borrow().players[agent].registering > 0 {
            return;
        }
        let before = self.note(|ledger| {
            let player = &mut ledger.players[agent];
            let before = player.instance;
            player.instance += 1;
            (before, player.registered == Some(before))
        });
        let Some((before, known)) = before else { return };
        if self.clone().register(agent).await && known {
            self.note(|ledger| ledger.players[agent].superseded = Some((before, ledger.disturbances)));
        }
    }

    /// The process that was superseded calls, and waits: it must hear that it was.
    pub(crate) async fn echo(self, agent: usize) {
        let disturbances = self.ledger.borrow().disturbances;
        let old = self.ledger.borrow().players[agent].superseded.filter(|(_, then)| *then == disturbances);
        let (Some((old, _)), Some(line)) = (old, self.agent_line(agent).await) else { return };
        let instance = Some(format!("process-{old}"));
        let called = line.called(instance.clone()).await.map(drop);
        let until = self.now() + Duration::from_secs(60);
        let request = WaitRequest {
            id: self.hub.next_call(),
            instance: instance.clone(),
            until,
            awaits: Awaited::Anything,
            nudges: false,
        };
        let waited = line.wait(request).await.map(drop);
        for (what, outcome) in [("a call", called), ("a wait", waited)] {
            match outcome {
                Err(AgentError::Refused(refusal @ AgentRefusal::Superseded { .. })) => self.says_no(refusal.code()),
                Err(error) => self.refused(what, agent, instance.as_deref(), &error),
                Ok(()) => drop(self.note(|ledger| {
                    // An actor that was built anew has forgotten who was superseded.
                    if ledger.disturbances == disturbances {
                        ledger.find(format!("A1: {what} of a superseded process of {} was let in", CAST[agent].0));
                    }
                })),
            }
        }
    }

    /// A call begins: what was heard before it is settled by it.
    pub(crate) async fn begin_call(&self, agent: usize, line: &AgentRef) -> Option<Called> {
        let (shown, disturbances) = {
            let ledger = self.ledger.borrow();
            (ledger.players[agent].shown.clone(), ledger.disturbances)
        };
        let instance = self.instance(agent);
        let skipped = self.trap == Some(Trap::SkipsTheHeartbeat) && !shown.is_empty();
        let called = if skipped {
            line.show().await.ok().map(silent)
        } else {
            match line.called(instance.clone()).await {
                Ok(called) => Some(called),
                Err(error) => {
                    self.refused("a call", agent, instance.as_deref(), &error);
                    None
                }
            }
        }?;
        self.note(|ledger| {
            let tick = ledger.tick();
            if !ledger.faulty && ledger.disturbances == disturbances {
                let player = &mut ledger.players[agent];
                for id in shown.iter().filter(|id| player.shown.remove(*id)) {
                    player.settled.insert(id.clone(), tick);
                }
            }
            called
        })
    }

    /// The same for what only an agent that is not sent away may do, as the doors hold it.
    pub(crate) async fn begin_work(&self, agent: usize, line: &AgentRef) -> bool {
        let Some(called) = self.begin_call(agent, line).await else { return false };
        if called.evicted.is_some() && self.house != HubSetup::Plain {
            self.says_no("EVICTED");
            return false;
        }
        true
    }

    pub(crate) async fn wait(self, agent: usize, seconds: u64) -> Option<WaitEnd> {
        let line = self.agent_line(agent).await?;
        self.begin_call(agent, &line).await?;
        let id = self.hub.next_call();
        let until = self.now() + Duration::from_secs(seconds);
        let began = self.note(|ledger| {
            ledger.players[agent].parked = Some((id.0, until));
            ledger.players[agent].open.insert(id.0);
            ledger.tick()
        })?;
        if self.trap == Some(Trap::NeverWaits) && id.0.is_multiple_of(4) {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            return None;
        }
        let instance = self.instance(agent);
        let waited = line
            .wait(WaitRequest { id, instance: instance.clone(), until, awaits: Awaited::Anything, nudges: false })
            .await;
        let (end, guard) = match waited {
            Ok((end, guard)) => (Ok(end), Some(guard)),
            Err(error) => (Err(error), None),
        };
        guard.iter().for_each(AnswerGuard::leaves);
        let now = self.now();
        self.note(|ledger| {
            let player = &mut ledger.players[agent];
            player.open.remove(&id.0);
            if player.parked.is_some_and(|(newest, _)| newest == id.0) {
                player.parked = None;
            }
            if player.ghosts.remove(&id.0) {
                return None;
            }
            match &end {
                Ok(WaitEnd::Task(offered)) => {
                    ledger.receives(agent, &offered.spec.id, offered.epoch);
                    ledger.players[agent].last_answer = guard.map(|guard| (guard, Vec::new()));
                    let comments = offered.comments.iter().map(|comment| comment.id.clone()).collect();
                    ledger.read.insert((offered.spec.id.clone(), offered.epoch), comments);
                    if self.trap == Some(Trap::DoublesADelivery) && offered.epoch.0 > 1 {
                        ledger.receives((agent + 1) % CAST.len(), &offered.spec.id, offered.epoch);
                    }
                }
                Ok(WaitEnd::Notices(notices)) => {
                    if let Some(guard) = guard {
                        ledger.hears(agent, guard, began, notices);
                    }
                }
                Ok(WaitEnd::Idle) if now < until => {
                    ledger.find(format!("a wait of {} ended before its time", CAST[agent].0));
                }
                Ok(
                    WaitEnd::Idle
                    | WaitEnd::Evicted(_)
                    | WaitEnd::Superseded
                    | WaitEnd::AtCapacity(_)
                    | WaitEnd::Draining,
                )
                | Err(_) => {}
            }
            ledger.saw_a_wait_end(agent, id, &end);
            Some(())
        })??;
        end.inspect_err(|error| self.refused("a wait", agent, instance.as_deref(), error)).ok()
    }

    pub(crate) async fn acknowledge(self, agent: usize, task: TaskId, epoch: LeaseEpoch) {
        let Some(line) = self.agent_line(agent).await else { return };
        if !self.begin_work(agent, &line).await {
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
            ledger.said.push(SentReport { agent, task, epoch, text, speech, recorded: false });
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
        let SentReport { agent, task, epoch, text, speech, .. } = self.ledger.borrow().said[place].clone();
        let Some(line) = self.agent_line(agent).await else { return };
        if !self.begin_work(agent, &line).await {
            return;
        }
        let id = agent_id(agent);
        let epoch = if self.trap == Some(Trap::DropsTheEpoch) { None } else { epoch };
        let message = KeptText::inline(text.clone());
        let kind = match speech {
            Speech::Progress => ReportKind::Progress { phase: None, percent: Some(50) },
            Speech::Complete => ReportKind::Completed,
            Speech::Fail => ReportKind::Failed,
            Speech::Block => ReportKind::Blocked { reason: "which one?".to_owned(), question: None },
            Speech::Submit => {
                let change = Change { pr_id: Some("7".to_owned()), ..Change::default() };
                let submission = Submission { change, ..Submission::default() };
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
        let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
        let outcome = self.order(Voice::Agent(agent), &task, TaskCommand::Report { agent: id, epoch, report }).await;
        self.heard_of(place, outcome);
    }

    fn heard_of(&self, place: usize, outcome: Option<Ordered>) {
        self.note(|ledger| {
            let said = &mut ledger.said[place];
            let (agent, task, over) = (said.agent, said.task.clone(), said.speech != Speech::Progress);
            let mut again = false;
            let words = match outcome {
                Some(Ordered::Done(receipt)) => {
                    again = said.recorded && !receipt.changed;
                    said.recorded = true;
                    format!("{} epoch {} changed {}", receipt.state, receipt.epoch, receipt.changed)
                }
                Some(Ordered::Refused(code)) => code.to_owned(),
                None => "no answer".to_owned(),
            };
            let line = format!("    {} says {} of {task}: {words}", CAST[agent].0, said.text);
            let recorded = said.recorded;
            ledger.trace.push(line);
            if again {
                ledger.coverage.count("repeated report");
            }
            if over && recorded {
                ledger.players[agent].hands.retain(|(held, _)| *held != task);
            }
        });
    }

    fn drops(&self, agent: usize, task: &TaskId) {
        self.note(|ledger| ledger.players[agent].hands.retain(|(held, _)| held != task));
    }

    /// What `what` of the process `instance` of an agent was refused with.
    pub(crate) fn refused(&self, what: &str, agent: usize, instance: Option<&str>, error: &AgentError) {
        let name = CAST[agent].0;
        match error {
            AgentError::Fault(fault) => self.faulted(&format!("{what} of {name}"), fault),
            AgentError::Refused(refusal @ AgentRefusal::NotRegistered { .. }) => {
                self.says_no(refusal.code());
                let known = self.ledger.borrow().players[agent].registered.is_some();
                if known {
                    self.note(|ledger| ledger.find(format!("I1: {name} registered, and hears that it did not")));
                }
            }
            // Another process took over while the call waited for an actor that was being rebuilt.
            AgentError::Refused(refusal @ AgentRefusal::Superseded { .. })
                if self.instance(agent).as_deref() != instance =>
            {
                self.says_no(refusal.code());
            }
            AgentError::Refused(_) | AgentError::Repeated(_) | AgentError::KeyReused => {
                let finding = format!("{what} of {name} was refused: {error}");
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

/// What a call would have been told that was never made.
fn silent(standing: callboard::actors::agent::AgentStanding) -> Called {
    let (registration, evicted) = (standing.agent.registration, standing.agent.eviction);
    Called { registration, held: standing.held, evicted, wait_limit: None }
}
