//! The state that the records alone come to.
//!
//! The machines are the same that run in the hub, so a replay is the hub's life again: what it comes to must equal the
//! rows (J1). On the way each record is held to the promises that show in the order of records.

use std::collections::BTreeMap;

use super::entry::{Kept, Record, Seq, Stream};
pub use super::finding::Finding;
use super::finding::{GAPLESS, REPLAY};
use super::fold;
use super::learned::Learned;
use crate::domain::agent::{Agent, AgentRecord};
use crate::domain::ids::{AgentId, QuestionId, SessionId, TaskId, WorkflowId};
use crate::domain::invariants::{self, Broken};
use crate::domain::review::{Review, ReviewRecord};
use crate::domain::session::question::{Question, QuestionRecord};
use crate::domain::session::{Session, SessionRecord};
use crate::domain::task::{Task, TaskRecord};
use crate::domain::time::Timestamp;
use crate::domain::workflow::run::{WorkflowRecord, WorkflowRun};

/// A life in the making. It begins with nothing, or with what records that are gone had come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replay {
    position: Seq,
    tasks: BTreeMap<TaskId, Task>,
    reviews: BTreeMap<TaskId, Review>,
    agents: BTreeMap<AgentId, Agent>,
    sessions: BTreeMap<SessionId, Session>,
    questions: BTreeMap<QuestionId, Question>,
    workflows: BTreeMap<WorkflowId, WorkflowRun>,
    learned: Learned,
}

impl Replay {
    /// Takes the next record in. What it breaks goes into `findings`; the replay goes on as well as it can.
    pub fn take(&mut self, kept: &Kept, findings: &mut Vec<Finding>) {
        if kept.seq != self.position.next() {
            let sentence = format!("it follows record {}", self.position);
            findings.push(Finding { promise: GAPLESS, subject: format!("record {}", kept.seq), sentence });
        }
        self.position = kept.seq;
        let taken = match (&kept.stream, &kept.record) {
            (Stream::Task(id), Record::Task(record)) => self.task_record(id, kept.at, record),
            (Stream::Task(id), Record::Review(record)) => self.review_record(id, kept.at, record),
            (Stream::Agent(id), Record::Agent(record)) => self.agent_record(id, kept.at, record),
            (Stream::Session(id), Record::Session(_) | Record::Question(_) | Record::Pull(_)) => {
                self.session_record(id, kept.at, &kept.record)
            }
            (Stream::Workflow(id), Record::Workflow(record)) => self.workflow_record(id, kept.at, record),
            (Stream::Terminal(_), Record::Terminal(_)) | (Stream::Hub, Record::Hub(_) | Record::Schedule(_)) => {
                self.learned.take(kept.at, &kept.record)
            }
            (stream, record) => Err(no_life(&format!("`{}` does not belong into `{stream}`", record.kind().name))),
        };
        if let Err(broken) = taken {
            let sentence = format!("record {}: {}", kept.seq, broken.what);
            findings.push(Finding { promise: broken.name, subject: kept.stream.to_string(), sentence });
        }
    }

    /// Begins a task with this state.
    pub(super) fn put_task(&mut self, id: &TaskId, task: Option<Task>) {
        self.tasks.extend(task.map(|task| (id.clone(), task)));
    }

    /// Begins a review with this state.
    pub(super) fn put_review(&mut self, task: &TaskId, review: Option<Review>) {
        self.reviews.extend(review.map(|review| (task.clone(), review)));
    }

    /// Begins an agent with this state.
    pub(super) fn put_agent(&mut self, id: &AgentId, agent: Option<Agent>) {
        self.agents.extend(agent.map(|agent| (id.clone(), agent)));
    }

    /// Begins a session with this state.
    pub(super) fn put_session(&mut self, id: &SessionId, session: Option<Session>) {
        self.sessions.extend(session.map(|session| (id.clone(), session)));
    }

    /// Begins questions with these states.
    pub(super) fn put_questions(&mut self, questions: Vec<Question>) {
        self.questions.extend(questions.into_iter().map(|question| (question.spec.id.clone(), question)));
    }

    /// Begins a run of a workflow with this state.
    pub(super) fn put_workflow(&mut self, id: &WorkflowId, run: Option<WorkflowRun>) {
        self.workflows.extend(run.map(|run| (id.clone(), run)));
    }

    /// Begins what was learned with this.
    pub(super) fn put_learned(&mut self, learned: Learned) {
        self.learned = learned;
    }

    /// A record cannot be read: the next one follows it.
    pub(super) fn skip(&mut self, seq: Seq) {
        self.position = seq;
    }

    /// The number of the last record that was taken in.
    pub const fn position(&self) -> Seq {
        self.position
    }

    pub const fn tasks(&self) -> &BTreeMap<TaskId, Task> {
        &self.tasks
    }

    pub const fn reviews(&self) -> &BTreeMap<TaskId, Review> {
        &self.reviews
    }

