//! What is lived: a hub's day in a few hundred appends, in batches as the writer gets them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use callboard::domain::agent::{Agent, AgentRecord, Notice, NoticeKind, Registration};
use callboard::domain::ids::{AgentId, BlobId, LeaseEpoch, NoticeId, PrincipalId, RoleId, SessionId, TaskId};
use callboard::domain::principal::{By, Surface};
use callboard::domain::session::SessionRecord;
use callboard::domain::task::{
    KeptText, LeaseTerms, OnTimeout, Origin, OriginKind, Priority, ReturnReason, RightsSet, Target, TargetWho, Task,
    TaskRecord, TaskSpec,
};
use callboard::domain::time::{Millis, Timestamp};
use callboard::journal::{Append, Blob, Entry, Idempotency, Kept, Record, Row, Seq};
use serde_json::json;

use crate::support::dice::Dice;

const DAWN: Timestamp = Timestamp(1_780_000_000_000);
const ROLE: &str = "full-stack-engineer";

/// Batches of appends, each one transaction.
pub(crate) struct History {
    pub(crate) batches: Vec<Vec<Append>>,
}

impl History {
    /// The day of `tasks` tasks: asked for with a key, offered, given back or acknowledged, reported on, done or
    /// failed, with notices in between and a long text now and then. Several lives go on at once.
    pub(crate) fn of(tasks: u32) -> Self {
        let mut dice = Dice(7);
        let mut clock = 0;
        let mut lives: Vec<Life> = Vec::new();
        let mut appends = vec![registers("fullstack-1", 1), registers("fullstack-2", 2)];
        let mut begun = 0;
        while begun < tasks || !lives.is_empty() {
            clock += 1;
            if begun < tasks && (lives.len() < 4 || dice.below(4) == 0) {
                begun += 1;
                let life = Life::begin(begun, at(clock));
                appends.push(life.creation());
                lives.push(life);
                continue;
            }
            let chosen = dice.below(lives.len());
            match lives[chosen].goes_on(at(clock)) {
                Some(append) => appends.push(append),
                None => drop(lives.swap_remove(chosen)),
            }
        }
        let mut batches = Vec::new();
        let mut appends = appends.into_iter().peekable();
        while appends.peek().is_some() {
            batches.push(appends.by_ref().take(1 + dice.below(3)).collect());
        }
        Self { batches }
    }

    pub(super) fn appends(&self) -> impl Iterator<Item = &Append> {
        self.batches.iter().flatten()
    }

    /// The records as the journal has to keep them.
    pub(super) fn kept(&self) -> Vec<Kept> {
        let mut first = Seq(1);
        self.appends()
            .flat_map(|append| {
                let kept = append.clone().into_kept(first);
                first = Seq(first.0 + kept.len() as u64);
                kept
            })
            .collect()
    }
}

/// A task on its way.
struct Life {
    number: u32,
    task: Task,
    step: u32,
}

impl Life {
    fn begin(number: u32, at: Timestamp) -> Self {
        let task = Task::from_created(at, &created(number, at)).expect("a creation");
        Self { number, task, step: 0 }
    }

    fn creation(&self) -> Append {
        let at = self.task.spec.created_at;
        let receipt = json!({ "taskId": self.task.spec.id.as_str() });
        Append {
            idempotency: Some(Idempotency {
                principal: asker(),
                key: format!("ask-{}", self.number),
                digest: format!("digest-{}", self.number),
                receipt,
            }),
            rows: vec![self.row()],
            ..Append::new(at, by(), vec![self.entry(created(self.number, at))])
        }
    }

    /// The next thing that happens to the task, and what comes with it; nothing when its life is over.
    fn goes_on(&mut self, at: Timestamp) -> Option<Append> {
        let agent = agent_id(if self.number.is_multiple_of(2) { "fullstack-1" } else { "fullstack-2" });
        let (epoch, gives_back) = (LeaseEpoch(self.task.epoch.0 + 1), self.number.is_multiple_of(3));
        self.step += 1;
        let offer =
            |epoch| TaskRecord::Offered { agent: agent.clone(), epoch, terms: terms(), ack_by: at + FIVE_MINUTES };
        let (message, artifacts) = (KeptText::inline("done ".repeat(40)), Vec::new());
        let (diff, blobs) = self.long_text();
        let record = match (self.step, gives_back) {
            (1, _) | (3, true) => offer(epoch),
            (2, true) => {
                let (epoch, why) = (self.task.epoch, ReturnReason::NotAcknowledged);
                TaskRecord::OfferReturned { agent: agent.clone(), epoch, why, held_for: None }
            }
            (2, false) | (4, true) => {
                let (epoch, expires_at) = (self.task.epoch, at + THIRTY_MINUTES);
                TaskRecord::Acknowledged { agent: agent.clone(), epoch, terms: terms(), expires_at }
            }
            (3, false) | (5, true) => TaskRecord::Progressed {
                agent: agent.clone(),
                message: "half way".to_owned(),
                phase: Some("tests".to_owned()),
                percent: Some(50),
                diff: None,
                artifacts,
                evidence: None,
                expires_at: at + THIRTY_MINUTES,
            },
            (4, false) => TaskRecord::Completed {
                agent: agent.clone(),
                message,
                diff,
                artifacts,
                evidence: None,
                posted_to: None,
            },
            (6, true) => TaskRecord::Failed { agent: agent.clone(), message, diff, artifacts, evidence: None },
            (5, false) | (7, true) => return Some(self.tells(&agent, at)),
            (6, false) | (8, true) => return Some(self.is_heard(&agent, at)),
            _ => return None,
        };
        self.task.apply(at, &record);
        let ends = matches!(record, TaskRecord::Completed { .. } | TaskRecord::Failed { .. });
        let blobs = if ends { blobs } else { Vec::new() };
        Some(Append { rows: vec![self.row()], blobs, ..Append::new(at, by(), vec![self.entry(record)]) })
    }

