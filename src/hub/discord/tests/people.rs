//! Who may do what on Discord, and what is shown to whom.

use std::collections::BTreeMap;

use super::world::{World, grant};
use crate::domain::task::{RightsSet, TaskStateName};
use crate::settings::{DirectMessages, Grant, Snowflake};

#[tokio::test(start_paused = true)]
async fn a_role_that_is_named_with_the_digits_of_another_gives_nothing() {
    let world = World::with(1, |settings, _, _| {
        settings.permissions.roles = BTreeMap::from([("123456789012345678".to_owned(), grant())]);
    })
    .await;
    let forged = world.discord.role(world.guild, "123456789012345678");
    let eve = world.discord.member(world.guild, "eve", &[forged]);
    let said = world.writes(eve, world.channel, &format!("<@&{}> open the door", world.role)).await;
    assert_eq!(world.tasks_of(said), 0);
}

#[tokio::test(start_paused = true)]
async fn names_give_nothing_in_a_server_that_is_not_listed_and_ids_do() {
    for listed in [false, true] {
        let mut developer = 0;
        let world = World::with(2, |settings, discord, guild| {
            settings.hub.discord.guilds.clear();
            developer = discord.role(guild, "by id");
            if listed {
                settings.hub.discord.guilds = vec![Snowflake(guild)];
            } else {
                settings.permissions.roles.insert(developer.to_string(), grant());
            }
        })
        .await;
        let by_name = world.writes(world.ann, world.channel, &format!("<@&{}> by name", world.role)).await;
        assert_eq!(world.tasks_of(by_name), usize::from(listed));
        let bob = world.discord.member(world.guild, "bob", &[developer]);
        let by_id = world.writes(bob, world.channel, &format!("<@&{}> by id", world.role)).await;
        assert_eq!(world.tasks_of(by_id), usize::from(!listed));
    }
}

