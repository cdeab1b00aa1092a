//! A task in the hand: made with short words, asked one command at a time, every step held to the invariants.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ids::{AgentId, CommentId, LeaseEpoch, NoticeId, PrincipalId, RoleId, RunId, TaskId};
use crate::invariants::task_moves;
use crate::principal::{By, Surface};
use crate::samples::{plain_task, plain_terms};
use crate::task::*;
use crate::time::{Millis, Timestamp};

/// When every task of these tests is created.
pub(super) const DAWN: Timestamp = Timestamp(1_000_000);
/// The time to live of a lease, in milliseconds.
pub(super) const TTL: u64 = 60_000;
/// How long an offer waits for its acknowledgement, in milliseconds.
pub(super) const ACK: u64 = 5_000;
/// How long a task is kept for its last holder, in milliseconds.
pub(super) const HOLD: u64 = 3_000;

pub(super) fn agent(name: &str) -> AgentId {
    AgentId::parse(name).unwrap()
}

pub(super) fn task_id(name: &str) -> TaskId {
    TaskId::parse(name).unwrap()
}

pub(super) fn terms() -> LeaseTerms {
    LeaseTerms { ttl: Millis(TTL), ack_within: Millis(ACK), last_holder_hold: Millis(HOLD), ..plain_terms() }
}

/// A task that `agent:boss` asks of anybody.
pub(super) fn spec() -> TaskSpec {
    TaskSpec {
        from: Origin { kind: OriginKind::Agent, id: "boss".to_owned(), display_name: "Boss".to_owned() },
        asker: PrincipalId::parse("agent:boss").unwrap(),
        depth: 1,
        ..plain_task("task0001", DAWN)
    }
}

pub(super) fn target(name: &str) -> Target {
    let who = match name.strip_prefix("role:") {
        Some(role) => TargetWho::Role(RoleId::parse(role).unwrap()),
        None if name == "any" => TargetWho::Any,
        None => TargetWho::Agent(agent(name)),
    };
    Target { who, capabilities: BTreeSet::new() }
}

pub(super) fn cause(who: &str) -> Cause {
    let kind = if who == "operator" { OriginKind::Cli } else { OriginKind::Agent };
    Cause {
        by: By { principal: PrincipalId::parse(who).unwrap(), surface: Surface::Agent },
        who: Origin { kind, id: who.to_owned(), display_name: who.to_owned() },
        notices: (1..=Cause::NOTICES).map(|n| NoticeId::parse(&format!("n_0000000{n}")).unwrap()).collect(),
    }
}

pub(super) fn comment(from: &str, text: &str) -> Comment {
    Comment {
        id: CommentId::parse("c_00000001").unwrap(),
        kind: CommentKind::Note,
        from: Origin { kind: OriginKind::Agent, id: from.to_owned(), display_name: from.to_owned() },
        text: text.to_owned(),
        file: None,
        line: None,
        reply_to: None,
        sanitized: None,
        at: DAWN,
    }
}

pub(super) fn met() -> Dependency {
    Dependency::Met { message: KeptText::inline("done"), artifacts: Vec::new() }
}

pub(super) fn failed() -> Dependency {
    Dependency::Failed { state: TaskStateName::Failed }
}

/// A report without anything beside its words.
pub(super) fn report(kind: ReportKind, message: &str) -> Report {
    Report {
        kind,
        message: KeptText::inline(message),
        diff: None,
        artifacts: Vec::new(),
        evidence: None,
        posted_to: None,
    }
}

pub(super) fn progress() -> ReportKind {
    ReportKind::Progress { phase: None, percent: None }
}

pub(super) fn blocked(reason: &str) -> ReportKind {
    ReportKind::Blocked { reason: reason.to_owned(), question: None }
}

/// Commands, in few words.
pub(super) mod say {
    use super::*;

    pub(crate) fn offer(to: &str) -> TaskCommand {
        TaskCommand::Offer { agent: agent(to), terms: terms() }
    }

    pub(crate) fn ack(by: &str) -> TaskCommand {
        TaskCommand::Acknowledge { agent: agent(by), epoch: None }
    }

    pub(crate) fn ack_of(by: &str, epoch: u64) -> TaskCommand {
        TaskCommand::Acknowledge { agent: agent(by), epoch: Some(LeaseEpoch(epoch)) }
    }

    pub(crate) fn tell(by: &str, kind: ReportKind) -> TaskCommand {
        TaskCommand::Report { agent: agent(by), epoch: None, report: report(kind, "words") }
    }

    pub(crate) fn tell_of(by: &str, epoch: u64, kind: ReportKind) -> TaskCommand {
        TaskCommand::Report { agent: agent(by), epoch: Some(LeaseEpoch(epoch)), report: report(kind, "words") }
    }

    pub(crate) fn submit(by: &str) -> TaskCommand {
        TaskCommand::SubmitForReview {
            agent: agent(by),
            epoch: None,
            message: KeptText::inline("look"),
            diff: Some(KeptText::inline("+ line")),
            artifacts: Vec::new(),
            submission: Box::default(),
        }
    }

    pub(crate) fn returned(from: &str, epoch: u64, why: ReturnReason) -> TaskCommand {
        TaskCommand::ReturnOffer { agent: agent(from), epoch: LeaseEpoch(epoch), why }
    }

    pub(crate) fn release(who: &str) -> TaskCommand {
        TaskCommand::Release { agent: agent(who), why: ReturnReason::Evicted }
    }

    pub(crate) fn answer(text: &str) -> TaskCommand {
        TaskCommand::Answer { authority: Authority::Operator, answer: comment("boss", text) }
    }

