//! What the world was told: every call that was answered, every offer and notice that arrived.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use callboard::actors::agent::AnswerGuard;
use callboard::domain::agent::Notice;
use callboard::domain::ids::{CommentId, LeaseEpoch, NoticeId, TaskId};
use callboard::domain::time::Timestamp;
use callboard::journal::Seq;
use tokio::task::AbortHandle;

use crate::coverage::Coverage;
use crate::script::{CAST, Speech, Target};

/// In the place of an agent of the cast: a slot of a host.
const ON_CALL: usize = usize::MAX;

/// Work that somebody asked for.
#[derive(Debug, Clone)]
pub(crate) struct Create {
    pub(crate) prompt: String,
    pub(crate) key: Option<String>,
    pub(crate) target: Target,
    pub(crate) after: Option<TaskId>,
    pub(crate) urgency: u8,
    pub(crate) at: Timestamp,
    /// The task, once a call was answered.
    pub(crate) task: Option<TaskId>,
}

/// A report that an agent sent. No two say the same words.
#[derive(Debug, Clone)]
pub(crate) struct SentReport {
    pub(crate) agent: usize,
    pub(crate) task: TaskId,
    pub(crate) epoch: Option<LeaseEpoch>,
    pub(crate) text: String,
    pub(crate) speech: Speech,
    /// Answered with success.
    pub(crate) recorded: bool,
}

/// A message that was sent under a key.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    pub(crate) agent: usize,
    pub(crate) key: String,
    pub(crate) at: Timestamp,
    /// The notice, once a call was answered.
    pub(crate) notice: Option<NoticeId>,
}

/// What an agent's client knows.
#[derive(Default)]
pub(crate) struct Player {
    pub(crate) calls: Vec<AbortHandle>,
    /// The number of its newest wait, and when that is to end.
    pub(crate) parked: Option<(u64, Timestamp)>,
    /// Waits that were not answered yet.
    pub(crate) open: BTreeSet<u64>,
    pub(crate) wait: Option<AbortHandle>,
    /// Waits that it hung up and that go on all the same; only a trap makes them.
    pub(crate) ghosts: BTreeSet<u64>,
    pub(crate) hands: Vec<(TaskId, LeaseEpoch)>,
    pub(crate) ever: Vec<(TaskId, LeaseEpoch)>,
    pub(crate) last_said: Option<usize>,
    /// The last answer that carried something, with the notices in it.
    pub(crate) last_answer: Option<(AnswerGuard, Vec<NoticeId>)>,
    /// Notices that came, and that no later call has settled yet.
    pub(crate) shown: BTreeSet<NoticeId>,
    /// Notices that came and were settled, by when.
    pub(crate) settled: BTreeMap<NoticeId, u64>,
    pub(crate) heard: BTreeSet<NoticeId>,
    /// When the door said last that an answer was not written.
    pub(crate) unwritten: u64,
    /// The number of its process.
    pub(crate) instance: u32,
    /// The process that registered last.
    pub(crate) registered: Option<u32>,
    /// Registrations that were not answered yet.
    pub(crate) registering: u32,
    /// The process that was superseded last, and how often anything was disturbed by then.
    pub(crate) superseded: Option<(u32, usize)>,
}

