//! A hub, its agent, a Discord with Ann in it, what happens there by chance, and the judge of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use tempfile::TempDir;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::connection::{GatewayConnection, InProcess};
use crate::actors::agent::{AgentRef, RegisterRequest, WaitEnd};
use crate::actors::discord::{DiscordRest, Shared};
use crate::actors::journal::JournalReads;
use crate::actors::outbox::Destinations;
use crate::actors::session::SessionOrder;
use crate::actors::task::TaskAct;
use crate::actors::{Backstage, BackstageArgs, HubRef};
use crate::clock::Clock;
use crate::domain::agent::Claim;
use crate::domain::ids::{AgentId, PrincipalId, QuestionId, RoleId, TaskId};
use crate::domain::principal::{By, Surface};
use crate::domain::review::{Change, DiffSize, Submission};
use crate::domain::session::question::{Danger, Question, QuestionKind, QuestionSpec};
use crate::domain::session::{Asker, SessionCommand};
use crate::domain::task::{
    Cause, KeptText, Origin, OriginKind, Report, ReportKind, RightsSet, Task, TaskCommand, TaskState,
};
use crate::domain::time::Timestamp;
use crate::hub::discord::Discord as Parts;
use crate::ids::Ids;
use crate::journal::Reader as _;
use crate::journal::memory::{self, MemoryFaults, MemoryReader, MemoryStore};
use crate::journal::vault::Folder;
use crate::settings::{Grant, Permissions, Settings, Snowflake};
use callboard_standin::discord::{Discord, GatewayFault, Id, LimitScope, Options, RestFault, RestRule, ShownMessage};

const ID: &str = "fullstack-1";
const MESSAGES: &str = "/channels/:channel/messages";
const THREADS: &str = "/channels/:channel/messages/:message/threads";

/// The same numbers for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) % bound
    }
}

/// A hub that lives.
pub(super) struct Life {
    pub(super) backstage: Backstage,
    pub(super) agent: AgentRef,
    /// Those that a story hired beside.
    others: BTreeMap<String, AgentRef>,
    faults: MemoryFaults,
    dead: CancellationToken,
    shared: Shared,
}

pub(super) struct World {
    pub(super) discord: Arc<Discord>,
    pub(super) guild: Id,
    pub(super) role: Id,
    pub(super) channel: Id,
    pub(super) ann: Id,
    pub(super) clock: Clock,
    pub(super) settings: Settings,
    dir: TempDir,
    pub(super) reader: MemoryReader,
    pub(super) life: Life,
    chance: Chance,
    pub(super) said: Vec<Id>,
}

async fn life(
    (store, reader): (MemoryStore, MemoryReader),
    dir: &TempDir,
    discord: &Arc<Discord>,
    clock: Clock,
    settings: Settings,
) -> Life {
    let (faults, dead) = (store.faults(), CancellationToken::new());
    let token = SecretString::from(discord.token());
    let mut parts = Parts::prepare(&settings, Some(token), &Folder::at(dir.path()), &reader).unwrap().unwrap();
    let carrier = InProcess { discord: Arc::clone(discord), dead: dead.clone() };
    parts.rest = DiscordRest::over(Arc::new(carrier), parts.shared.clone());
    let shared = parts.shared.clone();
    let ids = Ids::seeded(clock.now().0);
    let args = BackstageArgs {
        destinations: Destinations::new(vec![parts.destination()]),
        settings,
        ..BackstageArgs::alone(Box::new(store), JournalReads::new(reader), clock, ids)
    };
    let backstage = Backstage::start(args).await.unwrap();
    let hub = backstage.hub.clone();
    let (line, stop) = (Arc::clone(discord), dead.clone());
    let began = parts
        .start_behind(&hub, move |gateway| Arc::new(GatewayConnection { discord: line, gateway, dead: stop }))
        .await;
    began.unwrap();
    let agent = hub.dispatcher.hire(&agent_id()).await.unwrap().unwrap().agent;
    registers(&hub, &agent, ID, "full-stack-engineer").await;
    Life { backstage, agent, others: BTreeMap::new(), faults, dead, shared }
}