    pub(crate) fn approve(completes: bool) -> TaskCommand {
        TaskCommand::Approve {
            message: None,
            comment: CommentId::parse("c_00000009").unwrap(),
            completes,
            grounds: None,
            round: None,
        }
    }

    pub(crate) fn take_back(by: &str) -> TaskCommand {
        TaskCommand::TakeBack { agent: agent(by), epoch: None }
    }

    pub(crate) fn changes() -> TaskCommand {
        TaskCommand::RequestChanges { comments: vec![comment("ann", "rename it")], round: None }
    }

    pub(crate) fn cancel() -> TaskCommand {
        TaskCommand::Cancel { authority: Authority::Operator, reason: Some("not needed".to_owned()) }
    }

    pub(crate) fn moved(dependency: &str, now: Dependency) -> TaskCommand {
        TaskCommand::DependencyMoved { task: task_id(dependency), now }
    }

    pub(crate) fn edit(edit: TaskEdit) -> TaskCommand {
        TaskCommand::Edit { edit: Box::new(edit) }
    }

    pub(crate) fn reassign(to: &str) -> TaskCommand {
        TaskCommand::Reassign { target: target(to) }
    }

    pub(crate) fn run_id(n: u32) -> RunId {
        RunId::parse(&format!("run_{n:08}")).unwrap()
    }

    pub(crate) fn start(n: u32, by: &str, epoch: u64) -> TaskCommand {
        let (id, agent, epoch) = (run_id(n), agent(by), LeaseEpoch(epoch));
        let (host, client, role) = ("workstation".to_owned(), "claude".to_owned(), RoleId::parse("fullstack").unwrap());
        TaskCommand::StartRun {
            run: Box::new(NewRun { id, agent, slot: None, role, epoch, host, client, resumes: true }),
        }
    }

    /// The end of a process that used two turns.
    pub(crate) fn exit(number: u32, reason: RunEnd) -> RunExit {
        let usage = Some(Usage { turns: Some(2), ..Usage::default() });
        let tail = Some(KeptText::inline("no route to host"));
        RunExit {
            process: ProcessExit { number, code: Some(1), tail, usage },
            reason,
            limited: None,
            question: None,
            budget: None,
        }
    }

    pub(crate) fn remark() -> TaskCommand {
        TaskCommand::Remark { comment: comment("ann", "mind the tests"), posted_to: None }
    }
}

/// A task and its clock.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) now: Timestamp,
    pub(super) task: Task,
    /// Every record since its creation, with its moment.
    pub(super) records: Vec<(Timestamp, TaskRecord)>,
}

impl Story {
    /// A task without dependencies, QUEUED.
    pub(super) fn begins() -> Self {
        Self::of(spec(), BTreeMap::new())
    }

    /// A task that depends on these.
    pub(super) fn depends(on: &[(&str, Dependency)]) -> Self {
        let dependencies: BTreeMap<TaskId, Dependency> =
            on.iter().map(|(id, how)| (task_id(id), how.clone())).collect();
        Self::of(TaskSpec { dependencies: dependencies.keys().cloned().collect(), ..spec() }, dependencies)
    }

    pub(super) fn of(spec: TaskSpec, dependencies: BTreeMap<TaskId, Dependency>) -> Self {
        let command = TaskCommand::Create { spec: Arc::new(spec), dependencies, first_offer: None };
        let decision = Task::begin(DAWN, &command, &cause("boss")).unwrap();
        let task = Task::from_created(DAWN, &decision.records[0]).unwrap();
        Self { now: DAWN, task, records: decision.records.into_iter().map(|record| (DAWN, record)).collect() }
    }

    /// Asks; what was decided is applied.
    pub(super) fn try_to(&mut self, command: &TaskCommand) -> Result<TaskDecision, TaskRefusal> {
        self.try_as("operator", command)
    }

    /// The same, caused by somebody.
    pub(super) fn try_as(&mut self, who: &str, command: &TaskCommand) -> Result<TaskDecision, TaskRefusal> {
        let decision = self.task.decide(self.now, command, &cause(who))?;
        for record in &decision.records {
            let before = self.task.clone();
            self.task.apply(self.now, record);
            self.records.push((self.now, record.clone()));
            if let Err(broken) = task_moves(&before, record, &self.task) {
                panic!("after {record:?} from {before:?}: {broken}");
            }
        }
        for (told, _) in &decision.notices {
            assert!(self.task.agents().any(|agent| agent == *told), "{told} is told, and not known to be concerned");
        }
        Ok(decision)
    }

    /// Does what must be possible.
    pub(super) fn then(mut self, command: TaskCommand) -> Self {
        if let Err(refusal) = self.try_to(&command) {
            panic!("{command:?} was refused: {refusal}");
        }
        self
    }

    /// Time passes, in milliseconds, and the alarm rings.
    pub(super) fn later(mut self, millis: u64) -> Self {
        self.now = Timestamp(self.now.0 + millis);
        self.then(TaskCommand::Tick)
    }

    /// Time passes, and no alarm rings.
    pub(super) fn unseen(mut self, millis: u64) -> Self {
        self.now = Timestamp(self.now.0 + millis);
        self
    }

    /// What a command that must be refused is refused with.
    pub(super) fn refuses(&self, command: &TaskCommand) -> TaskRefusal {
        let mut copy = self.clone();
        let refusal = copy.try_to(command).expect_err("it should have been refused");
        assert_eq!(copy.task, self.task, "a refusal changes nothing");
        refusal
    }

    pub(super) fn state(&self) -> TaskStateName {
        self.task.name()
    }
}
