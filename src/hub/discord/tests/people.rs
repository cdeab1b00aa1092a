//! Who may do what on Discord, and what is shown to whom.

use std::collections::BTreeMap;

use callboard_standin::discord::bits;

use super::world::{World, grant};
use crate::domain::task::{ReportKind, RightsSet, TaskStateName};
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
    let mut other = 0;
    let mut world = World::with(4, |settings, discord, _| {
        other = discord.guild("Other");
        settings.hub.discord.guilds.push(Snowflake(other));
    })
    .await;
    world.begins("buy the rival before Friday").await;
    let room = world.discord.channel(other, "room");
    world.settles().await;
    let eve = world.discord.member(other, "eve", &[]);
    // The commands that were set there stay.
    world.settings.hub.discord.guilds.pop();
    // By her id she may everything, wherever the hub listens.
    world.lists(eve, grant()).await;
    let asked = world.discord.autocompletes(eve, room, "cancel", &[("task", "")], "task").unwrap();
    world.settles().await;
    let shown = format!("{:?}", world.discord.view(|view| view.answer(asked)));
    assert!(!shown.contains("rival"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn commands_are_set_in_servers_that_are_listed_alone() {
    for (seed, listed) in [(12, true), (13, false)] {
        let world = World::with(seed, |settings, _, _| {
            if !listed {
                settings.hub.discord.guilds.clear();
            }
        })
        .await;
        let other = world.discord.guild("Other");
        world.settles().await;
        assert_eq!(world.discord.view(|view| view.commands(other).is_empty()), listed);
    }
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
    assert!(told[1].contains("**ann** was faster") && told[1].contains("kept as a comment"), "{told:?}");
    assert!(world.remarks(&task).concat().contains("and add a test"), "{:?}", world.remarks(&task));
}

#[tokio::test(start_paused = true)]
async fn of_a_channel_that_somebody_cannot_see_they_are_told_nothing() {
    let mut world = World::of(9).await;
    let developer = world.discord.role(world.guild, "developer");
    let bob = world.discord.member(world.guild, "bob", &[developer]);
    world.lists(bob, grant()).await;
    world.begins("buy the rival before Friday").await;
    world.asks_as("fullstack-1", |spec| spec.question = "How much may the rival cost?".to_owned()).await;
    let lobby = world.discord.channel(world.guild, "lobby");
    world.settles().await;
    let read = async |world: &World, whom, room| {
        let mut all = Vec::new();
        for (command, option) in [("cancel", "task"), ("answer", "question")] {
            let given = if command == "answer" { vec![(option, ""), ("value", "x")] } else { vec![(option, "")] };
            let asked = world.discord.autocompletes(whom, room, command, &given, option).unwrap();
            world.settles().await;
            all.push(format!("{:?}", world.discord.view(|view| view.answer(asked))).contains("rival"));
        }
        let used = world.discord.commands(whom, room, "tasks", &[]).unwrap();
        world.settles().await;
        all.push(world.discord.view(|view| view.reply_of(used)).unwrap().content.contains("rival"));
        all
    };
    assert_eq!(read(&world, bob, lobby).await, [true; 3], "everybody sees it");
    world.discord.denies_to(world.channel, bob, bits::VIEW_CHANNEL);
    world.settles().await;
    assert_eq!(read(&world, bob, lobby).await, [false; 3]);
    assert_eq!(read(&world, world.ann, lobby).await, [true; 3], "it is Ann's own, and she sees the channel");
    world.is_gone_for(std::time::Duration::from_secs(5)).await;
    world.settles().await;
    assert_eq!(read(&world, bob, lobby).await, [false; 3], "a session that is resumed is not told it again");
    world.discord.denies_to(world.channel, bob, 0);
    world.settles().await;
    assert_eq!(read(&world, bob, lobby).await, [true; 3]);
}

/// An id stands in more places than in the choices: it lets nobody reach into a channel that they cannot see.
#[tokio::test(start_paused = true)]
async fn who_knows_an_id_acts_on_nothing_of_a_channel_that_they_cannot_see() {
    let mut world = World::of(81).await;
    let (_, task) = world.begins("buy the rival before Friday").await;
    let question = world.asks_as("fullstack-1", |spec| spec.question = "How much?".to_owned()).await;
    let developer = world.discord.role(world.guild, "developer");
    let bob = world.discord.member(world.guild, "bob", &[developer]);
    world.discord.denies_to(world.channel, bob, bits::VIEW_CHANNEL);
    let elsewhere = world.discord.channel(world.guild, "elsewhere");
    world.settles().await;
    let uses = async |whom, command, given: &[(&str, &str)]| {
        let used = world.discord.commands(whom, elsewhere, command, given).unwrap();
        world.settles().await;
        world.discord.view(|view| view.reply_of(used)).unwrap().content
    };
    let answer = [("question", question.as_str()), ("value", "old")];
    assert_eq!(uses(bob, "answer", &answer).await, "⚠️ This question is not there any more.");
    assert_eq!(uses(bob, "cancel", &[("task", task.as_str())]).await, "⚠️ This task is not there any more.");
    assert_eq!((world.answer_of(&question), world.task(&task).state.name()), (None, TaskStateName::InProgress));
    assert_eq!(uses(world.ann, "answer", &answer).await, "✅ Answered: old");
}

#[tokio::test(start_paused = true)]
async fn the_command_asks_as_the_button_does_before_it_ends_what_somebody_works_on() {
    let mut world = World::of(82).await;
    let (_, task) = world.begins("implement login").await;
    let used = world.discord.commands(world.ann, world.channel, "cancel", &[("task", task.as_str())]).unwrap();
    world.settles().await;
    let asks = world.discord.view(|view| view.reply_of(used)).unwrap();
    assert_eq!(asks.content, "FullStack works on it. Cancel it all the same?");
    assert_eq!(world.task(&task).state.name(), TaskStateName::InProgress);
    assert_eq!(world.presses_on(world.ann, asks.id, "Yes, cancel it").await, "✅ Cancelled.");
}

#[tokio::test(start_paused = true)]
async fn one_message_of_a_task_that_failed_again_and_again_has_the_button() {
    let mut world = World::of(83).await;
    let (request, task) = world.begins("implement login").await;
    for _ in 0..3 {
        world.reports(&task, ReportKind::Failed, "no key").await.unwrap();
        world.settles().await;
        let failed = world.shown(request, "failed");
        let with_retry = || {
            let all = world.discord.view(|view| view.messages(request)).into_iter();
            all.filter(|shown| shown.controls.contains(&"Retry".to_owned())).map(|shown| shown.id).collect::<Vec<_>>()
        };
        let newest =
            world.discord.view(|view| view.messages(request)).into_iter().rfind(|one| one.content.contains("no key"));
        assert_eq!(with_retry(), [newest.unwrap().id], "{failed:?}");
        world.presses_on(world.ann, with_retry()[0], "Retry").await;
        assert_eq!(with_retry(), Vec::<u64>::new());
        for _ in 0..4 {
            world.takes().await;
            world.settles().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_mistyped_answer_that_is_edited_into_an_option_is_the_answer() {
    let mut world = World::of(84).await;
    let (request, task) = world.begins("implement login").await;
    let question = world.asks_as("fullstack-1", |_| {}).await;
    let said = world.writes(world.ann, request, "odl").await;
    assert_eq!(world.answer_of(&question), None);
    world.discord.edits(said, "odd");
    world.settles().await;
    assert_eq!((world.answer_of(&question), world.remarks(&task).len()), (None, 1), "talk is said once");
    world.discord.edits(said, "old");
    world.settles().await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
}
