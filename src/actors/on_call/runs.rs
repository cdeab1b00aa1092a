//! Offers, answers and ends of the runs of one host.

use super::connection::{ConnectionLost, HostConnection};
use super::words;
use crate::actors::agent::{AnswerGuard, Awaited};
use crate::actors::common::Fault;
use crate::actors::session::{SessionError, SessionOrder};
use crate::actors::task::{ActError, OfferedTask, TaskAct};
use crate::domain::agent::Notice;
use crate::domain::ids::{AgentId, QuestionId, RunId, SessionId, TaskId};
use crate::domain::on_call::{Ended, Offer, Resume, SlotState, ToHost};
use crate::domain::session::question::{QuestionKind, QuestionSpec};
use crate::domain::session::{Asker, SessionCommand, SessionOutcome};
use crate::domain::task::{
    BudgetLevel, Cause, Comment, CommentKind, GO_ON, KeptText, NewRun, Origin, ProcessExit, Run, RunEnd, RunExit,
    RunState, STOP, Task, TaskCommand,
};
use crate::domain::text::redact;

/// The most that is kept of what a process printed last, in bytes.
const TAIL: usize = 4 * 1024;

impl HostConnection {
    /// A task is offered to a slot: its run starts or goes on. None where nothing can start: the offer goes back.
    pub(super) async fn is_offered(
        &mut self,
        slot_id: &AgentId,
        offered: &OfferedTask,
        guard: AnswerGuard,
    ) -> Result<Option<ToHost>, ConnectionLost> {
        let Some(id) = RunId::of(&offered.spec.id, offered.epoch) else { return Ok(None) };
        let task = self.hub.task(&offered.spec.id).await?;
        let Some(task) = task else { return Ok(None) };
        let Some(slot) = self.slots.get(slot_id) else { return Ok(None) };
        let (own, fresh) = (slot.run.clone(), slot.fresh.is_some().then(|| slot_id.clone()));
        let (agent, session) = (slot.agent().id.clone(), slot.agent().session.clone());
        if let Some(run) = task.live_run().filter(|run| Some(&run.id) == own.as_ref()) {
            let resume = self.resume(&task, run, words::back(offered));
            return self.goes_on(slot_id, run.id.clone(), resume, guard).await;
        }
        if own.is_some() || self.closed_until(self.hub.clock.now()).is_some() {
            return Ok(None);
        }
        let new = NewRun {
            id: id.clone(),
            agent: agent.clone(),
            slot: fresh,
            role: self.role.clone(),
            epoch: offered.epoch,
            host: self.hello.host.clone(),
            client: self.hello.client.clone(),
            resumes: self.hello.client != "command",
        };
        if !self.orders_run(&id, TaskCommand::StartRun { run: Box::new(new) }).await? {
            return Ok(None);
        }
        let Some(slot) = self.slots.get_mut(slot_id) else { return Ok(None) };
        (slot.run, slot.handed) = (Some(id.clone()), Some(guard));
        self.shows(slot_id, SlotState::Working { run: id.clone() });
        let same = |run: &&Run| run.agent == agent && run.client == self.hello.client;
        let conversation = task.runs.iter().rev().find(same).and_then(|run| run.conversation.clone());
        let spec = &offered.spec;
        Ok(Some(ToHost::Offer(Box::new(Offer {
            slot: slot_id.clone(),
            token: (self.means.token)(&id),
            run: id,
            task: spec.id.clone(),
            epoch: offered.epoch,
            ack_by: offered.ack_by,
            title: spec.title.clone().unwrap_or_default(),
            prompt: words::brief(offered),
            system: (self.means.system)(&self.role, &agent),
            agent,
            session,
            mcp: self.means.mcp.clone(),
            worktree: offered.terms.worktree,
            conversation,
        }))))
    }

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
            slot: run.slot().clone(),
            run: run.id.clone(),
            token: (self.means.token)(&run.id),
            conversation: run.conversation.clone(),
            story: words::story(task, &input),
            input,
            used: run.usage().unwrap_or_default(),
        }
    }

    pub(super) async fn has_conversation(&mut self, id: &RunId, conversation: String) -> Result<(), ConnectionLost> {
        if self.run_of(id).await?.is_none() {
            return Ok(());
        }
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
        // Said twice, or of a process that the run does not have: it changes nothing.
        if ended.process != run.process || run.knows_exit_of(ended.process) {
            return Ok(());
        }
        if let Some(limited) = &ended.limited {
            self.hub.on_call.limited((&run.client, &run.agent), limited, self.hub.clock.now());
        }
        let tail = ended.tail.as_deref().filter(|tail| !tail.is_empty()).map(|tail| {
            let start = tail.len().saturating_sub(TAIL);
            let start = (start..tail.len()).find(|at| tail.is_char_boundary(*at)).unwrap_or(0);
            KeptText::inline(redact(&tail[start..]).into_owned())
        });
        let process = ProcessExit { number: ended.process, code: ended.exit, tail, usage: ended.usage };
        // Why a process was not even there is said in any case.
        let never_ran = matches!(ended.reason, RunEnd::Spawn | RunEnd::Auth);
        let budget = self.budget().per_task.filter(|_| !never_ran).map(|all| task.budget_after(all, &process));
        let told = budget.as_ref().map(|budget| budget.told.as_str()).unwrap_or_default();
        let told = format!("budget of the task (perTask of role {}): {told}", self.role);
        let is_used = budget.as_ref().is_some_and(|budget| budget.level == BudgetLevel::Used);
        let (reason, question) = if is_used {
            (RunEnd::Budget, self.asks_to_go_on(&task, &run, &told).await?)
        } else {
            (ended.reason, self.open_question(&task).await?)
        };
        let news = budget.and_then(|budget| budget.news).map(|news| (news, self.note(told)));
        let exit = RunExit { process, reason, limited: ended.limited, question, budget: news };
        let command = TaskCommand::EndRun { run: ended.run.clone(), exit: Box::new(exit) };
        if self.orders_run(&ended.run, command).await? {
            let settings = self.hub.settings();
            let role = settings.roles.roles.get_key_value(&self.role).map_or("other", |(role, _)| role.as_str());
            self.hub.counters.usage.count(role, &ended.usage.unwrap_or_default());
        }
        Ok(())
    }

    fn note(&self, text: String) -> Comment {
        Comment {
            id: self.hub.ids.comment(),
            kind: CommentKind::Note,
            from: Origin::hub(),
            text,
            file: None,
            line: None,
            reply_to: None,
            sanitized: None,
            at: self.hub.clock.now(),
        }
    }

    /// Asks people, in the agent's name, whether a task goes on that used up its budget; none where that agent had its
    /// last word or asks something else. After a crash it is the same question.
    async fn asks_to_go_on(
        &mut self,
        task: &Task,
        run: &Run,
        told: &str,
    ) -> Result<Option<QuestionId>, ConnectionLost> {
        let holder = task.lease().map(|lease| &lease.agent).or_else(|| task.offer().map(|offer| &offer.agent));
        let Some(session_id) = session_of(task).filter(|_| holder == Some(&run.agent)) else { return Ok(None) };
        if let Some(offer) = task.offer() {
            let command = TaskCommand::Acknowledge { agent: run.agent.clone(), epoch: Some(offer.epoch) };
            self.orders_run(&run.id, command).await?;
        }
        let Some(session) = self.hub.supervisor.session(&session_id).await? else { return Ok(None) };
        let called = task.spec.title.as_deref().map(|title| format!(" ({title})")).unwrap_or_default();
        let asked_at = self.hub.clock.now();
        let questions = &self.hub.settings().hub.questions;
        let spec = QuestionSpec {
            work_item: None,
            id: self.hub.ids.question(),
            session_id,
            agent_id: run.agent.clone(),
            task_id: None,
            kind: QuestionKind::Budget,
            permission: None,
            question: format!(
                "Does task {}{called} go on? {told}. `{GO_ON}` lets it use the same amount once more; `{STOP}` ends it \
                 as FAILED.",
                task.id()
            ),
            options: vec![GO_ON.to_owned(), STOP.to_owned()],
            default_action: STOP.to_owned(),
            danger: None,
            allow_free_text: false,
            asked_at,
            expires_at: asked_at + questions.timeout,
            reminders: questions.reminders_in_order(),
            sanitized: None,
        };
        let order = SessionOrder {
            command: SessionCommand::Ask { asker: Box::new(Asker { spec }) },
            by: self.caller.by.clone(),
            who: Origin::hub(),
            request: Some(self.caller.request.clone()),
            blobs: Vec::new(),
            key: None,
        };
        match session.order(order).await {
            Ok(receipt) => Ok(if let SessionOutcome::Open(id) = receipt.outcome { Some(id) } else { None }),
            Err(SessionError::Fault(fault)) => Err(fault.into()),
            Err(error @ SessionError::Moved) => Err(Fault::Unavailable(error.to_string()).into()),
            Err(error @ (SessionError::Refused(_) | SessionError::Task(_) | SessionError::KeyReused)) => {
                tracing::debug!(task.id = %task.id(), "people are not asked whether it goes on: {error}");
                Ok(None)
            }
        }
    }

    /// How the slot of a run stands after its process ended; whether the run waits there for an answer.
    pub(super) async fn settles(&mut self, id: &RunId) -> Result<bool, ConnectionLost> {
        let found = self.run_of(id).await?;
        let waits = found.as_ref().is_some_and(|(_, run)| matches!(run.state, RunState::Waiting { .. }));
        let Some((task, run)) = found else { return Ok(false) };
        let Some(slot) = self.slots.get_mut(run.slot()) else { return Ok(waits) };
        if slot.run.as_ref() != Some(id) {
            return Ok(waits);
        }
        if let Some(handed) = slot.handed.take() {
            handed.leaves();
        }
        if waits {
            self.shows(run.slot(), SlotState::Waiting { run: id.clone() });
            self.parks(run.slot(), Awaited::Only(task.id().clone()));
        } else if !run.is_live() {
            self.empties(run.slot());
            self.shows(run.slot(), SlotState::Away);
        }
        Ok(waits)
    }

    async fn open_question(&mut self, task: &Task) -> Result<Option<QuestionId>, ConnectionLost> {
        let Some(session) = session_of(task) else { return Ok(None) };
        let Some(session) = self.hub.supervisor.session(&session).await? else { return Ok(None) };
        let view = session.view().await?;
        let own = task.id().to_string();
        let asked = view.open_question.filter(|question| question.task_id.as_ref().is_none_or(|task| *task == own));
        Ok(asked.and_then(|question| QuestionId::parse(&question.id).ok()))
    }

    /// The task of a run, and the run; none where no slot of this host has such a run.
    pub(super) async fn run_of(&mut self, id: &RunId) -> Result<Option<(Task, Run)>, ConnectionLost> {
        let Some(task) = id.task() else { return Ok(None) };
        let found = self.hub.task(&task).await?;
        let run = found.as_ref().and_then(|task| task.run(id).cloned());
        Ok(found.zip(run).filter(|(_, run)| self.slots.contains_key(run.slot())))
    }

    /// An order to the task of a run; whether it was carried out. What the task refuses went another way meanwhile.
    pub(super) async fn orders_run(&mut self, id: &RunId, command: TaskCommand) -> Result<bool, ConnectionLost> {
        let Some(task) = id.task() else { return Ok(false) };
        self.orders(&task, command).await
    }

    pub(super) async fn orders(&mut self, task: &TaskId, command: TaskCommand) -> Result<bool, ConnectionLost> {
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
        match self.hub.order(task, act).await {
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
                tracing::debug!(task.id = %task, "an order of a host is refused: {error}");
                Ok(false)
            }
        }
    }
}

fn session_of(task: &Task) -> Option<SessionId> {
    let terms = task.lease().map(|lease| &lease.terms).or_else(|| task.offer().map(|offer| &offer.terms));
    terms?.session.clone()
}
