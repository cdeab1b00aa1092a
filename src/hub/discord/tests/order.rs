//! Who is first at the gateway is first: presses and words about one thing are judged in the order in which they came.

use std::time::Duration;

use callboard_standin::discord::{GatewayFault, RestFault, RestRule};
use tokio::time::sleep;

use super::world::{World, grant};
use crate::domain::ids::QuestionId;
use crate::domain::task::{ReportKind, TaskStateName};
use crate::journal::Reader as _;

const ID: &str = "fullstack-1";
const ACKNOWLEDGES: &str = "/interactions/:interaction/:token/callback";

/// A question in a thread, with Bob beside Ann: the request, its question and its message, and Bob.
async fn asked(seed: u64) -> (World, u64, QuestionId, u64, u64) {
    let mut world = World::of(seed).await;
    let bob = world.discord.member(world.guild, "bob", &[]);
    world.lists(bob, grant()).await;
    let (request, _) = world.begins("implement login").await;
    let question = world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let card = world.shown(request, "Old or new?").id;
    (world, request, question, card, bob)
}

#[tokio::test(start_paused = true)]
async fn of_two_presses_the_one_that_came_first_counts() {
    let (world, _, question, card, bob) = asked(101).await;
    world.discord.fault(RestRule::on("POST", ACKNOWLEDGES), RestFault::Slow(Duration::from_secs(1)));
    world.discord.clicks(world.ann, card, "old").unwrap();
    let second = world.discord.clicks(bob, card, "new").unwrap();
    world.settles().await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
    let told = world.discord.view(|view| view.reply_of(second)).unwrap().content;
    assert!(told.contains("was faster: old, just now."), "{told}");
}

#[tokio::test(start_paused = true)]
async fn of_words_and_a_reply_the_one_that_came_first_counts() {
    let (world, request, question, card, bob) = asked(102).await;
    world.discord.says(world.ann, request, "old");
    let second = world.discord.replies(bob, card, "new").unwrap();
    world.settles().await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
    assert!(world.replies_to(second).concat().contains("was faster: old"), "{:?}", world.replies_to(second));
}

#[tokio::test(start_paused = true)]
async fn of_words_that_were_written_while_the_hub_was_away_the_first_count() {
    let (mut world, request, question, card, bob) = asked(103).await;
    let mut second = 0;
    world
        .is_gone_while(async |world| {
            world.discord.says(bob, request, "old");
            second = world.discord.replies(world.ann, card, "new").unwrap();
        })
        .await;
    sleep(Duration::from_secs(30)).await;
    assert!(world.discord.view(|view| view.counts().resumes) > 0, "they came once more");
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
    assert!(world.replies_to(second).concat().contains("was faster: old"), "{:?}", world.replies_to(second));
}

#[tokio::test(start_paused = true)]
async fn what_is_slow_holds_up_its_own_thread_alone_and_that_not_for_long() {
    let (mut world, _, question, card, bob) = asked(104).await;
    world.hires("tester-1", "test-engineer").await;
    let tester = world.discord.role(world.guild, "test-engineer");
    let other = world.writes(world.ann, world.channel, &format!("<@&{tester}> test it")).await;
    world.takes_for("tester-1").await;
    let elsewhere = world.asks_as("tester-1", |spec| spec.question = "Which phone?".to_owned()).await;
    let phone = world.shown(other, "Which phone?").id;
    world.discord.fault(RestRule::on("POST", ACKNOWLEDGES), RestFault::Slow(Duration::from_secs(60)));
    world.discord.clicks(world.ann, card, "old").unwrap();
    world.discord.clicks(bob, card, "new").unwrap();
    world.discord.clicks(bob, phone, "new").unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(world.answer_of(&elsewhere).as_deref(), Some("new"), "another thread is not held up");
    assert_eq!(world.answer_of(&question), None, "whoever came second waits");
    sleep(Duration::from_secs(15)).await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("new"), "and not for long");
}

#[tokio::test(start_paused = true)]
async fn what_is_read_back_is_read_also_where_the_token_is_refused_for_a_while() {
    let mut world = World::of(108).await;
    world.begins("first").await;
    world.discord.gateway_fault(GatewayFault::ForgetSessions);
    let (ann, channel, call) = (world.ann, world.channel, format!("<@&{}> while it was away", world.role));
    let mut said = 0;
    let refused = RestFault::Refused { status: Some(401), code: 0 };
    world
        .is_gone_while(async |world| {
            said = world.discord.says(ann, channel, &call);
            world.discord.fault(RestRule::on("GET", "/channels/:channel/messages").times(2), refused);
        })
        .await;
    sleep(Duration::from_secs(5 * 60)).await;
    assert_eq!(world.tasks_of(said), 1);
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_for_a_task_that_is_taken_up_again_after_another_one_is_shown() {
    let mut world = World::of(110).await;
    let (request, first) = world.begins("implement login").await;
    world.report_blocked(&first, ID, "which port?").await;
    let other = world.writes(world.ann, world.channel, &format!("<@&{}> write the docs", world.role)).await;
    world.takes().await;
    world.settles().await;
    assert_eq!(world.tasks_of(other), 1);
    let open = world.reader.open_tasks().unwrap();
    let second = open.into_iter().find(|task| task.spec.id != first).unwrap().spec.id.clone();
    world.reports(&second, ReportKind::Completed, "written").await.unwrap();
    world.writes(world.ann, request, "8080").await;
    for _ in 0..3 {
        world.takes().await;
        world.settles().await;
    }
    assert_eq!(world.task(&first).state.name(), TaskStateName::InProgress);
    world.asks_as(ID, |spec| spec.question = "Which log file?".to_owned()).await;
    assert_eq!(world.shown(request, "Which log file?").pinged, [world.ann]);
}

#[tokio::test(start_paused = true)]
async fn of_four_who_answer_a_blocked_task_at_once_the_first_answers_and_no_word_is_lost() {
    let mut world = World::of(109).await;
    let (request, task) = world.begins("implement login").await;
    world.reports(&task, ReportKind::Blocked { reason: "which port?".to_owned(), question: None }, "m").await.unwrap();
    world.settles().await;
    for word in ["one", "two", "three", "four"] {
        world.discord.says(world.ann, request, word);
    }
    world.settles().await;
    let heard = world.task(&task).comments;
    let heard: Vec<&str> = heard.iter().map(|comment| comment.text.as_str()).collect();
    assert_eq!(heard, ["one", "two", "three", "four"]);
}
