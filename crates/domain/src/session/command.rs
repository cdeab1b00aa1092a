//! What may be asked of a session.

use super::question::{Answerer, QuestionSpec};
use super::status::{Details, WorkflowStatus};
use crate::ids::{NoticeId, QuestionId, RunId};
use crate::pull::PullCommand;
use crate::task::RunExit;
use crate::time::Timestamp;
use crate::work_item::WorkItem;

#[derive(Debug, Clone)]
pub enum SessionCommand {
    /// The agent says what it does.
    Report { status: WorkflowStatus, message: String, details: Option<Details> },
    Block {
        /// Why: never empty.
        reason: String,
        blockers: Vec<String>,
    },
    Ask {
        /// What; its session, agent, task and times are filled in by the decision.
        asker: Box<Asker>,
    },
    /// A call takes the leave that a person gave: see [`permission`](super::question::permission).
    Use { question: QuestionId },
    /// The agent found out by itself.
    Withdraw { question: QuestionId, reason: Option<String> },
    /// The agent says what it works on.
    Link { work_item: WorkItem },
    Answer {
        question: QuestionId,
        /// What, as it was given: see [`QuestionSpec::read_answer`](super::question::QuestionSpec::read_answer).
        value: String,
        /// The person insists on own words where the question asks for one of its options.
        own_words: bool,
        by: Answerer,
    },
    /// Its agent registered or began a workflow: where the last round ended, the next one begins.
    OpenRound,
    /// It is about one of its pull requests.
    Pull(PullCommand),
    /// Time passed, or the task went on.
    Tick,
}

/// A question before it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asker {
    /// The question; what the session knows better (its id, agent, task, the moment) is overwritten.
    pub spec: QuestionSpec,
    /// The run of the session's task that ends with it; none where its agent waits for the answer.
    pub ends: Option<(RunId, Box<RunExit>)>,
}

/// What comes with each command: when, an id for the notice that it may bring forth, and how whoever gives the order,
/// and the clock, sign what they resolve.
#[derive(Debug, Clone)]
pub struct SessionCause {
    pub now: Timestamp,
    pub notice: NoticeId,
    /// Whoever gives the order: the session's own agent, or a person in its place.
    pub by: Answerer,
    pub timer: Answerer,
}