#[tokio::test(start_paused = true)]
async fn lists_and_choices_show_only_what_one_may_act_on() {
    let mut world = World::of(3).await;
    world.begins("buy the rival before Friday").await;
    world.asks_as("fullstack-1", |spec| spec.question = "How much may the rival cost?".to_owned()).await;
    let bob = world.discord.member(world.guild, "bob", &[]);
    let choices = async |whom, command, option| {
        let given = if command == "answer" { vec![(option, ""), ("value", "x")] } else { vec![(option, "")] };
        let asked = world.discord.autocompletes(whom, world.channel, command, &given, option).unwrap();
        world.settles().await;
        format!("{:?}", world.discord.view(|view| view.answer(asked)))
    };
    for (command, option) in [("cancel", "task"), ("answer", "question")] {
        let (to_bob, to_ann) = (choices(bob, command, option).await, choices(world.ann, command, option).await);
        assert!(!to_bob.contains("rival"), "{to_bob}");
        assert!(to_ann.contains("rival"), "{to_ann}");
    }
    assert!(!choices(bob, "task", "agent").await.contains("full"));
    for command in ["tasks", "agents"] {
        let asked = world.discord.commands(bob, world.channel, command, &[]).unwrap();
        world.settles().await;
        let shown = world.discord.view(|view| view.reply_of(asked)).unwrap().content;
        assert!(!shown.contains("rival") && !shown.contains("fullstack"), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_chosen_from_in_a_server_that_is_not_listed() {
    let mut world = World::of(4).await;
    world.begins("buy the rival before Friday").await;
    let other = world.discord.guild("Other");
    let room = world.discord.channel(other, "room");
    world.settles().await;
    let eve = world.discord.member(other, "eve", &[]);
    // By her id she may everything, wherever the hub listens.
    world.lists(eve, grant()).await;
    let asked = world.discord.autocompletes(eve, room, "cancel", &[("task", "")], "task").unwrap();
    world.settles().await;
    let shown = format!("{:?}", world.discord.view(|view| view.answer(asked)));
    assert!(!shown.contains("rival"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn who_may_only_answer_approves_nothing_where_merges_need_an_approval() {
    let mut world = World::with(5, |settings, _, _| {
        let answers = Grant { can_answer: Some(RightsSet::All), can_approve: None, ..grant() };
        settings.permissions.roles.insert("answers".to_owned(), answers);
        settings.roles.roles.values_mut().for_each(|role| role.merge.require_approval = true);
    })
    .await;
    let answers = world.discord.role(world.guild, "answers");
    let bob = world.discord.member(world.guild, "bob", &[answers]);
    let (request, task) = world.begins("implement login").await;
    world.hands_in(&task, "it is done").await;
    let card = world.shown(request, "review");
    world.presses_on(bob, card.id, "Approve").await;
    assert_eq!(world.task(&task).state.name(), TaskStateName::InReview);
    assert!(!world.is_approved(&task));
    world.presses_on(world.ann, card.id, "Approve").await;
    assert!(world.is_approved(&task));
}

#[tokio::test(start_paused = true)]
async fn a_verdict_is_for_the_round_that_was_shown() {
    let mut world = World::of(6).await;
    let (request, task) = world.begins("implement login").await;
    world.hands_in(&task, "the first version").await;
    let first = world.shown(request, "review");
    world.takes_back(&task).await;
    world.hands_in(&task, "another one").await;
    // As a phone that did not hear of it shows the old card.
    let told = world.presses_an_old_one(&first).await;
    assert!(!world.is_approved(&task), "{told}");
    let button = first.components[0]["components"][1]["custom_id"].as_str().unwrap();
    let form = world.discord.presses_unseen(world.ann, first.id, button).unwrap();
    world.settles().await;
    let wish = world.discord.submits(form, &[("text", "rename it")]).unwrap();
    world.settles().await;
    let told = world.discord.view(|view| view.reply_of(wish)).unwrap().content;
    assert!(told.contains("newer version"), "{told}");
    assert_eq!(world.task(&task).state.name(), TaskStateName::InReview, "no wish falls on what nobody looked at");
    let second = world.shown(request, "another one");
    world.presses_on(world.ann, second.id, "Approve").await;
    assert!(world.is_approved(&task));
}

#[tokio::test(start_paused = true)]
async fn what_is_called_by_direct_message_is_listed_for_nobody_else() {
    let mut world = World::with(7, |settings, _, _| settings.hub.discord.dm = DirectMessages::Listed).await;
    let ann = world.ann;
    let bob = world.discord.member(world.guild, "bob", &[]);
    world.lists(ann, grant()).await;
    world.lists(bob, grant()).await;
    world.discord.direct(ann, "FullStack: buy the rival before Friday");
    world.settles().await;
    world.takes().await;
    world.asks_as("fullstack-1", |spec| spec.question = "How much may the rival cost?".to_owned()).await;
    let choices = async |whom, command, option| {
        let given = if command == "answer" { vec![(option, ""), ("value", "x")] } else { vec![(option, "")] };
        let asked = world.discord.autocompletes(whom, world.channel, command, &given, option).unwrap();
        world.settles().await;
        format!("{:?}", world.discord.view(|view| view.answer(asked)))
    };
    for (whom, shown) in [(bob, false), (ann, true)] {
        assert_eq!(world.uses(whom, "tasks", &[]).await.contains("rival"), shown);
        for (command, option) in [("cancel", "task"), ("answer", "question")] {
            assert_eq!(choices(whom, command, option).await.contains("rival"), shown, "{command}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_who_request_changes_the_slower_ones_words_are_kept_as_a_comment() {
    let mut world = World::of(8).await;
    let bob = world.discord.member(world.guild, "bob", &[]);
    world.lists(bob, grant()).await;
    let (request, task) = world.begins("implement login").await;
    world.hands_in(&task, "it is done").await;
    let card = world.shown(request, "review").id;
    let forms = [world.ann, bob].map(|whom| world.discord.clicks(whom, card, "Request changes…").unwrap());
    world.settles().await;
    let mut told = Vec::new();
    for (form, words) in forms.into_iter().zip(["rename it", "and add a test"]) {
        let wish = world.discord.submits(form, &[("text", words)]).unwrap();
        world.settles().await;
        told.push(world.discord.view(|view| view.reply_of(wish)).unwrap().content);
    }
    assert!(told[0].starts_with('✅'), "{told:?}");
    assert!(told[1].contains("ann was faster") && told[1].contains("kept as a comment"), "{told:?}");
    assert!(world.remarks(&task).concat().contains("and add a test"), "{:?}", world.remarks(&task));
}
