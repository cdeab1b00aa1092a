//! A hub to tell stories with.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use crate::actors::agent::{AgentError, AgentRef, Awaited, PostRequest, RegisterRequest, WaitEnd, WaitRequest};
use crate::actors::dispatcher::{Asker, AssignError, AssignReceipt, AssignRequest};
use crate::actors::journal::JournalReads;
use crate::actors::task::{ActError, TaskAct, TaskReceipt};
use crate::actors::{Backstage, BackstageArgs, HubRef};
use crate::clock::{Clock, FakeMachine};
use crate::domain::agent::{Claim, Eviction, EvictionAction, Notice, NoticeKind};
use crate::domain::ids::{AgentId, LeaseEpoch, PrincipalId, RoleId, TaskId};
use crate::domain::principal::{By, Surface};
use crate::domain::task::{
    Authority, Cause, KeptText, Origin, OriginKind, Priority, Report, ReportKind, RightsSet, Task, TaskCommand,
    TaskStateName,
};
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::journal::Store;
use crate::journal::memory::{self, MemoryFaults, MemoryReader};
use crate::settings::Settings;
use crate::transcripts::Transcripts;

/// A hub over the journal in memory.
pub(super) struct Hub {
    backstage: Backstage,
    pub(super) reader: MemoryReader,
    pub(super) faults: MemoryFaults,
    transcripts: Transcripts,
    pub(super) hub: HubRef,
}

/// An agent of the story.
#[derive(Clone)]
pub(super) struct Player {
    hub: HubRef,
    pub(super) id: AgentId,
    pub(super) line: AgentRef,
}

pub(super) fn agent_id(id: &str) -> AgentId {
    AgentId::parse(id).unwrap()
}

impl Hub {
    pub(super) async fn new() -> Self {
        Self::over(memory::open()).await
    }

    /// A hub that begins with what is in this store.
    pub(super) async fn over(store: (memory::MemoryStore, MemoryReader)) -> Self {
        Self::over_at(store, Transcripts::in_memory(), Timestamp(1_800_000_000_000)).await
    }

    /// It dies this moment, whatever is under way; after so long another one begins with what it left.
    pub(super) async fn dies_for(self, time: Duration) -> Self {
        let died = self.hub.clock.now();
        let left = self.reader.reopened();
        self.faults.break_down("it is dead");
        tokio::time::sleep(time).await;
        Self::over_at(left, self.transcripts, died + time).await
    }

    /// It ends gently; after so long another one begins with what it left.
    pub(super) async fn rests_for(self, time: Duration) -> Self {
        let (reader, transcripts) = (self.reader.clone(), self.transcripts.clone());
        let ended = self.hub.clock.now();
        self.ends().await;
        tokio::time::sleep(time).await;
        Self::over_at(reader.reopened(), transcripts, ended + time).await
    }

    /// A hub on this machine.
    pub(super) async fn on(machine: &FakeMachine) -> Self {
        let (store, reader) = memory::open();
        let disk = (store.faults(), reader);
        Self::by_clock(Box::new(store), disk, Transcripts::in_memory(), machine.clock()).await
    }

    /// It dies this moment, and another one begins on this machine with what it left.
    pub(super) async fn starts_anew_on(self, machine: &FakeMachine) -> Self {
        let (store, reader) = self.reader.reopened();
        self.faults.break_down("it is dead");
        let disk = (store.faults(), reader);
        Self::by_clock(Box::new(store), disk, self.transcripts, machine.clock()).await
    }

    async fn over_at(
        (store, reader): (memory::MemoryStore, MemoryReader),
        transcripts: Transcripts,
        now: Timestamp,
    ) -> Self {
        let faults = store.faults();
        Self::behind(Box::new(store), (faults, reader), transcripts, now).await
    }

    /// A hub whose writer is this one, with a disk and a reader in memory behind it.
    pub(super) async fn behind(
        store: Box<dyn Store>,
        (faults, reader): (MemoryFaults, MemoryReader),
        transcripts: Transcripts,
        now: Timestamp,
    ) -> Self {
        Self::by_clock(store, (faults, reader), transcripts, Clock::starting_at(now)).await
    }

