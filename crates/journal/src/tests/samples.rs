//! Samples for tests: one of each record, and short words for appends.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "built for tests alone, and the texts are fixed")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

pub use super::hook_samples::webhook;
use super::hook_samples::{hook_record, reply_record, webhook_records};
pub use super::sample_ids::*;
pub use super::schedule_samples::schedule;
use super::schedule_samples::schedule_records;
pub use super::session_samples::*;
pub use super::workflow_samples::*;
use crate::domain::agent::{
    Agent, AgentRecord, DeclaredClient, Eviction, EvictionAction, Notice, NoticeKind, Registration, TypingStage,
};
use crate::domain::ids::{CommentId, LeaseEpoch, PatternId, PrincipalId, RoleId, RunId, TicketId};
use crate::domain::outbox::DeliveryId;
use crate::domain::principal::Surface;
use crate::domain::review::*;
use crate::domain::samples::{plain_task, plain_terms};
use crate::domain::session::SessionRecord;
use crate::domain::task::*;
use crate::domain::ticket::{Ticket, TicketCall, TicketState};
use crate::domain::time::{Millis, Timestamp};
use crate::entry::{Append, Entry, HubRecord, Idempotency, Record, Row};

pub fn origin() -> Origin {
    Origin { kind: OriginKind::Cli, id: "person:ada".to_owned(), display_name: "Ada".to_owned() }
}

/// The specification of task `n`, created `n` seconds after dawn, for anybody.
pub fn spec(n: u32) -> TaskSpec {
    TaskSpec {
        title: Some(format!("Task {n}")),
        prompt: "implement login\nand test it".to_owned(),
        context: Some(json!({"ticket": "CB-7"})),
        from: origin(),
        ..plain_task(task_id(n).as_str(), at(n.into()))
    }
}

pub fn terms() -> LeaseTerms {
    LeaseTerms {
        ttl: Millis(1_800_000),
        ack_within: Millis(300_000),
        last_holder_hold: Millis(30_000),
        ..plain_terms()
    }
}

pub fn comment(text: &str) -> Comment {
    Comment {
        id: CommentId::parse("c_00000001").unwrap(),
        kind: CommentKind::Note,
        from: origin(),
        text: text.to_owned(),
        file: Some("src/login.rs".to_owned()),
        line: Some(7),
        reply_to: None,
        sanitized: None,
        at: DAWN,
    }
}

pub fn notice(n: u32, text: &str) -> Notice {
    Notice {
        id: notice_id(n),
        kind: NoticeKind::Message,
        text: text.to_owned(),
        from: origin(),
        task_id: Some(task_id(1)),
        question_id: None,
        at: DAWN,
        typed_at: None,
    }
}

pub fn registration(session: u32) -> Registration {
    Registration {
        role: RoleId::parse("full-stack-engineer").unwrap(),
        display_name: "FullStack".to_owned(),
        capabilities: BTreeSet::from(["rust".to_owned()]),
        can_delegate_to: RightsSet::Only(BTreeSet::from(["test-engineer".to_owned()])),
        reports_to: BTreeSet::from(["project-manager".to_owned()]),
        workspace: Some(Workspace { repo: "acme/shop".to_owned(), branch: Some("main".to_owned()), path: None }),
        client: Some(DeclaredClient::named("claude-code")),
        session: session_id(session),
        instance: Some("one".to_owned()),
        registered_at: DAWN,
        sanitized: None,
    }
}

fn long_diff() -> KeptText {
    let digest = "ab".repeat(32);
    KeptText::Stored { blob: blob_id(1), head: "diff --git".to_owned(), bytes: 20_000, digest, sanitized: None }
}

fn pull_request() -> Artifact {
    Artifact {
        kind: ArtifactKind::Pr,
        url: Some("https://git.example/pr/7".to_owned()),
        path: None,
        text: None,
        title: Some("Login".to_owned()),
    }
}

