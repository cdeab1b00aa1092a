//! One life of the hub: step after step of the script, until it is killed, ends, or the script is over.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use callboard::actors::Backstage;
use callboard::domain::ids::{LeaseEpoch, TaskId};
use callboard::domain::task::{Authority, CommentKind, TaskCommand};
use callboard::domain::time::Timestamp;
use callboard::journal::memory::{MemoryFaults, MemoryReader};
use tokio::task::spawn_local;

use crate::chronicle::Chronicle;
use crate::errors::LoggedErrors;
use crate::people::prioritised;
use crate::script::{CAST, Deed, Gap, Step};
use crate::stage::{Stage, Voice};
use crate::store::{Cutter, Disk};
use crate::traps::Trap;

/// One life of the hub.
pub(crate) struct Life {
    pub(crate) stage: Stage,
    pub(crate) reader: MemoryReader,
    pub(crate) backstage: Backstage,
    pub(crate) faults: MemoryFaults,
    pub(crate) cutter: Cutter,
    pub(crate) heard: LoggedErrors,
    pub(crate) chronicle: Rc<RefCell<Chronicle>>,
    /// How often everything came to rest.
    pub(crate) rests: usize,
}

pub(crate) enum Ending {
    Dead(Disk),
    Over(u64),
}

impl Life {
    pub(crate) async fn goes_on(&mut self, steps: &mut VecDeque<Step>) -> Ending {
        while let Some(step) = steps.pop_front() {
            let (now, words) = (self.stage.now(), format!("{:?}, then {:?}", step.deed, step.gap));
            if std::env::var_os("SIM_LOUD").is_some() {
                println!("{now} {words}");
            }
            {
                let mut ledger = self.stage.ledger.borrow_mut();
                ledger.trace.push(format!("{now} {words}"));
                ledger.coverage.count(format!("step {}", step.deed.name()));
            }
            match step.deed {
                Deed::Kill => return Ending::Dead(self.reader.reopened()),
                Deed::End => {
                    self.ends().await;
                    return Ending::Dead(self.cutter.left().unwrap_or_else(|| self.reader.reopened()));
                }
                deed => self.does(deed).await,
            }
            self.waits(step.gap).await;
            if self.cutter.together() > 1 {
                self.stage.ledger.borrow_mut().coverage.count("written together");
            }
            if let Some(disk) = self.cutter.left() {
                let words = if self.cutter.kept() { "the last write kept" } else { "the last write lost" };
                let mut ledger = self.stage.ledger.borrow_mut();
                ledger.coverage.count(format!("cut, {words}"));
                if self.cutter.fell() > 1 {
                    ledger.coverage.count(format!("cut, {words}, of several"));
                }
                return Ending::Dead(disk);
            }
            self.judge_errors();
        }
        self.cutter.spare();
        self.mends();
        if let Some(disk) = self.cutter.left() {
            return Ending::Dead(disk);
        }
        let records = self.comes_to_an_end().await;
        self.judge_errors();
        Ending::Over(records)
    }

    async fn waits(&mut self, gap: Gap) {
        match gap {
            Gap::None => {}
            Gap::Turns(turns) => {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            }
            Gap::Quiet => self.rests().await,
            Gap::Seconds(seconds) => {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                self.rests().await;
            }
        }
    }

    /// On stopped time a moment passes only when nobody has anything left to do.
    pub(crate) async fn rests(&mut self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
        if !self.stage.pulse.is_dead() {
            self.judge_rest().await;
        }
    }

    /// The gentle end: every open wait ends, nothing that was accepted is lost.
    async fn ends(&mut self) {
        let shaken = self.stage.ledger.borrow().shaken_until != Timestamp::default();
        // Calls that come after the end are refused.
        self.stage.ledger.borrow_mut().shaken_until = self.stage.now() + Duration::from_secs(30);
        self.backstage.drain();
        let hub = self.stage.hub.clone();
        let _ = hub.supervisor.shutdown(Duration::from_secs(5)).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
        self.stage.note(|ledger| {
            for (agent, (name, ..)) in CAST.iter().enumerate() {
                let ended = ledger.players[agent].wait.as_ref().is_none_or(tokio::task::AbortHandle::is_finished);
                if ledger.players[agent].parked.is_some() && !ended && !shaken {
                    ledger.find(format!("the hub ended, and the wait of {name} did not"));
                }
            }
        });
    }

