//! The host that stands in for PostgreSQL. Statements go over its connections by their numbers, what they say and what
//! came of them lies here: so the network may lose and delay them, and nobody has to write them out.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use callboard::domain::node::{Beat, Epoch, Incarnation, Level, NodeId, NodeSeen, TeamSeen};
use callboard::journal::memory::{self, MemoryReader, MemoryStore};
use callboard::journal::postgres::Look;
use callboard::journal::{Append, Seq, Store as _, WriteError, Written};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::sleep;
use turmoil::net::{TcpListener, TcpStream};

use super::clocks::elapsed;
use super::flaws::Flaw;
use crate::rng::Rng;

pub(super) const PORT: u16 = 5432;

/// A life of a node, as it holds the team.
pub(super) type Holding = (NodeId, Incarnation);

/// Under what an append is written: the row of the team as its writer believes it, and the number before its first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    pub(super) epoch: u64,
    pub(super) version: u64,
    pub(super) on: Seq,
}

#[derive(Debug)]
pub(super) enum Order {
    Join {
        node: NodeId,
    },
    Beat {
        of: Holding,
    },
    Look {
        by: NodeId,
    },
    Take {
        by: Holding,
        had: Option<Holding>,
        at: Option<Beat>,
    },
    Leave {
        of: Holding,
    },
    /// Opens the journal for a life that holds the team.
    Open {
        by: Holding,
        owner: u64,
    },
    /// Moves the own epoch forward.
    Forward {
        owner: u64,
    },
    Write {
        fence: Fence,
        batch: Vec<Append>,
    },
}

/// The team's row, as its writer reads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    pub(super) epoch: u64,
    pub(super) version: u64,
    pub(super) seq: Seq,
}

#[derive(Debug, Clone)]
pub(super) enum Answer {
    Life(Incarnation),
    Counted(bool),
    Looked(Look),
    Taken(Option<Epoch>),
    Opened(Option<Opened>),
    Kept(bool),
    Done,
}

struct Statement {
    order: Order,
    /// What it was compared with when it came, where that is done apart.
    compared: bool,
    told_failed: bool,
    answer: Option<Answer>,
    written: Vec<Result<Written, WriteError>>,
}

#[derive(Debug, Default)]
struct NodeRow {
    life: u64,
    beat: u64,
    alive: bool,
    pulse: Pulse,
}

/// What a node has said so far, and what of it was carried out: for who wants to strike at the worst moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pulse {
    pub(super) beats_sent: u64,
    pub(super) beats_counted: u64,
    /// When the last one was counted.
    pub(super) counted_at: Duration,
    pub(super) looks_sent: u64,
    pub(super) looks: u64,
}

#[derive(Debug, Default)]
struct TeamRow {
    holder: Option<Holding>,
    owner: u64,
    epoch: u64,
    version: u64,
}

pub(super) struct State {
    flaw: Option<Flaw>,
    rng: Rng,
    nodes: BTreeMap<NodeId, NodeRow>,
    team: TeamRow,
    store: MemoryStore,
    statements: Vec<Statement>,
    /// Under which epoch each number was written.
    numbers: BTreeMap<Seq, u64>,
    acknowledged: Seq,
    pub(super) findings: Vec<String>,
    pub(super) counts: BTreeMap<&'static str, u64>,
}

#[expect(clippy::disallowed_types, reason = "held for one statement, never across an await")]
type Lock = std::sync::Mutex<State>;

#[derive(Clone)]
pub(super) struct Database {
    state: Arc<Lock>,
    pub(super) reader: MemoryReader,
    pub(super) flaw: Option<Flaw>,
}

