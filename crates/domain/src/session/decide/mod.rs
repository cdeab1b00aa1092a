//! What a session decides: one function for each command. Decides, and changes nothing.

mod asking;
mod lapse;

use super::command::{SessionCause, SessionCommand};
use super::question::{Question, QuestionRecord, Resolution};
use super::record::{Awaiting, Bond, SessionRecord};
use super::refusal::SessionRefusal;
use super::state::Session;
use super::status::{Details, WorkflowStatus};
pub use asking::answered;
pub use lapse::{in_the_way, lapsed, unneeded};

use crate::agent::Notice;
use crate::ids::{PullId, QuestionId, RunId, TaskId};
use crate::pull::{self, PullCommand, PullRecord};
use crate::task::RunExit;
use crate::time::Timestamp;
use crate::work_item::WorkItem;

/// What a session decided: records of its own stream, what its task must do in the same append, what the agent hears.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionDecision {
    /// For the session's stream; none when what is asked for is so already.
    pub records: Vec<Happened>,
    pub task: TaskStep,
    /// Which task: the one that the session follows, or for whose sake a question was asked.
    pub of: Option<TaskId>,
    /// For the agent's stream.
    pub notice: Option<Notice>,
    pub outcome: SessionOutcome,
}

/// A record of one of its families.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    Session(SessionRecord),
    Question(QuestionRecord),
    Pull(PullRecord),
}

/// What the task has to do with a decision of the session.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskStep {
    /// Nothing at all.
    None,
    /// The work goes on: it is progress.
    Progress { message: String, details: Option<Details> },
    Block {
        reason: String,
        /// The question whose deadline says so; then the session's decision stands also when the task refuses.
        question: Option<QuestionId>,
    },
    /// Its work is handed in.
    Submit { message: String },
    /// The work is done.
    Complete { message: String },
    /// It is given up.
    Fail { message: String },
    /// A human is asked: the lease must not run out before the answer.
    Await { until: Timestamp },
    /// A human is asked, and its run ends.
    EndRun { run: RunId, exit: Box<RunExit> },
    /// Whether what has used up its budget goes on.
    Budget {
        question: QuestionId,
        goes_on: bool,
        /// Who said so, and what.
        said: String,
    },
    /// The answer is there: the lease runs as after any sign of life, and a task that the question had blocked goes on.
    Resume {
        question: QuestionId,
        /// What was answered, for whoever has the task, or takes it up.
        answer: Option<String>,
    },
}

/// What whoever asked is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionOutcome {
    Done,
    Open(QuestionId),
    Resolved(QuestionId, Box<Resolution>),
    /// Somebody was faster; the answer is kept as late.
    Late(QuestionId, Box<Resolution>),
    Pull(PullId),
}

impl SessionDecision {
    const fn so_already(outcome: SessionOutcome) -> Self {
        Self { records: Vec::new(), task: TaskStep::None, of: None, notice: None, outcome }
    }

    fn of(session: &Session, records: Vec<Happened>, task: TaskStep) -> Self {
        Self { records, task, of: session.task.clone(), notice: None, outcome: SessionOutcome::Done }
    }
}

impl Session {
    /// Decides, and changes nothing. A decision without records says that what is asked for is so already.
    pub fn decide(&self, command: &SessionCommand, cause: &SessionCause) -> Result<SessionDecision, SessionRefusal> {
        if let Some(opening) = self.opens_round(command) {
            let mut next = self.clone();
            next.apply(cause.now, &opening);
            let mut decision = next.decide(command, cause)?;
            decision.records.insert(0, Happened::Session(opening));
            return Ok(decision);
        }
        match command {
            SessionCommand::Report { status, message, details } => self.report(*status, message, details.as_ref()),
            SessionCommand::Block { reason, blockers } => self.block(reason, blockers),
            SessionCommand::Ask { asker } => self.ask(asker, cause.now),
            SessionCommand::Use { question } => self.use_leave(question),
            SessionCommand::Withdraw { question, reason } => self.withdraw(question, reason.as_deref(), cause),
            SessionCommand::Link { work_item } => Ok(self.link(work_item)),
            SessionCommand::Answer { question, value, own_words, by } => {
                self.answer(question, value, *own_words, by, cause)
            }
            SessionCommand::Pull(command) => self.pull_moves(command),
            SessionCommand::OpenRound => Ok(SessionDecision::so_already(SessionOutcome::Done)),
            SessionCommand::Tick => Ok(self.tick(cause)),
        }
    }

