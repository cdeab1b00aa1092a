//! Offers, answers and ends of the runs of one host.

use super::connection::{ConnectionLost, HostConnection};
use super::words;
use crate::actors::agent::{AnswerGuard, Awaited};
use crate::actors::common::Fault;
use crate::actors::task::{ActError, OfferedTask, TaskAct};
use crate::domain::agent::Notice;
use crate::domain::ids::{AgentId, QuestionId, RunId};
use crate::domain::on_call::{Ended, Offer, Resume, SlotState, ToHost};
use crate::domain::task::{
    BudgetLevel, Cause, Comment, CommentKind, KeptText, NewRun, Origin, ProcessExit, Run, RunEnd, RunExit, RunState,
    Task, TaskCommand,
};
use crate::domain::text::redact;

/// The most that is kept of what a process printed last, in bytes.
const TAIL: usize = 4 * 1024;

impl HostConnection {
    /// A task is offered to a slot: its run starts, or goes on where it waited for this. None where nothing can start:
    /// the offer goes back with its guard.
    pub(super) async fn is_offered(
        &mut self,
        agent: &AgentId,
        offered: &OfferedTask,
        guard: AnswerGuard,
    ) -> Result<Option<ToHost>, ConnectionLost> {
        let Some(id) = RunId::of(&offered.spec.id, offered.epoch) else { return Ok(None) };
        let task = self.hub.task(&offered.spec.id).await?;
        let Some(task) = task else { return Ok(None) };
        let own = self.slots.get(agent).and_then(|slot| slot.run.clone());
        if let Some(run) = task.live_run().filter(|run| Some(&run.id) == own.as_ref()) {
            let resume = self.resume(&task, run, words::back(offered));
            return self.goes_on(agent, run.id.clone(), resume, guard).await;
        }
        if own.is_some() || self.closed_until(self.hub.clock.now()).is_some() {
            return Ok(None);
        }
        let new = NewRun {
            id: id.clone(),
            agent: agent.clone(),
            epoch: offered.epoch,
            host: self.hello.host.clone(),
            client: self.hello.client.clone(),
            resumes: self.hello.client != "command",
        };
        if !self.orders_run(&id, TaskCommand::StartRun { run: Box::new(new) }).await? {
            return Ok(None);
        }
        let Some(slot) = self.slots.get_mut(agent) else { return Ok(None) };
        (slot.run, slot.handed) = (Some(id.clone()), Some(guard));
        let session = slot.session.clone();
        self.shows(agent, SlotState::Working { run: id.clone() });
        let same = |run: &&Run| run.agent == *agent && run.client == self.hello.client;
        let conversation = task.runs.iter().rev().find(same).and_then(|run| run.conversation.clone());
        let spec = &offered.spec;
        Ok(Some(ToHost::Offer(Box::new(Offer {
            slot: agent.clone(),
            agent: agent.clone(),
            token: (self.means.token)(&id),
            run: id,
            task: spec.id.clone(),
            epoch: offered.epoch,
            ack_by: offered.ack_by,
            title: spec.title.clone().unwrap_or_default(),
            prompt: words::brief(offered),
            system: (self.means.system)(&self.role, agent),
            session,
            mcp: self.means.mcp.clone(),
            worktree: offered.terms.worktree,
            conversation,
        }))))
    }

    /// There is something to hear for a run that waits. None where it goes on waiting.
    pub(super) async fn is_answered(
        &mut self,
        agent: &AgentId,
        notices: &[Notice],
        guard: AnswerGuard,
    ) -> Result<Option<ToHost>, ConnectionLost> {
        let Some(id) = self.slots.get(agent).and_then(|slot| slot.run.clone()) else { return Ok(None) };
        let Some((task, run)) = self.run_of(&id).await? else { return Ok(None) };
        let resume = self.resume(&task, &run, words::news(notices));
        self.goes_on(agent, id, resume, guard).await
    }