    async fn by_clock(
        store: Box<dyn Store>,
        (faults, reader): (MemoryFaults, MemoryReader),
        transcripts: Transcripts,
        clock: Clock,
    ) -> Self {
        let args = BackstageArgs {
            transcripts: transcripts.clone(),
            ..BackstageArgs::alone(store, JournalReads::new(reader.clone()), clock, Ids::random())
        };
        let backstage = Backstage::start(args).await.unwrap();
        let hub = backstage.hub.clone();
        Self { backstage, reader, faults, transcripts, hub }
    }

    /// Other settings from now on.
    pub(super) fn reloads(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = Settings::clone(&self.hub.settings());
        change(&mut settings);
        self.backstage.reload(settings);
    }

    pub(super) async fn ends(self) {
        self.backstage.end(Duration::from_secs(5)).await;
    }

    /// An agent that registered with this role.
    pub(super) async fn agent(&self, id: &str, role: &str) -> Player {
        let player = self.stranger(id).await;
        player.registers(role, None).await;
        player
    }

    /// An agent that did not register.
    pub(super) async fn stranger(&self, id: &str) -> Player {
        let id = agent_id(id);
        let line = self.hub.dispatcher.hire(&id).await.unwrap().unwrap().agent;
        Player { hub: self.hub.clone(), id, line }
    }

    /// An operator asks for work.
    pub(super) async fn asks(&self, target: &str, prompt: &str) -> AssignReceipt {
        self.asks_for(request(operator(), target, prompt)).await.unwrap()
    }

    pub(super) async fn asks_for(&self, request: AssignRequest) -> Result<AssignReceipt, AssignError> {
        self.hub.dispatcher.assign(request).await
    }

    pub(super) async fn task(&self, id: &TaskId) -> Task {
        self.hub.task(id).await.unwrap().unwrap()
    }

    pub(super) async fn state(&self, id: &TaskId) -> TaskStateName {
        self.task(id).await.state.name()
    }

    /// An operator's order to a task.
    pub(super) async fn orders(&self, id: &TaskId, command: TaskCommand) -> Result<TaskReceipt, ActError> {
        self.hub.order(id, act(&self.hub, command, "operator")).await.map(Option::unwrap)
    }

    pub(super) async fn cancels(&self, id: &TaskId) {
        self.orders(id, TaskCommand::Cancel { authority: Authority::Operator, reason: None }).await.unwrap();
    }
}

impl Player {
    pub(super) async fn registers(&self, role: &str, instance: Option<&str>) {
        self.registers_with(role, &[], instance).await;
    }

    pub(super) async fn registers_with(&self, role: &str, capabilities: &[&str], instance: Option<&str>) {
        let claim = Claim {
            role: RoleId::parse(role).unwrap(),
            display_name: self.id.to_string(),
            capabilities: capabilities.iter().map(|&name| name.to_owned()).collect(),
            can_delegate_to: RightsSet::All,
            reports_to: BTreeSet::new(),
            workspace: None,
            client: None,
            instance: instance.map(str::to_owned),
            new_session: self.hub.ids.session(),
            sanitized: None,
        };
        let request = RegisterRequest { claim, by: self.by(), request: None, key: None };
        self.line.register(request).await.unwrap();
    }

    /// Begins a call over this connection.
    pub(super) async fn calls_over(&self, instance: &str) -> Result<(), AgentError> {
        self.line.called(Some(instance.to_owned())).await.map(drop)
    }

    /// Waits for a minute.
    pub(super) async fn waits(&self) -> WaitEnd {
        self.waits_for(Duration::from_secs(60)).await.unwrap()
    }

    pub(super) async fn waits_for(&self, time: Duration) -> Result<WaitEnd, AgentError> {
        let until = self.hub.clock.moment(Instant::now() + time);
        let request =
            WaitRequest { id: self.hub.next_call(), instance: None, until, awaits: Awaited::Anything, nudges: false };
        self.line.called(None).await?;
        let (end, guard) = self.line.wait(request).await?;
        guard.leaves();
        Ok(end)
    }