impl Database {
    pub(super) fn new(seed: u64, flaw: Option<Flaw>) -> Self {
        let (store, reader) = memory::open();
        let state = State {
            flaw,
            rng: Rng::new(seed ^ 0xdb),
            nodes: (0..2).map(|id| (NodeId(id), NodeRow::default())).collect(),
            team: TeamRow::default(),
            store,
            statements: Vec::new(),
            numbers: BTreeMap::new(),
            acknowledged: Seq(0),
            findings: Vec::new(),
            counts: BTreeMap::new(),
        };
        Self { state: Arc::new(Lock::new(state)), reader, flaw }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Takes down a statement, which may then be sent by its number.
    pub(super) fn says(&self, order: Order) -> usize {
        let mut state = self.state();
        match &order {
            Order::Beat { of: (node, _) } => state.nodes.get_mut(node).unwrap().pulse.beats_sent += 1,
            Order::Look { by } => state.nodes.get_mut(by).unwrap().pulse.looks_sent += 1,
            _ => {}
        }
        let statement = Statement { order, compared: false, told_failed: false, answer: None, written: Vec::new() };
        state.statements.push(statement);
        state.statements.len() - 1
    }

    pub(super) fn answer(&self, number: usize) -> Option<Answer> {
        self.state().statements[number].answer.clone()
    }

    /// Answers until the host crashes.
    pub(super) async fn serves(self) -> turmoil::Result {
        let listener = TcpListener::bind((IpAddr::V4(Ipv4Addr::UNSPECIFIED), PORT)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::task::spawn_local(self.clone().answers(stream));
        }
    }

    async fn answers(self, mut stream: TcpStream) {
        while let Ok(number) = stream.read_u64().await {
            let statement = usize::try_from(number).unwrap();
            let pause = self.state().comes(statement);
            sleep(pause).await;
            self.state().executes(statement);
            if stream.write_u64(number).await.is_err() {
                return;
            }
        }
    }
}

impl State {
    pub(super) fn holder(&self) -> Option<Holding> {
        self.team.holder
    }

    /// A number that nobody else has.
    pub(super) fn draws(&mut self) -> u64 {
        self.rng.next() | 1
    }

    pub(super) fn pulse(&self, which: usize) -> Pulse {
        self.nodes[&NodeId(u32::try_from(which).unwrap())].pulse
    }

    /// Whether somebody else has the team, and may have written: who answers for this life now misses that.
    pub(super) fn is_behind(&self, holding: Holding) -> bool {
        self.team.holder.is_some_and(|now| now != holding)
    }

    /// How long a statement takes to be carried out. A few appends wait long, as behind a lock or a slow disk.
    fn comes(&mut self, number: usize) -> Duration {
        let statement = &mut self.statements[number];
        let Order::Write { fence, .. } = &statement.order else {
            return Duration::from_millis(self.rng.next() % 10);
        };
        statement.compared = (fence.epoch, fence.version) == (self.team.epoch, self.team.version);
        Duration::from_millis(match self.rng.below(100) {
            0..90 => self.rng.next() % 10,
            90..96 => 500 + self.rng.next() % 2_000,
            _ => 2_000 + self.rng.next() % 8_000,
        })
    }

    fn executes(&mut self, number: usize) {
        let answer = match &self.statements[number].order {
            Order::Join { node } => {
                let row = self.nodes.get_mut(node).unwrap();
                (row.life, row.beat, row.alive) = (row.life + 1, 0, true);
                Answer::Life(Incarnation(row.life))
            }
            Order::Beat { of: (node, life) } => {
                let row = self.nodes.get_mut(node).unwrap();
                let counted = row.life == life.0 && (row.alive || self.flaw == Some(Flaw::BeatOfTheDead));
                if counted {
                    row.beat += 1;
                    row.pulse.beats_counted += 1;
                    row.pulse.counted_at = elapsed();
                }
                Answer::Counted(counted)
            }
            Order::Look { by } => {
                self.nodes.get_mut(by).unwrap().pulse.looks += 1;
                Answer::Looked(self.look())
            }
            Order::Take { by, had, at } => {
                let (by, had, at) = (*by, *had, *at);
                Answer::Taken(self.takes(by, had, at))
            }
            Order::Leave { of } => {
                let of = *of;
                self.lives(of).into_iter().for_each(|row| row.alive = false);
                self.team.holder = self.team.holder.filter(|holder| *holder != of);
                Answer::Done
            }
            Order::Open { by, owner } => {
                let (by, owner) = (*by, *owner);
                Answer::Opened((self.team.holder == Some(by)).then(|| {
                    self.team.owner = owner;
                    self.team.epoch += 1;
                    self.opened()
                }))
            }
            Order::Forward { owner } => {
                let is_its_own = self.team.owner == *owner;
                self.team.epoch += u64::from(is_its_own && self.flaw != Some(Flaw::Looking));
                Answer::Opened(is_its_own.then(|| self.opened()))
            }
            Order::Write { .. } => Answer::Kept(self.writes(number)),
        };
        self.statements[number].answer = Some(answer);
    }

