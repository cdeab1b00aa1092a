//! The effects of an agent's turn: records to the journal, news to the dispatcher and the supervisor, answers to calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ractor::RpcReplyPort;

use super::message::{AgentError, Called, Held, PostRequest, Profile, RegisterRequest, Registered, WaitEnd};
use super::state::State;
use crate::actors::common::Fault;
use crate::actors::dispatcher::DispatcherMessage;
use crate::actors::journal::AppendError;
use crate::actors::task::TaskAct;
use crate::domain::agent::{AgentCommand, AgentDecision, AgentRefusal, AgentView, HeldState};
use crate::domain::ids::{NoticeId, TaskId};
use crate::domain::principal::By;
use crate::domain::session::Lifecycle;
use crate::domain::session::question::Delivery;
use crate::domain::task::{Cause, Origin, OriginKind, ReturnReason, TaskCommand};
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, Idempotency, Record, Row, Stream, WriteError};

pub(super) struct Beside {
    pub(super) by: By,
    pub(super) request: Option<String>,
    pub(super) idempotency: Option<Idempotency>,
    pub(super) entries: Vec<Entry>,
}

impl State {
    pub(super) async fn register(
        &mut self,
        request: RegisterRequest,
        reply: RpcReplyPort<Result<Registered, AgentError>>,
    ) {
        let instance = request.claim.instance.clone();
        let before = self.agent.registration.as_ref().and_then(|known| known.instance.clone());
        let RegisterRequest { claim, by, request, key } = request;
        let outcome = match self.key_of_registration(key).await {
            Ok(key) => self.decide_and_write_once(AgentCommand::Register(claim), by, request, key).await,
            Err(error) => Err(error),
        };
        let answer = match outcome {
            Err(error) => Err(error),
            Ok(_) => {
                self.presence.heard(self.clock.now());
                self.mailbox_metrics.shows(&self.presence);
                self.works_by(instance.as_ref());
                self.take_over(before, instance);
                self.told = None;
                self.registered()
            }
        };
        let _ = reply.send(answer);
    }

    /// A call begins: a heartbeat, and the sign that what earlier results carried has arrived.
    pub(super) async fn called(&mut self, instance: Option<String>, reply: RpcReplyPort<Result<Called, AgentError>>) {
        let now = self.clock.now();
        self.presence.last_seen = Some(now);
        (self.quiet_since, self.nudged) = (now, None);
        let agent = self.agent.id.to_string();
        if self.agent.was_superseded(instance.as_deref()) {
            let refusal = AgentRefusal::Superseded { agent };
            self.refusals.note(now, refusal.code(), refusal.to_string());
            let _ = reply.send(Err(refusal.into()));
            return;
        }
        self.presence.heard(now);
        self.mailbox_metrics.shows(&self.presence);
        let heard = self.read();
        if !heard.is_empty()
            && let Err(error) = self.decide_and_write(AgentCommand::Hear(heard), self.hub.clone(), None).await
        {
            // They are told once more: better twice than never.
            self.refusals.note(now, "UNAVAILABLE", error.to_string());
        }
        let (registration, evicted) = (self.agent.registration.clone(), self.agent.eviction.clone());
        let wait_limit = self.tolerance.limit().filter(|_| self.worker == instance);
        let _ = reply.send(Ok(Called { registration, held: self.held_list(), evicted, wait_limit }));
    }

    pub(super) async fn post(&mut self, request: PostRequest, reply: RpcReplyPort<Result<NoticeId, AgentError>>) {
        let PostRequest { notice, by, request, key } = request;
        let (id, most) = (notice.id.clone(), self.settings.borrow().hub.limits.notices_per_agent);
        if self.agent.notices.len() >= most {
            let refusal = AgentRefusal::NoticesFull { agent: self.agent.id.to_string(), most };
            self.refusals.note(self.clock.now(), refusal.code(), refusal.to_string());
            let _ = reply.send(Err(refusal.into()));
            return;
        }
        let idempotency = key.map(|key| key.keeps(serde_json::Value::String(id.to_string())));
        let outcome = self.decide_and_write_once(AgentCommand::Post(notice), by, request, idempotency).await;
        let _ = reply.send(outcome.map(|_| id));
    }

