//! The rest of what a person reads on Discord, for the same file: what is rare, and what stands in forms and commands.

use std::time::Duration;

use callboard_standin::discord::{Answer, GatewayFault, Id, RestFault, RestRule, bits};
use serde_json::Value;
use tempfile::tempdir;
use tokio::time::sleep;

use super::phone::Phone;
use super::world::{World, grant};
use crate::domain::refusal::{Audience, codes};
use crate::domain::task::{Artifact, ArtifactKind, OnTimeout, Report, ReportKind, TaskCommand};
use crate::settings::{DirectMessages, Settings, Snowflake};
use callboard_standin::discord::Discord;

const ID: &str = "fullstack-1";
const TESTER: &str = "tester-1";
const MESSAGES: &str = "/channels/:channel/messages";

impl Phone {
    /// What follows happens in another server, with other settings.
    pub(super) async fn moves(&mut self, seed: u64, change: impl FnOnce(&mut Settings, &Discord, Id)) {
        let before = std::mem::replace(&mut self.world, World::with(seed, change).await);
        before.life.backstage.end(Duration::from_millis(10)).await;
    }

    /// Somebody writes, and what is answered to it.
    pub(super) async fn writes(&mut self, room: Id, text: &str) -> Id {
        let said = self.world.writes(self.world.ann, room, text).await;
        let told = self.world.replies_to(said).join("\n");
        self.told(text, &told);
        said
    }

    /// The title and the fields of the form that somebody sees.
    fn form(&mut self, did: &str, shown: Id) {
        let Some(Answer::Modal(form)) = self.world.discord.view(|view| view.answer(shown)) else { panic!("no form") };
        let mut texts = vec![form["title"].as_str().unwrap_or_default().to_owned()];
        labels(&form["components"], &mut texts);
        self.told(did, &format!("a form: {}", texts.join(" · ")));
    }
}

/// Every label, and every description with its name.
fn labels(of: &Value, texts: &mut Vec<String>) {
    for one in of.as_array().into_iter().flatten() {
        let name = one["name"].as_str().map(|name| format!("{name}: ")).unwrap_or_default();
        let said = one["label"].as_str().or(one["description"].as_str());
        texts.extend(said.map(|said| format!("{name}{said}")));
        for below in ["components", "options"] {
            labels(&one[below], texts);
        }
    }
}

/// What is typed into: commands, forms.
pub(super) async fn forms(phone: &mut Phone) {
    phone.moves(71, |_, _, _| {}).await;
    phone.heading("Commands and forms");
    let wanted = phone.world.discord.view(|view| {
        let mut sent = view.requests().into_iter().filter(|one| one.method == "PUT" && one.path.contains("/commands"));
        sent.next_back().unwrap().body
    });
    let mut texts = Vec::new();
    labels(&wanted, &mut texts);
    phone.told("/", &texts.join("\n"));
    let (ann, channel) = (phone.world.ann, phone.world.channel);
    let crash = phone.world.writes(ann, channel, "the login page crashes").await;
    let form = phone.world.discord.uses_on(ann, crash, "Assign to agent…").unwrap();
    phone.world.settles().await;
    phone.form("Assign to agent…", form);
    let sent = phone.world.discord.submits(form, &[("agent", "test-engineer")]).unwrap();
    phone.world.settles().await;
    let told = phone.world.discord.view(|view| view.reply_of(sent)).unwrap().content;
    phone.told("test-engineer", &told);
    phone.room("thread, nobody is connected", crash);
    let (request, task) = phone.world.begins("name it").await;
    phone.world.asks_as(ID, |spec| (spec.options, spec.allow_free_text) = (Vec::new(), true)).await;
    let shown = phone.world.shown(request, "Which one?");
    let form = phone.world.discord.clicks(ann, shown.id, "Answer…").unwrap();
    phone.world.settles().await;
    phone.form("Answer…", form);
    phone.world.hands_in(&task, "It has a name.").await;
    let card = phone.world.shown(request, "asks for a review");
    let form = phone.world.discord.clicks(ann, card.id, "Request changes…").unwrap();
    phone.world.settles().await;
    phone.form("Request changes…", form);
    let developer = phone.world.discord.role(phone.world.guild, "developer");
    let bob = phone.world.discord.member(phone.world.guild, "bob", &[developer]);
    phone.world.lists(bob, grant()).await;
    phone.presses(bob, card.id, "Approve").await;
    for (step, words) in [("while the hub writes", "it is not nice"), ("while the disk is full", "nor is this")] {
        let form = phone.world.discord.presses_unseen(ann, card.id, &changes_of(&card.components)).unwrap();
        phone.world.settles().await;
        if step.contains("disk") {
            phone.world.breaks_disk();
        }
        let sent = phone.world.discord.submits(form, &[("text", words)]).unwrap();
        sleep(Duration::from_secs(600)).await;
        phone.world.mends_disk();
        let told = phone.world.discord.view(|view| view.reply_of(sent)).map(|told| told.content).unwrap_or_default();
        phone.told(&format!("Request changes…, too late, {step}: {words}"), &told);
    }
    let said = phone.world.shown(request, "it is not nice").content;
    phone.told("what is said in the thread", &said);
    let old = phone.world.discord.presses_unseen(ann, card.id, "cb:of-another-hub").unwrap();
    phone.world.settles().await;
    let told = phone.world.discord.view(|view| view.reply_of(old)).unwrap().content;
    phone.told("a button of another bot's", &told);
}