    /// The row of a node, in this very life.
    fn lives(&mut self, (node, life): Holding) -> Option<&mut NodeRow> {
        self.nodes.get_mut(&node).filter(|row| row.life == life.0)
    }

    fn opened(&self) -> Opened {
        Opened { epoch: self.team.epoch, version: self.team.version, seq: self.store.position() }
    }

    fn look(&self) -> Look {
        let seen = |(id, row): (&NodeId, &NodeRow)| NodeSeen {
            id: *id,
            incarnation: Incarnation(row.life),
            beat: Beat(row.beat),
            alive: row.alive,
            died: false,
        };
        let team = TeamSeen { owner: self.team.holder, level: Level(1) };
        Look { team, nodes: self.nodes.iter().map(seen).collect(), views: Vec::new() }
    }

    /// As the statement of `journal::postgres`: declared dead at that beat and taken, or neither.
    fn takes(&mut self, by: Holding, had: Option<Holding>, at: Option<Beat>) -> Option<Epoch> {
        let blind = self.flaw == Some(Flaw::BlindDeath);
        if !self.lives(by).is_some_and(|row| row.alive) || self.team.holder != had {
            return None;
        }
        let owner = had.and_then(|had| self.lives(had)).filter(|row| row.alive);
        match (owner, at) {
            (Some(row), Some(at)) if row.beat == at.0 || blind => row.alive = false,
            (_, Some(_)) => return None,
            (Some(_), None) if had.is_some_and(|had| had.0 != by.0) => return None,
            (_, None) => {}
        }
        self.team.holder = Some(by);
        // Nobody writes before the journal is opened.
        self.team.owner = 0;
        self.team.epoch += 1;
        *self.counts.entry("taken").or_default() += 1;
        Some(Epoch(self.team.epoch))
    }

    /// Step APPEND: all of it, or nothing.
    fn writes(&mut self, number: usize) -> bool {
        let statement = &mut self.statements[number];
        let Order::Write { fence, batch } = &statement.order else { return false };
        let fits = (fence.epoch, fence.version) == (self.team.epoch, self.team.version);
        let done = match self.flaw {
            Some(Flaw::NoFence) => true,
            Some(Flaw::ComparedApart) => statement.compared,
            Some(Flaw::NumberAlone) => fence.on == self.store.position(),
            _ => fits,
        };
        *self.counts.entry(if done { "written" } else { "fenced" }).or_default() += 1;
        if !done {
            return false;
        }
        if !fits {
            let (team, fence) = (&self.team, *fence);
            self.findings.push(format!(
                "one epoch per number: decided behind {} at {}.{}, and written at {}.{}",
                fence.on, fence.epoch, fence.version, team.epoch, team.version
            ));
        }
        if statement.told_failed {
            self.findings.push(format!("what was answered as failed is kept, behind {}", fence.on));
        }
        statement.written = self.store.write(batch);
        let mut next = fence.on;
        for written in statement.written.iter().flatten() {
            for _ in written.first.0..=written.last.0 {
                next = next.next();
                if self.numbers.insert(next, fence.epoch).is_some_and(|other| other != fence.epoch) {
                    self.findings.push(format!("one epoch per number: {next} has another one, too"));
                }
            }
        }
        self.team.version += 1;
        true
    }

    /// Its writer says that it is kept.
    pub(super) fn acknowledges(&mut self, number: usize) -> Vec<Result<Written, WriteError>> {
        let statement = &self.statements[number];
        let Order::Write { fence, .. } = &statement.order else { return Vec::new() };
        let mut before = fence.on;
        for written in statement.written.iter().flatten() {
            if written.first != before.next() {
                self.findings.push(format!("acknowledged behind {before}, and kept as {}", written.first));
            }
            before = written.last;
        }
        self.acknowledged = self.acknowledged.max(before);
        statement.written.clone()
    }

    /// Its writer says that it is not kept.
    pub(super) fn denies(&mut self, number: usize) {
        self.statements[number].told_failed = true;
    }

    /// No acknowledged append is missing after the moves.
    pub(super) fn end(&mut self) -> Vec<String> {
        let position = self.store.position();
        if position < self.acknowledged {
            self.findings.push(format!("{} were acknowledged, and {position} are there", self.acknowledged));
        }
        std::mem::take(&mut self.findings)
    }
}