    async fn does(&mut self, deed: Deed) {
        match deed {
            Deed::Assign { .. }
            | Deed::AssignAgain { .. }
            | Deed::Cancel { .. }
            | Deed::Answer { .. }
            | Deed::Retry { .. }
            | Deed::Requeue { .. }
            | Deed::Approve { .. }
            | Deed::RequestChanges { .. }
            | Deed::Remark { .. }
            | Deed::Prioritise { .. }
            | Deed::Reassign { .. }
            | Deed::Watch { .. }
            | Deed::Post { .. }
            | Deed::PostAgain { .. }
            | Deed::Evict { .. } => self.somebody_does(deed),
            Deed::Host { same, fresh } => self.host_comes(same, fresh),
            Deed::HostLost => self.host_is_lost(),
            Deed::Restart { pick } => self.restarts(pick).await,
            Deed::StepClock { seconds } => self.stage.ledger.borrow_mut().clock_step += seconds * 1_000,
            Deed::Cut { writes, kept } => self.cutter.cut_after(writes, kept),
            Deed::FailNext => self.breaks(|faults| faults.fail_next("a bad block")),
            Deed::Fill => self.breaks(MemoryFaults::fill),
            Deed::Mend => self.mends(),
            Deed::Kill | Deed::End => {}
            _ => self.an_agent_does(deed),
        }
    }

    fn an_agent_does(&mut self, deed: Deed) {
        let stage = self.stage.clone();
        match deed {
            Deed::Register { agent } => self.calls(agent, async move {
                let _ = stage.register(agent).await;
            }),
            // Whoever takes over is another process: what the one before does, it goes on doing.
            Deed::TakeOver { agent } => drop(spawn_local(stage.take_over(agent))),
            Deed::Echo { agent } => drop(spawn_local(stage.echo(agent))),
            Deed::Wait { agent, seconds } => {
                let waiting = spawn_local(async move { drop(stage.wait(agent, seconds).await) }).abort_handle();
                let mut ledger = self.stage.ledger.borrow_mut();
                ledger.players[agent].calls.push(waiting.clone());
                ledger.players[agent].wait = Some(waiting);
            }
            Deed::HangUp { agent } => self.hangs_up(agent),
            Deed::NotWritten { agent } => self.calls(agent, async move { stage.not_written(agent) }),
            Deed::Collect { agent } => self.calls(agent, stage.collect(agent, None)),
            Deed::Linger { agent, seconds, lost } => self.calls(agent, stage.collect(agent, Some((seconds, lost)))),
            Deed::Crash { agent } => self.crashes(agent),
            Deed::Acknowledge { agent, pick } => {
                if let Some((task, epoch)) = self.in_hand(agent, pick) {
                    self.calls(agent, stage.acknowledge(agent, task, epoch));
                }
            }
            Deed::Say { agent, pick, speech } => {
                if let Some((task, epoch)) = self.in_hand(agent, pick) {
                    self.calls(agent, stage.say(agent, task, Some(epoch), speech));
                }
            }
            Deed::SayLate { agent, pick, speech } => {
                let ever = self.stage.ledger.borrow().players[agent].ever.clone();
                if let Some(n) = pick.checked_rem(ever.len()) {
                    let (task, epoch) = ever[n].clone();
                    self.calls(agent, stage.say(agent, task, Some(epoch), speech));
                }
            }
            Deed::SayAgain { agent } => {
                let last = self.stage.ledger.borrow().players[agent].last_said;
                if let Some(place) = last {
                    self.calls(agent, stage.say_it(place));
                }
            }
            Deed::Meddle { agent, pick, speech } => {
                if let Some(task) = stage.some_task(pick) {
                    self.calls(agent, stage.say(agent, task, None, speech));
                }
            }
            Deed::Delegate { agent, target } => self.calls(agent, stage.delegate(agent, target)),
            Deed::CallOff { agent, pick } => {
                let authority = Authority::Agent(crate::hub_setup::agent_id(agent));
                self.asks_as(agent, pick, TaskCommand::Cancel { authority, reason: None });
            }
            Deed::Reply { agent, pick } => {
                let authority = Authority::Agent(crate::hub_setup::agent_id(agent));
                let answer = stage.a_comment(CommentKind::Answer);
                self.asks_as(agent, pick, TaskCommand::Answer { authority, answer });
            }
            Deed::Flood { agent } => drop(spawn_local(stage.flood(agent))),
            _ => {}
        }
    }