fn changes_of(components: &[Value]) -> String {
    components[0]["components"][1]["custom_id"].as_str().unwrap().to_owned()
}

/// Rights: the channel for those who watch over them, and who may not.
pub(super) async fn rights(phone: &mut Phone) {
    let (mut audit, mut quiet) = (0, 0);
    phone
        .moves(72, |settings, discord, guild| {
            (audit, quiet) = (discord.channel(guild, "audit"), discord.channel(guild, "quiet"));
            settings.hub.discord.audit_channel = Some(Snowflake(audit));
            settings.hub.discord.channels.deny = vec![Snowflake(quiet)];
        })
        .await;
    phone.heading("The channel for decisions about rights");
    let dir = tempdir().unwrap();
    phone.world.life.backstage.hub.audit.begin(dir.path(), phone.world.clock.now()).unwrap();
    let (ann, role) = (phone.world.ann, phone.world.role);
    let eve = phone.world.discord.member(phone.world.guild, "eve", &[]);
    let mut request = 0;
    for (whom, count) in [(eve, 25), (ann, 1)] {
        for at in 0..count {
            request = phone.world.discord.says(whom, phone.world.channel, &format!("<@&{role}> work {at}"));
        }
        // The audit is written on a thread of its own, which knows nothing of stopped time.
        let posted = |phone: &Phone| phone.world.discord.view(|view| view.messages(audit).len());
        let before = posted(phone);
        while posted(phone) == before {
            phone.world.life.backstage.hub.audit.settle().await;
            phone.world.settles().await;
        }
    }
    phone.room("audit", audit);
    let used = phone.world.discord.commands(ann, quiet, "tasks", &[]).unwrap();
    phone.world.settles().await;
    let told = phone.world.discord.view(|view| view.reply_of(used)).unwrap().content;
    phone.told("/tasks, in a channel that is denied", &told);
    phone.world.takes().await;
    phone.world.settles().await;
    let task = phone.world.held().unwrap();
    phone.world.asks_as(ID, |spec| (spec.options, spec.allow_free_text) = (Vec::new(), true)).await;
    let shown = phone.world.shown(request, "Which one?");
    let form = phone.world.discord.clicks(eve, shown.id, "Answer…").unwrap();
    phone.world.settles().await;
    let told = phone.world.discord.view(|view| view.reply_of(form)).unwrap().content;
    phone.told("Answer…, by eve", &told);
    let status = phone.world.shown(request, "**FullStack**");
    phone.presses(eve, status.id, "Cancel").await;
    phone.world.hands_in(&task, "It is clean.").await;
    let card = phone.world.shown(request, "asks for a review");
    phone.presses(eve, card.id, "Approve").await;
    phone.uses(eve, "agents", &[]).await;
}