/// One of each record of a task, with something in every field.
pub fn task_records() -> Vec<TaskRecord> {
    let agent = agent_id("fullstack-1");
    let (epoch, why) = (LeaseEpoch(1), ReturnReason::NotAcknowledged);
    let message = KeptText::inline("done");
    let (diff, artifacts) = (Some(long_diff()), vec![pull_request()]);
    let evidence = Some(json!({"tests": 12}));
    let held_for = Some(HeldFor { agent: agent.clone(), until: at(30) });
    let met = Dependency::Met { message: message.clone(), artifacts: artifacts.clone() };
    let failed = Dependency::Failed { state: TaskStateName::Cancelled };
    vec![
        TaskRecord::Created {
            spec: Arc::new(spec(1)),
            dependencies: BTreeMap::from([(task_id(2), Dependency::Pending), (task_id(3), failed)]),
        },
        TaskRecord::Offered { agent: agent.clone(), epoch, terms: terms(), ack_by: at(300) },
        TaskRecord::OfferReturned { agent: agent.clone(), epoch, why, held_for: held_for.clone() },
        TaskRecord::Acknowledged { agent: agent.clone(), epoch, terms: terms(), expires_at: at(1_800) },
        TaskRecord::Progressed {
            agent: agent.clone(),
            message: "half way".to_owned(),
            phase: Some("tests".to_owned()),
            percent: Some(50),
            diff: diff.clone(),
            artifacts: artifacts.clone(),
            evidence: evidence.clone(),
            expires_at: at(3_600),
        },
        TaskRecord::LeaseExtended { agent: agent.clone(), epoch, expires_at: at(5_400), asked_in: None },
        TaskRecord::GraceGiven { agent: agent.clone(), epoch, until: at(5_460) },
        TaskRecord::Completed {
            agent: agent.clone(),
            message: message.clone(),
            diff: diff.clone(),
            artifacts: artifacts.clone(),
            evidence: evidence.clone(),
            posted_to: None,
        },
        TaskRecord::Failed {
            agent: agent.clone(),
            message: message.clone(),
            diff: diff.clone(),
            artifacts: artifacts.clone(),
            evidence: evidence.clone(),
        },
        TaskRecord::Blocked {
            agent: agent.clone(),
            reason: "which database?".to_owned(),
            question: None,
            message: message.clone(),
            diff: diff.clone(),
            artifacts: artifacts.clone(),
            evidence,
        },
        TaskRecord::Submitted { agent: agent.clone(), message, diff, artifacts },
        TaskRecord::Approved { message: Some("well done".to_owned()), word: Some(comment("approved")) },
        TaskRecord::ChangesRequested { comments: vec![comment("rename it")], held_for: held_for.clone() },
        TaskRecord::Answered { answer: comment("the new one"), held_for: held_for.clone() },
        TaskRecord::DependencyMoved { task: task_id(2), now: met },
        TaskRecord::TimedOut { agent: agent.clone(), epoch, policy: OnTimeout::Escalate },
        TaskRecord::Released { agent, epoch, why: ReturnReason::Evicted },
        TaskRecord::Requeued { count_anew: true, held_for },
        TaskRecord::Reassigned { target: spec(1).target, escalated: true },
        an_edit(),
        TaskRecord::Prioritised { priority: Priority::Critical },
        TaskRecord::DeadLettered { reason: "three attempts ran out".to_owned() },
        TaskRecord::Cancelled { reason: Some("not needed".to_owned()) },
        TaskRecord::Remarked { comment: comment("mind the tests"), posted_to: None },
    ]
    .into_iter()
    .chain(run_records())
    .collect()
}

fn an_edit() -> TaskRecord {
    let (title, prompt) = ("Sign in".to_owned(), "Sign people in.".to_owned());
    TaskRecord::Edited { title: Some(title), prompt: Some(prompt), sanitized: None, written: None }
}

/// The id of run `n`.
pub fn run_id(n: u32) -> RunId {
    RunId::parse(&format!("run_{n:08}")).unwrap()
}