pub(super) fn agent_id() -> AgentId {
    AgentId::parse(ID).unwrap()
}

pub(super) fn by() -> By {
    By { principal: PrincipalId::parse(&format!("agent:{ID}")).unwrap(), surface: Surface::Agent }
}

pub(super) fn who() -> Origin {
    Origin { kind: OriginKind::Agent, id: ID.to_owned(), display_name: ID.to_owned() }
}

/// Every right but those that are taken out by the story.
pub(super) fn grant() -> Grant {
    Grant {
        can_assign_to: RightsSet::All,
        can_answer: None,
        can_approve: Some(RightsSet::All),
        can_cancel: None,
        deny: RightsSet::Only(BTreeSet::new()),
    }
}

async fn registers(hub: &HubRef, agent: &AgentRef, id: &str, role: &str) {
    let claim = Claim {
        role: RoleId::parse(role).unwrap(),
        display_name: id.to_owned(),
        capabilities: BTreeSet::new(),
        can_delegate_to: RightsSet::All,
        reports_to: BTreeSet::new(),
        workspace: None,
        client: None,
        sanitized: None,
        instance: None,
        new_session: hub.ids.session(),
    };
    agent.register(RegisterRequest { claim, by: by(), request: None, key: None }).await.unwrap();
}

impl World {
    pub(super) async fn of(seed: u64) -> Self {
        Self::with(seed, |_, _, _| {}).await
    }

    /// One whose settings the story changes before the hub begins.
    pub(super) async fn with(seed: u64, change: impl FnOnce(&mut Settings, &Discord, Id)) -> Self {
        let clock = Clock::starting_at(Timestamp(1_800_000_000_000));
        let discord =
            Arc::new(Discord::in_memory(Options::default(), callboard_standin::time::Clock::starting_at(clock.now())));
        let guild = discord.guild("Acme");
        let role = discord.role(guild, "FullStack");
        let developer = discord.role(guild, "developer");
        let channel = discord.channel(guild, "dev");
        let ann = discord.member(guild, "ann", &[developer]);
        let (dir, (store, reader)) = (TempDir::new().unwrap(), memory::open());
        let mut settings = Settings::defaults();
        settings.hub.discord.guilds = vec![Snowflake(guild)];
        settings.permissions =
            Permissions { roles: [("developer".to_owned(), grant())].into(), users: BTreeMap::new() };
        change(&mut settings, &discord, guild);
        let life = life((store, reader.clone()), &dir, &discord, clock.clone(), settings.clone()).await;
        discord.until(|view| (!view.commands(guild).is_empty()).then_some(())).await;
        let chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Self { discord, guild, role, channel, ann, clock, settings, dir, reader, life, chance, said: Vec::new() }
    }

    /// Ann calls the agent.
    pub(super) async fn calls(&mut self) {
        let text = format!("<@&{}> work {}", self.role, self.said.len());
        self.said.push(self.discord.says(self.ann, self.channel, &text));
        sleep(Duration::from_millis(self.chance.below(50))).await;
    }

    /// One thing happens by chance.
    pub(super) async fn goes_on(&mut self) {
        match self.chance.below(17) {
            0..=3 => self.calls().await,
            4..=6 => self.works().await,
            7 => self.asks().await,
            8 => self.presses(),
            9..=10 => sleep(Duration::from_secs(self.chance.below(30))).await,
            11..=12 => self.breaks_rest(),
            13 => self.breaks_gateway(),
            14 => drop(self.dies().await),
            15 => self.discord.heals(),
            _ => {
                self.breaks_disk();
                sleep(Duration::from_secs(self.chance.below(4))).await;
                self.mends_disk();
            }
        }
    }

