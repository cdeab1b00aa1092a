//! What the world was told: every call that was answered, every offer and notice that arrived.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use callboard::domain::agent::Notice;
use callboard::domain::ids::{LeaseEpoch, NoticeId, TaskId};
use callboard::domain::time::Timestamp;
use tokio::task::AbortHandle;

use crate::schedule::{CAST, Speech};

/// Work that somebody asked for.
#[derive(Debug, Clone)]
pub(crate) struct Create {
    pub(crate) prompt: String,
    pub(crate) key: Option<String>,
    pub(crate) target: &'static str,
    pub(crate) after: Option<TaskId>,
    pub(crate) at: Timestamp,
    /// The task, once a call was answered.
    pub(crate) task: Option<TaskId>,
}

/// A report that an agent sent. No two say the same words.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) agent: usize,
    pub(crate) task: TaskId,
    pub(crate) epoch: Option<LeaseEpoch>,
    pub(crate) text: String,
    pub(crate) speech: Speech,
    /// Answered with success.
    pub(crate) recorded: bool,
}

/// What an agent's client knows.
#[derive(Default)]
pub(crate) struct Player {
    pub(crate) calls: Vec<AbortHandle>,
    /// The number of its open wait.
    pub(crate) parked: Option<u64>,
    pub(crate) wait: Option<AbortHandle>,
    /// Waits that it hung up and that go on all the same; only a trap makes them.
    pub(crate) ghosts: BTreeSet<u64>,
    pub(crate) hands: Vec<(TaskId, LeaseEpoch)>,
    pub(crate) ever: Vec<(TaskId, LeaseEpoch)>,
    pub(crate) last_said: Option<usize>,
    pub(crate) last_offer: Option<(TaskId, LeaseEpoch)>,
    /// Notices that came, and that no later call has settled yet.
    pub(crate) shown: BTreeSet<NoticeId>,
    /// Notices that came and were settled, by when.
    pub(crate) settled: BTreeMap<NoticeId, u64>,
    pub(crate) heard: BTreeSet<NoticeId>,
}

#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) creates: Vec<Create>,
    pub(crate) said: Vec<Said>,
    pub(crate) players: Vec<Player>,
    /// Every task that anybody heard of.
    pub(crate) tasks: Vec<TaskId>,
    /// Who was handed which offer.
    pub(crate) received: BTreeMap<(TaskId, LeaseEpoch), usize>,
    pub(crate) findings: Vec<String>,
    pub(crate) trace: Vec<String>,
    /// When the hub, one of its actors or its disk was last disturbed.
    pub(crate) disturbed_at: Timestamp,
    /// Until then it may still be picking itself up.
    pub(crate) shaken_until: Timestamp,
    /// The disk fails.
    pub(crate) faulty: bool,
    /// How often anything was disturbed.
    pub(crate) disturbances: usize,
    pub(crate) tick: u64,
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self { players: CAST.iter().map(|_| Player::default()).collect(), ..Self::default() }
    }

    /// Something broke: what the hub only remembered is lost.
    pub(crate) fn disturb(&mut self, now: Timestamp, pause: Duration) {
        self.disturbances += 1;
        self.disturbed_at = now;
        self.shaken_until = self.shaken_until.max(now + pause);
        for player in &mut self.players {
            player.shown.clear();
        }
    }

    /// The hub is gone, and every connection with it.
    pub(crate) fn hang_all_up(&mut self) {
        for player in &mut self.players {
            player.parked = None;
            player.wait = None;
            for call in player.calls.drain(..) {
                call.abort();
            }
        }
    }

    pub(crate) fn tick(&mut self) -> u64 {
        self.tick += 1;
        self.tick
    }

    pub(crate) fn find(&mut self, finding: String) {
        if self.findings.len() < 20 {
            self.trace.push(format!("    !!! {finding}"));
            self.findings.push(finding);
        }
    }

    pub(crate) fn knows(&mut self, task: &TaskId) {
        if !self.tasks.contains(task) {
            self.tasks.push(task.clone());
        }
    }

    /// An offer arrived at an agent.
    pub(crate) fn receives(&mut self, agent: usize, task: &TaskId, epoch: LeaseEpoch) {
        self.knows(task);
        if let Some(other) = self.received.insert((task.clone(), epoch), agent) {
            let (other, name) = (CAST[other].0, CAST[agent].0);
            self.find(format!("T1: offer {epoch} of {task} was handed to {other} and again to {name}"));
        }
        let player = &mut self.players[agent];
        player.hands.push((task.clone(), epoch));
        player.ever.push((task.clone(), epoch));
        player.last_offer = Some((task.clone(), epoch));
    }

    /// Notices arrived with the answer to a call that began at `began`.
    pub(crate) fn hears(&mut self, agent: usize, began: u64, notices: &[Notice]) {
        for notice in notices {
            let player = &mut self.players[agent];
            player.heard.insert(notice.id.clone());
            match player.settled.get(&notice.id) {
                Some(settled) if *settled < began => {
                    self.find(format!("N1: {} heard notice {} after it was settled", CAST[agent].0, notice.id));
                }
                Some(_) => {}
                None => {
                    player.shown.insert(notice.id.clone());
                }
            }
        }
    }
}