    /// The agents with what they have not heard, by id.
    pub const fn agents(&self) -> &BTreeMap<AgentId, Agent> {
        &self.agents
    }

    pub const fn sessions(&self) -> &BTreeMap<SessionId, Session> {
        &self.sessions
    }

    pub const fn questions(&self) -> &BTreeMap<QuestionId, Question> {
        &self.questions
    }

    pub const fn workflows(&self) -> &BTreeMap<WorkflowId, WorkflowRun> {
        &self.workflows
    }

    pub(super) const fn learned(&self) -> &Learned {
        &self.learned
    }

    fn task_record(&mut self, id: &TaskId, at: Timestamp, record: &TaskRecord) -> Result<(), Broken> {
        let Some(task) = self.tasks.get_mut(id) else {
            let task = Task::from_created(at, record).filter(|task| task.spec.id == *id);
            let task = task.ok_or_else(|| no_life("the task does not begin with its creation"))?;
            let verdict = invariants::task_stands(&task);
            self.tasks.insert(id.clone(), task);
            return verdict;
        };
        let before = task.clone();
        task.apply(at, record);
        if let TaskRecord::Created { .. } = record {
            return Err(no_life("the task is created twice"));
        }
        invariants::task_moves(&before, record, task)
    }

    fn review_record(&mut self, id: &TaskId, at: Timestamp, record: &ReviewRecord) -> Result<(), Broken> {
        if !self.tasks.contains_key(id) {
            return Err(no_life("the review is of no task"));
        }
        let Some(review) = self.reviews.get_mut(id) else {
            let review = Review::from_submitted(id.clone(), at, record);
            let review = review.ok_or_else(|| no_life("the review does not begin with a submission"))?;
            self.reviews.insert(id.clone(), review);
            return Ok(());
        };
        let before = review.clone();
        review.apply(at, record);
        invariants::r1_words_are_kept(&before, review)
    }

    fn agent_record(&mut self, id: &AgentId, at: Timestamp, record: &AgentRecord) -> Result<(), Broken> {
        let agent = self.agents.entry(id.clone()).or_insert_with(|| Agent::unknown(id.clone()));
        let before = agent.clone();
        agent.apply(at, record);
        invariants::n1_notice_once(&before, record, agent)
    }

    fn workflow_record(&mut self, id: &WorkflowId, at: Timestamp, record: &WorkflowRecord) -> Result<(), Broken> {
        let Some(run) = self.workflows.get_mut(id) else {
            let run = WorkflowRun::from_started(id.clone(), at, record);
            let run = run.ok_or_else(|| no_life("the workflow does not begin with its start"))?;
            self.workflows.insert(id.clone(), run);
            return Ok(());
        };
        let before = run.clone();
        run.apply(at, record);
        invariants::workflow_moves(&before, record, run)
    }

    fn session_record(&mut self, id: &SessionId, at: Timestamp, record: &Record) -> Result<(), Broken> {
        let before = self.sessions.remove(id);
        let opens = matches!(record, Record::Session(SessionRecord::Opened { .. }));
        if before.is_none() && !opens {
            return Err(no_life("the session does not begin with its opening"));
        }
        let mut verdict =
            if let Record::Pull(record) = record { invariants::f1_approved_is_merged(record) } else { Ok(()) };
        if let Some(session) = fold::session_after(before, id, at, record) {
            verdict = verdict.and(invariants::s2_one_open_question(&session));
            self.sessions.insert(id.clone(), session);
        }
        let Record::Question(record) = record else { return verdict };
        let before = self.questions.remove(record.id());
        if before.is_some() && matches!(record, QuestionRecord::Asked { .. }) {
            return Err(no_life("the question is asked twice"));
        }
        match fold::question_after(before.clone(), at, record) {
            Some(question) => {
                verdict = verdict.and(invariants::question_moves(before.as_ref(), record, &question));
                self.questions.insert(record.id().clone(), question);
            }
            None => verdict = verdict.and(Err(no_life("the question does not begin with its asking"))),
        }
        verdict
    }
}

#[cfg(any(test, feature = "samples"))]
impl Replay {
    /// A task is gone, and its review.
    pub(super) fn forget_task(&mut self, id: &TaskId) {
        self.tasks.remove(id);
        self.reviews.remove(id);
    }

    pub(super) fn forget_question(&mut self, id: &QuestionId) {
        self.questions.remove(id);
    }

    /// A run of a workflow is gone.
    pub(super) fn forget_workflow(&mut self, id: &WorkflowId) {
        self.workflows.remove(id);
    }
}

impl From<Seq> for Replay {
    /// Without any life, behind this record.
    fn from(position: Seq) -> Self {
        Self { position, ..Self::default() }
    }
}

fn no_life(what: &str) -> Broken {
    Broken { name: REPLAY, what: what.to_owned() }
}