    /// The agent takes what there is, or ends what it has.
    async fn works(&mut self) {
        let Some(task) = self.held() else { return self.takes().await };
        if self.chance.below(3) == 0 {
            let _ = self.reports(&task, ReportKind::Progress { phase: None, percent: Some(50) }, "half of it").await;
            return;
        }
        let kind = if self.chance.below(4) == 0 { ReportKind::Failed } else { ReportKind::Completed };
        let _ = self.reports(&task, kind, "as far as it goes").await;
    }

    /// Everything that is under way is done.
    pub(super) async fn settles(&self) {
        sleep(Duration::from_secs(5)).await;
    }

    /// Somebody writes into a channel or thread, and it is done.
    pub(super) async fn writes(&self, whom: Id, channel: Id, text: &str) -> Id {
        let said = self.discord.says(whom, channel, text);
        self.settles().await;
        said
    }

    /// Ann calls the agent, which takes it: the request and the task.
    pub(super) async fn begins(&mut self, text: &str) -> (Id, TaskId) {
        let request = self.writes(self.ann, self.channel, &format!("<@&{}> {text}", self.role)).await;
        // What there is to tell the agent comes before what there is to do.
        for _ in 0..4 {
            if self.held().is_none() {
                self.takes().await;
            }
            self.settles().await;
        }
        (request, self.held().unwrap())
    }

    /// Another agent of this role, which takes what there is for it.
    pub(super) async fn hires(&mut self, id: &str, role: &str) {
        let hub = &self.life.backstage.hub;
        let agent = hub.dispatcher.hire(&AgentId::parse(id).unwrap()).await.unwrap().unwrap().agent;
        registers(hub, &agent, id, role).await;
        self.takes_as(&agent, id).await;
        self.life.others.insert(id.to_owned(), agent);
        self.settles().await;
    }

    /// What somebody reads who uses a command in the channel.
    pub(super) async fn uses(&self, whom: Id, command: &str, given: &[(&str, &str)]) -> String {
        let used = self.discord.commands(whom, self.channel, command, given).unwrap();
        self.settles().await;
        self.discord.view(|view| view.reply_of(used)).unwrap().content
    }

    /// The signs that stand on a message.
    pub(super) fn signs(&self, message: Id) -> Vec<String> {
        let shown = self.discord.view(|view| view.message(message)).unwrap();
        shown.reactions.into_iter().filter(|(_, count)| *count > 0).map(|(sign, _)| sign).collect()
    }

    /// The task that an agent holds.
    pub(super) fn held_by(&self, id: &str) -> TaskId {
        let open = self.reader.open_tasks().unwrap();
        let found = open.into_iter().find(|task| task.holder().is_some_and(|holder| holder.as_str() == id));
        found.unwrap().spec.id.clone()
    }

    pub(super) fn task(&self, task: &TaskId) -> Task {
        self.reader.task(task).unwrap().unwrap()
    }

    /// The texts of what was remarked on a task, oldest first.
    pub(super) fn remarks(&self, task: &TaskId) -> Vec<String> {
        self.task(task).comments.iter().map(|comment| comment.text.clone()).collect()
    }

    /// An agent asks; the question is shown.
    pub(super) async fn asks_as(&self, id: &str, change: impl FnOnce(&mut QuestionSpec)) -> QuestionId {
        let task = self.held_by(id);
        let question = self.asks_about(id, task, change).await.unwrap();
        self.settles().await;
        question
    }

    /// The agent found out by itself.
    pub(super) async fn withdraws(&self, id: &QuestionId) {
        let hub = &self.life.backstage.hub;
        let session = hub.supervisor.session(&self.question(id).spec.session_id).await.unwrap().unwrap();
        let command = SessionCommand::Withdraw { question: id.clone(), reason: None };
        let order = SessionOrder { command, by: by(), who: who(), request: None, blobs: Vec::new(), key: None };
        session.order(order).await.unwrap();
        self.settles().await;
    }