    pub(super) fn holds(&mut self, task: TaskId, held: Option<Held>) {
        self.reoffering.remove(&task);
        self.reminded = false;
        let offered = held.as_ref().filter(|held| held.state == HeldState::Offered);
        let lost = self.unread.goes_back(&task, offered.map(|held| held.epoch));
        match held {
            // Its answer was lost while this actor was being built anew.
            Some(held) if lost => self.give_back(&held.task, held.epoch, ReturnReason::ConnectionLost),
            Some(held) => {
                if self.agent.eviction.is_some() {
                    self.release(&held);
                }
                self.held.insert(task, held);
            }
            None => {
                self.held.remove(&task);
            }
        }
    }

    /// Decides, and applies once it is on disk. Boxed, for it is large and seldom under way.
    pub(super) fn decide_and_write(
        &mut self,
        command: AgentCommand,
        by: By,
        request: Option<String>,
    ) -> BoxFuture<'_, Result<AgentDecision, AgentError>> {
        self.decide_and_write_once(command, by, request, None).boxed()
    }

    /// The same under a caller's key, which is kept also where nothing had to be done.
    pub(super) async fn decide_and_write_once(
        &mut self,
        command: AgentCommand,
        by: By,
        request: Option<String>,
        idempotency: Option<Idempotency>,
    ) -> Result<AgentDecision, AgentError> {
        let now = self.clock.now();
        let decision = self.agent.decide(now, &command).inspect_err(|refusal| {
            self.refusals.note(now, refusal.code(), refusal.to_string());
        })?;
        if decision.records.is_empty() && idempotency.is_none() {
            return Ok(decision);
        }
        self.write_down(now, &command, &decision, Beside { by, request, idempotency, entries: Vec::new() }).await?;
        Ok(decision)
    }

    /// Writes down what was decided, with what belongs to it, and applies it.
    pub(super) async fn write_down(
        &mut self,
        now: Timestamp,
        command: &AgentCommand,
        decision: &AgentDecision,
        beside: Beside,
    ) -> Result<(), AgentError> {
        let Beside { by, request, idempotency, entries: more } = beside;
        let mut next = self.agent.clone();
        for record in &decision.records {
            next.apply(now, record);
        }
        let mut entries: Vec<_> =
            decision.records.iter().map(|record| Entry::of_agent(&self.agent.id, record.clone())).collect();
        let mut moved = BTreeSet::new();
        if let Some((id, record)) = &decision.session {
            // The task that it took up last is the one that its session follows.
            let taken = self.held_list().into_iter().rev().find(|held| held.state != HeldState::Offered);
            let task = taken.as_ref().map(|held| &held.id);
            entries.push(Entry::of_session(id, Some(&self.agent.id), task, Record::Session(record.clone())));
            moved.insert(id.clone());
        }
        if let AgentCommand::Hear(heard) = command {
            let answers = self.answered(self.agent.answers_among(heard, Delivery::Acknowledged, |_| None));
            moved.extend(answers.iter().filter_map(|_| self.session().cloned()));
            entries.extend(answers);
        }
        if matches!(command, AgentCommand::GiveUp) {
            let all = self.agent.notices.keys().cloned().collect();
            let answers = self.answered(self.agent.answers_among(&all, Delivery::Undeliverable, |_| None));
            moved.extend(answers.iter().filter_map(|_| self.session().cloned()));
            entries.extend(answers);
        }
        moved.extend(more.iter().filter_map(|entry| match &entry.stream {
            Stream::Session(id) => Some(id.clone()),
            Stream::Task(_) | Stream::Agent(_) | Stream::Terminal(_) | Stream::Workflow(_) | Stream::Hub => None,
        }));
        entries.extend(more);
        let rows = vec![Row::Agent(Box::new(next.clone()))];
        let append =
            Append { at: now, by, request, entries, rows, blobs: Vec::new(), idempotency, expects: Vec::new() };
        self.journal.append(append).await.map_err(not_written)?;
        self.agent = next;
        self.show_news();
        for id in moved {
            self.supervisor.session_moved(id);
        }
        Ok(())
    }

    pub(super) fn show_news(&self) {
        self.mailbox_metrics.raise(!(self.agent.notices.is_empty() && self.progress.is_empty()));
    }

    /// Tells the dispatcher how the agent stands, when that changed.
    pub(super) fn tell_dispatcher(&mut self) {
        let evicted = self.agent.eviction.is_some();
        let departed = self.presence.departed(self.clock.now());
        let standing =
            (self.open_to_work_since(), self.waits_only_for(), self.held.len(), evicted, departed, self.nudged);
        if self.told.as_ref() == Some(&standing) {
            return;
        }
        if self.told.is_none() {
            // Built, registered or asked to tell all: from here on it is the same until one of them comes again.
            self.profile = self.profile();
        }
        let (waiting_since, only, held, ..) = standing.clone();
        self.told = Some(standing);
        self.dispatcher.tell(DispatcherMessage::AgentMoved {
            profile: self.profile.clone(),
            id: self.agent.id.clone(),
            waiting_since,
            only,
            held,
            last_seen: self.presence.last_seen,
            evicted,
            departed,
            nudged: self.nudged,
        });
    }

    fn profile(&self) -> Option<Arc<Profile>> {
        let registration = self.agent.registration.as_ref()?;
        Some(Arc::new(Profile {
            id: self.agent.id.clone(),
            role: registration.role.clone(),
            display_name: registration.display_name.clone(),
            capabilities: registration.capabilities.clone(),
            repo: registration.workspace.as_ref().map(|workspace| workspace.repo.clone()),
            session: registration.session.clone(),
        }))
    }

    /// Tells the session whether its agent lives, when that changed.
    pub(super) fn tell_session(&mut self, now: Timestamp) {
        let Some(registration) = &self.agent.registration else { return };
        let offline_after = self.settings.borrow().hub.leases.offline_after;
        let evicted = self.agent.eviction.is_some();
        let lifecycle = Lifecycle::of(self.presence.availability(now, offline_after, evicted));
        if self.lifecycle != Some(lifecycle) {
            self.lifecycle = Some(lifecycle);
            self.supervisor.session_seen(registration.session.clone(), lifecycle);
        }
    }

    pub(super) fn view(&self) -> AgentView {
        let settings = self.settings.borrow();
        let now = self.clock.now();
        let evicted = self.agent.eviction.is_some();
        let availability = self.presence.availability(now, settings.hub.leases.offline_after, evicted);
        let held: Vec<&TaskId> = self.held.keys().collect();
        let lease_until = self.held.values().filter_map(|held| held.until).min();
        let view = self.agent.view(now, (availability, &self.presence), &held, lease_until);
        let on_call = self.on_call.slot(&self.agent.id, now).map(Box::new);
        AgentView { client: settings.client_view(&self.agent), on_call, ..view }
    }

    pub(super) fn held_list(&self) -> Vec<Held> {
        let mut held: Vec<_> = self.held.values().cloned().collect();
        held.sort_by_key(|held| (held.since, held.id.clone()));
        held
    }

    pub(super) fn own_act(&self, command: TaskCommand) -> TaskAct {
        let display_name = self
            .agent
            .registration
            .as_ref()
            .map_or_else(|| self.agent.id.to_string(), |known| known.display_name.clone());
        let who = Origin { kind: OriginKind::Agent, id: self.agent.id.to_string(), display_name };
        TaskAct::new(command, Cause { by: self.hub.clone(), who, notices: Vec::new() })
    }

    fn registered(&self) -> Result<Registered, AgentError> {
        let session = self.agent.registration.as_ref().map(|registration| registration.session.clone());
        let session = session.ok_or_else(|| AgentRefusal::NotRegistered { agent: self.agent.id.to_string() })?;
        Ok(Registered { agent: self.agent.clone(), session, held: self.held_list() })
    }

    /// A registration from another connection ends the wait of the older one.
    fn take_over(&mut self, before: Option<String>, now: Option<String>) {
        let (Some(before), Some(now)) = (before, now) else { return };
        if before == now {
            return;
        }
        let waits = self.waiter.as_ref().is_some_and(|waiter| waiter.request.instance.as_ref() == Some(&before));
        if waits {
            self.end_wait(WaitEnd::Superseded);
        }
    }

    pub(super) fn release_all(&self) {
        for held in self.held.values() {
            self.release(held);
        }
    }

    fn release(&self, held: &Held) {
        let command = TaskCommand::Release { agent: self.agent.id.clone(), why: ReturnReason::Evicted };
        held.task.tell(self.own_act(command));
    }
}

fn not_written(error: AppendError) -> AgentError {
    match error {
        AppendError::Write(WriteError::Repeated { receipt }) => {
            let first = receipt.as_str().and_then(|text| NoticeId::parse(text).ok());
            first.map_or(AgentError::KeyReused, AgentError::Repeated)
        }
        AppendError::Write(WriteError::KeyReused) => AgentError::KeyReused,
        AppendError::Write(WriteError::Full | WriteError::Fault(_) | WriteError::Moved(_))
        | AppendError::Busy { .. }
        | AppendError::Ended => Fault::from(error).into(),
    }
}
