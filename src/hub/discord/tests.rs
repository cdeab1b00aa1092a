//! Discord in a whole hub on stopped time, against the stand-in and without a socket: random stories of people who call
//! and press, an agent that works and asks, a gateway and a REST interface that break in every way that they have, a
//! hub that is killed, and a disk that takes nothing.
//!
//! The judge holds that each call became one task, and that each notice is in the channel once: the status, the end,
//! the question.

mod an_hour;
mod connection;
mod delegated;
mod gateway;
mod judge;
mod mended;
mod names;
mod order;
mod people;
mod phone;
mod phone_last;
mod phone_more;
mod phone_rest;
mod pressed;
mod replies;
mod second_thoughts;
mod shown;
mod texts;
mod verdicts;
mod world;

use std::time::Duration;

use crate::broken::{self, Break};
use callboard_standin::discord::{GatewayFault, LimitScope, RestFault, RestRule};
use world::World;

/// Stories in each run of the tests; `CALLBOARD_DISCORD_STORIES` plays more.
const STORIES: u64 = 15;
/// How much happens in one.
const DEEDS: u64 = 40;
const MESSAGES: &str = "/channels/:channel/messages";

fn stories() -> u64 {
    std::env::var("CALLBOARD_DISCORD_STORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(STORIES)
}

/// One story by chance, judged.
async fn story(seed: u64) -> Result<(), String> {
    let mut world = World::of(seed).await;
    for _ in 0..DEEDS {
        world.goes_on().await;
    }
    world.end().await.map_err(|why| format!("seed {seed}: {why}"))
}

/// What the judge finds wrong in a story.
fn found(seed: u64) -> Option<String> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().unwrap().block_on(story(seed)).err()
}

#[test]
fn of_all_who_call_and_ask_on_discord_nobody_is_lost_or_doubled() {
    let (count, players) = (stories(), std::thread::available_parallelism().map_or(1, usize::from));
    let told: Vec<_> = std::thread::scope(|scope| {
        // Each plays every so-manieth story, in a runtime of its own.
        let play = |first| move || (first..=count).step_by(players).find_map(found);
        let playing: Vec<_> = (1..).take(players).map(|first| scope.spawn(play(first))).collect();
        playing.into_iter().filter_map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(told, Vec::<String>::new());
    eprintln!("discord: {count} stories");
}

#[test]
fn the_judge_notices_a_door_that_is_broken_on_purpose() {
    let planted = [
        (Break::LosesDeliveries, "has 0"),
        (Break::ForgetsWhatArrived, "messages"),
        (Break::HearsTwice, "became 2 tasks"),
    ];
    for (which, words) in planted {
        let found = broken::with(which, || (1..=60).find_map(found));
        assert!(found.as_ref().is_some_and(|why| why.contains(words)), "{which:?}: {found:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_a_minute_is_waited_for_and_the_message_comes_once() {
    for scope in [LimitScope::User, LimitScope::Global, LimitScope::Shared] {
        let mut world = World::of(1).await;
        let fault = RestFault::RateLimited { after: Duration::from_secs(60), scope };
        world.discord.fault(RestRule::on("POST", MESSAGES).always(), fault);
        world.calls().await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        let asked = world.discord.view(|view| view.requests().iter().filter(|one| one.status == 429).count());
        assert!((2..=24).contains(&asked), "{asked} requests against a limit of a minute");
        let said = world.last_error();
        assert!(said.contains("Discord limits the bot (429); it is tried again later"), "{said}");
        world.discord.heals();
        assert_eq!(world.end().await, Ok(()), "{scope:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_lost_for_longer_than_discord_remembers_is_not_said_again() {
    let mut world = World::of(2).await;
    world.discord.fault(RestRule::on("POST", MESSAGES).times(30), RestFault::ResetAfter);
    world.calls().await;
    tokio::time::sleep(Duration::from_secs(40 * 60)).await;
    world.discord.heals();
    assert_eq!(world.end().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn what_is_said_while_the_disk_takes_nothing_is_taken_when_it_does() {
    let mut world = World::of(3).await;
    world.breaks_disk();
    world.calls().await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    world.mends_disk();
    assert_eq!(world.end().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn what_is_older_than_a_quarter_of_an_hour_is_asked_for_again_and_not_done() {
    let mut world = World::of(4).await;
    world.calls().await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    // A session that can be resumed brings what was missed itself.
    world.discord.gateway_fault(GatewayFault::ForgetSessions);
    let missed = world.is_away_for(Duration::from_secs(16 * 60)).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let said = world.replies_to(missed);
    assert_eq!(said, ["I was away when you wrote this; please say it again."]);
    assert_eq!(world.tasks_of(missed), 0);
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_says_nothing_more_is_left_within_three_heartbeats() {
    let mut world = World::of(5).await;
    world.discord.gateway_fault(GatewayFault::Zombie);
    world.calls().await;
    tokio::time::sleep(Duration::from_secs(130)).await;
    assert_eq!(world.discord.view(|view| view.counts().resumes), 1, "and what was missed is heard by RESUME");
    assert_eq!(world.end().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_word_in_the_thread_of_an_old_task_is_understood_after_a_restart() {
    let mut world = World::of(6).await;
    world.calls().await;
    let old = world.said[0];
    tokio::time::sleep(Duration::from_secs(5)).await;
    world.discord.deletes(old);
    // More than are looked through before the hub serves.
    for _ in 0..510 {
        world.calls().await;
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    world.is_gone_for(Duration::from_secs(5)).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let word = world.discord.says(world.ann, old, "and now?");
    tokio::time::sleep(Duration::from_secs(5)).await;
    let said = world.replies_to(word).concat();
    assert!(said.contains("has ended"), "{said}");
    // What is called there is said there, since no thread can begin in a thread.
    let call = world.discord.says(world.ann, old, &format!("<@&{}> and once more", world.role));
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(world.discord.view(|view| view.transcript(old)).contains("**FullStack**"));
    assert_eq!((world.tasks_of(call), world.discord.view(|view| view.thread_of(call))), (1, None));
}
