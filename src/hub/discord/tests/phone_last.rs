//! What a person reads on Discord of work that waits, of agents that are away, of words that come late: for the same
//! file.

use std::collections::BTreeSet;
use std::time::Duration;

use callboard_standin::discord::NewMessage;
use tokio::time::sleep;

use super::phone::Phone;
use super::shown::leave;
use super::world::{World, agent_id, by};
use crate::actors::agent::{Awaited, WaitEnd, WaitRequest};
use crate::actors::dispatcher::{Asker, AssignRequest};
use crate::domain::agent::{Eviction, EvictionAction};
use crate::domain::discord::DiscordOrigin;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::principal::{By, Surface};
use crate::domain::session::question::permission::Permission;
use crate::domain::task::{Priority, ReportKind, RightsSet};
use crate::journal::{DeliveryFilter, PageRequest, Reader as _};

const ID: &str = "fullstack-1";
const TESTER: &str = "tester-1";

impl World {
    /// Ann's work that begins when that of another task is done, called by a message of hers.
    async fn is_to_follow(&self, before: &TaskId, message: u64) -> TaskId {
        let spec = self.task(before).spec;
        let place = DiscordOrigin { message, ..DiscordOrigin::of_task(&spec).unwrap() };
        let by = By { principal: spec.asker.clone(), surface: Surface::Discord };
        let request = AssignRequest {
            asker: Asker { by, origin: spec.from.clone(), rights: RightsSet::All, agent: None },
            target: "role:full-stack-engineer".to_owned(),
            capabilities: BTreeSet::new(),
            prompt: "deploy it".to_owned(),
            title: None,
            spec: None,
            context: Some(serde_json::json!({ "discord": place.to_context() })),
            priority: Priority::Normal,
            dependencies: vec![before.to_string()],
            workspace: None,
            ttl: None,
            worktree: None,
            key: None,
            request: None,
            sanitized: None,
            after: None,
        };
        let task = self.life.backstage.hub.dispatcher.assign(request).await.unwrap().task_id;
        self.settles().await;
        task
    }

    /// The agent hears what there is until it is offered work, which it does not take yet.
    async fn is_offered(&self) {
        let hub = &self.life.backstage.hub;
        let agent = hub.dispatcher.hire(&agent_id()).await.unwrap().unwrap().agent;
        for _ in 0..6 {
            let request = WaitRequest {
                id: hub.next_call(),
                instance: None,
                until: hub.clock.now() + Duration::from_secs(2),
                awaits: Awaited::Anything,
                nudges: false,
            };
            agent.called(None).await.unwrap();
            let (end, guard) = agent.wait(request).await.unwrap();
            guard.leaves();
            self.settles().await;
            if matches!(end, WaitEnd::Task(_)) {
                return;
            }
        }
        panic!("nothing was offered");
    }

