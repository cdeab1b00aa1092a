//! Plays a script: life after life of the hub, each on a runtime of its own, so that a kill ends everything at once.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use callboard::actors::journal::JournalReads;
use callboard::actors::{Backstage, BackstageArgs};
use callboard::clock::Clock;
use callboard::domain::task::{Authority, TaskCommand};
use callboard::domain::time::Timestamp;
use callboard::ids::Ids;
use callboard::journal::memory::{self, MemoryFaults, MemoryReader};
use callboard::settings::Settings;
use tokio::task::{LocalSet, spawn_local};

use crate::errors::{Heard, hearing};
use crate::ledger::Ledger;
use crate::schedule::{CAST, Deed, Gap, Step};
use crate::stage::{Stage, Voice};
use crate::store::{Cutter, Disk, cutting};
use crate::traps::Trap;

/// What a schedule came to.
pub(crate) struct Outcome {
    pub(crate) findings: Vec<String>,
    pub(crate) trace: Vec<String>,
    pub(crate) steps: usize,
    pub(crate) lives: usize,
    pub(crate) tasks: usize,
    pub(crate) records: u64,
}

/// One life of the hub.
pub(crate) struct Life {
    pub(crate) stage: Stage,
    pub(crate) reader: MemoryReader,
    backstage: Backstage,
    faults: MemoryFaults,
    cutter: Cutter,
    heard: Heard,
}

/// What goes on from life to life.
struct World {
    ids: Ids,
    wall: Timestamp,
    disk: Disk,
    ledger: Rc<RefCell<Ledger>>,
    trap: Option<Trap>,
    heard: Heard,
    lives: usize,
}

enum Ending {
    Dead(Disk),
    Over(u64),
}

/// Plays a script to its end, and judges it.
pub(crate) fn play(seed: u64, script: &[Step], trap: Option<Trap>) -> Outcome {
    hearing(|heard| {
        let mut world = World {
            ids: Ids::seeded(seed),
            wall: Timestamp(1_800_000_000_000),
            disk: memory::open(),
            ledger: Rc::new(RefCell::new(Ledger::new())),
            trap,
            heard: heard.clone(),
            lives: 0,
        };
        let mut steps: VecDeque<Step> = script.iter().copied().collect();
        let records = loop {
            match world.lives_once(&mut steps) {
                Ending::Dead(disk) => world.disk = disk,
                Ending::Over(records) => break records,
            }
        };
        let mut ledger = world.ledger.borrow_mut();
        Outcome {
            findings: std::mem::take(&mut ledger.findings),
            trace: std::mem::take(&mut ledger.trace),
            steps: script.len(),
            lives: world.lives,
            tasks: ledger.tasks.len(),
            records,
        }
    })
}

impl World {
    fn lives_once(&mut self, steps: &mut VecDeque<Step>) -> Ending {
        self.lives += 1;
        let disk = std::mem::replace(&mut self.disk, memory::open());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (ending, now) = LocalSet::new().block_on(&runtime, async {
            let mut life = self.begins(disk).await;
            let ending = life.goes_on(steps).await;
            (ending, life.stage.now())
        });
        // Between two lives some time passes.
        self.wall = now + Duration::from_secs(2);
        let mut ledger = self.ledger.borrow_mut();
        ledger.hang_all_up();
        ledger.faulty = false;
        ledger.disturb(self.wall, Duration::ZERO);
        ledger.trace.push("-- the hub is gone".to_owned());
        ending
    }

    async fn begins(&self, disk: Disk) -> Life {
        let faults = disk.0.faults();
        let reader = disk.1.clone();
        let (store, cutter) = cutting(disk, self.trap);
        let args = BackstageArgs {
            store,
            reads: JournalReads::new(reader.clone()),
            search: None,
            settings: Settings::defaults(),
            clock: Clock::starting_at(self.wall),
            ids: self.ids.clone(),
        };
        let backstage = Backstage::start(args).await.unwrap();
        let stage = Stage {
            hub: backstage.hub.clone(),
            ledger: Rc::clone(&self.ledger),
            pulse: cutter.pulse(),
            trap: self.trap,
        };
        Life { stage, reader, backstage, faults, cutter, heard: self.heard.clone() }
    }
}

