//! Plays a script: life after life of the hub, each on a runtime of its own, so that a kill ends everything at once.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use callboard::actors::journal::JournalReads;
use callboard::actors::{Backstage, BackstageArgs};
use callboard::clock::Clock;
use callboard::domain::time::Timestamp;
use callboard::ids::Ids;
use callboard::journal::Reader as _;
use callboard::journal::memory;
use tokio::task::LocalSet;

use crate::chronicle::Chronicle;
use crate::coverage::Coverage;
use crate::errors::{LoggedErrors, hearing};
use crate::ledger::Ledger;
use crate::life::{Ending, Life};
use crate::script::{HubSetup, Script, Step};
use crate::stage::Stage;
use crate::store::{Disk, cutting};
use crate::traps::{Trap, sprung};

/// What a schedule came to.
pub(crate) struct Outcome {
    pub(crate) findings: Vec<String>,
    pub(crate) trace: Vec<String>,
    pub(crate) coverage: Coverage,
    pub(crate) steps: usize,
    pub(crate) lives: usize,
    pub(crate) tasks: usize,
    pub(crate) records: u64,
}

/// What goes on from life to life.
struct World {
    ids: Ids,
    house: HubSetup,
    wall: Timestamp,
    disk: Disk,
    ledger: Rc<RefCell<Ledger>>,
    chronicle: Rc<RefCell<Chronicle>>,
    trap: Option<Trap>,
    heard: LoggedErrors,
    lives: usize,
}

/// Plays a script to its end, and judges it.
pub(crate) fn play(script: &Script, trap: Option<Trap>) -> Outcome {
    sprung(trap, || hearing(|heard| World::of(script, trap, heard).plays(script)))
}

impl World {
    fn of(script: &Script, trap: Option<Trap>, heard: &LoggedErrors) -> Self {
        Self {
            ids: Ids::seeded(script.ids),
            house: script.house,
            wall: Timestamp(1_800_000_000_000),
            disk: memory::open(),
            ledger: Rc::new(RefCell::new(Ledger::new())),
            chronicle: Rc::new(RefCell::new(Chronicle::new(script.house))),
            trap,
            heard: heard.clone(),
            lives: 0,
        }
    }

    fn plays(mut self, script: &Script) -> Outcome {
        let mut steps: VecDeque<Step> = script.steps.iter().copied().collect();
        let records = loop {
            match self.lives_once(&mut steps) {
                Ending::Dead(disk) => self.disk = disk,
                Ending::Over(records) => break records,
            }
        };
        let mut ledger = self.ledger.borrow_mut();
        let mut coverage = std::mem::take(&mut ledger.coverage);
        coverage.add(&self.chronicle.borrow().coverage);
        Outcome {
            findings: std::mem::take(&mut ledger.findings),
            trace: std::mem::take(&mut ledger.trace),
            coverage,
            steps: script.steps.len(),
            lives: self.lives,
            tasks: ledger.tasks.len(),
            records,
        }
    }

    fn lives_once(&mut self, steps: &mut VecDeque<Step>) -> Ending {
        self.lives += 1;
        let disk = std::mem::replace(&mut self.disk, memory::open());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (ending, now) = LocalSet::new().block_on(&runtime, async {
            let mut life = self.begins(disk).await;
            let ending = life.goes_on(steps).await;
            (ending, life.stage.now())
        });
        let mut ledger = self.ledger.borrow_mut();
        let step = std::mem::take(&mut ledger.clock_step);
        // Between two lives some time passes, and the wall clock may be set.
        self.wall = Timestamp((now + Duration::from_secs(2)).0.saturating_add_signed(step));
        match step {
            ..0 => ledger.coverage.count("began before the last record"),
            3_600_001.. => ledger.coverage.count("began long after the last record"),
            _ => {}
        }
        ledger.ends_a_life();
        ending
    }

    async fn begins(&self, disk: Disk) -> Life {
        let faults = disk.0.faults();
        let reader = disk.1.clone();
        {
            let (mut ledger, position) = (self.ledger.borrow_mut(), reader.position().unwrap());
            if ledger.events > position {
                let seen = ledger.events;
                ledger.find(format!("J2: event {seen} was seen, and the journal ends at {position}"));
            }
            self.chronicle.borrow_mut().opens(position);
        }
        let (store, cutter) = cutting(disk, self.trap);
        let args = BackstageArgs {
            settings: self.house.settings().clone(),
            ..BackstageArgs::alone(
                store,
                JournalReads::new(reader.clone()),
                Clock::starting_at(self.wall),
                self.ids.clone(),
            )
        };
        let backstage = Backstage::start(args).await.unwrap();
        let began_at = backstage.hub.clock.now();
        self.ledger.borrow_mut().begins_a_life(began_at);
        let stage = Stage {
            hub: backstage.hub.clone(),
            ledger: Rc::clone(&self.ledger),
            pulse: cutter.pulse(),
            trap: self.trap,
            house: self.house,
            began_at,
        };
        stage.clone().reads_events();
        Life {
            stage,
            reader,
            backstage,
            faults,
            cutter,
            heard: self.heard.clone(),
            chronicle: Rc::clone(&self.chronicle),
            rests: 0,
        }
    }
}
