//! Questions: asked, answered, withdrawn, and what their deadlines do.

use super::{Happened, SessionDecision, SessionOutcome, TaskStep};
use crate::domain::agent::{Notice, NoticeKind};
use crate::domain::ids::QuestionId;
use crate::domain::reminder;
use crate::domain::session::command::SessionCause;
use crate::domain::session::question::{
    ASKED_AGAIN, Answerer, Due, Question, QuestionRecord, QuestionSpec, Resolution, ResolutionType,
};
use crate::domain::session::record::{Awaiting, Bond, SessionRecord};
use crate::domain::session::refusal::SessionRefusal;
use crate::domain::session::state::Session;
use crate::domain::session::status::WorkflowStatus;
use crate::domain::task::{Origin, OriginKind};
use crate::domain::text::shorten;
use crate::domain::time::Timestamp;

/// How much of a question goes with a status, in characters.
const HEAD: usize = 200;

impl Session {
    /// The same text is the same question: while it is open, and for a while after.
    pub(super) fn ask(&self, asked: &QuestionSpec, now: Timestamp) -> Result<SessionDecision, SessionRefusal> {
        let again = self.questions.iter().rev().find(|known| known.spec.question == asked.question);
        if let Some(known) = again {
            let id = known.spec.id.clone();
            match known.resolution() {
                None => return Ok(SessionDecision::so_already(SessionOutcome::Open(id))),
                Some(resolution) if now.since(resolution.at) < ASKED_AGAIN => {
                    let outcome = SessionOutcome::Resolved(id, Box::new(resolution.clone()));
                    return Ok(SessionDecision::so_already(outcome));
                }
                Some(_) => {}
            }
        }
        let spec = QuestionSpec {
            session_id: self.id.clone(),
            agent_id: self.agent.clone(),
            task_id: self.task.clone(),
            ..asked.clone()
        };
        spec.check()?;
        if let Some(open) = self.open_question() {
            return Err(SessionRefusal::QuestionOpen { question: open.spec.id.clone() });
        }
        let mut way = self.way(WorkflowStatus::AwaitingInput, &spec.question)?;
        if let Some(Happened::Session(SessionRecord::WorkflowStatus { awaiting, message, .. })) = way.last_mut() {
            *awaiting = Some(Box::new(Awaiting::from(&spec)));
            *message = shorten(&spec.question, HEAD);
        }
        let (id, until) = (spec.id.clone(), spec.expires_at);
        let asked = Happened::Question(QuestionRecord::Asked { spec: Box::new(spec) });
        let records = std::iter::once(asked).chain(way).collect();
        let (task, outcome) = (TaskStep::Await { until }, SessionOutcome::Open(id));
        Ok(SessionDecision { records, task, notice: None, outcome })
    }

    pub(super) fn withdraw(
        &self,
        id: &QuestionId,
        reason: Option<&str>,
        cause: &SessionCause,
    ) -> Result<SessionDecision, SessionRefusal> {
        let question = self.known(id)?;
        let value = reason.unwrap_or_default().to_owned();
        match question.resolution() {
            // Withdrawn twice is withdrawn.
            Some(resolution) if resolution.kind == ResolutionType::Cancelled => {
                let outcome = SessionOutcome::Resolved(id.clone(), Box::new(resolution.clone()));
                Ok(SessionDecision::so_already(outcome))
            }
            Some(resolution) => {
                Err(SessionRefusal::AlreadyResolved { question: id.clone(), resolution: Box::new(resolution.clone()) })
            }
            None => Ok(self.settle(question, ResolutionType::Cancelled, value, cause.itself.clone(), cause)),
        }
    }

    pub(super) fn answer(
        &self,
        id: &QuestionId,
        value: &str,
        by: &Answerer,
        cause: &SessionCause,
    ) -> Result<SessionDecision, SessionRefusal> {
        let question = self.known(id)?;
        let record = question.answer(cause.now, value, by)?;
        match question.resolution() {
            None => Ok(self.settle(question, ResolutionType::Human, value.to_owned(), by.clone(), cause)),
            Some(first) => Ok(SessionDecision {
                records: record.into_iter().map(Happened::Question).collect(),
                outcome: SessionOutcome::Late(id.clone(), Box::new(first.clone())),
                ..SessionDecision::of(Vec::new(), TaskStep::None)
            }),
        }
    }

