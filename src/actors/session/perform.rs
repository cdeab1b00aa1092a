//! The effects of a session's turn: one append, by the session itself or by its task, and the notice for its agent.

use super::message::{SessionError, SessionOrder};
use super::state::State;
use super::turn::key_of;
use crate::actors::agent::AgentMessage;
use crate::actors::common::{Fault, Result};
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::journal::AppendError;
use crate::actors::task::{ActError, SessionPart, TaskAct, TaskRef};
use crate::broken::{self, Break};
use crate::domain::agent::{AgentRecord, Notice};
use crate::domain::ids::TaskId;
use crate::domain::review::Submission;
use crate::domain::session::question::QuestionRecord;
use crate::domain::session::{Happened, SessionDecision, SessionOutcome, TaskStep, WorkflowStatus};
use crate::domain::task::{Cause, Comment, CommentKind, KeptText, Report, ReportKind, Task, TaskCommand};
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, Record, WriteError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByTask {
    Written,
    NotThere,
    Refused,
}

impl State {
    /// One decision, one append: by the task that moves along, or by the session alone.
    pub(super) async fn write_down(
        &mut self,
        order: &SessionOrder,
        mut decision: SessionDecision,
        now: Timestamp,
    ) -> Result<(), SessionError> {
        let written = match (decision.of.clone(), self.command(order, &decision, now)) {
            (Some(task), Some(command)) => self.by_task(&task, command, order, &decision).await?,
            (Some(_) | None, _) => ByTask::NotThere,
        };
        if written == ByTask::Refused && matches!(decision.task, TaskStep::Block { .. }) {
            // Whoever has the task now goes on with it, and so this session does not block for its sake (S1).
            decision.records.retain(|happened| matches!(happened, Happened::Question(_)));
        }
        if written != ByTask::Written {
            // The task did not write it (another agent holds it, or it is closed): it must not end with that task.
            for happened in &mut decision.records {
                if let Happened::Question(QuestionRecord::Asked { spec }) = happened {
                    spec.task_id = None;
                }
            }
            self.alone(order, &decision, now).await?;
        }
        if broken::by(Break::TellsAfterReading) && written == ByTask::Written {
            return Err(Fault::Unavailable("the session could not be read".to_owned()).into());
        }
        // Told before anything is read: what is on disk must not wait for a read that may fail.
        if let Some(notice) = decision.notice {
            self.tell_agent(notice).await;
        }
        if written == ByTask::Written {
            self.stale = true;
            self.look_again().await;
            if self.stale {
                // Without what the task wrote of it, until that can be read: whoever waits hears their answer.
                self.take(now, &decision.records);
            }
        }
        Ok(())
    }

    /// The task writes it all, if it is there and has nothing against it.
    async fn by_task(
        &mut self,
        task: &TaskId,
        command: TaskCommand,
        order: &SessionOrder,
        decision: &SessionDecision,
    ) -> Result<ByTask, SessionError> {
        let Some(line) = self.task_line(task).await? else {
            let is_needed = matches!(decision.task, TaskStep::EndRun { .. });
            return if is_needed { Err(SessionError::Moved) } else { Ok(ByTask::NotThere) };
        };
        let act = TaskAct {
            blobs: order.blobs.clone(),
            part: Some(Box::new(self.part(order, decision))),
            request: order.request.clone(),
            ..TaskAct::new(command, self.cause(order))
        };
        match line.act_if_there(act).await {
            Ok(Some(_)) => Ok(ByTask::Written),
            // It closed while it was asked, or this session moved.
            Ok(None) | Err(ActError::Moved(_)) => Err(SessionError::Moved),
            Err(ActError::Refused(_)) if stands_anyway(decision) => Ok(ByTask::Refused),
            Err(error) => Err(SessionError::Task(error)),
        }
    }

    async fn alone(
        &mut self,
        order: &SessionOrder,
        decision: &SessionDecision,
        now: Timestamp,
    ) -> Result<(), SessionError> {
        let part = self.part(order, decision);
        let append = Append {
            at: now,
            by: order.by.clone(),
            request: order.request.clone(),
            entries: part.entries,
            rows: Vec::new(),
            blobs: order.blobs.clone(),
            idempotency: part.idempotency,
            expects: vec![(part.session, part.version)],
        };
        match self.journal.append(append).await {
            Ok(_) => {}
            Err(AppendError::Write(WriteError::Moved(_))) => return Err(SessionError::Moved),
            Err(AppendError::Write(WriteError::KeyReused)) => return Err(SessionError::KeyReused),
            Err(error) => return Err(Fault::from(error).into()),
        }
        self.take(now, &decision.records);
        Ok(())
    }

    fn take(&mut self, now: Timestamp, records: &[Happened]) {
        for happened in records {
            match happened {
                Happened::Session(record) => self.session.apply(now, record),
                Happened::Question(record) => self.session.hear(now, record),
                Happened::Pull(record) => self.session.hear_of_pull(now, record),
            }
        }
    }

    /// Somebody else wrote into the stream: the session is what the store says.
    pub(super) async fn reload(&mut self) -> Result<()> {
        if broken::by(Break::NeverReadsBack) {
            return Err(Fault::Unavailable("a read that fails".to_owned()));
        }
        let id = self.session.id.clone();
        let stored = self.journal.read(move |reader| reader.session(&id)).await?;
        if let Some(stored) = stored.filter(|stored| stored.version > self.session.version) {
            self.session = stored;
        }
        self.stale = false;
        Ok(())
    }

    /// The same where nobody waits for it: what cannot be read now is read before the next decision is kept.
    pub(super) async fn look_again(&mut self) {
        if self.stale
            && let Err(error) = self.reload().await
        {
            self.refusals.note(self.clock.now(), "UNAVAILABLE", error.to_string());
        }
    }

