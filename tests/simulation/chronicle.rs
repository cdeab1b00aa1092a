//! Reads the journal record by record, rest by rest, and holds each to what must be true of it alone: J1 with the rows,
//! deadlines that did not come early, work that went to whom it was for, orders to stop that went out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use callboard::domain::agent::{AgentRecord, NoticeKind};
use callboard::domain::ids::{AgentId, CommentId, LeaseEpoch, TaskId};
use callboard::domain::task::{
    CommentKind, Dependency, OnTimeout, Priority, ReturnReason, TargetWho, Task, TaskRecord, TaskState,
};
use callboard::domain::time::Timestamp;
use callboard::journal::memory::MemoryReader;
use callboard::journal::replay::Replay;
use callboard::journal::{Kept, Reader as _, Record, Seq, Stream};

use crate::coverage::Coverage;
use crate::hosts::fits_slot;
use crate::hub_setup::agent_id;
use crate::judge::fits;
use crate::script::{CAST, HubSetup};

/// `leases.agingAfter`, as shipped.
const AGED: Duration = Duration::from_secs(600);

/// `limits.delegationDepth`, as shipped.
const DEEPEST: u32 = 3;

pub(crate) struct Chronicle {
    house: HubSetup,
    replay: Replay,
    /// Up to here records were counted; a journal that lost its end is read again, and counted once.
    counted: Seq,
    /// How many comments a task had when an agent last worked on it.
    known: BTreeMap<(TaskId, AgentId), usize>,
    /// The comments that must come with each offer: what its agent cannot know yet.
    pub(crate) news: BTreeMap<(TaskId, LeaseEpoch), Vec<CommentId>>,
    /// Approvals behind which wishes or another submission came: they are no news any more.
    taken_back: BTreeSet<CommentId>,
    pub(crate) coverage: Coverage,
}

impl Chronicle {
    pub(crate) fn new(house: HubSetup) -> Self {
        Self {
            house,
            replay: Replay::default(),
            counted: Seq(0),
            known: BTreeMap::new(),
            news: BTreeMap::new(),
            taken_back: BTreeSet::new(),
            coverage: Coverage::default(),
        }
    }

    /// A journal is opened that ends at `position`: what was lost with the last life has not happened.
    pub(crate) fn opens(&mut self, position: Seq) {
        if self.replay.position() > position {
            self.replay = Replay::default();
            self.known.clear();
            self.news.clear();
            self.taken_back.clear();
        }
    }

    /// Reads what is new, and compares the rows that it changed.
    pub(crate) fn reads_on(&mut self, reader: &MemoryReader, findings: &mut Vec<String>) {
        let fresh = reader.records(self.replay.position(), usize::MAX).unwrap();
        let mut moved: BTreeSet<TaskId> = BTreeSet::new();
        for (place, kept) in fresh.iter().enumerate() {
            let Stream::Task(id) = &kept.stream else {
                self.takes(kept, findings);
                continue;
            };
            let before = self.replay.tasks().get(id).cloned();
            self.takes(kept, findings);
            moved.insert(id.clone());
            let (Some(after), Record::Task(record)) = (self.replay.tasks().get(id).cloned(), &kept.record) else {
                continue;
            };
            let same = |other: &&Kept| other.cause == Some(kept.cause.unwrap_or(kept.seq));
            let along: Vec<&Kept> = fresh[place + 1..].iter().take_while(same).collect();
            match &before {
                None => self.creation(&after, findings),
                Some(before) => self.change(kept, record, before, &after, &along, findings),
            }
        }
        for id in moved {
            if reader.row(&id).as_deref() != self.replay.tasks().get(&id) {
                findings.push(format!("J1: the row of {id} is not what its records come to"));
            }
        }
        self.counted = self.counted.max(self.replay.position());
    }

    fn takes(&mut self, kept: &Kept, findings: &mut Vec<String>) {
        let mut broken = Vec::new();
        self.replay.take(kept, &mut broken);
        for broken in broken {
            findings.push(format!("{}: {}: {}", broken.promise, broken.subject, broken.sentence));
        }
    }

    /// D1: the depth, and that nobody gets back what they handed on.
    fn creation(&mut self, task: &Task, findings: &mut Vec<String>) {
        let spec = &task.spec;
        self.coverage.count(format!("created {}", task.name()));
        for (id, known) in &task.dependencies {
            let done =
                self.replay.tasks().get(id).is_some_and(|other| matches!(other.state, TaskState::Completed { .. }));
            if matches!(known, Dependency::Met { .. }) && !done {
                findings.push(format!("T5: {} was created as if {id} were done", task.id()));
            }
        }
        let Some(asker) = spec.asking_agent() else { return };
        self.coverage.count("created by an agent");
        if spec.depth == DEEPEST {
            self.coverage.count("created by an agent for an agent, three deep");
        }
        if self.house == HubSetup::Plain {
            return;
        }
        let returns = matches!(&spec.target.who, TargetWho::Agent(target) if spec.excluded.contains(target));
        if spec.depth > DEEPEST || !spec.excluded.contains(&asker) || returns {
            findings.push(format!("D1: {} of {asker} is {} deep, for {}", task.id(), spec.depth, spec.target));
        }
        let agent = (0..CAST.len()).find(|agent| agent_id(*agent) == asker);
        let own = agent.map(|agent| self.house.rights(agent));
        let roster = self.house.settings().roster(std::iter::empty());
        if own.is_some_and(|own| !spec.rights.within(&own, &roster)) {
            findings.push(format!("D1: {} of {asker} hands on {}", task.id(), spec.rights));
        }
    }

