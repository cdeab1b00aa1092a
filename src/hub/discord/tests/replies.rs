//! What people write in a thread, under a message and beside it: an answer, a comment, or nothing.

use std::time::Duration;

use callboard_standin::discord::{Extra, GatewayFault, NewMessage};

use super::world::World;
use crate::domain::ids::TaskId;
use crate::domain::session::question::QuestionSpec;
use crate::domain::task::{Authority, ReportKind, TaskCommand, TaskStateName};

const ID: &str = "fullstack-1";

fn drops(spec: &mut QuestionSpec) {
    spec.question = "Shall I drop the table users?".to_owned();
    (spec.options, spec.default_action) = (vec!["yes".to_owned(), "no".to_owned()], "no".to_owned());
}

fn free(spec: &mut QuestionSpec) {
    spec.question = "What is it to be called?".to_owned();
    (spec.options, spec.default_action, spec.allow_free_text) = (Vec::new(), "callboard".to_owned(), true);
}

#[tokio::test(start_paused = true)]
async fn talk_is_no_answer_where_there_are_options() {
    let mut world = World::of(11).await;
    let (request, task) = world.begins("clean up").await;
    let question = world.asks_as(ID, drops).await;
    let talk = world.writes(world.ann, request, "yesterday somebody did that and it hurt").await;
    assert_eq!(world.answer_of(&question), None);
    let said = world.replies_to(talk);
    assert!(said.len() == 1 && said[0].contains("yes") && said[0].contains("no"), "{said:?}");
    assert!(world.remarks(&task).concat().contains("it hurt"), "the agent hears it");
    let again = world.writes(world.ann, request, "be careful").await;
    assert_eq!(world.replies_to(again), Vec::<String>::new(), "the buttons are named once");
    assert_eq!(world.answer_of(&question), None);
    world.writes(world.ann, request, "No!").await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("no"));
}

#[tokio::test(start_paused = true)]
async fn own_words_answer_where_they_are_allowed() {
    let mut world = World::of(12).await;
    let (request, _) = world.begins("name it").await;
    let question = world.asks_as(ID, free).await;
    world.writes(world.ann, request, "Switchboard").await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("Switchboard"));
}

/// Two tasks in one thread, each of another agent.
async fn two(seed: u64) -> (World, u64, TaskId, TaskId) {
    let mut world = World::of(seed).await;
    let tester = world.discord.role(world.guild, "test-engineer");
    let text = format!("<@&{}> <@&{tester}> do it together", world.role);
    let request = world.writes(world.ann, world.channel, &text).await;
    world.takes().await;
    world.hires("tester-1", "test-engineer").await;
    let (ours, theirs) = (world.held_by(ID), world.held_by("tester-1"));
    (world, request, ours, theirs)
}

#[tokio::test(start_paused = true)]
async fn of_two_tasks_in_one_thread_the_one_that_asks_hears_and_a_reply_decides() {
    let (world, request, ours, theirs) = two(13).await;
    let asks = world.asks_as("tester-1", free).await;
    world.writes(world.ann, request, "for who asks").await;
    assert_eq!(world.answer_of(&asks).as_deref(), Some("for who asks"));
    let (first, second) = (world.asks_as(ID, free).await, world.asks_as("tester-1", drops).await);
    world.writes(world.ann, request, "yes").await;
    assert_eq!((world.answer_of(&first), world.answer_of(&second)), (None, None), "nobody knows whose answer it is");
    let shown = world.shown(request, "drop the table");
    world.discord.replies(world.ann, shown.id, "no").unwrap();
    world.settles().await;
    assert_eq!(world.answer_of(&first), None);
    assert_eq!(world.answer_of(&second).as_deref(), Some("no"));
    // A word about the other one, although the first one asks.
    world.report_blocked(&theirs, "tester-1", "Which port?").await;
    let blocked = world.shown(request, "Which port?");
    world.discord.replies(world.ann, blocked.id, "8080").unwrap();
    world.settles().await;
    assert_eq!(world.answer_of(&first), None, "{:?}", world.remarks(&ours));
    assert!(world.remarks(&theirs).concat().contains("8080"));
}