    fn somebody_does(&self, deed: Deed) {
        let stage = self.stage.clone();
        match deed {
            Deed::Assign { target, keyed, after, urgency } => {
                drop(spawn_local(stage.assign(target, keyed, after, urgency)));
            }
            Deed::AssignAgain { pick } => drop(spawn_local(stage.assign_again(pick))),
            Deed::Post { agent } => drop(spawn_local(stage.post(agent))),
            Deed::PostAgain { pick } => drop(spawn_local(stage.post_again(pick))),
            Deed::Evict { agent, shutdown } => drop(spawn_local(stage.evict(agent, shutdown))),
            Deed::Cancel { pick } => {
                self.orders(pick, TaskCommand::Cancel { authority: Authority::Operator, reason: None });
            }
            Deed::Answer { pick } => self.orders(pick, stage.an_answer()),
            Deed::Retry { pick } => self.orders(pick, TaskCommand::Retry),
            Deed::Requeue { pick } => self.orders(pick, TaskCommand::Requeue),
            Deed::Approve { pick } => self.orders(pick, stage.approval(pick % 2 == 0)),
            Deed::RequestChanges { pick } => {
                let comments = vec![stage.a_comment(CommentKind::Review)];
                self.orders(pick, TaskCommand::RequestChanges { comments, round: None });
            }
            Deed::Remark { pick } => {
                let comment = stage.a_comment(CommentKind::Note);
                self.orders(pick, TaskCommand::Remark { comment, posted_to: None });
            }
            Deed::Prioritise { pick, urgency } => self.orders(pick, prioritised(urgency)),
            Deed::Reassign { pick, target } => {
                if let Some(task) = stage.some_task(pick) {
                    drop(spawn_local(stage.reassign(task, target)));
                }
            }
            Deed::Watch { pick } => {
                if let Some(task) = stage.some_task(pick) {
                    drop(spawn_local(stage.watch(task)));
                }
            }
            _ => {}
        }
    }

    fn calls(&self, agent: usize, call: impl Future<Output = ()> + 'static) {
        let call = spawn_local(call).abort_handle();
        self.stage.ledger.borrow_mut().players[agent].calls.push(call);
    }

    fn orders(&self, pick: usize, command: TaskCommand) {
        if let Some(task) = self.stage.some_task(pick) {
            let stage = self.stage.clone();
            drop(spawn_local(stage.operator(task, command)));
        }
    }

    fn asks_as(&self, agent: usize, pick: usize, command: TaskCommand) {
        if let Some(task) = self.stage.some_task(pick) {
            self.calls(agent, self.stage.clone().speaks_as_asker(agent, task, command));
        }
    }

    fn in_hand(&self, agent: usize, pick: usize) -> Option<(TaskId, LeaseEpoch)> {
        let ledger = self.stage.ledger.borrow();
        let hands = &ledger.players[agent].hands;
        hands.get(pick.checked_rem(hands.len())?).cloned()
    }

    /// Its connection is gone: the wait's future is dropped, wherever it stands.
    fn hangs_up(&self, agent: usize) {
        let mut ledger = self.stage.ledger.borrow_mut();
        let player = &mut ledger.players[agent];
        let (parked, wait) = (player.parked.take(), player.wait.take());
        if self.stage.trap == Some(Trap::SwallowsHangUps) {
            player.ghosts.extend(parked.map(|(number, _)| number));
        } else if let Some(wait) = wait {
            if let Some((number, _)) = parked {
                player.open.remove(&number);
            }
            wait.abort();
        }
    }

    /// The agent's process is gone, and all that it knew.
    fn crashes(&self, agent: usize) {
        let mut ledger = self.stage.ledger.borrow_mut();
        let player = &mut ledger.players[agent];
        player.parked = None;
        player.open.clear();
        player.wait = None;
        player.hands.clear();
        player.shown.clear();
        player.last_said = None;
        player.last_answer = None;
        player.instance += 1;
        player.registering = 0;
        for call in player.calls.drain(..) {
            call.abort();
        }
    }

    async fn restarts(&self, pick: usize) {
        let mut names: Vec<String> = vec!["dispatcher".to_owned(), "alarm".to_owned()];
        names.extend(CAST.iter().map(|(name, ..)| format!("agent:{name}")));
        names.extend(self.stage.ledger.borrow().tasks.iter().rev().take(4).map(|task| format!("task:{task}")));
        let name = &names[pick % names.len()];
        // Its pause grows with each time, up to ten seconds.
        self.stage.ledger.borrow_mut().disturb(self.stage.now(), Duration::from_secs(15));
        let _ = self.stage.hub.supervisor.restart(name).await;
        // An answer may have left just before, and comes yet.
        self.stage.ledger.borrow_mut().disturb(self.stage.now(), Duration::from_secs(15));
        self.stage.ledger.borrow_mut().trace.push(format!("    {name} is killed"));
    }

    fn breaks(&self, how: impl FnOnce(&MemoryFaults)) {
        how(&self.faults);
        let mut ledger = self.stage.ledger.borrow_mut();
        ledger.faulty = true;
        ledger.disturb(self.stage.now(), Duration::from_secs(5));
    }

    fn mends(&self) {
        self.faults.mend();
        let mut ledger = self.stage.ledger.borrow_mut();
        if ledger.faulty {
            ledger.faulty = false;
            ledger.disturb(self.stage.now(), Duration::from_secs(5));
        }
    }

    fn judge_errors(&self) {
        for line in self.heard.take() {
            self.stage.note(|ledger| ledger.find(format!("logged: {line}")));
        }
    }

    /// What an operator does about a task that waits for somebody.
    pub(crate) async fn helps(&self, task: TaskId, command: TaskCommand) {
        self.stage.order(Voice::Operator, &task, command).await;
    }
}