#[derive(Default)]
pub(crate) struct Ledger {
    pub(crate) creates: Vec<Create>,
    /// The host of agents on call, and how many there were.
    pub(crate) host: Option<AbortHandle>,
    pub(crate) host_number: u32,
    pub(crate) said: Vec<SentReport>,
    pub(crate) mails: Vec<Mail>,
    pub(crate) players: Vec<Player>,
    /// Every task that anybody heard of.
    pub(crate) tasks: Vec<TaskId>,
    /// Who was handed which offer.
    pub(crate) received: BTreeMap<(TaskId, LeaseEpoch), usize>,
    /// Which comments came with which offer.
    pub(crate) read: BTreeMap<(TaskId, LeaseEpoch), BTreeSet<CommentId>>,
    /// Who waits for which task to end, by the number of the call.
    pub(crate) watches: BTreeMap<u64, TaskId>,
    /// The last event that a reader of events was shown.
    pub(crate) events: Seq,
    pub(crate) findings: Vec<String>,
    pub(crate) trace: Vec<String>,
    pub(crate) coverage: Coverage,
    /// When the hub, one of its actors or its disk was last disturbed.
    pub(crate) disturbed_at: Timestamp,
    /// Until then it may still be picking itself up.
    pub(crate) shaken_until: Timestamp,
    /// Until then its mailboxes may be full.
    pub(crate) flooded_until: Timestamp,
    /// The disk fails.
    pub(crate) faulty: bool,
    /// How often anything was disturbed.
    pub(crate) disturbances: usize,
    /// How far it was at the last of these: what was asked before it may be forgotten.
    pub(crate) disturbed_tick: u64,
    /// By how much the wall clock was set, in milliseconds, until the hub looks at it again.
    pub(crate) clock_step: i64,
    pub(crate) tick: u64,
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self { players: CAST.iter().map(|_| Player::default()).collect(), ..Self::default() }
    }

    /// Something broke: what the hub only remembered is lost.
    pub(crate) fn disturb(&mut self, now: Timestamp, pause: Duration) {
        self.disturbances += 1;
        self.disturbed_tick = self.tick;
        self.disturbed_at = now;
        self.shaken_until = self.shaken_until.max(now + pause);
        for player in &mut self.players {
            player.shown.clear();
        }
    }

    /// Nothing is broken, and nothing was a moment ago.
    pub(crate) fn is_calm(&self, now: Timestamp) -> bool {
        !self.faulty && self.shaken_until < now && self.flooded_until < now
    }

    /// The hub is gone, and every connection with it.
    pub(crate) fn hang_all_up(&mut self) {
        self.watches.clear();
        if let Some(host) = self.host.take() {
            host.abort();
        }
        for player in &mut self.players {
            player.parked = None;
            player.open.clear();
            player.wait = None;
            for call in player.calls.drain(..) {
                call.abort();
            }
        }
    }

    /// The hub is gone, and all that it only remembered.
    pub(crate) fn ends_a_life(&mut self) {
        self.hang_all_up();
        self.trace.push("-- the hub is gone".to_owned());
    }

    /// Another one begins. Its clock may be earlier than the last one's: what was to pass by then has passed.
    pub(crate) fn begins_a_life(&mut self, now: Timestamp) {
        self.faulty = false;
        self.flooded_until = Timestamp::default();
        self.shaken_until = Timestamp::default();
        self.disturb(now, Duration::ZERO);
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
            let (other, name) = (CAST.get(other).map_or("a slot", |known| known.0), CAST[agent].0);
            self.find(format!("T1: offer {epoch} of {task} was handed to {other} and again to {name}"));
        }
        let player = &mut self.players[agent];
        player.hands.push((task.clone(), epoch));
        player.ever.push((task.clone(), epoch));
    }

    /// An offer arrived at a slot of a host.
    pub(crate) fn receives_on_call(&mut self, task: &TaskId, epoch: LeaseEpoch) {
        self.knows(task);
        if self.received.insert((task.clone(), epoch), ON_CALL).is_some() {
            self.find(format!("T1: offer {epoch} of {task} was handed out before it came to a slot"));
        }
    }

    /// Notices arrived with the answer to a call that began at `began`.
    pub(crate) fn hears(&mut self, agent: usize, guard: AnswerGuard, began: u64, notices: &[Notice]) {
        let ids = notices.iter().map(|notice| notice.id.clone()).collect();
        self.players[agent].last_answer = Some((guard, ids));
        for notice in notices {
            self.coverage.count("notice heard");
            let player = &mut self.players[agent];
            player.heard.insert(notice.id.clone());
            match player.settled.get(&notice.id) {
                Some(settled) if *settled < began => {
                    self.find(format!("N1: {} heard notice {} after it was settled", CAST[agent].0, notice.id));
                }
                Some(_) => {}
                // It was under way when the hub was told that nobody read it: it comes again.
                None if began <= player.unwritten.max(self.disturbed_tick) => {}
                None => {
                    player.shown.insert(notice.id.clone());
                }
            }
        }
    }

    /// A reader of events is shown the next one.
    pub(crate) fn sees_event(&mut self, seq: Seq) {
        if seq != self.events.next() {
            self.find(format!("E1: event {seq} came after event {}", self.events));
        }
        self.events = seq;
        self.coverage.count("event seen");
    }
}