/// Time that runs out, an agent that gives up, a question that nobody needs any more, words that are changed.
pub(super) async fn ends(phone: &mut Phone) {
    phone.heading("Other ends");
    for (seed, on_timeout, name) in [(73, OnTimeout::Hold, "out of time"), (74, OnTimeout::Retry, "given up")] {
        let change = |settings: &mut Settings, _: &Discord, _: Id| {
            settings.roles.roles.values_mut().for_each(|role| role.on_timeout = on_timeout);
            settings.hub.leases.max_attempts = 1;
        };
        phone.moves(seed, change).await;
        let (request, _) = phone.world.begins("implement login").await;
        sleep(Duration::from_secs(90 * 60)).await;
        phone.room(&format!("thread, {name}"), request);
        let seen = phone
            .world
            .writes(phone.world.ann, phone.world.channel, &format!("<@&{}> and again", phone.world.role))
            .await;
        phone.room("thread, nobody is connected any more", seen);
    }
    phone.moves(75, |_, _, _| {}).await;
    let (ann, channel) = (phone.world.ann, phone.world.channel);
    let (request, task) = phone.world.begins("implement login").await;
    phone.world.discord.edits(request, &format!("<@&{}> implement logout", phone.world.role));
    phone.world.settles().await;
    let later = phone.world.writes(ann, channel, &format!("<@&{}> implement a menu", phone.world.role)).await;
    phone.world.discord.edits(later, &format!("<@&{}> implement two menus", phone.world.role));
    phone.world.settles().await;
    let tester = phone.world.discord.role(phone.world.guild, "test-engineer");
    for text in [format!("<@&{tester}> test two menus"), "never mind".to_owned()] {
        phone.world.discord.edits(later, &text);
        phone.world.settles().await;
    }
    let question = phone.world.asks_as(ID, |_| {}).await;
    let shown = phone.world.shown(request, "Which one?");
    phone.world.withdraws(&question).await;
    let told = phone.world.presses_an_old_one(&shown).await;
    phone.told("a button of a question that was withdrawn", &told);
    phone.world.discord.deletes(request);
    phone.world.settles().await;
    phone.world.asks_as(ID, |spec| spec.question = "Tabs or spaces?".to_owned()).await;
    let artifact = |url: &str| {
        let url = Some(format!("https://forge/acme/shop/pulls/{url}"));
        Artifact { kind: ArtifactKind::Pr, url, path: None, text: None, title: None }
    };
    let message = crate::domain::task::KeptText::inline("It works.");
    let report = Report {
        kind: ReportKind::Completed,
        message,
        diff: None,
        artifacts: vec![artifact("42")],
        evidence: None,
        posted_to: None,
    };
    let report = TaskCommand::Report { agent: super::world::agent_id(), epoch: None, report };
    phone.world.orders(&task, report).await.unwrap();
    phone.world.settles().await;
    phone.writes(request, "and now add a menu").await;
    phone.room("thread", request);
    phone.room("channel", channel);
}

/// Several at once, parts of the work, a reviewer whose word is enough.
pub(super) async fn together(phone: &mut Phone) {
    phone.moves(76, |settings, _, _| settings.hub.discord.thread_per_task = false).await;
    phone.heading("Several at once, without threads");
    let tester = phone.world.discord.role(phone.world.guild, "test-engineer");
    let (ann, channel) = (phone.world.ann, phone.world.channel);
    phone.world.writes(ann, channel, &format!("<@&{}> <@&{tester}> do it together", phone.world.role)).await;
    phone.world.takes().await;
    phone.world.hires(TESTER, "test-engineer").await;
    phone.world.asks_as(ID, |_| {}).await;
    phone.world.asks_as(TESTER, |spec| spec.question = "Which phone?".to_owned()).await;
    let request = phone.world.discord.view(|view| view.messages(channel)).first().unwrap().id;
    let said = phone.world.discord.replies(ann, request, "old").unwrap();
    phone.world.settles().await;
    let told = phone.world.replies_to(said).join("\n");
    phone.told("a reply under the request: old", &told);
    let part = phone.world.delegates("role:test-engineer", "test the login on every phone").await;
    let whole = phone.world.held_by(TESTER);
    phone.world.reports_as(TESTER, &whole, ReportKind::Completed, "All well.").await.unwrap();
    for _ in 0..4 {
        phone.world.takes_for(TESTER).await;
    }
    phone.world.asks_as(TESTER, |spec| spec.question = "Which of the phones?".to_owned()).await;
    phone.world.hands_in_as(TESTER, &part, "All phones work.").await;
    phone.uses(ann, "task", &[("agent", "test-engineer"), ("prompt", "test it once more")]).await;
    phone.world.discord.edits(request, &format!("<@&{}> <@&{tester}> do it apart", phone.world.role));
    phone.world.settles().await;
    phone.room("channel", channel);
}

