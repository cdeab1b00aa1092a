//! A task, its review, its holder's session and what is asked for its sake, bound together as the actors bind them: one
//! decision, one append.

use super::kit::{DAWN, MINUTE, dangerous, question, somebody, spec};
use super::parts::{agent, cause, first_task, session_id, signed, submission, terms, who};
use crate::ids::{CommentId, NoticeId, PrincipalId, QuestionId};
use crate::invariants::{
    Broken, q6_open_is_needed, question_moves, s1_task_and_session_agree, s2_one_open_question, task_moves,
};
use crate::principal::{By, Surface};
use crate::review::{self, Review, review_stands};
use crate::session::question::{Answerer, Question, QuestionKind, QuestionRecord, QuestionSpec};
use crate::session::{
    self, Asker, Happened, Session, SessionCause, SessionCommand, SessionDecision, SessionRecord, TaskStep,
    WorkflowStatus,
};
use crate::task::*;
use crate::time::Timestamp;

/// What somebody does.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    Ask { dangerous: bool, minutes: u64 },
    Answer { which: usize, old: bool },
    Withdraw { which: usize },
    Report(WorkflowStatus),
    Complete,
    Fail,
    Submit,
    Approve { completes: bool },
    RequestChanges,
    AnswerTask,
    Cancel,
    Reassign,
    Retry,
    Offer { other: bool },
    Acknowledge,
    Release,
    Wait { minutes: u64 },
}

/// What the journal would hold of them.
pub(super) struct World {
    pub(super) now: Timestamp,
    pub(super) task: Task,
    review: Option<Review>,
    pub(super) session: Session,
    pub(super) asked: Vec<Question>,
    ids: u32,
    broken: Option<Broken>,
}

impl World {
    pub(super) fn new() -> Self {
        let (task, session) =
            (Task::from_created(DAWN, &first_task()).unwrap(), Session::opened(session_id(), agent("ann"), DAWN));
        Self { now: DAWN, task, review: None, session, asked: Vec::new(), ids: 0, broken: None }
    }

    fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    fn notice(&mut self) -> NoticeId {
        NoticeId::parse(&format!("n_{:08}", self.id())).unwrap()
    }

    fn comment(&mut self, kind: CommentKind, text: &str) -> Comment {
        let id = CommentId::parse(&format!("c_{:08}", self.id())).unwrap();
        Comment {
            id,
            kind,
            from: who("ada"),
            text: text.to_owned(),
            file: None,
            line: None,
            reply_to: None,
            sanitized: None,
            at: self.now,
        }
    }

    fn holds(&mut self, what: Result<(), Broken>) {
        self.broken = self.broken.take().or(what.err());
    }

    /// An order to the task, with what the session decided, as `actors::task` carries it out. False when it says no.
    fn order(&mut self, command: &TaskCommand, cause: &Cause, part: &[Happened]) -> bool {
        let Ok(decision) = self.task.decide(self.now, command, cause) else { return false };
        let (mut next, mut followed) = (self.task.clone(), Vec::new());
        for record in &decision.records {
            let before = next.clone();
            next.apply(self.now, record);
            self.holds(task_moves(&before, record, &next));
            followed.extend(session::follow(&session::Following::of(&before), record, &next));
        }
        if session::in_the_way(&self.session, &next, &decision.records).is_some() {
            return false;
        }
        let said = review::follow(self.review.as_ref(), self.now, command, cause, &decision, &next);
        let Ok(said) = said else { return false };
        for record in &said {
            match &mut self.review {
                Some(review) => review.apply(self.now, record),
                None => self.review = Review::from_submitted(next.id().clone(), self.now, record),
            }
        }
        self.task = next;
        let by = Answerer {
            principal: cause.by.principal.clone(),
            display_name: cause.who.display_name.clone(),
            surface: cause.by.surface,
        };
        let lapsing: Vec<Question> = if self.task.asked_in.contains(&self.session.id) && !decision.records.is_empty() {
            session::unneeded(&self.session, &self.task, &decision.records)
                .filter(|question| {
                    let is_it = |id: &QuestionId| *id == question.spec.id;
                    let by = |own: &Happened| {
                        matches!(own, Happened::Question(QuestionRecord::Resolved { id, .. }) if is_it(id))
                    };
                    !part.iter().any(by)
                })
                .cloned()
                .collect()
        } else {
            Vec::new()
        };
        for (_, record) in followed {
            let repeats = matches!(&record, SessionRecord::WorkflowStatus { bond: session::Bond::Follows { .. }, .. });
            if !(repeats && part.iter().any(|own| matches!(own, Happened::Session(_)))) {
                self.session.apply(self.now, &record);
            }
        }
        let says_again = decision.records.is_empty() && command.reports();
        let part = part
            .iter()
            .filter(|own| !(says_again && matches!(own, Happened::Session(SessionRecord::WorkflowStatus { .. }))));
        self.write(&part.cloned().collect::<Vec<_>>());
        for question in lapsing {
            let notice = self.notice();
            let (ended, _) = session::lapsed(&question, &self.task, by.clone(), notice, self.now);
            self.write(&[ended]);
        }
        true
    }

