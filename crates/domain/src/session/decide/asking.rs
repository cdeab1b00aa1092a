//! Questions: asked, answered, withdrawn, and what their deadlines do.

use super::{Happened, SessionDecision, SessionOutcome, TaskStep};
use crate::agent::{Notice, NoticeKind};
use crate::ids::{NoticeId, QuestionId};
use crate::reminder;
use crate::session::command::{Asker, SessionCause};
use crate::session::question::{
    ASKED_AGAIN, Answerer, Due, LIMITS, Question, QuestionKind, QuestionRecord, QuestionRefusal, QuestionSpec,
    Resolution, ResolutionType,
};
use crate::session::record::{Awaiting, Bond, SessionRecord};
use crate::session::refusal::SessionRefusal;
use crate::session::state::Session;
use crate::session::status::WorkflowStatus;
use crate::task::{GO_ON, Origin, OriginKind, RunExit};
use crate::text::shorten;
use crate::time::Timestamp;

/// How much of a question goes with a status, in characters.
const HEAD: usize = 200;

impl Session {
    pub(super) fn ask(&self, asker: &Asker, now: Timestamp) -> Result<SessionDecision, SessionRefusal> {
        let Asker { spec: asked, ends } = asker;
        if let Some(known) = self.asked_before(asked, now).filter(|_| ends.is_none()) {
            return Ok(SessionDecision::so_already(known));
        }
        let spec = QuestionSpec {
            work_item: self.work_item.clone(),
            session_id: self.id.clone(),
            agent_id: self.agent.clone(),
            task_id: self.task.clone(),
            ..asked.clone()
        };
        spec.check()?;
        self.has_place_for(&spec)?;
        if let Some((run, exit)) = ends {
            let (run, id) = (run.clone(), spec.id.clone());
            let exit = Box::new(RunExit { question: Some(id.clone()), ..RunExit::clone(exit) });
            let asked = Happened::Question(QuestionRecord::Asked { spec: Box::new(spec) });
            // The session stands still with its task.
            let decision = SessionDecision::of(self, vec![asked], TaskStep::EndRun { run, exit });
            return Ok(SessionDecision { outcome: SessionOutcome::Open(id), ..decision });
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
        Ok(SessionDecision { records, task, of: self.task.clone(), notice: None, outcome })
    }

    /// The same question is one question while it is open, and for a while after. One that nobody answered is asked
    /// anew, and an answer is valid only for the task it was asked for.
    fn asked_before(&self, asked: &QuestionSpec, now: Timestamp) -> Option<SessionOutcome> {
        let mut same = self.questions.iter().rev().filter(|known| known.spec.is_the_same_as(asked));
        same.find_map(|known| {
            let id = known.spec.id.clone();
            match known.resolution() {
                None => Some(SessionOutcome::Open(id)),
                Some(resolution) if known.is_leave_for(self.task.as_ref()) => {
                    Some(SessionOutcome::Resolved(id, Box::new(resolution.clone())))
                }
                Some(_) if known.is_used_up() => None,
                Some(resolution) => match resolution.kind {
                    ResolutionType::Human | ResolutionType::Timeout
                        if now.since(resolution.at) < ASKED_AGAIN && known.spec.task_id == self.task =>
                    {
                        Some(SessionOutcome::Resolved(id, Box::new(resolution.clone())))
                    }
                    ResolutionType::Human
                    | ResolutionType::Timeout
                    | ResolutionType::Cancelled
                    | ResolutionType::Superseded => None,
                },
            }
        })
    }

    /// A session asks one thing at a time, and in no two ways; what is overdue is parked, and there are not many such.
    fn has_place_for(&self, asked: &QuestionSpec) -> Result<(), SessionRefusal> {
        let mut open = self.questions.iter().filter(|known| known.is_open());
        let stands_still = self.status() == WorkflowStatus::Blocked;
        let taken = open.find(|known| {
            !known.is_overdue()
                || known.spec.says_the_same_as(asked)
                || (stands_still && known.spec.task_id == self.task)
        });
        if let Some(taken) = taken {
            return Err(SessionRefusal::QuestionOpen { question: taken.spec.id.clone() });
        }
        match self.overdue().next() {
            Some(oldest) if asked.is_dangerous() && self.overdue().count() >= LIMITS.overdue => {
                Err(SessionRefusal::TooManyOverdue { question: oldest.spec.id.clone() })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// A call takes what was answered. Leave that is given once goes to one call: the next is asked anew.
    pub(super) fn use_leave(&self, id: &QuestionId) -> Result<SessionDecision, SessionRefusal> {
        let question = self.known(id)?;
        let Some(resolution) = question.resolution().filter(|_| question.spec.permission.is_some()) else {
            return Err(SessionRefusal::QuestionOpen { question: id.clone() });
        };
        let resolution = Box::new(resolution.clone());
        let first = !question.is_used_up();
        if !first && !question.is_leave_for(self.task.as_ref()) {
            return Err(SessionRefusal::AlreadyResolved { question: id.clone(), resolution });
        }
        let records = first.then(|| Happened::Question(QuestionRecord::Used { id: id.clone() })).into_iter().collect();
        Ok(SessionDecision { records, ..SessionDecision::so_already(SessionOutcome::Resolved(id.clone(), resolution)) })
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
            None => Ok(self.settle(question, ResolutionType::Cancelled, value, cause.by.clone(), cause)),
        }
    }

    pub(super) fn answer(
        &self,
        id: &QuestionId,
        value: &str,
        own_words: bool,
        by: &Answerer,
        cause: &SessionCause,
    ) -> Result<SessionDecision, SessionRefusal> {
        let question = self.known(id)?;
        let record = answered(question, cause.now, value, own_words, by)?;
        match question.resolution() {
            None => {
                let value = question.spec.read_answer(value, own_words)?;
                Ok(self.settle(question, ResolutionType::Human, value, by.clone(), cause))
            }
            Some(first) => Ok(SessionDecision {
                records: vec![Happened::Question(record)],
                ..SessionDecision::so_already(SessionOutcome::Late(id.clone(), Box::new(first.clone())))
            }),
        }
    }

    pub(super) fn tick(&self, cause: &SessionCause) -> SessionDecision {
        let nothing = SessionDecision::so_already(SessionOutcome::Done);
        let Some(question) = self.open_question() else { return nothing };
        match question.due(cause.now) {
            None => nothing,
            Some(Due::Reminder(percent)) => {
                let reminded = QuestionRecord::Reminded { id: question.spec.id.clone(), percent };
                SessionDecision { records: vec![Happened::Question(reminded)], ..nothing }
            }
            Some(Due::Default) => {
                let value = question.spec.default_action.clone();
                self.settle(question, ResolutionType::Timeout, value, cause.timer.clone(), cause)
            }
            Some(Due::Overdue) => self.fall_due(question, cause),
        }
    }

    /// The deadline of a question whose default is dangerous: people are needed more than before, and the agent is not
    /// to go on with that work. A session that follows other work by now goes on with it.
    fn fall_due(&self, question: &Question, cause: &SessionCause) -> SessionDecision {
        let id = question.spec.id.clone();
        let reason = format!(
            "nobody answered question `{id}` in time, and its default does not apply by itself: {}",
            shorten(&question.spec.question, HEAD)
        );
        let mut records = vec![Happened::Question(QuestionRecord::Overdue { id: id.clone() })];
        if question.spec.task_id == self.task {
            let mut blocked = SessionRecord::status(WorkflowStatus::Blocked, reason.clone(), Bond::Own);
            if let SessionRecord::WorkflowStatus { blockers, .. } = &mut blocked {
                blockers.push(id.to_string());
            }
            records.push(Happened::Session(blocked));
        }
        let text = format!(
            "No response received to question {id}, and its default is not applied by itself. Do not \
             act on it: call wait_for_answer with question_id {id} to go on waiting, or call wait_for_prompt to take \
             other work."
        );
        // It is no answer: that comes with a notice of its own, and only that one says whether the agent has heard it.
        let notice = answer_notice(question, text, Origin::hub(), cause.notice.clone(), cause.now);
        let notice = Notice { kind: NoticeKind::Message, ..notice };
        let task = TaskStep::Block { reason, question: Some(id) };
        let of = question.spec.task_id.clone();
        SessionDecision { records, task, of, notice: Some(notice), outcome: SessionOutcome::Done }
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
        let mut records = vec![Happened::Question(question.resolve(kind, value, by, cause.now))];
        let waits = self.waits_for(question);
        if waits {
            let working = SessionRecord::status(WorkflowStatus::Working, resolution.to_string(), Bond::Own);
            records.push(Happened::Session(working));
        }
        let task = self.next_step(question, &resolution, waits);
        let of = question.spec.task_id.clone().filter(|_| task != TaskStep::None);
        let notice = heard(question, &resolution)
            .map(|(text, from)| answer_notice(question, text, from, cause.notice.clone(), cause.now));
        let outcome = SessionOutcome::Resolved(question.spec.id.clone(), Box::new(resolution));
        SessionDecision { records, task, of, notice, outcome }
    }

    /// Whether the session does nothing but wait for this one.
    pub fn waits_for(&self, question: &Question) -> bool {
        match self.status() {
            WorkflowStatus::AwaitingInput => !question.is_overdue(),
            WorkflowStatus::Blocked => {
                let id = question.spec.id.as_str();
                question.spec.task_id == self.task && self.standpoint.blockers.iter().any(|it| it.as_str() == id)
            }
            WorkflowStatus::Started
            | WorkflowStatus::Working
            | WorkflowStatus::AwaitingReview
            | WorkflowStatus::Completed => false,
        }
    }

    /// What the task has to do with the resolution of a question that was asked for its sake.
    fn next_step(&self, question: &Question, resolution: &Resolution, waits: bool) -> TaskStep {
        let id = question.spec.id.clone();
        let quoted = || {
            let asked = shorten(question.spec.question.trim(), HEAD);
            format!("{} (the answer to `{asked}`)", resolution.value)
        };
        match resolution.kind {
            _ if question.spec.task_id.is_none() => TaskStep::None,
            // What has used up its budget goes on by this word of a person alone.
            ResolutionType::Human | ResolutionType::Timeout | ResolutionType::Cancelled
                if question.spec.kind == QuestionKind::Budget =>
            {
                let goes_on = resolution.kind == ResolutionType::Human && resolution.value == GO_ON;
                let said = if goes_on { quoted() } else { resolution.to_string() };
                TaskStep::Budget { question: id, goes_on, said }
            }
            // Leave is for the call that waits for it, and for nobody who takes the task up.
            ResolutionType::Human if question.spec.permission.is_some() => {
                TaskStep::Resume { question: id, answer: None }
            }
            // Whoever takes the task up has to know it, also when that is another agent.
            ResolutionType::Human => TaskStep::Resume { question: id, answer: Some(quoted()) },
            ResolutionType::Timeout | ResolutionType::Superseded if waits => {
                TaskStep::Resume { question: id, answer: None }
            }
            // The agent goes on by itself, and takes a task that the question had blocked back.
            ResolutionType::Cancelled if waits && question.is_of(&resolution.by) => {
                TaskStep::Progress { message: "found out by itself".to_owned(), details: None }
            }
            // It works on something else, or a person did it: the task must not wait for what nobody is asked.
            ResolutionType::Cancelled if waits || question.is_overdue() => {
                let said = format!("question `{id}` was withdrawn: {}", resolution.value);
                TaskStep::Resume { question: id, answer: Some(said.trim_end_matches([':', ' ']).to_owned()) }
            }
            ResolutionType::Timeout | ResolutionType::Superseded | ResolutionType::Cancelled => TaskStep::None,
        }
    }
}

/// What an answer makes of a question. Whoever is too late is told who answered; nothing is kept of what could not have
/// been an answer. Fails as [`Question::answer`] does, and with `ALREADY_RESOLVED`.
pub fn answered(
    question: &Question,
    now: Timestamp,
    value: &str,
    own_words: bool,
    by: &Answerer,
) -> Result<QuestionRecord, SessionRefusal> {
    match (question.answer(now, value, own_words, by), question.resolution()) {
        (Err(QuestionRefusal::NotAnOption { .. }), Some(first)) => {
            let (question, resolution) = (question.spec.id.clone(), Box::new(first.clone()));
            Err(SessionRefusal::AlreadyResolved { question, resolution })
        }
        (answered, _) => Ok(answered?),
    }
}

pub(super) fn answer_notice(question: &Question, text: String, from: Origin, id: NoticeId, at: Timestamp) -> Notice {
    let (task_id, question_id) = (question.spec.task_id.clone(), Some(question.spec.id.clone()));
    Notice { id, kind: NoticeKind::Answer, text, from, task_id, question_id, at, typed_at: None }
}

/// What the agent hears of an answer, and from whom; nothing of what it did itself.
fn heard(question: &Question, resolution: &Resolution) -> Option<(String, Origin)> {
    let (id, by) = (&question.spec.id, &resolution.by);
    let from = || Origin {
        kind: OriginKind::of(by.surface),
        id: by.principal.to_string(),
        display_name: by.display_name.clone(),
    };
    match resolution.kind {
        kind if question.answers_a_call(kind) => None,
        ResolutionType::Human => {
            let how = question.how(&resolution.value);
            Some((format!("{} answered your question {id}{how}: {}", by.display_name, resolution.value), from()))
        }
        ResolutionType::Timeout => Some((reminder::no_response(&resolution.value), Origin::hub())),
        ResolutionType::Superseded => Some((format!("Your question {id} needs no answer any more."), Origin::hub())),
        ResolutionType::Cancelled if question.is_of(by) => None,
        ResolutionType::Cancelled => {
            let text = format!("{} took your question {id} back: {}", by.display_name, resolution.value);
            Some((text.trim_end_matches([':', ' ']).to_owned(), from()))
        }
    }
}
