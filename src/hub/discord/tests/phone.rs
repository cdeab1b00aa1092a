//! Everything that a person reads on Discord, in one file that can be read from top to bottom like a phone:
//! `snapshots/…phone.snap`. Times read as the client shows them, people and rooms by their names.

use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use callboard_standin::discord::{Id, NewMessage};
use futures_util::FutureExt as _;
use tokio::time::sleep;

use super::world::World;
use super::{phone_last as last, phone_more as more, phone_rest as rest};
use crate::domain::session::question::Danger;
use crate::domain::task::{RightsSet, TaskCommand};
use crate::settings::Grant;

const ID: &str = "fullstack-1";
/// Stands where a scene could not be played to its end.
const BROKEN: &str = "!!! This scene breaks off:";

/// What was read so far.
pub(super) struct Phone {
    pub(super) world: World,
    pub(super) read: String,
}

impl Phone {
    pub(super) fn heading(&mut self, words: &str) {
        let _ = writeln!(self.read, "\n=== {words} ===");
    }

    /// A room as it is now.
    pub(super) fn room(&mut self, name: &str, room: Id) {
        let shown = self.world.discord.view(|view| view.transcript(room));
        let shown = self.as_shown(&shown);
        let title = self.world.discord.view(|view| view.name_of(room)).unwrap_or_default();
        let title = title.rsplit_once(" · ").map_or(title.clone(), |(title, _)| format!("{title} · ····"));
        let _ = writeln!(self.read, "--- {name}: {title}\n{shown}");
    }

    /// What was said to one person alone.
    pub(super) fn told(&mut self, did: &str, told: &str) {
        let told = self.as_shown(told);
        let _ = writeln!(self.read, "({did}) → {told}");
    }

    pub(super) async fn uses(&mut self, whom: Id, command: &str, given: &[(&str, &str)]) {
        let used = self.world.discord.commands(whom, self.world.channel, command, given).unwrap();
        self.world.settles().await;
        let told = self.world.discord.view(|view| view.reply_of(used)).unwrap().content;
        self.told(&format!("/{command}"), &told);
    }

    pub(super) async fn presses(&mut self, whom: Id, message: Id, button: &str) {
        let told = self.world.presses_on(whom, message, button).await;
        self.told(button, &told);
    }

    /// `<t:…:R>` in words, `<@…>` and `<#…>` by name.
    fn as_shown(&self, text: &str) -> String {
        let now = self.world.clock.now().0 / 1_000;
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, inside)) = rest.split_once('<') {
            out.push_str(before);
            let Some((tag, behind)) = inside.split_once('>').filter(|(tag, _)| tag.starts_with(['t', '@', '#'])) else {
                out.push('<');
                rest = inside;
                continue;
            };
            let digits: String = tag.chars().filter(char::is_ascii_digit).collect();
            let number: u64 = digits.parse().unwrap_or_default();
            match tag.chars().next() {
                Some('t') if tag.ends_with(":f") => out.push_str("Friday 08:00"),
                Some('t') if number > now => out.push_str(&format!("in {}", words(number - now))),
                Some('t') => out.push_str(&format!("{} ago", words(now - number))),
                Some('@') if number == self.world.ann => out.push_str("@ann"),
                Some('#') if number == self.world.channel => out.push_str("#dev"),
                Some('#') => out.push_str("#thread"),
                _ => out.push_str("@somebody"),
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }
}

/// A time as a client shows it.
fn words(seconds: u64) -> String {
    let counted = |count: u64, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    match seconds {
        0..60 => "some seconds".to_owned(),
        60..3_600 => counted((seconds + 30) / 60, "minute"),
        _ => counted((seconds + 1_800) / 3_600, "hour"),
    }
}

/// A scene: what was read in it, or why it could not be played, so that the others are read all the same.
async fn plays(phone: &mut Phone, scene: impl AsyncFnOnce(&mut Phone)) {
    let Err(why) = AssertUnwindSafe(scene(phone)).catch_unwind().await else { return };
    let why = why.downcast_ref::<String>().cloned().or_else(|| why.downcast_ref::<&str>().map(ToString::to_string));
    let _ = writeln!(phone.read, "{BROKEN} {}", why.unwrap_or_default());
}

macro_rules! plays {
    ($phone:ident: $($scene:path),* $(,)?) => {$(
        plays(&mut $phone, $scene).await;
    )*};
}