/// How process `number` of a run ended, with something in every field.
pub fn process_exit(number: u32) -> ProcessExit {
    let usage = Usage {
        input_tokens: Some(12_000),
        output_tokens: Some(800),
        cached_tokens: Some(9_000),
        cost_usd: Usd::of(0.25),
        turns: Some(7),
        duration_ms: Some(61_000),
        source: UsageSource::Client,
    };
    ProcessExit { number, code: Some(1), tail: Some(KeptText::inline("error: no route to host")), usage: Some(usage) }
}

/// One of each record of a run on call, with something in every field.
fn run_records() -> [TaskRecord; 7] {
    let (run, agent) = (run_id(1), agent_id("fullstack-1"));
    [
        TaskRecord::RunStarted {
            run: run.clone(),
            agent: agent.clone(),
            host: "workstation".to_owned(),
            client: "claude".to_owned(),
            epoch: LeaseEpoch(1),
            resumes: true,
            slot: Some(agent_id("fs-1")),
            role: Some(RoleId::parse("fullstack").unwrap()),
        },
        TaskRecord::RunConversation { run: run.clone(), agent: agent.clone(), id: "5b0c".to_owned() },
        TaskRecord::RunWaiting {
            run: run.clone(),
            agent: agent.clone(),
            on: RunWaitsFor::Review,
            process: Box::new(process_exit(1)),
        },
        TaskRecord::RunResumed { run: run.clone(), agent: agent.clone(), epoch: LeaseEpoch(2), process: 2, host: None },
        TaskRecord::RunLimited {
            run: run.clone(),
            agent: agent.clone(),
            limited: Limited { until: Some(at(7_200)), account: Some("team".to_owned()) },
        },
        TaskRecord::RunBudget {
            run: run.clone(),
            agent: agent.clone(),
            level: BudgetNews::Near,
            told: "4.10 USD of 5.00 USD are used".to_owned(),
        },
        TaskRecord::RunEnded {
            run,
            agent,
            reason: RunEnd::Crashed,
            process: Some(Box::new(process_exit(2))),
            fails: true,
        },
    ]
}

/// One of each record of a review, with something in every field.
pub fn review_records() -> Vec<ReviewRecord> {
    let verdict = |kind| Verdict {
        kind,
        by: origin(),
        surface: Surface::Cli,
        message: Some("well done".to_owned()),
        grounds: (kind == VerdictKind::Approved).then(|| Grounds {
            rule: "people.ada.canApprove".to_owned(),
            given: true,
            forge_login: None,
        }),
        at: at(9),
        taken_back: None,
    };
    vec![
        ReviewRecord::Submitted { round: Box::new(round(1)) },
        ReviewRecord::Commented { comment: Box::new(review_comment(1, "why?")) },
        ReviewRecord::Resolved { comment: comment("why?").id, by: origin(), response: Some("because".to_owned()) },
        ReviewRecord::Approved { verdict: verdict(VerdictKind::Approved) },
        ReviewRecord::ChangesRequested {
            verdict: verdict(VerdictKind::ChangesRequested),
            comments: vec![review_comment(2, "rename it")],
        },
        ReviewRecord::Withdrawn { why: Withdrawal::TakenBack },
        ReviewRecord::TakenBack { login: "ada-l".to_owned() },
    ]
}

/// A round of a review, by an agent in its session.
pub fn round(number: u32) -> Round {
    Round {
        number,
        agent: agent_id("fullstack-1"),
        session: Some(session_id(1)),
        message: KeptText::inline("look"),
        change: Change {
            pr_id: Some("7".to_owned()),
            pr_url: Some("https://git.example/pr/7".to_owned()),
            pull: crate::domain::ids::PullId::parse("pr_00000001").ok(),
            commit: Some("0".repeat(40)),
            base: Some("main".to_owned()),
            fork: Some("1".repeat(40)),
            diff_from: Some(DiffFrom::Forge),
            diff: Some(long_diff()),
            size: Some(DiffSize { bytes: 20_000, files: 2, added: 30, removed: 4, hidden: 1 }),
        },
        notes: Some("mind the tests".to_owned()),
        at: at(8),
        verdicts: Vec::new(),
    }
}