    /// What the session's own records come to.
    fn write(&mut self, records: &[Happened]) {
        for happened in records {
            match happened {
                Happened::Session(record) => self.session.apply(self.now, record),
                Happened::Pull(record) => self.session.hear_of_pull(self.now, record),
                Happened::Question(record) => {
                    self.session.hear(self.now, record);
                    self.hear(record);
                }
            }
        }
    }

    fn hear(&mut self, record: &QuestionRecord) {
        let at = self.asked.iter().position(|known| known.spec.id == *record.id());
        let before = at.map(|at| self.asked[at].clone());
        match (record, at) {
            (QuestionRecord::Asked { spec }, _) => self.asked.push(Question::asked((**spec).clone())),
            (record, Some(at)) => self.asked[at].apply(self.now, record),
            (_, None) => panic!("it was never asked"),
        }
        let at = at.unwrap_or(self.asked.len() - 1);
        let after = self.asked[at].clone();
        self.holds(question_moves(before.as_ref(), record, &after));
    }

    /// An order to the session, as `actors::session` carries it out.
    fn tells(&mut self, command: &SessionCommand, by: &str) {
        let notice = self.notice();
        let cause = SessionCause {
            now: self.now,
            notice,
            by: signed("agent:ann", Surface::Agent),
            timer: signed("hub", Surface::Timer),
        };
        let Ok(decision) = self.session.decide(command, &cause) else { return };
        let anyway = !matches!(command, SessionCommand::Report { .. } | SessionCommand::Block { .. });
        let mut records = decision.records.clone();
        let command =
            self.step(&decision).filter(|_| decision.of.as_ref() == Some(self.task.id()) && self.task.is_open());
        if let Some(command) = command {
            if self.order(&command, &self::cause(by), &records) {
                return;
            }
            if !anyway {
                return;
            }
            if matches!(decision.task, TaskStep::Block { .. }) {
                records.retain(|happened| matches!(happened, Happened::Question(_)));
            }
        }
        for happened in &mut records {
            if let Happened::Question(QuestionRecord::Asked { spec }) = happened {
                spec.task_id = None;
            }
        }
        self.write(&records);
    }

    /// What the session's decision is to the task; see `actors::session::perform`.
    fn step(&mut self, decision: &SessionDecision) -> Option<TaskCommand> {
        let agent = agent("ann");
        let report = |kind, message: &str| {
            let message = KeptText::inline(message);
            let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
            Some(TaskCommand::Report { agent: agent.clone(), epoch: None, report })
        };
        match &decision.task {
            TaskStep::None => None,
            TaskStep::Progress { .. } if self.session.status() == WorkflowStatus::AwaitingReview => {
                Some(TaskCommand::TakeBack { agent, epoch: None })
            }
            TaskStep::Progress { message, .. } => report(ReportKind::Progress { phase: None, percent: None }, message),
            TaskStep::Block { reason, question } => {
                report(ReportKind::Blocked { reason: reason.clone(), question: question.clone() }, reason)
            }
            TaskStep::Complete { message } => report(ReportKind::Completed, message),
            TaskStep::Fail { message } => report(ReportKind::Failed, message),
            TaskStep::Submit { message } => Some(submission(message)),
            TaskStep::Await { until } => Some(TaskCommand::Await { agent, until: *until, session: Some(session_id()) }),
            TaskStep::EndRun { run, exit } => Some(TaskCommand::EndRun { run: run.clone(), exit: exit.clone() }),
            TaskStep::Budget { question, goes_on, said } => {
                let word = self.comment(CommentKind::Answer, said);
                Some(TaskCommand::SettleBudget { agent, question: question.clone(), goes_on: *goes_on, word })
            }
            TaskStep::Resume { question, answer } => {
                let answer = answer.as_ref().map(|text| self.comment(CommentKind::Answer, text));
                Some(TaskCommand::Resume { agent, question: question.clone(), answer })
            }
        }
    }