    /// The record that opens the next round, where the last one ended and this begins another. The work that was
    /// completed is left: what follows is not for its sake.
    fn opens_round(&self, command: &SessionCommand) -> Option<SessionRecord> {
        let begins = match command {
            SessionCommand::Report { status, .. } => *status != WorkflowStatus::Completed,
            SessionCommand::Block { .. } | SessionCommand::Ask { .. } | SessionCommand::OpenRound => true,
            SessionCommand::Use { .. }
            | SessionCommand::Withdraw { .. }
            | SessionCommand::Link { .. }
            | SessionCommand::Answer { .. }
            | SessionCommand::Pull(_)
            | SessionCommand::Tick => false,
        };
        (begins && self.status() == WorkflowStatus::Completed).then(|| {
            let bond = self.task.clone().map_or(Bond::Own, |task| Bond::Leaves { task });
            SessionRecord::status(WorkflowStatus::Started, "the next round", bond)
        })
    }

    fn report(
        &self,
        status: WorkflowStatus,
        message: &str,
        details: Option<&Details>,
    ) -> Result<SessionDecision, SessionRefusal> {
        if status == WorkflowStatus::AwaitingInput && self.open_question().is_none() {
            return Err(SessionRefusal::UseRequestInput { from: self.status() });
        }
        if !self.status().may_become(status) {
            return Err(SessionRefusal::InvalidTransition { from: self.status(), to: status });
        }
        let record = SessionRecord::WorkflowStatus {
            status,
            message: message.to_owned(),
            details: details.cloned(),
            blockers: Vec::new(),
            awaiting: self.awaiting(status),
            bond: Bond::Own,
        };
        let message = message.to_owned();
        // Said again, only the words are new: the store is told only of work that goes on.
        let again = self.status() == status;
        let task = match status {
            WorkflowStatus::Working => TaskStep::Progress { message, details: details.cloned() },
            WorkflowStatus::Blocked if !again => TaskStep::Block { reason: message, question: None },
            WorkflowStatus::AwaitingReview if !again => TaskStep::Submit { message },
            WorkflowStatus::Completed if !again => TaskStep::Complete { message },
            WorkflowStatus::Started
            | WorkflowStatus::AwaitingInput
            | WorkflowStatus::Blocked
            | WorkflowStatus::AwaitingReview
            | WorkflowStatus::Completed => TaskStep::None,
        };
        Ok(SessionDecision::of(self, vec![Happened::Session(record)], task))
    }

    fn block(&self, reason: &str, blockers: &[String]) -> Result<SessionDecision, SessionRefusal> {
        let mut records = self.way(WorkflowStatus::Blocked, reason)?;
        if let Some(Happened::Session(SessionRecord::WorkflowStatus { blockers: named, .. })) = records.last_mut() {
            *named = blockers.to_vec();
        }
        let again = self.status() == WorkflowStatus::Blocked;
        let step = TaskStep::Block { reason: reason.to_owned(), question: None };
        Ok(SessionDecision::of(self, records, if again { TaskStep::None } else { step }))
    }

    fn link(&self, item: &WorkItem) -> SessionDecision {
        let outcome = SessionOutcome::Done;
        if self.work_item.as_ref() == Some(item) {
            return SessionDecision::so_already(outcome);
        }
        let records = vec![Happened::Session(SessionRecord::Linked { work_item: item.clone() })];
        SessionDecision { records, task: TaskStep::None, of: None, notice: None, outcome }
    }

    fn pull_moves(&self, command: &PullCommand) -> Result<SessionDecision, SessionRefusal> {
        let (id, record) = pull::decide(&self.pulls, self.task.as_ref(), command)?;
        let records = record.into_iter().map(Happened::Pull).collect();
        Ok(SessionDecision { records, ..SessionDecision::so_already(SessionOutcome::Pull(id)) })
    }

    fn known(&self, id: &QuestionId) -> Result<&Question, SessionRefusal> {
        self.question(id).ok_or_else(|| SessionRefusal::QuestionNotFound { question: id.to_string() })
    }

    /// The records from here to a status, on the way that the diagram has.
    fn way(&self, to: WorkflowStatus, message: &str) -> Result<Vec<Happened>, SessionRefusal> {
        let way = self.status().way_to(to);
        if way.is_empty() {
            return Err(SessionRefusal::InvalidTransition { from: self.status(), to });
        }
        let step = |status: WorkflowStatus| {
            let message = if status == to { message } else { "" };
            Happened::Session(SessionRecord::status(status, message, Bond::Own))
        };
        Ok(way.into_iter().map(step).collect())
    }

    fn awaiting(&self, status: WorkflowStatus) -> Option<Box<Awaiting>> {
        let open = self.open_question().filter(|_| status == WorkflowStatus::AwaitingInput)?;
        Some(Box::new(Awaiting::from(&open.spec)))
    }
}