    fn part(&self, order: &SessionOrder, decision: &SessionDecision) -> SessionPart {
        let session = &self.session;
        let mut followed = session.task.as_ref();
        let own = decision.records.iter().map(|happened| {
            let (task, record) = match happened {
                Happened::Session(record) => {
                    let task = followed;
                    // The last record that is about a task that is left.
                    followed = followed.filter(|_| !record.leaves());
                    (task, Record::Session(record.clone()))
                }
                // So does a pull request.
                Happened::Pull(record) => {
                    let asked = session.pulls.iter().find(|pull| pull.id == *record.id());
                    let task = asked.map_or(session.task.as_ref(), |pull| pull.task.as_ref());
                    (task, Record::Pull(record.clone()))
                }
                // A question stays that of the task for whose sake it was asked.
                Happened::Question(record) => {
                    let asked = session.question(record.id()).and_then(|question| question.spec.task_id.as_ref());
                    (asked, Record::Question(record.clone()))
                }
            };
            Entry::of_session(&session.id, Some(&session.agent), task, record)
        });
        let notice = decision
            .notice
            .iter()
            .map(|notice| Entry::of_agent(&session.agent, AgentRecord::NoticePosted { notice: notice.clone() }));
        SessionPart {
            session: self.session.id.clone(),
            version: self.session.version,
            entries: own.chain(notice).collect(),
            idempotency: key_of(order, &decision.outcome),
        }
    }

    fn command(&self, order: &SessionOrder, decision: &SessionDecision, now: Timestamp) -> Option<TaskCommand> {
        let agent = self.session.agent.clone();
        let report = |kind, message: &str| {
            let message = KeptText::inline(message);
            let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
            Some(TaskCommand::Report { agent: agent.clone(), epoch: None, report })
        };
        match &decision.task {
            TaskStep::None => None,
            TaskStep::Progress { .. } if self.session.status() == WorkflowStatus::AwaitingReview => {
                Some(TaskCommand::TakeBack { agent: agent.clone(), epoch: None })
            }
            TaskStep::Progress { message, details } => {
                let phase = details.as_ref().and_then(|details| details.phase.clone());
                let percent = details.as_ref().and_then(crate::domain::session::Details::percent);
                report(ReportKind::Progress { phase, percent }, message)
            }
            TaskStep::Block { reason, question } => {
                report(ReportKind::Blocked { reason: reason.clone(), question: question.clone() }, reason)
            }
            TaskStep::Complete { message } => report(ReportKind::Completed, message),
            TaskStep::Fail { message } => report(ReportKind::Failed, message),
            TaskStep::Submit { message } => Some(TaskCommand::SubmitForReview {
                agent: agent.clone(),
                epoch: None,
                message: KeptText::inline(message),
                diff: None,
                artifacts: Vec::new(),
                submission: Box::new(Submission { session: Some(self.session.id.clone()), ..Submission::default() }),
            }),
            TaskStep::Await { until } => {
                let session = Some(self.session.id.clone());
                Some(TaskCommand::Await { agent: agent.clone(), until: *until, session })
            }
            TaskStep::EndRun { run, exit } => Some(TaskCommand::EndRun { run: run.clone(), exit: exit.clone() }),
            TaskStep::Budget { question, goes_on, said } => {
                let word = Comment::new(self.ids.comment(), CommentKind::Answer, order.who.clone(), said.clone(), now);
                Some(TaskCommand::SettleBudget {
                    agent: agent.clone(),
                    question: question.clone(),
                    goes_on: *goes_on,
                    word,
                })
            }
            TaskStep::Resume { question, answer } => {
                let answer = answer.as_ref().map(|text| {
                    Comment::new(self.ids.comment(), CommentKind::Answer, order.who.clone(), text.clone(), now)
                });
                Some(TaskCommand::Resume { agent: agent.clone(), question: question.clone(), answer })
            }
        }
    }

    fn cause(&self, order: &SessionOrder) -> Cause {
        let notices = (0..Cause::NOTICES).map(|_| self.ids.notice()).collect();
        Cause { by: order.by.clone(), who: order.who.clone(), notices }
    }

    async fn task_line(&self, id: &TaskId) -> Result<Option<TaskRef>> {
        if let Some(line) = self.dispatcher.task(id).await? {
            return Ok(Some(line));
        }
        let wanted = id.clone();
        let stored = self.journal.read(move |reader| reader.task(&wanted)).await?;
        if stored.as_ref().is_some_and(Task::is_open) {
            return Err(Fault::Unavailable(format!("task `{id}` is being built anew")));
        }
        Ok(None)
    }

    /// The notice is on disk; the agent hears of it now, or when it is built anew.
    async fn tell_agent(&self, notice: Notice) {
        match self.dispatcher.agent_in_order(&self.session.agent).await {
            Ok(Some(line)) => drop(line.send(AgentMessage::Noticed { notice })),
            Ok(None) => {}
            // It is too busy to be asked, not to be told; one that ended has everybody look again.
            Err(_) => {
                let agent = self.session.agent.clone();
                self.dispatcher.tell(DispatcherMessage::Notice { agent, notice });
            }
        }
    }
}

/// Whether the decision stands though its task refuses: who lost the task may ask and answer; a deadline asks nobody.
const fn stands_anyway(decision: &SessionDecision) -> bool {
    match &decision.outcome {
        SessionOutcome::Open(_) => !matches!(decision.task, TaskStep::EndRun { .. }),
        SessionOutcome::Resolved(..) | SessionOutcome::Late(..) => true,
        SessionOutcome::Pull(_) => false,
        SessionOutcome::Done => matches!(decision.task, TaskStep::Block { question: Some(_), .. }),
    }
}