    /// Time passes, deadline by deadline, as the alarm rings.
    fn waits(&mut self, minutes: u64) {
        let until = Timestamp(self.now.0 + minutes * MINUTE);
        loop {
            let of_task = self.task.next_deadline().map(|deadline| (deadline.at, true));
            let of_session = self.session.next_deadline().map(|deadline| (deadline.at, false));
            let Some((at, task)) = of_task.into_iter().chain(of_session).min() else { break };
            if at > until {
                break;
            }
            self.now = self.now.max(at);
            if task {
                let cause = Cause {
                    by: By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Timer },
                    ..cause("hub")
                };
                self.order(&TaskCommand::Tick, &cause, &[]);
            } else {
                self.tells(&SessionCommand::Tick, "hub");
            }
        }
        self.now = until;
    }

    fn next_question(&self, danger: bool, minutes: u64) -> QuestionSpec {
        let n = u32::try_from(self.asked.len()).unwrap() + 1;
        let mut base = if danger { dangerous(n) } else { spec(n) };
        if !danger && minutes.is_multiple_of(3) {
            let (options, default_action) = (vec![GO_ON.to_owned(), STOP.to_owned()], STOP.to_owned());
            base = QuestionSpec { kind: QuestionKind::Budget, options, default_action, ..base };
        }
        let expires_at = Timestamp(self.now.0 + minutes * MINUTE);
        QuestionSpec { asked_at: self.now, expires_at, ..base }
    }

    pub(super) fn does(&mut self, deed: &Deed) {
        let which = |which: usize| question(u32::try_from(which % self.asked.len().max(1)).unwrap() + 1);
        let ann = || agent("ann");
        match deed {
            Deed::Ask { dangerous: danger, minutes } => {
                let spec = self.next_question(*danger, *minutes);
                self.tells(&SessionCommand::Ask { asker: Box::new(Asker { spec, ends: None }) }, "ann");
            }
            Deed::Answer { which: n, old } => {
                let asked = self.asked.iter().find(|asked| asked.spec.id == which(*n));
                let options = asked.map_or_else(|| spec(1).options, |asked| asked.spec.options.clone());
                let (value, by) = (options[usize::from(!old)].clone(), somebody("ada", Surface::Page));
                let command = SessionCommand::Answer { question: which(*n), value, own_words: false, by };
                self.tells(&command, "ada");
            }
            Deed::Withdraw { which: n } => {
                self.tells(&SessionCommand::Withdraw { question: which(*n), reason: None }, "ann");
            }
            Deed::Report(status) => {
                let (status, message) = (*status, "so it is".to_owned());
                self.tells(&SessionCommand::Report { status, message, details: None }, "ann");
            }
            Deed::Complete | Deed::Fail => {
                let kind = if matches!(deed, Deed::Complete) { ReportKind::Completed } else { ReportKind::Failed };
                let message = KeptText::inline("words");
                let report =
                    Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
                self.order(&TaskCommand::Report { agent: ann(), epoch: None, report }, &cause("ann"), &[]);
            }
            Deed::Submit => {
                self.order(&submission("look"), &cause("ann"), &[]);
            }
            Deed::Approve { completes } => {
                let comment = self.comment(CommentKind::Review, "").id;
                let command =
                    TaskCommand::Approve { message: None, comment, completes: *completes, grounds: None, round: None };
                self.order(&command, &cause("ada"), &[]);
            }
            Deed::RequestChanges => {
                let comments = vec![self.comment(CommentKind::Review, "rename it")];
                self.order(&TaskCommand::RequestChanges { comments, round: None }, &cause("ada"), &[]);
            }
            Deed::AnswerTask => {
                let answer = self.comment(CommentKind::Answer, "7420");
                let command = TaskCommand::Answer { authority: Authority::Operator, answer };
                self.order(&command, &cause("ada"), &[]);
            }
            Deed::Cancel => {
                self.order(&TaskCommand::Cancel { authority: Authority::Operator, reason: None }, &cause("ada"), &[]);
            }
            Deed::Reassign => {
                self.order(&TaskCommand::Reassign { target: self.task.spec.target.clone() }, &cause("ada"), &[]);
            }
            Deed::Retry => {
                self.order(&TaskCommand::Retry, &cause("ada"), &[]);
            }
            Deed::Offer { other } => {
                let to = if *other { "bob" } else { "ann" };
                self.order(&TaskCommand::Offer { agent: agent(to), terms: terms(to) }, &cause("hub"), &[]);
            }
            Deed::Acknowledge => {
                let Some(to) = self.task.offer().map(|offer| offer.agent.clone()) else { return };
                let by = cause(to.as_str());
                self.order(&TaskCommand::Acknowledge { agent: to, epoch: None }, &by, &[]);
            }
            Deed::Release => {
                let why = ReturnReason::Evicted;
                self.order(&TaskCommand::Release { agent: ann(), why }, &cause("hub"), &[]);
            }
            Deed::Wait { minutes } => self.waits(*minutes),
        }
    }

    /// What no machine alone promises.
    pub(super) fn judge(&mut self) -> Result<(), Broken> {
        if let Some(broken) = self.broken.take() {
            return Err(broken);
        }
        s1_task_and_session_agree(&self.task, &self.session)?;
        s2_one_open_question(&self.session)?;
        review_stands(&self.task, self.review.as_ref())?;
        self.asked.iter().try_for_each(|question| q6_open_is_needed(question, &self.task))
    }
}