    async fn goes_on(
        &mut self,
        agent: &AgentId,
        id: RunId,
        resume: Resume,
        guard: AnswerGuard,
    ) -> Result<Option<ToHost>, ConnectionLost> {
        if !self.orders_run(&id, TaskCommand::ResumeRun { run: id.clone() }).await? {
            return Ok(None);
        }
        if let Some(slot) = self.slots.get_mut(agent) {
            slot.handed = Some(guard);
        }
        self.shows(agent, SlotState::Working { run: id });
        Ok(Some(ToHost::Resume(Box::new(resume))))
    }

    fn resume(&self, task: &Task, run: &Run, input: String) -> Resume {
        Resume {
            slot: run.agent.clone(),
            run: run.id.clone(),
            token: (self.means.token)(&run.id),
            conversation: run.conversation.clone(),
            story: words::story(task, &input),
            input,
            used: run.usage().unwrap_or_default(),
        }
    }

    pub(super) async fn has_conversation(&mut self, id: &RunId, conversation: String) -> Result<(), ConnectionLost> {
        let command = TaskCommand::NameConversation { run: id.clone(), conversation };
        self.orders_run(id, command).await.map(drop)
    }

    /// The run prints: its lease goes on as after any sign of life.
    pub(super) async fn lives(&mut self, id: &RunId) -> Result<(), ConnectionLost> {
        self.missing.remove(id);
        let Some((task, _)) = self.run_of(id).await? else { return Ok(()) };
        let Some(lease) = task.lease() else { return Ok(()) };
        let (now, ttl) = (self.hub.clock.now(), lease.terms.ttl.span());
        // Not with each message: once the first half of the lease is over.
        if lease.expires_at.since(now) > ttl / 2 {
            return Ok(());
        }
        self.orders_run(id, TaskCommand::GiveGrace { until: now + ttl }).await.map(drop)
    }

    pub(super) async fn has_ended(&mut self, ended: Ended) -> Result<(), ConnectionLost> {
        self.missing.remove(&ended.run);
        let Some((task, run)) = self.run_of(&ended.run).await? else { return Ok(()) };
        if let Some(limited) = &ended.limited {
            self.hub.on_call.limited((&run.client, &run.agent), limited, self.hub.clock.now());
        }
        let tail = ended.tail.as_deref().filter(|tail| !tail.is_empty()).map(|tail| {
            let start = tail.len().saturating_sub(TAIL);
            let start = (start..tail.len()).find(|at| tail.is_char_boundary(*at)).unwrap_or(0);
            KeptText::inline(redact(&tail[start..]).into_owned())
        });
        let process = ProcessExit { number: ended.process, code: ended.exit, tail, usage: ended.usage };
        let question = self.open_question(&run).await?;
        let reason = self.reason_by_budget(&task, &run, &process, ended.reason).await?;
        let exit = RunExit { process, reason, limited: ended.limited, question };
        let command = TaskCommand::EndRun { run: ended.run.clone(), exit: Box::new(exit) };
        self.orders_run(&ended.run, command).await.map(drop)
    }

    /// People hear how the task stands to its budget, and a run ends for that once it is used up. Why a process was
    /// not even there is said all the same.
    async fn reason_by_budget(
        &mut self,
        task: &Task,
        run: &Run,
        process: &ProcessExit,
        reason: RunEnd,
    ) -> Result<RunEnd, ConnectionLost> {
        let Some(per_task) = self.budget().per_task else { return Ok(reason) };
        if run.knows_exit_of(process.number) || matches!(reason, RunEnd::Spawn | RunEnd::Auth) {
            return Ok(reason);
        }
        let budget = task.budget_after(per_task, process);
        if budget.news.is_some() {
            let comment = Comment {
                id: self.hub.ids.comment(),
                kind: CommentKind::Note,
                from: Origin::hub(),
                text: format!("budget of the task (perTask of role {}): {}", self.role, budget.told),
                file: None,
                line: None,
                reply_to: None,
                sanitized: None,
                at: self.hub.clock.now(),
            };
            self.orders_run(&run.id, TaskCommand::Remark { comment, posted_to: None }).await?;
        }
        Ok(if budget.level == BudgetLevel::Used { RunEnd::Budget } else { reason })
    }