    fn change(
        &mut self,
        kept: &Kept,
        record: &TaskRecord,
        before: &Task,
        after: &Task,
        along: &[&Kept],
        findings: &mut Vec<String>,
    ) {
        let name = record_name(kept);
        if kept.seq > self.counted {
            self.coverage.count(format!("{} {name} {}", before.name(), after.name()));
        }
        if let Some(lease) = before.lease().filter(|_| after.lease().is_none()) {
            self.known.insert((before.id().clone(), lease.agent.clone()), before.comments.len());
        }
        match record {
            TaskRecord::Offered { agent, epoch, .. } => {
                let known = self.known.get(&(before.id().clone(), agent.clone())).copied().unwrap_or_default();
                let news = before.comments[known..].iter().map(|comment| comment.id.clone());
                let news = news.filter(|comment| !self.taken_back.contains(comment)).collect();
                self.news.insert((before.id().clone(), *epoch), news);
                self.offer(kept.at, agent, before, findings);
            }
            TaskRecord::ChangesRequested { .. } | TaskRecord::Submitted { .. } => {
                let approvals = before.comments.iter().filter(|comment| comment.kind == CommentKind::Approval);
                self.taken_back.extend(approvals.map(|comment| comment.id.clone()));
            }
            TaskRecord::OfferReturned { why, .. } => {
                self.coverage.count(format!("returned {why:?}"));
                let early = before.offer().is_some_and(|offer| kept.at < offer.ack_by);
                if *why == ReturnReason::NotAcknowledged && early {
                    findings.push(format!("T3: an offer of {} lapsed before its time", before.id()));
                }
            }
            TaskRecord::TimedOut { policy, .. } => {
                if before.lease().is_some_and(|lease| kept.at < lease.expires_at) {
                    findings.push(format!("T3: a lease of {} ran out before its time", before.id()));
                }
                if *policy == OnTimeout::Hold {
                    self.coverage.count("held by policy");
                }
            }
            TaskRecord::Reassigned { escalated: true, .. } => self.coverage.count("escalated"),
            TaskRecord::Progressed { .. } => {
                let renewed = after.lease().is_some_and(|lease| lease.expires_at >= kept.at + lease.terms.ttl.span());
                if !renewed {
                    findings.push(format!("T3: progress on {} did not renew its lease", before.id()));
                }
            }
            TaskRecord::Cancelled { .. } | TaskRecord::Reassigned { escalated: false, .. } => {
                self.stop(kept, before, along, findings);
            }
            _ => {}
        }
    }

    /// Work goes to whom it is for, and to nobody who has enough.
    fn offer(&mut self, at: Timestamp, agent: &AgentId, before: &Task, findings: &mut Vec<String>) {
        let place = (0..CAST.len()).find(|place| agent_id(*place) == *agent);
        let suits = place.map_or_else(|| fits_slot(self.house, agent, before), |place| fits(self.house, place, before));
        if !suits {
            findings.push(format!("work {} for {} was offered to {agent}", before.id(), before.spec.target));
        }
        let others = self
            .replay
            .tasks()
            .values()
            .filter(|task| task.id() != before.id() && task.lease().is_some_and(|lease| lease.agent == *agent));
        if others.count() > 0 {
            self.coverage.count("offered to an agent that works");
        }
        let TaskState::Queued { held_for, .. } = &before.state else { return };
        if let Some(held) = held_for.as_ref().filter(|held| held.until > at) {
            let words = if held.agent == *agent { "after a hold to its last holder" } else { "in spite of a hold" };
            self.coverage.count(format!("offered {words}"));
        }
        if before.spec.priority == Priority::Normal && at.since(before.spec.created_at) >= AGED {
            let urgent = self.replay.tasks().values().any(|task| {
                matches!(task.state, TaskState::Queued { .. })
                    && task.spec.priority == Priority::High
                    && at.since(task.spec.created_at) < AGED
                    && place.is_some_and(|place| fits(self.house, place, task))
            });
            if urgent {
                self.coverage.count("offered before what is more urgent, for its age");
            }
        }
    }

    /// Whoever works on what is called off, or taken away, is told to stop, in the same append.
    fn stop(&self, kept: &Kept, before: &Task, along: &[&Kept], findings: &mut Vec<String>) {
        let Some(worker) = before.lease().map(|lease| &lease.agent) else { return };
        let told = along.iter().any(|other| match (&other.stream, &other.record) {
            (Stream::Agent(agent), Record::Agent(AgentRecord::NoticePosted { notice })) => {
                agent == worker && notice.kind == NoticeKind::Cancel
            }
            _ => false,
        });
        let own = kept.by.principal.as_str() == format!("agent:{worker}");
        if !told && !own {
            findings.push(format!("{worker} works on {}, and was not told to stop", before.id()));
        }
    }
}

/// `task.offered` is `offered`.
fn record_name(kept: &Kept) -> &'static str {
    kept.record.kind().name.trim_start_matches("task.")
}
