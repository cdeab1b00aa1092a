//! A session in the hand, and short words for what is done to it.

use crate::ids::{AgentId, NoticeId, PrincipalId, QuestionId, SessionId, TaskId};
use crate::invariants;
use crate::principal::Surface;
use crate::session::question::{Answerer, Danger, QuestionKind, QuestionRecord, QuestionSpec};
use crate::session::{
    Asker, Bond, Happened, Session, SessionCause, SessionCommand, SessionDecision, SessionRecord, SessionRefusal,
    WorkflowStatus,
};
use crate::time::Timestamp;

/// When these stories begin.
pub(super) const DAWN: Timestamp = Timestamp(1_800_000_000_000);

pub(super) const MINUTE: u64 = 60_000;

pub(super) fn later(millis: u64) -> Timestamp {
    Timestamp(DAWN.0 + millis)
}

pub(super) fn task() -> TaskId {
    TaskId::parse("task0001").unwrap()
}

pub(super) fn question(n: u32) -> QuestionId {
    QuestionId::parse(&format!("q_{n:08}")).unwrap()
}

fn notice() -> NoticeId {
    NoticeId::parse("n_00000001").unwrap()
}

pub(super) fn somebody(name: &str, surface: Surface) -> Answerer {
    let principal = PrincipalId::parse(&format!("person:{name}")).unwrap();
    Answerer { principal, display_name: name.to_owned(), surface }
}

/// Half an hour for `old` or `new`, which is the default.
pub(super) fn spec(n: u32) -> QuestionSpec {
    QuestionSpec {
        work_item: None,
        id: question(n),
        session_id: SessionId::parse("s_00000000").unwrap(),
        agent_id: AgentId::parse("nobody").unwrap(),
        task_id: None,
        kind: QuestionKind::Decision,
        permission: None,
        question: format!("Which database, number {n}?"),
        options: vec!["old".to_owned(), "new".to_owned()],
        default_action: "new".to_owned(),
        danger: None,
        allow_free_text: false,
        asked_at: DAWN,
        expires_at: later(30 * MINUTE),
        reminders: vec![50, 90],
        sanitized: None,
    }
}

pub(super) fn dangerous(n: u32) -> QuestionSpec {
    QuestionSpec { danger: Some(Danger::Declared), ..spec(n) }
}

pub(super) fn ask(spec: QuestionSpec) -> SessionCommand {
    SessionCommand::Ask { asker: Box::new(Asker { spec, ends: None }) }
}

pub(super) fn answer(n: u32, value: &str, by: &str) -> SessionCommand {
    SessionCommand::Answer {
        question: question(n),
        value: value.to_owned(),
        own_words: false,
        by: somebody(by, Surface::Page),
    }
}

pub(super) fn withdraw(n: u32) -> SessionCommand {
    SessionCommand::Withdraw { question: question(n), reason: None }
}

pub(super) fn report(status: WorkflowStatus) -> SessionCommand {
    SessionCommand::Report { status, message: "so it is".to_owned(), details: None }
}

/// A session with all that happened to it.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) session: Session,
    pub(super) now: Timestamp,
    /// Who gives the orders.
    pub(super) by: Answerer,
}

impl Story {
    pub(super) fn opened() -> Self {
        let id = SessionId::parse("s_00000001").unwrap();
        let principal = PrincipalId::parse("agent:ann").unwrap();
        let by = Answerer { principal, ..somebody("ann", Surface::Agent) };
        Self { session: Session::opened(id, AgentId::parse("ann").unwrap(), DAWN), now: DAWN, by }
    }

    /// At work on a task.
    pub(super) fn at_work() -> Self {
        let mut story = Self::opened();
        story.hears(&SessionRecord::status(WorkflowStatus::Started, "", Bond::Takes { task: task() }));
        story.does(&report(WorkflowStatus::Working)).unwrap();
        story
    }

    /// What a task writes into the stream.
    pub(super) fn hears(&mut self, record: &SessionRecord) {
        self.session.apply(self.now, record);
    }

    pub(super) fn decides(&self, command: &SessionCommand) -> Result<SessionDecision, SessionRefusal> {
        let cause = SessionCause {
            now: self.now,
            notice: notice(),
            by: self.by.clone(),
            timer: somebody("hub", Surface::Timer),
        };
        self.session.decide(command, &cause)
    }

    /// Decides, applies, and holds every promise to each record.
    #[track_caller]
    pub(super) fn does(&mut self, command: &SessionCommand) -> Result<SessionDecision, SessionRefusal> {
        let decision = self.decides(command)?;
        for happened in &decision.records {
            match happened {
                Happened::Session(record) => self.session.apply(self.now, record),
                Happened::Pull(record) => self.session.hear_of_pull(self.now, record),
                Happened::Question(record) => {
                    let before = self.session.question(record.id()).cloned();
                    self.session.hear(self.now, record);
                    let after = self.session.question(record.id()).unwrap_or_else(|| panic!("it is forgotten"));
                    assert_eq!(invariants::question_moves(before.as_ref(), record, after), Ok(()));
                }
            }
        }
        assert_eq!(invariants::s2_one_open_question(&self.session), Ok(()));
        Ok(decision)
    }

    pub(super) fn at(mut self, now: Timestamp) -> Self {
        self.now = now;
        self
    }

    pub(super) fn status(&self) -> WorkflowStatus {
        self.session.status()
    }
}

/// The questions' records among what was decided.
pub(super) fn of_questions(decision: &SessionDecision) -> Vec<&QuestionRecord> {
    decision.records.iter().filter_map(question_of).collect()
}

const fn question_of(happened: &Happened) -> Option<&QuestionRecord> {
    match happened {
        Happened::Question(record) => Some(record),
        Happened::Session(_) | Happened::Pull(_) => None,
    }
}