#[tokio::test(start_paused = true)]
async fn everything_that_is_said_reads_well_on_a_phone() {
    let world = World::with(21, |settings, _, _| {
        let tests = RightsSet::Only([String::from("role:test-engineer")].into());
        let tester = Grant { can_assign_to: tests, can_approve: None, ..super::world::grant() };
        settings.permissions.roles.insert("tester".to_owned(), tester);
    })
    .await;
    let mut phone = Phone { world, read: String::new() };
    plays!(phone:
        asked, more::questions, waited_for, reviewed, stuck, commanded, not_allowed, more::hints, more::away,
        last::late, last::words, rest::together, last::waits, last::agents, rest::ends, rest::forms, rest::rights,
        rest::faults, rest::weekend, rest::direct,
    );
    rest::refusals(&mut phone);
    insta::assert_snapshot!("phone", phone.read);
    assert!(!phone.read.contains(BROKEN), "a scene could not be played to its end");
}

async fn asked(phone: &mut Phone) {
    phone.heading("A call, a question, an answer");
    let (ann, bob) = (phone.world.ann, phone.world.discord.member(phone.world.guild, "bob", &[]));
    let text = format!("ask <@{bob}> about the **schema**");
    let (request, task) = phone.world.begins(&text).await;
    let question = phone.world.asks_as(ID, |spec| spec.question = "Which database is it to be?".to_owned()).await;
    phone.room("thread", request);
    phone.world.writes(ann, request, "the old one hurt us badly").await;
    sleep(Duration::from_secs(5 * 60)).await;
    phone.room("thread, five minutes later", request);
    let shown = phone.world.shown(request, "Still waiting");
    phone.presses(ann, shown.id, "old").await;
    let told = phone.world.presses_an_old_one(&shown).await;
    phone.told("the same once more", &told);
    assert_eq!(phone.world.answer_of(&question).as_deref(), Some("old"));
    phone
        .world
        .writes(
            ann,
            request,
            &format!("<@&{}> please check", phone.world.discord.role(phone.world.guild, "test-engineer")),
        )
        .await;
    let text = "It **works**:\n- `cargo test` passes\n```rust\nlet a = 1;\n```\nThanks to <@1>.";
    phone.world.reports(&task, crate::domain::task::ReportKind::Completed, text).await.unwrap();
    phone.world.settles().await;
    phone.world.writes(ann, request, "thanks!").await;
    phone.room("thread, at the end", request);
    phone.room("channel", phone.world.channel);
}

async fn waited_for(phone: &mut Phone) {
    phone.heading("Nobody answers");
    let (request, task) = phone.world.begins("log people in").await;
    phone
        .world
        .asks_as(ID, |spec| {
            spec.question = "Which kind of login?".to_owned();
            (spec.options, spec.default_action) = (vec!["OAuth".to_owned(), "SAML".to_owned()], "OAuth".to_owned());
            spec.danger = Some(Danger::Declared);
        })
        .await;
    sleep(Duration::from_secs(11 * 60)).await;
    phone.room("thread, after the deadline", request);
    let shown = phone.world.shown(request, "Still waiting");
    let asks = phone.world.reply_to_press(phone.world.ann, shown.id, "SAML").await;
    phone.told("SAML", &asks.content);
    phone.presses(phone.world.ann, asks.id, "Yes: SAML").await;
    phone.world.takes().await;
    phone.world.settles().await;
    phone.world.reports(&task, crate::domain::task::ReportKind::Failed, "no key").await.unwrap();
    phone.world.settles().await;
    phone.room("thread, failed", request);
    let failed = phone.world.shown(request, "failed");
    phone.presses(phone.world.ann, failed.id, "Retry").await;
    let told = phone.world.presses_an_old_one(&failed).await;
    phone.told("Retry, once more", &told);
    let status = phone.world.shown(request, "**FullStack**");
    phone.presses(phone.world.ann, status.id, "Cancel").await;
    phone.room("thread, cancelled", request);
}

async fn reviewed(phone: &mut Phone) {
    phone.heading("A review");
    let (request, task) = phone.world.begins("implement login").await;
    phone.world.hands_in_change(&task).await;
    phone.room("thread", request);
    let card = phone.world.shown(request, "review");
    phone.world.takes_back(&task).await;
    phone.world.hands_in(&task, "With a test as well.").await;
    let told = phone.world.presses_an_old_one(&card).await;
    phone.told("Approve, on the old card", &told);
    let card = phone.world.shown(request, "With a test");
    let told = phone.world.fills_in(phone.world.ann, card.id, "Request changes…", "Hold no lock over a *wait*.").await;
    phone.told("Request changes…: Hold no lock over a *wait*.", &told);
    phone.room("thread, sent back", request);
    for _ in 0..3 {
        phone.world.takes().await;
        phone.world.settles().await;
    }
    phone.world.hands_in(&task, "Without the lock.").await;
    let card = phone.world.shown(request, "Without the lock");
    phone.presses(phone.world.ann, card.id, "Approve").await;
    let told = phone.world.presses_an_old_one(&card).await;
    phone.told("Approve, once more", &told);
    phone.room("thread, approved", request);
    let by = TaskCommand::Cancel { authority: crate::domain::task::Authority::Operator, reason: None };
    phone.world.orders(&task, by).await.unwrap();
    phone.world.settles().await;
}

