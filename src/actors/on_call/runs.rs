//! Offers, answers and ends of the runs of one host.

use super::connection::{ConnectionLost, HostCaller, HostConnection};
use super::words;
use crate::actors::agent::{AnswerGuard, Awaited};
use crate::actors::common::Fault;
use crate::actors::session::{SessionError, SessionOrder};
use crate::actors::task::{ActError, OfferedTask, TaskAct};
use crate::broken::{self, Break};
use crate::domain::agent::Notice;
use crate::domain::ids::{AgentId, QuestionId, RunId, SessionId, TaskId};
use crate::domain::on_call::{Ended, Offer, Resume, SlotState, ToHost};
use crate::domain::session::question::{QuestionKind, QuestionSpec, QuestionView};
use crate::domain::session::{Asker, SessionCommand};
use crate::domain::task::{
    BudgetLevel, BudgetNews, Cause, Comment, CommentKind, GO_ON, KeptText, NewRun, Origin, ProcessExit, ReturnReason,
    Run, RunEnd, RunExit, RunState, STOP, StopReason, Task, TaskBudget, TaskCommand,
};
use crate::domain::text::redact;
use crate::domain::time::Timestamp;

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
            if self.is_over_budget(&task, run) {
                return self.stops_for_budget(&task, run, guard).await;
            }
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
        if self.has_to_ask(self.hub.clock.now()) {
            if self.asks_of_day(&task, new).await? {
                guard.leaves();
            }
            return Ok(None);
        }
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
        if self.is_over_budget(&task, &run) {
            return self.stops_for_budget(&task, &run, guard).await;
        }
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
        if !self.orders_run(&id, TaskCommand::ResumeRun { run: id.clone(), host: self.hello.host.clone() }).await? {
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
            process: run.process.saturating_add(1),
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
        let is_known = ended.process != run.process || run.knows_exit_of(ended.process);
        if is_known || broken::by(Break::ForgetsExits) {
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
        let budget = self.budget().per_task.filter(|_| !never_ran).map(|all| task.budget_after(all, Some(&process)));
        let question = self.open_question(&task).await?;
        let is_used = budget.as_ref().is_some_and(|budget| budget.level == BudgetLevel::Used);
        // Over its budget a run waits for no answer to its agent: people are asked first.
        let (reason, question) = if is_used { (RunEnd::Budget, None) } else { (ended.reason, question) };
        let told = budget.as_ref().map(|budget| self.told(budget)).unwrap_or_default();
        let news = budget.and_then(|budget| budget.news).map(|news| (news, self.note(told.clone())));
        let exit = RunExit { process, reason, limited: ended.limited, question, budget: news };
        if self.ends(&task, &run, exit, &told).await? {
            let settings = self.hub.settings();
            let role = settings.roles.roles.get_key_value(&self.role).map_or("other", |(role, _)| role.as_str());
            self.hub.counters.usage.count(role, &ended.usage.unwrap_or_default());
        }
        Ok(())
    }

    /// Whether what a run that waits used up keeps it from a next process.
    fn is_over_budget(&self, task: &Task, run: &Run) -> bool {
        let waits = matches!(run.state, RunState::Waiting { .. });
        waits && self.budget().per_task.is_some_and(|all| task.budget_after(all, None).level == BudgetLevel::Used)
    }

    /// In place of its next process: as soon as its agent has the task again, the run ends and people are asked. Until
    /// then nothing that its agent could hear wakes it.
    async fn stops_for_budget(
        &mut self,
        task: &Task,
        run: &Run,
        guard: AnswerGuard,
    ) -> Result<Option<ToHost>, ConnectionLost> {
        let Some(all) = self.budget().per_task.filter(|_| task.is_worked_on_by(run)) else { return Ok(None) };
        let told = self.told(&task.budget_after(all, None));
        // The account of its newest process is kept already.
        let process = ProcessExit { number: run.process, code: None, tail: None, usage: None };
        let exit = RunExit { process, reason: RunEnd::Budget, limited: None, question: None, budget: None };
        if !self.ends(task, run, exit, &told).await? {
            return Ok(None);
        }
        guard.leaves();
        self.empties(run.slot());
        self.shows(run.slot(), SlotState::Away);
        Ok(Some(ToHost::Stop { run: run.id.clone(), why: StopReason::Budget }))
    }

    fn told(&self, budget: &TaskBudget) -> String {
        format!("budget of the task (perTask of role {}): {}", self.role, budget.told)
    }

    /// In place of a process, the first task of a role whose day is used up asks people whether the role goes on;
    /// whether it could. Its agent asks nothing else meanwhile, and nobody else of the role asks that.
    async fn asks_of_day(&mut self, task: &Task, new: NewRun) -> Result<bool, ConnectionLost> {
        let now = self.hub.clock.now();
        let Some(per_day) = self.budget().per_day else { return Ok(false) };
        if self.asked(task).await?.is_some() || !self.hub.on_call.may_ask_of_day(&self.role, &new.id, now) {
            return Ok(false);
        }
        let (id, until) = (new.id.clone(), now.next_day());
        let told = per_day.told(self.hub.on_call.spent(&self.role, per_day, now));
        let told = format!("budget of the day (perDay of role {}): {told}", self.role);
        let question = format!(
            "Does role {} go on today? {told}. `{GO_ON}` lets its tasks start until {}; `{STOP}` has them wait until \
             then. Task {} asks for all of them.",
            self.role,
            until.near(now),
            task.id()
        );
        let asked = self.asks_in_place_of(new, question, until, told).await;
        if !matches!(asked, Ok(true)) {
            self.hub.on_call.did_not_ask(&self.role, &id);
        }
        asked
    }

    async fn asks_in_place_of(
        &mut self,
        new: NewRun,
        question: String,
        until: Timestamp,
        told: String,
    ) -> Result<bool, ConnectionLost> {
        let id = new.id.clone();
        if !self.orders_run(&id, TaskCommand::StartRun { run: Box::new(new) }).await? {
            return Ok(false);
        }
        let Some((task, run)) = self.run_of(&id).await? else { return Ok(false) };
        let process = ProcessExit { number: run.process, code: None, tail: None, usage: None };
        let budget = Some((BudgetNews::DayUsed, self.note(told)));
        let exit = RunExit { process, reason: RunEnd::Budget, limited: None, question: None, budget };
        let asked = self.asks(&task, &run, Box::new(exit), question, until).await?;
        if !asked {
            let command = TaskCommand::Release { agent: run.agent, why: ReturnReason::Killed };
            self.orders_run(&id, command).await?;
        }
        Ok(asked)
    }

    /// Has a run end; whether it did. Where that is for the budget, people are asked in the same append whether the
    /// task goes on, unless its agent asks something else.
    async fn ends(&mut self, task: &Task, run: &Run, exit: RunExit, told: &str) -> Result<bool, ConnectionLost> {
        let asks = exit.reason == RunEnd::Budget && task.is_worked_on_by(run);
        let exit = Box::new(exit);
        if asks {
            let called = task.spec.title.as_deref().map(|title| format!(" ({title})")).unwrap_or_default();
            let question = format!(
                "Does task {}{called} go on? {told}. `{GO_ON}` lets it use the same amount once more; `{STOP}` ends it \
                 as FAILED.",
                task.id()
            );
            let until = self.hub.clock.now() + self.hub.settings().hub.questions.timeout;
            if self.asks(task, run, exit.clone(), question, until).await? {
                return Ok(true);
            }
        }
        self.orders_run(&run.id, TaskCommand::EndRun { run: run.id.clone(), exit }).await
    }

    /// Has a run end and people asked, in the name of its agent, whether it goes on; whether they are.
    async fn asks(
        &mut self,
        task: &Task,
        run: &Run,
        exit: Box<RunExit>,
        question: String,
        until: Timestamp,
    ) -> Result<bool, ConnectionLost> {
        let Some(id) = session_of(task) else { return Ok(false) };
        let Some(session) = self.hub.supervisor.session(&id).await? else { return Ok(false) };
        if let Some(offer) = task.offer() {
            let command = TaskCommand::Acknowledge { agent: run.agent.clone(), epoch: Some(offer.epoch) };
            self.orders_run(&run.id, command).await?;
        }
        let spec = self.whether_it_goes_on(run, id, question, until);
        let asker = Box::new(Asker { spec, ends: Some((run.id.clone(), exit)) });
        let HostCaller { by, request, .. } = self.caller.clone();
        let order = SessionOrder::new(SessionCommand::Ask { asker }, by, Origin::hub());
        match session.order(SessionOrder { request: Some(request), ..order }).await {
            Ok(_) => Ok(true),
            Err(SessionError::Fault(fault) | SessionError::Task(ActError::Fault(fault))) => Err(fault.into()),
            Err(error @ SessionError::Moved) => Err(Fault::Unavailable(error.to_string()).into()),
            Err(error @ (SessionError::Refused(_) | SessionError::Task(_) | SessionError::KeyReused)) => {
                tracing::debug!(task.id = %task.id(), "people are not asked whether it goes on: {error}");
                Ok(false)
            }
        }
    }

    fn note(&self, text: String) -> Comment {
        Comment::new(self.hub.ids.comment(), CommentKind::Note, Origin::hub(), text, self.hub.clock.now())
    }

    fn whether_it_goes_on(
        &self,
        run: &Run,
        session_id: SessionId,
        question: String,
        expires_at: Timestamp,
    ) -> QuestionSpec {
        QuestionSpec {
            work_item: None,
            id: self.hub.ids.question(),
            session_id,
            agent_id: run.agent.clone(),
            task_id: None,
            kind: QuestionKind::Budget,
            permission: None,
            question,
            options: vec![GO_ON.to_owned(), STOP.to_owned()],
            default_action: STOP.to_owned(),
            danger: None,
            allow_free_text: false,
            asked_at: self.hub.clock.now(),
            expires_at,
            reminders: self.hub.settings().hub.questions.reminders_in_order(),
            sanitized: None,
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
        let own = task.id().to_string();
        let asked = self.asked(task).await?;
        let asked = asked.filter(|question| question.task_id.as_ref().is_none_or(|task| *task == own));
        Ok(asked.and_then(|question| QuestionId::parse(&question.id).ok()))
    }

    /// What the agent that has this task asks, for whatever sake.
    async fn asked(&mut self, task: &Task) -> Result<Option<QuestionView>, ConnectionLost> {
        let Some(session) = session_of(task) else { return Ok(None) };
        let Some(session) = self.hub.supervisor.session(&session).await? else { return Ok(None) };
        Ok(session.view().await?.open_question)
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
        let HostCaller { by, request, .. } = self.caller.clone();
        let cause = Cause { by, who: Origin::hub(), notices };
        let act = TaskAct { request: Some(request), ..TaskAct::new(command, cause) };
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