    /// A notice of the end; it stays with the agent until it is heard.
    fn tells(&self, agent: &AgentId, at: Timestamp) -> Append {
        let notice = Notice {
            id: self.notice(),
            kind: NoticeKind::Message,
            text: "well done".to_owned(),
            from: origin(),
            task_id: Some(self.task.spec.id.clone()),
            question_id: None,
            at,
            typed_at: None,
        };
        of_agent(agent, at, AgentRecord::NoticePosted { notice })
    }

    fn is_heard(&self, agent: &AgentId, at: Timestamp) -> Append {
        of_agent(agent, at, AgentRecord::NoticesHeard { ids: BTreeSet::from([self.notice()]) })
    }

    fn notice(&self) -> NoticeId {
        NoticeId::parse(&format!("n_{:08}", self.number)).unwrap()
    }

    /// Every fifth task ends with a text of several pages.
    fn long_text(&self) -> (Option<KeptText>, Vec<Blob>) {
        if !self.number.is_multiple_of(5) {
            return (None, Vec::new());
        }
        let id = BlobId::parse(&format!("b_{:08}", self.number)).unwrap();
        let text = format!("line of {}\n", self.number).repeat(1_500);
        let (bytes, digest) = (text.len() as u64, "ab".repeat(32));
        (
            Some(KeptText::Stored { blob: id.clone(), head: "line".to_owned(), bytes, digest, sanitized: None }),
            vec![Blob { id, text }],
        )
    }

    fn row(&self) -> Row {
        Row::Task(Arc::new(self.task.clone()))
    }

    fn entry(&self, record: TaskRecord) -> Entry {
        Entry::of_task(&self.task.spec.id, None, record)
    }
}

const FIVE_MINUTES: std::time::Duration = std::time::Duration::from_secs(300);
const THIRTY_MINUTES: std::time::Duration = std::time::Duration::from_secs(1_800);

fn at(seconds: u64) -> Timestamp {
    Timestamp(DAWN.0 + seconds * 1_000)
}

fn agent_id(name: &str) -> AgentId {
    AgentId::parse(name).unwrap()
}

/// Whose the keys are.
pub(super) fn asker() -> PrincipalId {
    PrincipalId::parse("person:ada").unwrap()
}

fn by() -> By {
    By { principal: asker(), surface: Surface::Cli }
}

fn origin() -> Origin {
    Origin { kind: OriginKind::Cli, id: "person:ada".to_owned(), display_name: "Ada".to_owned() }
}

/// An append after the last: the journal goes on.
pub(super) fn one_more(after: u32) -> Append {
    Life::begin(10_000 + after, at(1_000_000)).creation()
}

fn created(number: u32, at: Timestamp) -> TaskRecord {
    let spec = TaskSpec {
        parent: None,
        id: TaskId::parse(&format!("task{number:08}")).unwrap(),
        title: Some(format!("Task {number}")),
        prompt: "implement login and test it ".repeat(30),
        context: Some(json!({ "ticket": number })),
        spec: None,
        target: Target { who: TargetWho::Any, capabilities: BTreeSet::new() },
        priority: Priority::Normal,
        from: origin(),
        asker: asker(),
        via: Vec::new(),
        depth: 0,
        rights: RightsSet::All,
        excluded: BTreeSet::new(),
        dependencies: Vec::new(),
        workspace: None,
        ttl: None,
        worktree: None,
        created_at: at,
        sanitized: None,
    };
    TaskRecord::Created { spec: Arc::new(spec), dependencies: BTreeMap::new() }
}

fn terms() -> LeaseTerms {
    LeaseTerms {
        ttl: Millis(1_800_000),
        ack_within: Millis(300_000),
        max_attempts: 3,
        last_holder_hold: Millis(30_000),
        on_timeout: OnTimeout::Retry,
        escalate_to: None,
        worktree: false,
        role: RoleId::parse(ROLE).unwrap(),
        session: None,
    }
}

fn of_agent(agent: &AgentId, at: Timestamp, record: AgentRecord) -> Append {
    Append::new(at, by(), vec![Entry::of_agent(agent, record)])
}

fn registers(name: &str, session: u32) -> Append {
    let session = SessionId::parse(&format!("s_{session:08}")).unwrap();
    let registration = Registration {
        role: RoleId::parse(ROLE).unwrap(),
        display_name: name.to_owned(),
        capabilities: BTreeSet::from(["rust".to_owned()]),
        can_delegate_to: RightsSet::All,
        reports_to: BTreeSet::new(),
        workspace: None,
        client: None,
        session: session.clone(),
        instance: None,
        registered_at: DAWN,
        sanitized: None,
    };
    let record = AgentRecord::Registered { registration };
    let mut agent = Agent::unknown(agent_id(name));
    agent.apply(DAWN, &record);
    let opened = Record::Session(SessionRecord::Opened { agent: agent_id(name) });
    let mut append = of_agent(&agent_id(name), DAWN, record);
    append.entries.push(Entry::of_session(&session, Some(&agent_id(name)), None, opened));
    append.rows = vec![Row::Agent(Box::new(agent))];
    append
}