impl Life {
    async fn goes_on(&mut self, steps: &mut VecDeque<Step>) -> Ending {
        while let Some(step) = steps.pop_front() {
            let (now, words) = (self.stage.now(), format!("{:?}, then {:?}", step.deed, step.gap));
            if std::env::var_os("SIM_LOUD").is_some() {
                println!("{now} {words}");
            }
            self.stage.ledger.borrow_mut().trace.push(format!("{now} {words}"));
            match step.deed {
                Deed::Kill => return Ending::Dead(self.reader.reopened()),
                Deed::End => {
                    self.ends().await;
                    return Ending::Dead(self.cutter.left().unwrap_or_else(|| self.reader.reopened()));
                }
                deed => self.does(deed).await,
            }
            self.waits(step.gap).await;
            if let Some(disk) = self.cutter.left() {
                return Ending::Dead(disk);
            }
            self.judge_errors();
        }
        self.cutter.spare();
        self.faults.mend();
        {
            let mut ledger = self.stage.ledger.borrow_mut();
            if ledger.faulty {
                ledger.disturb(self.stage.now(), Duration::from_secs(5));
            }
            ledger.faulty = false;
        }
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
            self.judge_rest();
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
            for (agent, (name, _)) in CAST.iter().enumerate() {
                let ended = ledger.players[agent].wait.as_ref().is_none_or(tokio::task::AbortHandle::is_finished);
                if ledger.players[agent].parked.is_some() && !ended && !shaken {
                    ledger.find(format!("the hub ended, and the wait of {name} did not"));
                }
            }
        });
    }

    async fn does(&mut self, deed: Deed) {
        let stage = self.stage.clone();
        match deed {
            Deed::Register { agent } => self.calls(agent, stage.register(agent)),
            Deed::Wait { agent, seconds } => {
                let waiting = spawn_local(async move { drop(stage.wait(agent, seconds).await) }).abort_handle();
                let mut ledger = self.stage.ledger.borrow_mut();
                ledger.players[agent].calls.push(waiting.clone());
                ledger.players[agent].wait = Some(waiting);
            }
            Deed::HangUp { agent } => self.hangs_up(agent),
            Deed::NotWritten { agent } => self.calls(agent, stage.not_written(agent)),
            Deed::Collect { agent } => self.calls(agent, stage.collect(agent)),
            Deed::Post { agent } => drop(spawn_local(stage.post(agent))),
            Deed::Evict { agent } => drop(spawn_local(stage.evict(agent))),
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
            Deed::Delegate { agent, target } => self.calls(agent, stage.delegate(agent, target)),
            Deed::Assign { target, keyed, after } => drop(spawn_local(stage.assign(target, keyed, after))),
            Deed::AssignAgain { pick } => drop(spawn_local(stage.assign_again(pick))),
            Deed::Reassign { pick, target } => {
                if let Some(task) = stage.some_task(pick) {
                    drop(spawn_local(stage.reassign(task, target)));
                }
            }
            Deed::Cancel { pick } => {
                self.orders(pick, TaskCommand::Cancel { authority: Authority::Operator, reason: None });
            }
            Deed::Answer { pick } => self.orders(pick, stage.an_answer()),
            Deed::Retry { pick } => self.orders(pick, TaskCommand::Retry),
            Deed::Requeue { pick } => self.orders(pick, TaskCommand::Requeue),
            Deed::Approve { pick } => self.orders(pick, self.stage.approval(pick % 2 == 0)),
            Deed::Restart { pick } => self.restarts(pick).await,
            Deed::Cut { writes, kept } => self.cutter.cut_after(writes, kept),
            Deed::FailNext => self.breaks(|faults| faults.fail_next("a bad block")),
            Deed::Fill => self.breaks(MemoryFaults::fill),
            Deed::Mend => {
                self.faults.mend();
                let mut ledger = self.stage.ledger.borrow_mut();
                if ledger.faulty {
                    ledger.faulty = false;
                    ledger.disturb(self.stage.now(), Duration::from_secs(5));
                }
            }
            Deed::Kill | Deed::End => {}
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

    fn in_hand(
        &self,
        agent: usize,
        pick: usize,
    ) -> Option<(callboard::domain::ids::TaskId, callboard::domain::ids::LeaseEpoch)> {
        let ledger = self.stage.ledger.borrow();
        let hands = &ledger.players[agent].hands;
        hands.get(pick.checked_rem(hands.len())?).cloned()
    }

    /// Its connection is gone: the wait's future is dropped, wherever it stands.
    fn hangs_up(&self, agent: usize) {
        let mut ledger = self.stage.ledger.borrow_mut();
        let player = &mut ledger.players[agent];
        player.shown.clear();
        let (parked, wait) = (player.parked.take(), player.wait.take());
        if self.stage.trap == Some(Trap::SwallowsHangUps) {
            player.ghosts.extend(parked);
        } else if let Some(wait) = wait {
            wait.abort();
        }
    }

    /// The agent's process is gone, and all that it knew.
    fn crashes(&self, agent: usize) {
        let mut ledger = self.stage.ledger.borrow_mut();
        let player = &mut ledger.players[agent];
        player.parked = None;
        player.wait = None;
        player.hands.clear();
        player.shown.clear();
        player.last_said = None;
        player.last_offer = None;
        for call in player.calls.drain(..) {
            call.abort();
        }
    }

    async fn restarts(&self, pick: usize) {
        let mut names: Vec<String> = vec!["dispatcher".to_owned(), "alarm".to_owned()];
        names.extend(CAST.iter().map(|(name, _)| format!("agent:{name}")));
        names.extend(self.stage.ledger.borrow().tasks.iter().rev().take(4).map(|task| format!("task:{task}")));
        let name = &names[pick % names.len()];
        // Its pause grows with each time, up to ten seconds.
        self.stage.ledger.borrow_mut().disturb(self.stage.now(), Duration::from_secs(15));
        let _ = self.stage.hub.supervisor.restart(name).await;
        self.stage.ledger.borrow_mut().trace.push(format!("    {name} is killed"));
    }

    fn breaks(&self, how: impl FnOnce(&MemoryFaults)) {
        how(&self.faults);
        let mut ledger = self.stage.ledger.borrow_mut();
        ledger.faulty = true;
        ledger.disturb(self.stage.now(), Duration::from_secs(5));
    }

    fn judge_errors(&self) {
        for line in self.heard.take() {
            self.stage.note(|ledger| ledger.find(format!("logged: {line}")));
        }
    }

    /// What an operator does about a task that waits for somebody.
    pub(crate) async fn helps(&self, task: callboard::domain::ids::TaskId, command: TaskCommand) {
        self.stage.order(Voice::Operator, &task, command).await;
    }
}