    /// Waits for an hour, in the background.
    #[expect(clippy::disallowed_methods, reason = "the waiter stands outside the hub, as a client does")]
    pub(super) fn parks(&self) -> tokio::task::JoinHandle<WaitEnd> {
        let player = self.clone();
        tokio::spawn(async move { player.waits_for(Duration::from_secs(3600)).await.unwrap() })
    }

    pub(super) async fn reports(&self, task: &TaskId, kind: ReportKind, text: &str) -> Result<TaskReceipt, ActError> {
        self.reports_under(task, None, kind, text).await
    }

    pub(super) async fn reports_under(
        &self,
        task: &TaskId,
        epoch: Option<LeaseEpoch>,
        kind: ReportKind,
        text: &str,
    ) -> Result<TaskReceipt, ActError> {
        let message = KeptText::inline(text);
        let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
        self.orders(task, TaskCommand::Report { agent: self.id.clone(), epoch, report }).await
    }

    pub(super) async fn acknowledges(&self, task: &TaskId) -> Result<TaskReceipt, ActError> {
        self.orders(task, TaskCommand::Acknowledge { agent: self.id.clone(), epoch: None }).await
    }

    pub(super) async fn completes(&self, task: &TaskId) {
        self.reports(task, ReportKind::Completed, "done").await.unwrap();
    }

    pub(super) async fn delegates(&self, target: &str, prompt: &str) -> Result<AssignReceipt, AssignError> {
        let origin = Origin { kind: OriginKind::Agent, id: self.id.to_string(), display_name: self.id.to_string() };
        let asker = Asker { by: self.by(), origin, rights: RightsSet::All, agent: Some(self.id.clone()) };
        self.hub.dispatcher.assign(request(asker, target, prompt)).await
    }

    /// An operator tells it something.
    pub(super) async fn hears(&self, text: &str) {
        let Asker { by, origin: from, .. } = operator();
        let (id, at) = (self.hub.ids.notice(), self.hub.clock.now());
        let notice = Notice {
            id,
            kind: NoticeKind::Message,
            text: text.to_owned(),
            from,
            task_id: None,
            question_id: None,
            at,
            typed_at: None,
        };
        self.line.post(PostRequest { notice, by, request: None, key: None }).await.unwrap();
    }

    pub(super) async fn is_sent_away(&self) {
        let eviction =
            Eviction { action: EvictionAction::Restart, reason: "a new version".to_owned(), for_good: false };
        self.line.evict(eviction, operator().by).await.unwrap();
    }

    fn by(&self) -> By {
        let principal = PrincipalId::parse(&format!("agent:{}", self.id)).unwrap();
        By { principal, surface: Surface::Agent }
    }

    pub(super) async fn orders(&self, task: &TaskId, command: TaskCommand) -> Result<TaskReceipt, ActError> {
        self.hub.order(task, act(&self.hub, command, &format!("agent:{}", self.id))).await.map(Option::unwrap)
    }
}

pub(super) fn operator() -> Asker {
    let origin = Origin { kind: OriginKind::Api, id: "operator".to_owned(), display_name: "Operator".to_owned() };
    let by = By { principal: PrincipalId::parse("operator").unwrap(), surface: Surface::Api };
    Asker { by, origin, rights: RightsSet::All, agent: None }
}

pub(super) fn request(asker: Asker, target: &str, prompt: &str) -> AssignRequest {
    AssignRequest {
        asker,
        target: target.to_owned(),
        capabilities: BTreeSet::new(),
        prompt: prompt.to_owned(),
        title: None,
        spec: None,
        context: None,
        priority: Priority::Normal,
        dependencies: Vec::new(),
        workspace: None,
        ttl: None,
        worktree: None,
        key: None,
        request: None,
        sanitized: None,
        after: None,
    }
}

pub(super) fn act(hub: &HubRef, command: TaskCommand, principal: &str) -> TaskAct {
    let by = By { principal: PrincipalId::parse(principal).unwrap(), surface: Surface::Api };
    let who = Origin { kind: OriginKind::Api, id: principal.to_owned(), display_name: principal.to_owned() };
    let notices = (0..Cause::NOTICES).map(|_| hub.ids.notice()).collect();
    let cause = Cause { by, who, notices };
    TaskAct { command, cause, request: None, blobs: Vec::new(), key: None, note: None, part: None, judged: None }
}
