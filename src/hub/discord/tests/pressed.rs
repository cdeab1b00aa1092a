//! A press counts when it is in the journal: the agent hears it then, and the message follows when Discord lets it.

use std::time::Duration;

use callboard_standin::discord::{RestFault, RestRule};
use serde_json::json;
use tokio::time::sleep;

use super::shown::leave;
use super::world::World;
use crate::domain::session::question::Danger;
use crate::domain::session::question::permission::Permission;

const ID: &str = "fullstack-1";

#[tokio::test(start_paused = true)]
async fn the_agent_hears_a_press_at_once_and_its_message_follows_when_discord_lets_it() {
    let mut world = World::of(77).await;
    let (request, _) = world.begins("implement login").await;
    let question = world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let card = world.shown(request, "Old or new?");
    let edit = RestRule::on("PATCH", "/channels/:channel/messages/:message");
    world.discord.fault(edit, RestFault::Slow(Duration::from_secs(20)));
    world.discord.clicks(world.ann, card.id, "old").unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"), "it counts before the message is edited");
    let now = world.shown(request, "Old or new?");
    assert!(!now.components.is_empty(), "the message is as it was: {now:?}");
    let late = world.presses_an_old_one(&card).await;
    assert!(late.contains("Already done by you: old"), "who is later hears who was first: {late}");
    sleep(Duration::from_secs(60)).await;
    let then = world.shown(request, "Old or new?");
    assert!(then.components.is_empty() && then.content.contains("old"), "{then:?}");
}

#[tokio::test(start_paused = true)]
async fn where_discord_answers_the_message_is_edited_within_a_second() {
    let mut world = World::of(78).await;
    let (request, _) = world.begins("implement login").await;
    world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let card = world.shown(request, "Old or new?");
    world.discord.clicks(world.ann, card.id, "old").unwrap();
    sleep(Duration::from_secs(1)).await;
    let now = world.shown(request, "Old or new?");
    assert!(now.components.is_empty(), "{now:?}");
}

#[tokio::test(start_paused = true)]
async fn what_may_destroy_something_is_asked_about_once_more_and_a_denial_is_not() {
    let mut world = World::of(79).await;
    let (request, _) = world.begins("clean up").await;
    let drops = world
        .asks_as(ID, |spec| {
            (spec.question, spec.danger) = ("Drop the table users?".to_owned(), Some(Danger::Declared));
        })
        .await;
    let card = world.shown(request, "Drop the table users?");
    let asks = world.reply_to_press(world.ann, card.id, "old").await;
    assert_eq!(asks.content, "⚠️ This may destroy something. Answer **old** all the same?");
    assert_eq!(world.answer_of(&drops), None, "nothing is answered yet");
    assert_eq!(world.presses_on(world.ann, asks.id, "Yes: old").await, "✅ Answered: old");
    assert_eq!(world.answer_of(&drops).as_deref(), Some("old"));
    for (button, asked) in [("deny", false), ("allow once", true)] {
        let call =
            Permission::new("Bash".to_owned(), button.to_owned(), &json!({ "command": button }), Some("rm".to_owned()));
        let call = world
            .asks_as(ID, |spec| {
                leave(button)(spec);
                spec.permission = Some(Box::new(call));
            })
            .await;
        world.settles().await;
        let card = world.shown(request, "wants to use");
        let said = world.reply_to_press(world.ann, card.id, button).await;
        assert_eq!(said.content.starts_with("⚠️ This may destroy something"), asked, "{button}: {}", said.content);
        assert_eq!(world.answer_of(&call).is_none(), asked, "{button}");
        if asked {
            world.withdraws(&call).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_may_destroy_something_is_asked_about_once_more_where_it_is_said_in_words() {
    let asks = "⚠️ This may destroy something. Answer **old** all the same?";
    let mut world = World::of(80).await;
    let (request, _) = world.begins("clean up").await;
    for way in ["words", "reply", "form", "command"] {
        let drops = world
            .asks_as(ID, |spec| {
                (spec.question, spec.danger) = (format!("Drop the table {way}?"), Some(Danger::Declared));
                spec.allow_free_text = true;
            })
            .await;
        let card = world.shown(request, &format!("Drop the table {way}?"));
        let told = match way {
            "words" => world.writes(world.ann, request, "Old.").await,
            "reply" => world.discord.replies(world.ann, card.id, "old").unwrap(),
            "form" => {
                assert_eq!(world.fills_in(world.ann, card.id, "Answer…", "old").await, asks);
                0
            }
            _ => {
                let given = [("question", drops.as_str()), ("value", "old")];
                assert_eq!(world.uses(world.ann, "answer", &given).await, asks);
                0
            }
        };
        world.settles().await;
        assert_eq!(world.answer_of(&drops), None, "{way}: nothing is answered yet");
        if told > 0 {
            let again = world.messages().into_iter().find(|shown| shown.reply_to == Some(told)).unwrap();
            assert_eq!(again.content, asks);
            assert_eq!(world.presses_on(world.ann, again.id, "Yes: old").await, "✅ Answered: old");
            let then = world.discord.view(|view| view.message(again.id)).unwrap();
            assert!(then.controls.is_empty() && then.content.ends_with("answered: old"), "{then:?}");
        } else {
            world.presses_on(world.ann, card.id, "new").await;
            world.withdraws(&drops).await;
        }
    }
}
