//! Small things that go wrong on Discord as people use it: archived threads, purges, lost permissions, restarts.

use std::time::Duration;

use callboard_standin::discord::{NewMessage, RestFault, RestRule, bits};
use tokio::time::sleep;

use super::world::{World, grant};
use crate::domain::task::{ReportKind, TaskStateName};
use crate::journal::{PageRequest, Reader as _, TaskFilter};
use crate::settings::{DirectMessages, Snowflake};

const ID: &str = "fullstack-1";

impl World {
    /// The context of the newest task.
    fn newest_context(&self) -> String {
        let page = PageRequest { limit: 1, cursor: None };
        let newest = self.reader.tasks(&TaskFilter::default(), &page).unwrap().items.remove(0);
        newest.spec.context.as_ref().map(ToString::to_string).unwrap_or_default()
    }
}

#[tokio::test(start_paused = true)]
async fn the_status_in_an_archived_thread_is_edited() {
    let mut world = World::of(31).await;
    let (request, task) = world.begins("implement login").await;
    world.discord.archives(request, false);
    let half = ReportKind::Progress { phase: None, percent: Some(50) };
    world.reports(&task, half, "half of it").await.unwrap();
    world.settles().await;
    assert!(world.shown(request, "**FullStack**").content.contains("half of it"));
}

#[tokio::test(start_paused = true)]
async fn channels_that_are_denied_are_denied_with_their_threads_and_categories() {
    let mut quiet = 0;
    let world = World::with(32, |settings, discord, guild| {
        quiet = discord.channel(guild, "quiet");
        settings.hub.discord.channels.deny = vec![Snowflake(quiet)];
    })
    .await;
    let thread = world.discord.begins_thread(quiet, "a thread of people");
    world.settles().await;
    for room in [quiet, thread] {
        let said = world.writes(world.ann, room, &format!("<@&{}> do it", world.role)).await;
        assert_eq!(world.tasks_of(said), 0);
    }
    let heard = world.writes(world.ann, world.channel, &format!("<@&{}> do it", world.role)).await;
    assert_eq!(world.tasks_of(heard), 1);
}