/// Texts that are too long or refused, a channel that may not be written into, a hub that was killed.
pub(super) async fn faults(phone: &mut Phone) {
    phone.moves(77, |_, _, _| {}).await;
    phone.heading("What does not fit, and what breaks");
    let (ann, guild) = (phone.world.ann, phone.world.guild);
    let (request, task) = phone.world.begins("write it down").await;
    let long = format!("It is long.\n{}", "A line of words.\n".repeat(500));
    phone.world.reports(&task, ReportKind::Failed, &long).await.unwrap();
    phone.world.settles().await;
    phone.world.orders(&task, TaskCommand::Retry).await.unwrap();
    for _ in 0..4 {
        phone.world.takes().await;
        phone.world.settles().await;
    }
    phone.world.discord.fault(RestRule::on("POST", MESSAGES), RestFault::Refused { status: None, code: 50_035 });
    phone.world.reports(&task, ReportKind::Completed, "It is refused.").await.unwrap();
    phone.world.settles().await;
    phone.room("thread", request);
    phone.world.discord.denies_everywhere(guild, bits::SEND_MESSAGES);
    phone.uses(ann, "task", &[("agent", "FullStack"), ("prompt", "write more")]).await;
    phone.world.discord.denies_everywhere(guild, 0);
    phone.world.discord.fault(RestRule::on("POST", MESSAGES).always(), RestFault::Status(503));
    phone.uses(ann, "task", &[("agent", "FullStack"), ("prompt", "write more")]).await;
    phone.world.discord.heals();
    let (request, _) = phone.world.begins("implement login").await;
    phone.world.asks_as(ID, |_| {}).await;
    let shown = phone.world.shown(request, "Which one?");
    let follow_up = RestRule::on("PATCH", "/webhooks/:application/:token/messages/:message");
    phone.world.discord.fault(follow_up, RestFault::Slow(Duration::from_secs(60)));
    let press = phone.world.discord.clicks(ann, shown.id, "old").unwrap();
    sleep(Duration::from_secs(2)).await;
    phone.world.is_gone_for(Duration::from_secs(3)).await;
    phone.world.settles().await;
    let told = phone.world.discord.view(|view| view.reply_of(press)).unwrap().content;
    phone.told("old, while the hub is killed", &told);
}

/// A weekend without the hub.
pub(super) async fn weekend(phone: &mut Phone) {
    phone.moves(78, |_, _, _| {}).await;
    phone.heading("After a weekend");
    let (ann, channel, role) = (phone.world.ann, phone.world.channel, phone.world.role);
    phone.world.writes(ann, channel, "see you on Monday").await;
    phone.world.discord.gateway_fault(GatewayFault::ForgetSessions);
    phone
        .world
        .is_gone_while(async |world| {
            for at in 0..600 {
                world.discord.says(ann, channel, &format!("chat {at}"));
            }
            for at in 0..2 {
                world.discord.says(ann, channel, &format!("<@&{role}> work {at}"));
            }
            sleep(Duration::from_secs(20 * 60)).await;
        })
        .await;
    sleep(Duration::from_secs(60)).await;
    let all = phone.world.discord.view(|view| view.messages(channel));
    let said: Vec<_> = all.into_iter().filter(|one| one.is_ours).map(|one| one.content).collect();
    phone.told("two calls behind 600 messages", &said.join("\n"));
}

/// Without a server, and without the text of messages.
pub(super) async fn direct(phone: &mut Phone) {
    phone.moves(79, |settings, _, _| settings.hub.discord.dm = DirectMessages::Listed).await;
    phone.heading("A direct message");
    let ann = phone.world.ann;
    phone.world.lists(ann, grant()).await;
    for text in ["hello", "/tasks", "/task FullStack implement login"] {
        phone.world.discord.direct(ann, text);
        sleep(Duration::from_secs(61)).await;
    }
    let room = phone.world.discord.view(|view| view.direct_with(ann)).unwrap();
    phone.room("direct messages", room);
    phone.moves(80, |settings, _, _| settings.hub.discord.message_content = false).await;
    phone.world.discord.switches_message_content(false);
    let (channel, role) = (phone.world.channel, phone.world.role);
    phone.writes(channel, &format!("<@&{role}> do it")).await;
}

/// Every refusal that is told to a person on Discord, from the table of codes.
pub(super) fn refusals(phone: &mut Phone) {
    phone.heading("Refusals, by their codes");
    for code in codes() {
        if let Some(words) = code.advice(Audience::Discord) {
            phone.told(code.code, &format!("⚠️ {}", words.replace("{state}", "at work")));
        }
    }
}