    /// One that was hired takes what there is for it.
    pub(super) async fn takes_for(&self, id: &str) {
        self.takes_as(&self.life.others[id], id).await;
        self.settles().await;
    }

    pub(super) fn question(&self, id: &QuestionId) -> Question {
        self.reader.question(id).unwrap().unwrap()
    }

    /// What a question was answered with.
    pub(super) fn answer_of(&self, id: &QuestionId) -> Option<String> {
        self.question(id).resolution().map(|resolution| resolution.value.clone())
    }

    /// The agent hands its work in for review.
    pub(super) async fn hands_in(&self, task: &TaskId, message: &str) {
        self.hands_in_as(ID, task, message).await;
    }

    pub(super) async fn hands_in_as(&self, agent: &str, task: &TaskId, message: &str) {
        let size = DiffSize { files: 3, added: 120, removed: 14, ..DiffSize::default() };
        let pr_url = Some("https://forge/acme/shop/pulls/7".to_owned());
        let change = Change { pr_url, size: Some(size), ..Change::default() };
        let submission = Box::new(Submission { change, ..Submission::default() });
        let (agent, message) = (AgentId::parse(agent).unwrap(), KeptText::inline(message));
        let (epoch, diff, artifacts) = (None, None, Vec::new());
        let command = TaskCommand::SubmitForReview { agent, epoch, message, diff, artifacts, submission };
        self.orders(task, command).await.unwrap();
        self.settles().await;
    }

    pub(super) async fn takes_back(&self, task: &TaskId) {
        self.orders(task, TaskCommand::TakeBack { agent: agent_id(), epoch: None }).await.unwrap();
        self.settles().await;
    }

    pub(super) fn is_approved(&self, task: &TaskId) -> bool {
        matches!(self.task(task).state, TaskState::Completed { .. } | TaskState::InReview { approved: true, .. })
    }

    /// An agent is blocked, and says on what.
    pub(super) async fn report_blocked(&self, task: &TaskId, agent: &str, reason: &str) {
        let kind = ReportKind::Blocked { reason: reason.to_owned(), question: None };
        self.reports_as(agent, task, kind, reason).await.unwrap();
        self.settles().await;
    }

    /// Ann presses the first button of a message as it was shown once.
    pub(super) async fn presses_an_old_one(&self, shown: &ShownMessage) -> String {
        let button = shown.components[0]["components"][0]["custom_id"].as_str().unwrap();
        let press = self.discord.presses_unseen(self.ann, shown.id, button).unwrap();
        self.settles().await;
        self.discord.view(|view| view.reply_of(press)).unwrap().content
    }

    /// What was answered to a press, to who pressed alone.
    pub(super) async fn presses_on(&self, whom: Id, message: Id, button: &str) -> String {
        self.reply_to_press(whom, message, button).await.content
    }

    pub(super) async fn reply_to_press(&self, whom: Id, message: Id, button: &str) -> ShownMessage {
        let press = self.discord.clicks(whom, message, button).unwrap();
        self.settles().await;
        self.discord.view(|view| view.reply_of(press)).unwrap()
    }

    /// Somebody presses Cancel below a status message and then that they are sure.
    pub(super) async fn sure(&self, whom: Id, status: Id) -> String {
        let asks = self.reply_to_press(whom, status, "Cancel").await;
        self.presses_on(whom, asks.id, "Yes, cancel it").await
    }

    /// `permissions.yaml` lists this user from now on.
    pub(super) async fn lists(&mut self, whom: Id, grant: Grant) {
        self.settings.permissions.users.insert(Snowflake(whom), grant);
        self.is_gone_for(Duration::from_secs(1)).await;
        self.settles().await;
    }

    /// The hub's newest message of a room that holds these words.
    pub(super) fn shown(&self, room: Id, words: &str) -> ShownMessage {
        let all = self.discord.view(|view| view.messages(room));
        let found = all.into_iter().rev().find(|shown| shown.is_ours && shown.content.contains(words));
        found.unwrap_or_else(|| panic!("`{words}` is not among\n{}", self.discord.view(|view| view.transcript(room))))
    }