    /// How the slot of a run stands after its process ended; whether the run waits there for an answer.
    pub(super) async fn settles(&mut self, id: &RunId) -> Result<bool, ConnectionLost> {
        let found = self.run_of(id).await?;
        let waits = found.as_ref().is_some_and(|(_, run)| matches!(run.state, RunState::Waiting { .. }));
        let Some((task, run)) = found else { return Ok(false) };
        let Some(slot) = self.slots.get_mut(&run.agent) else { return Ok(waits) };
        if slot.run.as_ref() != Some(id) {
            return Ok(waits);
        }
        if let Some(handed) = slot.handed.take() {
            handed.leaves();
        }
        if waits {
            self.shows(&run.agent, SlotState::Waiting { run: id.clone() });
            self.parks(&run.agent, Awaited::Only(task.id().clone()));
        } else if !run.is_live() {
            slot.run = None;
            self.shows(&run.agent, SlotState::Away);
        }
        Ok(waits)
    }

    /// The question of this run that people are asked.
    async fn open_question(&mut self, run: &Run) -> Result<Option<QuestionId>, ConnectionLost> {
        let Some(slot) = self.slots.get(&run.agent) else { return Ok(None) };
        let Some(session) = self.hub.supervisor.session(&slot.session).await? else { return Ok(None) };
        let task = run.id.task().map(|task| task.to_string());
        let view = session.view().await?;
        let asked = view.open_question.filter(|question| question.task_id.is_none() || question.task_id == task);
        Ok(asked.and_then(|question| QuestionId::parse(&question.id).ok()))
    }

    /// The task of a run, and the run; none where the hub knows no such run.
    pub(super) async fn run_of(&mut self, id: &RunId) -> Result<Option<(Task, Run)>, ConnectionLost> {
        let Some(task) = id.task() else { return Ok(None) };
        let found = self.hub.task(&task).await?;
        Ok(found.and_then(|task| task.run(id).cloned().map(|run| (task, run))))
    }

    /// That the process of a run ended, of which nobody says more.
    pub(super) fn end(run: &Run, reason: RunEnd) -> TaskCommand {
        let process = ProcessExit { number: run.process, code: None, tail: None, usage: None };
        let exit = RunExit { process, reason, limited: None, question: None };
        TaskCommand::EndRun { run: run.id.clone(), exit: Box::new(exit) }
    }

    /// An order to the task of a run; whether it was carried out. What the task refuses went another way meanwhile.
    pub(super) async fn orders_run(&mut self, id: &RunId, command: TaskCommand) -> Result<bool, ConnectionLost> {
        let Some(task) = id.task() else { return Ok(false) };
        let notices = (0..Cause::NOTICES).map(|_| self.hub.ids.notice()).collect();
        let act = TaskAct {
            command,
            cause: Cause { by: self.caller.by.clone(), who: Origin::hub(), notices },
            request: Some(self.caller.request.clone()),
            blobs: Vec::new(),
            key: None,
            note: None,
            part: None,
            judged: None,
        };
        match self.hub.order(&task, act).await {
            Ok(receipt) => Ok(receipt.is_some()),
            Err(ActError::Fault(fault)) => Err(fault.into()),
            Err(error @ (ActError::Moved(_) | ActError::ChangedHands(_))) => {
                Err(Fault::Unavailable(error.to_string()).into())
            }
            Err(
                error @ (ActError::Refused(_)
                | ActError::Declined(_)
                | ActError::Review(_)
                | ActError::Repeated(_)
                | ActError::KeyReused),
            ) => {
                tracing::debug!(task.id = %task, "an order to run `{id}` is refused: {error}");
                Ok(false)
            }
        }
    }
}