    pub(super) fn tick(&self, cause: &SessionCause) -> SessionDecision {
        let nothing = SessionDecision::so_already(SessionOutcome::Done);
        if let Some(question) = self.outlived() {
            return self.settle(question, ResolutionType::Superseded, String::new(), cause.itself.clone(), cause);
        }
        let Some(question) = self.open_question() else { return nothing };
        match question.due(cause.now) {
            None => nothing,
            Some(Due::Reminder(percent)) => {
                let reminded = QuestionRecord::Reminded { id: question.spec.id.clone(), percent };
                SessionDecision::of(vec![Happened::Question(reminded)], TaskStep::None)
            }
            Some(Due::Default) => {
                let value = question.spec.default_action.clone();
                self.settle(question, ResolutionType::Timeout, value, cause.timer.clone(), cause)
            }
            Some(Due::Overdue) => self.overdue(question, cause),
        }
    }

    /// The deadline of a question whose default is dangerous: people are needed more than before, and the agent is not
    /// to go on.
    fn overdue(&self, question: &Question, cause: &SessionCause) -> SessionDecision {
        let id = question.spec.id.clone();
        let reason = format!(
            "nobody answered question `{id}` in time, and its default does not apply by itself: {}",
            shorten(&question.spec.question, HEAD)
        );
        let blocked = SessionRecord::status(WorkflowStatus::Blocked, reason.clone(), Bond::Own);
        let records = vec![Happened::Question(QuestionRecord::Overdue { id: id.clone() }), Happened::Session(blocked)];
        let text = format!(
            "No response received to question {id}, and its default is not applied because it may do harm. Do not \
             act on it: call wait_for_answer with question_id {id} to go on waiting, or call wait_for_prompt to take \
             other work."
        );
        let notice = Notice { question_id: None, ..self.told(question, text, Origin::hub(), cause) };
        let task = TaskStep::Block { reason, anyway: true };
        SessionDecision { records, task, notice: Some(notice), outcome: SessionOutcome::Done }
    }

    /// The question gets its one answer; whoever waited for it alone goes on.
    fn settle(
        &self,
        question: &Question,
        kind: ResolutionType,
        value: String,
        by: Answerer,
        cause: &SessionCause,
    ) -> SessionDecision {
        let resolution = Resolution { kind, value: value.clone(), by: by.clone(), at: cause.now };
        let mut records = vec![Happened::Question(question.resolve(kind, value.clone(), by, cause.now))];
        let blocks = question.is_overdue() && self.status() == WorkflowStatus::Blocked;
        let waits = self.status() == WorkflowStatus::AwaitingInput || blocks;
        if waits {
            let working = SessionRecord::status(WorkflowStatus::Working, resolution.to_string(), Bond::Own);
            records.push(Happened::Session(working));
        }
        let mine = question.spec.task_id.is_some() && question.spec.task_id == self.task;
        let task = match kind {
            _ if !(waits && mine) => TaskStep::None,
            ResolutionType::Human | ResolutionType::Timeout | ResolutionType::Superseded => {
                TaskStep::Resume { answer: blocks.then_some(value) }
            }
            // The agent goes on by itself, and takes a task that the question had blocked back.
            ResolutionType::Cancelled => {
                TaskStep::Progress { message: "found out by itself".to_owned(), details: None }
            }
        };
        let notice = heard(question, &resolution).map(|(text, from)| Notice {
            question_id: Some(question.spec.id.clone()),
            ..self.told(question, text, from, cause)
        });
        let outcome = SessionOutcome::Resolved(question.spec.id.clone(), Box::new(resolution));
        SessionDecision { records, task, notice, outcome }
    }

    fn told(&self, question: &Question, text: String, from: Origin, cause: &SessionCause) -> Notice {
        Notice {
            id: cause.notice.clone(),
            kind: NoticeKind::Answer,
            text,
            from,
            task_id: question.spec.task_id.clone(),
            question_id: None,
            at: cause.now,
        }
    }
}

/// What the agent hears of an answer, and from whom; nothing of what it did itself.
fn heard(question: &Question, resolution: &Resolution) -> Option<(String, Origin)> {
    let id = &question.spec.id;
    match resolution.kind {
        ResolutionType::Human => {
            let by = &resolution.by;
            let text = format!("{} answered your question {id}: {}", by.display_name, resolution.value);
            let from = Origin {
                kind: OriginKind::of(by.surface),
                id: by.principal.to_string(),
                display_name: by.display_name.clone(),
            };
            Some((text, from))
        }
        ResolutionType::Timeout => Some((reminder::no_response(&resolution.value), Origin::hub())),
        ResolutionType::Superseded => {
            Some((format!("Your question {id} needs no answer any more: the work went on without it."), Origin::hub()))
        }
        ResolutionType::Cancelled => None,
    }
}
