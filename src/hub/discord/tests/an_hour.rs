//! An hour of work with twenty agents from Discord alone: two people at the same moment, hostile text, a purge,
//! archived threads, a permission that is taken away, a hub that is killed, three hundred tasks.

use std::time::Duration;

use callboard_standin::discord::{ShownMessage, bits};
use tokio::time::sleep;

use super::world::{World, grant};
use crate::domain::outbox::DeliveryStateName;
use crate::domain::task::{ReportKind, TaskStateName};
use crate::journal::{DeliveryFilter, PageRequest, Reader as _, TaskFilter};

const AGENTS: usize = 20;
const TASKS: usize = 300;

/// What agents and people may write, and what Discord must not make anything of.
fn hostile(at: usize) -> String {
    let texts = [
        "\u{202E}ti si enod\u{202C} @everyone @here <@&1> <#2> </x:3>".to_owned(),
        format!("```rust\n{}", "let a = 1; // ``` **x**\n".repeat(60)),
        "*_~|`>#".repeat(280),
        format!("[click](https://evil.example) {}", "😀".repeat(990)),
        "`a` ``b`` ```c``` ".repeat(80),
        "\u{200B}\n\n\n# big\n> quoted\n-# small\n1. one".to_owned(),
        "||spoiler|| <t:1:R> https://forge/a_b_c".to_owned(),
    ];
    texts[at % texts.len()].clone()
}

/// The same of an agent, whose verbs have taken out what turns a text around.
fn of_agent(at: usize) -> String {
    hostile(1 + at % 6)
}

/// Nothing that the hub said breaks Discord's rules, or calls anybody who did not ask.
fn is_well_said(shown: &ShownMessage, people: &[u64]) {
    assert!(shown.content.encode_utf16().count() <= 2_000, "{}", shown.content);
    assert!(shown.content.matches("```").count().is_multiple_of(2), "{}", shown.content);
    assert!(shown.pinged.len() <= 1 && shown.pinged.iter().all(|one| people.contains(one)), "{shown:?}");
    assert!(!shown.content.contains('\u{202E}'), "nothing is shown backwards: {}", shown.content);
}

/// An agent asks, and both press at the same moment: one of them was first, and both are told so.
async fn both_press(world: &World, name: &str, at: usize, people: [u64; 2]) {
    let question = world.asks_as(name, |spec| spec.question = of_agent(at)).await;
    let all = world.messages();
    let card = all.iter().rev().find(|one| one.controls.contains(&"old".to_owned())).unwrap();
    let presses = people.map(|whom| world.discord.clicks(whom, card.id, "old").unwrap());
    world.settles().await;
    let told = presses.map(|press| world.discord.view(|view| view.reply_of(press)).unwrap().content);
    assert_eq!(told.iter().filter(|told| told.starts_with('✅')).count(), 1, "{told:?}");
    assert!(told.iter().any(|told| told.contains("was faster: old")), "{told:?}");
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
}

#[tokio::test(start_paused = true)]
async fn an_hour_of_work_with_twenty_agents_loses_nothing_and_calls_nobody() {
    let mut world = World::of(81).await;
    let developer = world.discord.role(world.guild, "developer");
    let bob = world.discord.member(world.guild, "bob", &[developer]);
    world.lists(bob, grant()).await;
    let people = [world.ann, bob];
    let mut requests = Vec::new();
    for at in 0..TASKS {
        let text = format!("<@&{}> work {at} {}", world.role, hostile(at));
        let text: String = text.chars().take(1_990).collect();
        requests.push(world.discord.says(people[at % 2], world.channel, &text));
        if at % 50 == 0 {
            world.settles().await;
        }
    }
    world.settles().await;
    sleep(Duration::from_secs(120)).await;
    assert_eq!(requests.iter().map(|request| world.tasks_of(*request)).sum::<usize>(), TASKS);
    // A purge of twenty that nobody has yet.
    world.discord.purges(&requests[TASKS - 20..]);
    world.settles().await;
    world.is_gone_for(Duration::from_secs(5)).await;
    world.settles().await;
    let mut names = Vec::new();
    for at in 0..AGENTS {
        let name = format!("full-{at}");
        world.hires(&name, "full-stack-engineer").await;
        names.push(name);
    }
    let listed = world.uses(world.ann, "tasks", &[]).await;
    assert!(listed.encode_utf16().count() <= 2_000 && listed.contains("more"), "{listed}");
    for (round, &request) in requests.iter().enumerate().take(40) {
        for (at, name) in names.iter().enumerate() {
            let open = world.reader.open_tasks().unwrap();
            let held = open.iter().find(|task| task.holder().is_some_and(|holder| holder.as_str() == name));
            let Some(task) = held.map(|task| task.spec.id.clone()) else {
                world.takes_for(name).await;
                continue;
            };
            if round % 8 == 0 {
                both_press(&world, name, at, people).await;
            }
            let kind = if at % 7 == 0 { ReportKind::Failed } else { ReportKind::Completed };
            world.reports_as(name, &task, kind, &of_agent(at + round)).await.unwrap();
            match at {
                3 => world.discord.archives(request, false),
                5 => world.discord.denies_everywhere(world.guild, bits::SEND_MESSAGES_IN_THREADS),
                9 => world.discord.denies_everywhere(world.guild, 0),
                _ => {}
            }
        }
        if round == 20 {
            world.is_gone_for(Duration::from_secs(10)).await;
            for name in &names {
                world.hires(name, "full-stack-engineer").await;
            }
        }
    }
    world.discord.denies_everywhere(world.guild, 0);
    sleep(Duration::from_secs(60 * 60)).await;
    let all = world.reader.tasks(&TaskFilter::default(), &PageRequest { limit: 500, cursor: None }).unwrap().items;
    let count = |state| all.iter().filter(|task| task.state.name() == state).count();
    assert_eq!((all.len(), count(TaskStateName::Cancelled)), (TASKS, 20), "purged requests count as deleted");
    let ended = count(TaskStateName::Completed) + count(TaskStateName::Failed);
    assert_eq!(ended + 20, TASKS, "{} open", world.reader.open_tasks().unwrap().len());
    for shown in world.messages() {
        is_well_said(&shown, &people);
    }
    let sent = world.reader.deliveries(&DeliveryFilter::default(), &PageRequest { limit: 500, cursor: None }).unwrap();
    let lost = sent.items.iter().find(|one| one.state.name() != DeliveryStateName::Delivered);
    assert!(lost.is_none(), "{lost:?}");
}