    /// What the outbox calls what it sends, each once, without the ids.
    fn sent_as(&self) -> Vec<String> {
        let page = PageRequest { limit: 500, cursor: None };
        let all = self.reader.deliveries(&DeliveryFilter::default(), &page).unwrap().items;
        let names = all.iter().filter_map(|one| Some(one.summary.split_once(' ')?.1.to_owned()));
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Words that come when somebody else was faster.
pub(super) async fn late(phone: &mut Phone) {
    phone.moves(81, |_, _, _| {}).await;
    phone.heading("Somebody else was faster");
    let (ann, guild) = (phone.world.ann, phone.world.guild);
    let developer = phone.world.discord.role(guild, "developer");
    let bob = phone.world.discord.member(guild, "bob", &[developer]);
    let (request, task) = phone.world.begins("implement login").await;
    phone.world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    sleep(Duration::from_secs(5 * 60)).await;
    let card = phone.world.shown(request, "Old or new?");
    phone.world.presses_on(bob, card.id, "old").await;
    sleep(Duration::from_secs(3 * 60)).await;
    let told = phone.world.presses_an_old_one(&card).await;
    phone.told("old, three minutes after bob", &told);
    phone.world.takes().await;
    phone.world.hands_in(&task, "It works.").await;
    let card = phone.world.shown(request, "asks for a review");
    let form = phone.world.discord.clicks(ann, card.id, "Request changes…").unwrap();
    phone.world.settles().await;
    phone.world.fills_in(bob, card.id, "Request changes…", "Hold no lock.").await;
    let sent = phone.world.discord.submits(form, &[("text", "And write a test.")]).unwrap();
    phone.world.settles().await;
    let told = phone.world.discord.view(|view| view.reply_of(sent)).unwrap().content;
    phone.told("Request changes… after bob: And write a test.", &told);
    phone.room("thread", request);
    let names = phone.world.sent_as().join("\n");
    phone.told("callboard outbox", &names);
}

/// A call that may destroy something, one that is long, a forward, a request that is long.
pub(super) async fn words(phone: &mut Phone) {
    phone.moves(82, |_, _, _| {}).await;
    phone.heading("Calls that may destroy, forwards, long requests");
    let (ann, channel) = (phone.world.ann, phone.world.channel);
    let (request, task) = phone.world.begins("clean up").await;
    let content = "A line of words.\n".repeat(600);
    let calls = [
        (serde_json::json!({ "command": "rm -rf build" }), Some("rm -rf".to_owned())),
        (serde_json::json!({ "content": content }), None),
    ];
    for (input, risk) in calls {
        let destroys = risk.is_some();
        let question = phone
            .world
            .asks_as(ID, |spec| {
                leave("")(spec);
                spec.permission = Some(Box::new(Permission::new("Bash".to_owned(), String::new(), &input, risk)));
            })
            .await;
        let shown = phone.world.shown(request, "wants to use");
        if let Some((_, text)) = shown.files.first() {
            let end: Vec<_> = text.lines().rev().take(2).collect();
            phone.told("the end of its file", &format!("{}\n{}", end[1], end[0]));
        }
        if destroys {
            phone.presses(ann, shown.id, "allow once").await;
        }
        phone.world.withdraws(&question).await;
    }
    let bob = phone.world.discord.member(phone.world.guild, "bob", &[]);
    let elsewhere = phone.world.writes(bob, channel, "call it Switchboard").await;
    let forward = NewMessage { forward: Some(elsewhere), ..NewMessage::default() };
    phone.world.discord.posts(ann, request, forward);
    phone.world.settles().await;
    let heard = phone.world.remarks(&task).join("\n");
    phone.told("a forward, as it reaches who works on it", &heard);
    phone.room("thread", request);
    phone.uses(ann, "task", &[("agent", "FullStack"), ("prompt", &"write it down ".repeat(120))]).await;
    phone.room("channel", channel);
}

/// Work that is to follow other work, and how each stands.
pub(super) async fn waits(phone: &mut Phone) {
    phone.moves(83, |_, _, _| {}).await;
    phone.heading("Work that waits for other work");
    let (ann, channel) = (phone.world.ann, phone.world.channel);
    let (_, first) = phone.world.begins("build it").await;
    let then = phone.world.writes(ann, channel, "then deploy it").await;
    phone.world.is_to_follow(&first, then).await;
    phone.room("thread", then);
    phone.world.hands_in(&first, "It is built.").await;
    phone.uses(ann, "tasks", &[]).await;
    phone.world.takes_back(&first).await;
    phone.world.reports(&first, ReportKind::Failed, "no compiler").await.unwrap();
    phone.world.settles().await;
    phone.room("thread, when the other one failed", then);
    let next = phone.world.writes(ann, channel, &format!("<@&{}> install one", phone.world.role)).await;
    phone.world.is_offered().await;
    phone.room("thread, before it is taken", next);
    phone.uses(ann, "tasks", &[]).await;
}

/// Agents that are away, and one that was sent away.
pub(super) async fn agents(phone: &mut Phone) {
    phone.heading("Who is not there");
    phone.world.hires(TESTER, "test-engineer").await;
    let hub = &phone.world.life.backstage.hub;
    let tester = hub.dispatcher.hire(&AgentId::parse(TESTER).unwrap()).await.unwrap().unwrap().agent;
    let eviction = Eviction { action: EvictionAction::Shutdown, reason: "too many".to_owned(), for_good: false };
    tester.evict(eviction, by()).await.unwrap();
    sleep(Duration::from_secs(2 * 60 * 60)).await;
    phone.uses(phone.world.ann, "agents", &[]).await;
}