pub fn review_comment(n: u32, text: &str) -> ReviewComment {
    let comment = Comment { id: comment_id(n), kind: CommentKind::Review, ..comment(text) };
    ReviewComment { comment, side: Side::New, round: 1, resolved: None }
}

pub fn comment_id(n: u32) -> CommentId {
    CommentId::parse(&format!("c_{n:08}")).unwrap()
}

/// The review of task `n`, handed in so many seconds after dawn.
pub fn review(n: u32, seconds: u64) -> Review {
    let record = ReviewRecord::Submitted { round: Box::new(round(1)) };
    Review::from_submitted(task_id(n), at(seconds), &record).unwrap()
}

/// The append by which something happens to a review; the review is brought along.
pub fn judged(review: &mut Review, records: Vec<ReviewRecord>) -> Append {
    let mut entries = Vec::new();
    for record in records {
        review.apply(at(9), &record);
        entries.push(Entry::of_review(&review.task, None, None, record));
    }
    Append { rows: vec![Row::Review(Box::new(review.clone()))], ..Append::new(at(9), by(), entries) }
}

pub fn agent_records() -> Vec<AgentRecord> {
    let eviction = Eviction { action: EvictionAction::Restart, reason: "a new version".to_owned(), for_good: false };
    vec![
        AgentRecord::Registered { registration: registration(1) },
        AgentRecord::NoticePosted { notice: notice(1, "hello") },
        AgentRecord::NoticeMoved {
            id: notice_id(1),
            order_id: format!("{}.1", notice_id(1)),
            whole: true,
            now: TypingStage::Ordered,
        },
        AgentRecord::NoticesHeard { ids: BTreeSet::from([notice_id(1)]) },
        AgentRecord::NoticesUndeliverable { ids: BTreeSet::from([notice_id(1)]) },
        AgentRecord::Evicted { eviction },
        AgentRecord::EvictionHeard,
    ]
}

/// A ticket for a task's end.
pub fn ticket(number: u32) -> Ticket {
    Ticket {
        id: TicketId::parse(&format!("h_{number:08}")).expect("a ticket's id"),
        owner: PrincipalId::parse("agent:fullstack-1").expect("a principal"),
        call: TicketCall {
            verb: "wait_for_task".to_owned(),
            arguments: serde_json::json!({"taskId": "task0001"}),
            alone: false,
        },
        issued_at: at(1),
        moved_at: at(1),
        keep_until: at(8),
        state: TicketState::Open,
    }
}

/// One of each record.
pub fn one_of_each() -> Vec<Entry> {
    let hub = [
        HubRecord::Started { version: "0.1.0".to_owned() },
        HubRecord::Stopped,
        HubRecord::ActorRestarted { actor: "task task0001".to_owned(), reason: "a fault".to_owned(), count: 2 },
        HubRecord::JournalMended { since: at(1), reason: "the journal's disk is full".to_owned(), refused: 3 },
        HubRecord::PatternForgotten { pattern: PatternId::of_digest("0123456789") },
        HubRecord::PatternPromoted {
            pattern: PatternId::of_digest("0123456789"),
            to: PatternId::of_digest("9876543210"),
        },
        HubRecord::TicketIssued { ticket: Box::new(ticket(1)) },
        HubRecord::TicketKept { ticket: ticket(1).id, until: at(9) },
        HubRecord::TicketAnswered { ticket: ticket(1).id },
        HubRecord::TicketCancelled { ticket: ticket(2).id },
        HubRecord::TicketExpired { ticket: ticket(2).id },
        HubRecord::DeliveryDeadLettered {
            delivery: DeliveryId { seq: 7, part: 0 },
            destination: "chat".to_owned(),
            summary: "a task is done".to_owned(),
            reason: "the channel is gone".to_owned(),
        },
        HubRecord::DeliveryRetried {
            delivery: DeliveryId { seq: 7, part: 0 },
            destination: "chat".to_owned(),
            summary: "a task is done".to_owned(),
        },
        HubRecord::DeliveryDropped {
            delivery: DeliveryId { seq: 7, part: 0 },
            destination: "chat".to_owned(),
            summary: "a task is done".to_owned(),
            reason: "too late".to_owned(),
        },
        HubRecord::TaskStarving { task: task_id(1), reason: "nobody has `rust`".to_owned() },
    ];
    let task = task_records().into_iter().map(|record| task_entry(1, record));
    let review = review_records()
        .into_iter()
        .map(|record| Entry::of_review(&task_id(1), Some(&agent_id("fullstack-1")), Some(&session_id(1)), record));
    let agent = agent_records().into_iter().map(|record| agent_entry("fullstack-1", record));
    let in_session =
        |record| Entry::of_session(&session_id(1), Some(&agent_id("fullstack-1")), Some(&task_id(1)), record);
    let session = session_records().into_iter().map(|record| in_session(Record::Session(record)));
    let question = question_records().into_iter().map(|record| in_session(Record::Question(record)));
    let pull = pull_records().into_iter().map(|record| in_session(Record::Pull(record)));
    let terminal = terminal_records().into_iter().map(|record| Entry::of_terminal(&terminal_id(1), record));
    let workflow = workflow_records().into_iter().map(|record| Entry::of_workflow(&workflow(), record));
    let hub =
        hub.into_iter().chain([hook_record()]).chain(webhook_records()).chain([reply_record()]).map(Entry::of_hub);
    task.chain(review)
        .chain(agent)
        .chain(session)
        .chain(question)
        .chain(pull)
        .chain(terminal)
        .chain(workflow)
        .chain(schedule_records().into_iter().map(Entry::of_schedule))
        .chain(hub)
        .collect()
}