    pub(super) fn held(&self) -> Option<TaskId> {
        let open = self.reader.open_tasks().unwrap();
        open.into_iter().find(|task| task.holder() == Some(&agent_id())).map(|task| task.spec.id.clone())
    }

    pub(super) async fn takes(&self) {
        self.takes_as(&self.life.agent, ID).await;
    }

    async fn takes_as(&self, agent: &AgentRef, id: &str) {
        if let Some(WaitEnd::Task(offered)) = self.waits_as(agent).await {
            let agent = AgentId::parse(id).unwrap();
            let _ = self.orders(&offered.spec.id, TaskCommand::Acknowledge { agent, epoch: None }).await;
        }
    }

    pub(super) async fn reports(&self, task: &TaskId, kind: ReportKind, text: &str) -> Result<(), String> {
        self.reports_as(ID, task, kind, text).await
    }

    pub(super) async fn reports_as(
        &self,
        agent: &str,
        task: &TaskId,
        kind: ReportKind,
        text: &str,
    ) -> Result<(), String> {
        let (agent, message) = (AgentId::parse(agent).unwrap(), KeptText::inline(text));
        let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
        self.orders(task, TaskCommand::Report { agent, epoch: None, report }).await
    }

    pub(super) async fn orders(&self, task: &TaskId, command: TaskCommand) -> Result<(), String> {
        let hub = &self.life.backstage.hub;
        let notices = (0..Cause::NOTICES).map(|_| hub.ids.notice()).collect();
        let cause = Cause { by: by(), who: who(), notices };
        let act = TaskAct {
            command,
            cause,
            request: None,
            blobs: Vec::new(),
            key: None,
            note: None,
            part: None,
            judged: None,
        };
        hub.order(task, act).await.map(drop).map_err(|error| format!("{error:?}"))
    }

    /// The agent asks something about what it has.
    async fn asks(&self) {
        if let Some(task) = self.held() {
            let words = |spec: &mut QuestionSpec| spec.question = format!("Which one for {}?", spec.id);
            let _ = self.asks_about(ID, task, words).await;
        }
    }

    async fn asks_about(
        &self,
        agent: &str,
        task: TaskId,
        change: impl FnOnce(&mut QuestionSpec),
    ) -> Option<QuestionId> {
        let hub = &self.life.backstage.hub;
        let shown = self.life.others.get(agent).unwrap_or(&self.life.agent).show().await.ok()?;
        let registration = shown.agent.registration?;
        let session = hub.supervisor.session(&registration.session).await.ok()??;
        let (id, now) = (hub.ids.question(), hub.clock.now());
        let mut spec = QuestionSpec {
            work_item: None,
            question: "Which one?".to_owned(),
            id: id.clone(),
            session_id: registration.session,
            agent_id: AgentId::parse(agent).unwrap(),
            task_id: Some(task),
            kind: QuestionKind::Decision,
            permission: None,
            options: vec!["old".to_owned(), "new".to_owned()],
            default_action: "new".to_owned(),
            danger: None::<Danger>,
            allow_free_text: false,
            sanitized: None,
            asked_at: now,
            expires_at: now + Duration::from_secs(10 * 60),
            reminders: vec![50, 90],
        };
        change(&mut spec);
        let command = SessionCommand::Ask { asker: Box::new(Asker { spec, ends: None }) };
        let order = SessionOrder { command, by: by(), who: who(), request: None, blobs: Vec::new(), key: None };
        session.order(order).await.ok().map(|_| id)
    }

    /// Ann presses a button that she sees.
    fn presses(&mut self) {
        let shown: Vec<_> =
            self.messages().into_iter().filter(|one| one.controls.contains(&"old".to_owned())).collect();
        if let Some(one) = usize::try_from(self.chance.below(8)).ok().and_then(|at| shown.get(at)) {
            let _ = self.discord.clicks(self.ann, one.id, "old");
        }
    }