async fn stuck(phone: &mut Phone) {
    phone.heading("An agent is stuck");
    let (request, task) = phone.world.begins("deploy it").await;
    phone.world.report_blocked(&task, ID, "Which port is it to listen on?").await;
    phone.room("thread", request);
    let status = phone.world.shown(request, "**FullStack**");
    phone.presses(phone.world.ann, status.id, "Cancel").await;
    let sure = phone.world.sure(phone.world.ann, status.id).await;
    phone.told("Yes, cancel it", &sure);
    phone.room("thread, called off", request);
}

async fn commanded(phone: &mut Phone) {
    phone.heading("Commands");
    let ann = phone.world.ann;
    phone.uses(ann, "task", &[("agent", "FullStack"), ("prompt", "write login_spec and *more*")]).await;
    let tester = phone.world.discord.role(phone.world.guild, "test-engineer");
    for at in 1..=17 {
        phone.world.writes(ann, phone.world.channel, &format!("<@&{tester}> test part {at} of the login page")).await;
    }
    phone.world.hires("test-10", "test-engineer").await;
    phone.world.hires("test-9", "test-engineer").await;
    phone.world.asks_as("test-9", |_| {}).await;
    phone.uses(ann, "tasks", &[]).await;
    phone.uses(ann, "agents", &[]).await;
    phone.uses(ann, "cancel", &[("task", "nonsense")]).await;
    phone.uses(ann, "answer", &[("question", "nonsense"), ("value", "x")]).await;
    phone.uses(ann, "task", &[("agent", "FullStack"), ("prompt", " ")]).await;
    phone.uses(ann, "task", &[("agent", "Fulstack"), ("prompt", "x")]).await;
    phone.uses(ann, "task", &[("agent", "nobody"), ("prompt", "x")]).await;
    let long = "_".repeat(1_400);
    phone.uses(ann, "task", &[("agent", "FullStack"), ("prompt", &long)]).await;
    for (command, option) in [("cancel", "task"), ("task", "agent"), ("answer", "question")] {
        let asked =
            phone.world.discord.autocompletes(ann, phone.world.channel, command, &[(option, "")], option).unwrap();
        phone.world.settles().await;
        let shown = format!("{:?}", phone.world.discord.view(|view| view.answer(asked)));
        let names = shown.split("\"name\": String(\"").skip(1).filter_map(|part| part.split("\")").next());
        let names = names.map(|name| name.chars().take(60).collect::<String>()).take(7).collect::<Vec<_>>().join(" | ");
        phone.told(&format!("choices of /{command}"), &names);
    }
}

async fn not_allowed(phone: &mut Phone) {
    phone.heading("Who may not, and what does not work");
    let (guild, channel) = (phone.world.guild, phone.world.channel);
    let tester = phone.world.discord.role(guild, "tester");
    let (eve, tom) =
        (phone.world.discord.member(guild, "eve", &[]), phone.world.discord.member(guild, "tom", &[tester]));
    for (whom, text) in [(eve, "let me in"), (tom, "do it"), (phone.world.ann, "")] {
        let said = phone.world.writes(whom, channel, &format!("<@&{}> {text}", phone.world.role)).await;
        let told = phone.world.replies_to(said).join("\n");
        phone.told(&format!("@FullStack {text}"), &told);
    }
    phone.uses(eve, "task", &[("agent", "FullStack"), ("prompt", "x")]).await;
    phone.uses(eve, "tasks", &[]).await;
    let post = NewMessage { with: Some(callboard_standin::discord::Extra::Sticker), ..NewMessage::default() };
    let (request, _) = phone.world.begins("last one").await;
    // Nobody is told such things more than once a minute.
    sleep(Duration::from_secs(60)).await;
    let odd = phone.world.discord.posts(phone.world.ann, request, post);
    phone.world.settles().await;
    let told = phone.world.replies_to(odd).join("\n");
    phone.told("a sticker", &told);
}