pub fn task_entry(n: u32, record: TaskRecord) -> Entry {
    Entry::of_task(&task_id(n), None, record)
}

pub fn agent_entry(name: &str, record: AgentRecord) -> Entry {
    Entry::of_agent(&agent_id(name), record)
}

pub fn created(spec: TaskSpec) -> TaskRecord {
    TaskRecord::Created { spec: Arc::new(spec), dependencies: BTreeMap::new() }
}

/// The append that creates a task, with its row.
pub fn creates(spec: TaskSpec) -> Append {
    let record = created(spec);
    let TaskRecord::Created { spec, .. } = &record else { unreachable!() };
    let (at, id) = (spec.created_at, spec.id.clone());
    let task = Task::from_created(at, &record).unwrap();
    Append { rows: vec![Row::Task(Arc::new(task))], ..Append::new(at, by(), vec![Entry::of_task(&id, None, record)]) }
}

/// The append by which something happens to a task; the task is brought along.
pub fn happens(task: &mut Task, at: Timestamp, records: Vec<TaskRecord>) -> Append {
    let mut entries = Vec::new();
    for record in records {
        task.apply(at, &record);
        entries.push(Entry::of_task(&task.spec.id, None, record));
    }
    Append { rows: vec![Row::Task(Arc::new(task.clone()))], ..Append::new(at, by(), entries) }
}

/// The append by which an agent registers, with its session.
pub fn registers(name: &str, session: u32, at: Timestamp) -> Append {
    let record = AgentRecord::Registered { registration: registration(session) };
    let mut agent = Agent::unknown(agent_id(name));
    agent.apply(at, &record);
    let opened = SessionRecord::Opened { agent: agent_id(name) };
    let entries =
        vec![agent_entry(name, record), Entry::of_session(&session_id(session), None, None, Record::Session(opened))];
    let rows = vec![Row::Agent(Box::new(agent))];
    Append { rows, ..Append::new(at, by(), entries) }
}

/// An append of `n` records of the hub.
pub fn says(n: usize) -> Append {
    let stopped = Entry::of_hub(HubRecord::Stopped);
    Append::new(DAWN, by(), vec![stopped; n])
}

/// The same append under an idempotency key.
pub fn keyed(append: Append, key: &str, digest: &str) -> Append {
    let receipt = json!({"taskId": "task0001", "for": digest});
    let key =
        Idempotency { principal: principal("person:ada"), key: key.to_owned(), digest: digest.to_owned(), receipt };
    Append { idempotency: Some(key), ..append }
}