#[tokio::test(start_paused = true)]
async fn without_a_thread_a_reply_under_what_is_said_and_under_the_request_reaches_the_task() {
    let mut world = World::with(14, |settings, _, _| settings.hub.discord.thread_per_task = false).await;
    let (request, task) = world.begins("implement login").await;
    world.discord.replies(world.ann, request, "use OAuth").unwrap();
    world.settles().await;
    assert!(world.remarks(&task).concat().contains("use OAuth"), "a reply under one's own request");
    world.report_blocked(&task, ID, "Which port?").await;
    let blocked = world.shown(world.channel, "Which port?");
    world.discord.replies(world.ann, blocked.id, "8080").unwrap();
    world.settles().await;
    assert_eq!(world.task(&task).state.name(), TaskStateName::Queued, "it is answered");
}

#[tokio::test(start_paused = true)]
async fn in_the_thread_of_an_ended_task_the_new_one_that_asks_is_answered() {
    let mut world = World::of(15).await;
    let (request, task) = world.begins("first").await;
    world.reports(&task, ReportKind::Completed, "done").await.unwrap();
    world.settles().await;
    world.writes(world.ann, request, &format!("<@&{}> and now the second", world.role)).await;
    world.takes().await;
    world.settles().await;
    let question = world.asks_as(ID, free).await;
    world.writes(world.ann, request, "Switchboard").await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("Switchboard"));
}

#[tokio::test(start_paused = true)]
async fn a_call_behind_a_weekend_of_chat_is_done_and_what_is_too_old_is_asked_for_once() {
    // Behind so much that the oldest is not read at all, and behind a little.
    for (seed, chats) in [(16, 300), (20, 5)] {
        let mut world = World::of(seed).await;
        let (request, _) = world.begins("first").await;
        let chat = |world: &World| {
            for at in 0..chats {
                world.discord.says(world.ann, world.channel, &format!("chat {at}"));
            }
        };
        world.discord.gateway_fault(GatewayFault::ForgetSessions);
        let (ann, channel, call) = (world.ann, world.channel, format!("<@&{}>", world.role));
        let mut said = Vec::new();
        world
            .is_gone_while(async |world| {
                said.push(world.discord.says(ann, channel, &format!("{call} too long ago")));
                said.push(world.discord.says(ann, channel, &format!("{call} this as well")));
                chat(world);
                tokio::time::sleep(Duration::from_secs(20 * 60)).await;
                chat(world);
                said.push(world.discord.says(ann, channel, &format!("{call} just now")));
            })
            .await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(said.iter().map(|id| world.tasks_of(*id)).collect::<Vec<_>>(), [0, 0, 1]);
        let away: Vec<_> = world.messages().into_iter().filter(|shown| shown.content.contains("away")).collect();
        assert_eq!(away.len(), 1, "said once in the channel\n{:?}", world.tasks_of(request));
        let links = said[..2].iter().filter(|id| away[0].content.contains(&id.to_string())).count();
        assert_eq!(links, if chats > 100 { 0 } else { 2 }, "{}", away[0].content);
    }
}

#[tokio::test(start_paused = true)]
async fn a_forward_is_a_comment_and_no_answer() {
    let mut world = World::of(17).await;
    let (request, task) = world.begins("name it").await;
    let question = world.asks_as(ID, free).await;
    let bob = world.discord.member(world.guild, "bob", &[]);
    let files = vec![("log.txt".to_owned(), "boom".to_owned())];
    let post = NewMessage { content: "call it Bob".to_owned(), files, ..NewMessage::default() };
    let elsewhere = world.discord.posts(bob, world.channel, post);
    world.discord.posts(world.ann, request, NewMessage { forward: Some(elsewhere), ..NewMessage::default() });
    world.settles().await;
    assert_eq!(world.answer_of(&question), None);
    let heard = world.remarks(&task).concat();
    assert!(heard.contains("orward") && heard.contains("call it Bob") && heard.contains("log.txt"), "{heard}");
}