    fn breaks_rest(&mut self) {
        let seconds = |count| Duration::from_secs(count);
        let limited = |scope| RestFault::RateLimited { after: seconds(60), scope };
        let fault = match self.chance.below(9) {
            0 => RestFault::Html502,
            1 => RestFault::Status(503),
            2 => RestFault::ResetBefore,
            3 | 4 => RestFault::ResetAfter,
            5 => limited(LimitScope::Global),
            6 => limited(LimitScope::Shared),
            7 => RestFault::Slow(seconds(20)),
            _ => RestFault::SlowAnswer(seconds(20)),
        };
        let rule = match self.chance.below(4) {
            0 => RestRule::on("POST", MESSAGES),
            1 => RestRule::on("POST", THREADS),
            _ => RestRule::any(),
        };
        let times = u32::try_from(1 + self.chance.below(6)).unwrap();
        self.discord.fault(rule.times(times), fault);
    }

    fn breaks_gateway(&mut self) {
        let fault = match self.chance.below(16) {
            0 | 1 => GatewayFault::DropTcp,
            2 => GatewayFault::Zombie,
            3 => GatewayFault::Refuse(5),
            4 => GatewayFault::ForgetSessions,
            5 => GatewayFault::Duplicate(3),
            6 => GatewayFault::Malformed,
            7 => GatewayFault::NotJson,
            8 => GatewayFault::Reconnect,
            9 => GatewayFault::InvalidSession(true),
            10 => GatewayFault::InvalidSession(false),
            11 => GatewayFault::NoHello(1),
            12 => GatewayFault::EarlyResumed,
            13 => GatewayFault::CloseResume(4_009),
            14 => GatewayFault::SlowReady(Duration::from_secs(30)),
            _ => GatewayFault::EndSessions(2),
        };
        // Discord keeps no connection open whose session it forgot.
        let ends = fault == GatewayFault::ForgetSessions;
        self.discord.gateway_fault(fault);
        if ends {
            self.discord.gateway_fault(GatewayFault::DropTcp);
        }
    }

    pub(super) fn breaks_disk(&self) {
        self.life.faults.break_down("the disk broke");
    }

    pub(super) fn mends_disk(&self) {
        self.life.faults.mend();
    }

    /// The hub is killed, and begins again on what it left; Ann may say something meanwhile.
    async fn dies(&mut self) -> Option<Id> {
        let away = Duration::from_secs(self.chance.below(60));
        if self.chance.below(2) == 0 {
            return Some(self.is_away_for(away).await);
        }
        self.is_gone_for(away).await;
        None
    }

    /// The hub is killed, Ann calls, and it begins again after so long.
    pub(super) async fn is_away_for(&mut self, away: Duration) -> Id {
        self.ends_life();
        self.calls().await;
        let missed = self.said[self.said.len() - 1];
        self.is_gone_for(away).await;
        missed
    }

    fn ends_life(&self) {
        self.life.dead.cancel();
        self.life.faults.break_down("it is dead");
    }

    /// The hub is killed, something happens, and it begins again.
    pub(super) async fn is_gone_while(&mut self, happens: impl AsyncFnOnce(&Self)) {
        self.ends_life();
        happens(self).await;
        self.is_gone_for(Duration::ZERO).await;
    }

    pub(super) async fn is_gone_for(&mut self, away: Duration) {
        self.ends_life();
        let left = self.reader.reopened();
        sleep(away).await;
        self.reader = left.1.clone();
        let next = life(left, &self.dir, &self.discord, self.clock.clone(), self.settings.clone()).await;
        std::mem::replace(&mut self.life, next).backstage.end(Duration::from_millis(10)).await;
    }

    /// What is shown of the last fault.
    pub(super) fn last_error(&self) -> String {
        self.life.shared.health.borrow().last_error.clone().unwrap_or_default()
    }
}