#[tokio::test(start_paused = true)]
async fn reminders_reach_the_thread_though_it_is_archived_and_the_newest_card_has_the_buttons() {
    let mut world = World::of(33).await;
    let (request, _) = world.begins("implement login").await;
    let question = world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let first = world.shown(request, "Old or new?");
    world.discord.archives(request, false);
    sleep(Duration::from_secs(5 * 60)).await;
    let reminder = world.shown(request, "Still waiting for you: Old or new?");
    assert!(reminder.pinged == [world.ann] && reminder.controls.contains(&"old".to_owned()), "{reminder:?}");
    assert_eq!(world.discord.view(|view| view.message(first.id)).unwrap().controls, Vec::<String>::new());
    // Discord's own clients cannot press in an archived thread: it is open.
    assert!(world.discord.view(|view| !view.is_archived(request)));
    world.presses_on(world.ann, reminder.id, "old").await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_purged_count_as_deleted() {
    let world = World::of(34).await;
    let tester = world.discord.role(world.guild, "test-engineer");
    let mut said = Vec::new();
    for at in 0..2 {
        said.push(world.writes(world.ann, world.channel, &format!("<@&{tester}> work {at}")).await);
    }
    world.discord.purges(&said);
    world.settles().await;
    let page = PageRequest { limit: 10, cursor: None };
    let tasks = world.reader.tasks(&TaskFilter::default(), &page).unwrap().items;
    assert!(tasks.iter().all(|task| task.state.name() == TaskStateName::Cancelled), "{tasks:?}");
}

#[tokio::test(start_paused = true)]
async fn files_of_a_message_that_is_answered_and_of_one_that_is_assigned_are_kept() {
    let world = World::of(35).await;
    let files = vec![("trace.log".to_owned(), "boom".to_owned())];
    let post = NewMessage { content: "it crashes".to_owned(), files, ..NewMessage::default() };
    let crash = world.discord.posts(world.ann, world.channel, post);
    world.discord.replies(world.ann, crash, &format!("<@&{}> look into this", world.role)).unwrap();
    world.settles().await;
    assert!(world.newest_context().contains("trace.log"), "{}", world.newest_context());
    let form = world.discord.uses_on(world.ann, crash, "Assign to agent…").unwrap();
    world.settles().await;
    world.discord.submits(form, &[("agent", "test-engineer")]).unwrap();
    world.settles().await;
    let context = world.newest_context();
    assert!(context.contains("trace.log") && !context.contains("repliedTo"), "{context}");
}

#[tokio::test(start_paused = true)]
async fn an_answered_question_keeps_its_code_whole() {
    let mut world = World::of(36).await;
    let (request, _) = world.begins("implement login").await;
    let code = format!("Which of these?\n```rust\n{}\n```", "let a = 1;\n".repeat(200));
    world.asks_as(ID, |spec| spec.question = code).await;
    let shown = world.discord.view(|view| view.messages(request)).into_iter().rfind(|one| !one.controls.is_empty());
    world.presses_on(world.ann, shown.unwrap().id, "old").await;
    let answered = world.shown(request, "answered: old").content;
    assert_eq!(answered.matches("```").count() % 2, 0, "{answered}");
}

#[tokio::test(start_paused = true)]
async fn what_may_not_be_said_waits_for_a_day_and_goes_out_when_it_may() {
    for hours in [3, 30] {
        let mut world = World::of(37).await;
        let (request, task) = world.begins("implement login").await;
        world.discord.denies_everywhere(world.guild, bits::SEND_MESSAGES | bits::SEND_MESSAGES_IN_THREADS);
        world.reports(&task, ReportKind::Completed, "all of it").await.unwrap();
        sleep(Duration::from_secs(hours * 60 * 60)).await;
        world.discord.denies_everywhere(world.guild, 0);
        sleep(Duration::from_secs(60 * 60)).await;
        let said = world.discord.view(|view| view.transcript(request)).contains("all of it");
        assert_eq!(said, hours < 24, "{}", world.last_error());
    }
}

#[tokio::test(start_paused = true)]
async fn a_mention_whose_text_is_hidden_is_explained_by_what_works() {
    let world = World::with(38, |settings, _, _| settings.hub.discord.message_content = false).await;
    world.discord.switches_message_content(false);
    let said = world.writes(world.ann, world.channel, &format!("<@&{}> implement login", world.role)).await;
    let told = world.replies_to(said).concat();
    assert!(told.contains("/task") && told.contains("@Callboard FullStack"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_direct_message_needs_no_mention_and_answers_who_asks_there() {
    let mut world = World::with(39, |settings, _, _| settings.hub.discord.dm = DirectMessages::Listed).await;
    let ann = world.ann;
    world.lists(ann, grant()).await;
    let request = world.discord.direct(ann, "FullStack: implement login");
    world.settles().await;
    assert_eq!(world.tasks_of(request), 1);
    world.takes().await;
    let question = world.asks_as(ID, |spec| (spec.options, spec.allow_free_text) = (Vec::new(), true)).await;
    world.discord.direct(ann, "the new one");
    world.settles().await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("the new one"));
}

#[tokio::test(start_paused = true)]
async fn a_press_that_a_crash_cut_short_is_ended_by_the_hub_that_comes_back() {
    let mut world = World::of(40).await;
    let (request, _) = world.begins("implement login").await;
    world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let shown = world.shown(request, "Old or new?");
    let follow_up = RestRule::on("PATCH", "/webhooks/:application/:token/messages/:message");
    world.discord.fault(follow_up, RestFault::Slow(Duration::from_secs(60)));
    let press = world.discord.clicks(world.ann, shown.id, "old").unwrap();
    sleep(Duration::from_secs(2)).await;
    world.is_gone_for(Duration::from_secs(3)).await;
    sleep(Duration::from_secs(5)).await;
    let told = world.discord.view(|view| view.reply_of(press)).map(|shown| shown.content);
    assert!(told.as_deref().is_some_and(|told| told.contains("restarted")), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_status_and_a_sign_that_a_crash_cut_short_are_made_up_for_by_the_hub_that_comes_back() {
    let mut world = World::of(44).await;
    let (request, task) = world.begins("implement login").await;
    let slow = || RestFault::Slow(Duration::from_secs(60));
    world.discord.fault(RestRule::on("PATCH", "/channels/:channel/messages/:message"), slow());
    world.discord.fault(RestRule::on("DELETE", "/channels/:channel/messages/:message/reactions/:emoji/@me"), slow());
    world.reports(&task, ReportKind::Completed, "done").await.unwrap();
    sleep(Duration::from_secs(3)).await;
    assert_eq!(world.signs(request).len(), 2, "the old sign was not taken away yet");
    world.is_gone_for(Duration::from_secs(3)).await;
    world.settles().await;
    assert_eq!(world.signs(request), ["✅"]);
    let status = world.shown(request, "**FullStack**");
    assert!(status.controls.is_empty() && !status.content.contains("works on it"), "{}", status.content);
}

#[tokio::test(start_paused = true)]
async fn one_sign_stands_on_a_request_and_whoever_cancels_hears_no_sound() {
    let mut world = World::of(41).await;
    let (request, task) = world.begins("implement login").await;
    world.report_blocked(&task, ID, "Which port?").await;
    assert_eq!(world.signs(request), ["⚠️"]);
    let before = world.discord.view(|view| view.messages(request)).len();
    let status = world.shown(request, "**FullStack**");
    let asks = world.presses_on(world.ann, status.id, "Cancel").await;
    assert!(asks.contains("all the same"), "{asks}");
    assert_eq!(world.task(&task).state.name(), TaskStateName::Blocked);
    assert_eq!(world.sure(world.ann, status.id).await, "✅ Cancelled.");
    assert_eq!(world.task(&task).state.name(), TaskStateName::Cancelled);
    assert_eq!(
        world.discord.view(|view| view.messages(request)).iter().filter(|one| one.only_for.is_none()).count(),
        before
    );
}

#[tokio::test(start_paused = true)]
async fn a_text_that_grows_when_it_is_escaped_is_cut_after_that_and_never_refused() {
    let world = World::of(42).await;
    // As long as Discord lets anybody type; escaped, each of these is twice as long.
    for (sign, length) in [("*", 6_000), ("_", 6_000), ("😀", 6_000), ("`", 4_097), ("|", 4_097), ("…", 6_000)] {
        let text = sign.repeat(length);
        let given = [("agent", "test-engineer"), ("prompt", text.as_str())];
        let used = world.discord.commands(world.ann, world.channel, "task", &given).unwrap();
        world.settles().await;
        let told = world.discord.view(|view| view.reply_of(used)).unwrap().content;
        assert!(told.starts_with('✅'), "{sign}: {told}");
        let page = PageRequest { limit: 1, cursor: None };
        let newest = world.reader.tasks(&TaskFilter::default(), &page).unwrap().items.remove(0);
        assert_eq!(newest.spec.prompt, text, "the agent gets all of it");
        let request = world.shown(world.channel, "asks");
        assert!(request.content.ends_with("too long to show; I attach it."), "{}", request.content);
    }
    assert_eq!(world.last_error(), "");
}

#[tokio::test(start_paused = true)]
async fn no_card_of_a_question_looks_open_once_its_default_applied() {
    let mut world = World::of(43).await;
    let (request, _) = world.begins("implement login").await;
    let question = world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    sleep(Duration::from_secs(11 * 60)).await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("new"));
    let all = world.discord.view(|view| view.messages(request));
    let cards: Vec<_> = all.into_iter().filter(|one| one.content.contains("Old or new?")).collect();
    assert_eq!(cards.len(), 3, "the question and two reminders");
    for card in cards {
        assert!(card.content.contains("the default applies: new"), "{}", card.content);
        assert!(!card.content.contains("if nobody answers") && card.controls.is_empty(), "{card:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_card_is_closed_although_the_token_or_a_permission_was_taken_away_meanwhile() {
    let lost = [
        (RestFault::Refused { status: Some(401), code: 0 }, "GET"),
        (RestFault::Refused { status: None, code: 50_001 }, "GET"),
        (RestFault::Refused { status: Some(401), code: 0 }, "PATCH"),
        (RestFault::Refused { status: None, code: 50_001 }, "PATCH"),
    ];
    for (fault, method) in lost {
        let mut world = World::of(44).await;
        let (request, _) = world.begins("implement login").await;
        world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
        let shown = world.shown(request, "Old or new?");
        world.discord.fault(RestRule::on(method, "/channels/:channel/messages/:message").always(), fault.clone());
        world.presses_on(world.ann, shown.id, "old").await;
        sleep(Duration::from_secs(60)).await;
        world.discord.heals();
        sleep(Duration::from_secs(20 * 60)).await;
        let shown = world.discord.view(|view| view.message(shown.id)).unwrap();
        assert!(shown.content.ends_with("**ann** answered: old"), "{fault:?} to a {method}: {}", shown.content);
        assert_eq!(shown.controls, Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_is_locked_holds_nothing_up() {
    let mut world = World::of(45).await;
    let (request, task) = world.begins("implement login").await;
    world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let shown = world.shown(request, "Old or new?");
    world.discord.archives(request, true);
    world.presses_on(world.ann, shown.id, "old").await;
    world.reports(&task, ReportKind::Completed, "all of it").await.unwrap();
    sleep(Duration::from_secs(60)).await;
    assert!(world.discord.view(|view| view.transcript(world.channel)).contains("all of it"));
}