#[tokio::test(start_paused = true)]
async fn files_go_with_their_addresses_and_what_is_neither_words_nor_a_file_is_said_so() {
    let mut world = World::of(18).await;
    let (request, task) = world.begins("name it").await;
    let question = world.asks_as(ID, free).await;
    let file = || vec![("error.png".to_owned(), "png".to_owned())];
    world.discord.posts(world.ann, request, NewMessage { files: file(), ..NewMessage::default() });
    world.settles().await;
    assert_eq!(world.answer_of(&question), None, "a file alone is a comment");
    assert!(world.remarks(&task).concat().contains("error.png"));
    for with in [Extra::Sticker, Extra::Poll, Extra::Voice] {
        let files = if with == Extra::Voice { file() } else { Vec::new() };
        let post = NewMessage { with: Some(with), files, ..NewMessage::default() };
        let odd = world.discord.posts(world.ann, request, post);
        tokio::time::sleep(Duration::from_secs(70)).await;
        let said = world.replies_to(odd);
        assert!(said.len() == 1 && said[0].contains("words and files"), "{with:?}: {said:?}");
    }
    assert_eq!(world.remarks(&task).len(), 1);
    let content = "Switchboard".to_owned();
    world.discord.posts(world.ann, request, NewMessage { content, files: file(), ..NewMessage::default() });
    world.settles().await;
    let answer = world.answer_of(&question).unwrap();
    assert!(answer.starts_with("Switchboard") && answer.contains("error.png"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn the_sign_on_a_request_is_that_of_all_who_were_called_by_it() {
    let (world, request, ours, theirs) = two(54).await;
    assert_eq!(world.signs(request), ["👀"]);
    world.reports(&ours, ReportKind::Completed, "done").await.unwrap();
    world.settles().await;
    assert_eq!(world.signs(request), ["👀"], "the other one still works");
    world.report_blocked(&theirs, "tester-1", "Which port?").await;
    assert_eq!(world.signs(request), ["⚠️"], "somebody must act");
    let word = world.shown(request, "Which port?");
    world.discord.replies(world.ann, word.id, "8080").unwrap();
    world.settles().await;
    let cancel = TaskCommand::Cancel { authority: Authority::Operator, reason: None };
    world.orders(&theirs, cancel).await.unwrap();
    world.settles().await;
    assert_eq!(world.signs(request), ["⚠️"], "not all of it was done");
    let (world, request, ours, theirs) = two(55).await;
    world.reports_as("tester-1", &theirs, ReportKind::Completed, "done").await.unwrap();
    world.reports(&ours, ReportKind::Completed, "done").await.unwrap();
    world.settles().await;
    assert_eq!(world.signs(request), ["✅"]);
}

#[tokio::test(start_paused = true)]
async fn words_for_a_task_that_has_ended_are_told_so_once_and_thanks_are_not() {
    for thread in [true, false] {
        let mut world = World::with(56, |settings, _, _| settings.hub.discord.thread_per_task = thread).await;
        let (request, task) = world.begins("implement login").await;
        world.reports(&task, ReportKind::Completed, "it works").await.unwrap();
        world.settles().await;
        let room = if thread { request } else { world.channel };
        let end = world.shown(room, "it works").id;
        let thanks = world.discord.replies(world.ann, end, "Thank you so much! 🎉").unwrap();
        world.settles().await;
        assert_eq!(world.replies_to(thanks), Vec::<String>::new());
        let more = world.discord.replies(world.ann, end, "add a logout button as well").unwrap();
        world.settles().await;
        let said = world.replies_to(more);
        let says = |words: &str| said.len() == 1 && said[0].contains(words);
        assert!(says("has ended") && says("@FullStack") && says("/task"), "{said:?}");
        tokio::time::sleep(Duration::from_secs(70)).await;
        let again = world.discord.replies(world.ann, end, "and a menu").unwrap();
        world.settles().await;
        assert_eq!(world.replies_to(again), Vec::<String>::new(), "it is said once");
    }
}

#[tokio::test(start_paused = true)]
async fn an_option_that_is_named_just_after_the_answer_is_told_who_was_faster() {
    let mut world = World::of(21).await;
    let bob = world.discord.member(world.guild, "bob", &[]);
    world.lists(bob, super::world::grant()).await;
    let (request, task) = world.begins("clean up").await;
    let question = world.asks_as(ID, drops).await;
    world.writes(bob, request, "no").await;
    let late = world.writes(world.ann, request, "yes").await;
    assert_eq!(world.replies_to(late), ["⚠️ **bob** was faster: no, 5 s ago."]);
    assert_eq!(world.answer_of(&question).as_deref(), Some("no"));
    assert_eq!(world.remarks(&task), Vec::<String>::new());
    tokio::time::sleep(Duration::from_secs(60)).await;
    let talk = world.writes(world.ann, request, "yes").await;
    assert_eq!(world.replies_to(talk), Vec::<String>::new(), "by then it is a word among others");
    assert_eq!(world.remarks(&task), ["yes"]);
}
