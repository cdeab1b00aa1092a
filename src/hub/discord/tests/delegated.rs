//! What an agent asks that was given a part of somebody else's work: people see it where the work was asked for.

use std::collections::BTreeSet;
use std::time::Duration;

use super::world::{World, agent_id, by, grant, who};
use crate::actors::dispatcher::{Asker, AssignRequest};
use crate::domain::ids::TaskId;
use crate::domain::task::{Priority, RightsSet};
use crate::settings::Grant;

const TESTER: &str = "tester-1";

impl World {
    /// The agent hands a part of what it has to somebody else.
    pub(super) async fn delegates(&self, target: &str, prompt: &str) -> TaskId {
        let asker = Asker { by: by(), origin: who(), rights: RightsSet::All, agent: Some(agent_id()) };
        let request = AssignRequest {
            asker,
            target: target.to_owned(),
            capabilities: BTreeSet::new(),
            prompt: prompt.to_owned(),
            title: None,
            spec: None,
            context: None,
            priority: Priority::Normal,
            dependencies: Vec::new(),
            workspace: None,
            ttl: None,
            worktree: None,
            key: None,
            request: None,
            sanitized: None,
            after: None,
        };
        self.life.backstage.hub.dispatcher.assign(request).await.unwrap().task_id
    }
}

/// A task of Ann's in the hands of one agent, and a part of it in those of another: the request, and the part.
async fn parted(seed: u64) -> (World, u64, TaskId) {
    let mut world = World::of(seed).await;
    let (request, _) = world.begins("implement login").await;
    let part = world.delegates("role:test-engineer", "test the login on every phone").await;
    world.hires(TESTER, "test-engineer").await;
    assert_eq!(world.held_by(TESTER), part);
    (world, request, part)
}

#[tokio::test(start_paused = true)]
async fn a_question_of_a_part_is_asked_in_the_thread_of_the_whole_and_answered_there() {
    let (world, request, part) = parted(51).await;
    let state = |listed: &str| listed.split("implement login").next().map(str::to_owned);
    let idle = state(&world.uses(world.ann, "tasks", &[]).await);
    for way in ["button", "reply", "word", "command"] {
        let question = world.asks_as(TESTER, |spec| spec.question = format!("Which phone by {way}?")).await;
        let shown = world.shown(request, &format!("Which phone by {way}?"));
        assert!(shown.pinged == [world.ann] && shown.content.contains("TestEngineer"), "{shown:?}");
        assert!(shown.content.contains(TESTER) && shown.content.contains("test the login"), "{}", shown.content);
        let listed = world.uses(world.ann, "tasks", &[]).await;
        assert_ne!(state(&listed), idle, "{listed}");
        match way {
            "button" => drop(world.presses_on(world.ann, shown.id, "old").await),
            "reply" => drop(world.discord.replies(world.ann, shown.id, "old").unwrap()),
            "word" => drop(world.writes(world.ann, request, "old").await),
            _ => drop(world.uses(world.ann, "answer", &[("question", question.as_str()), ("value", "old")]).await),
        }
        world.settles().await;
        assert_eq!(world.answer_of(&question).as_deref(), Some("old"), "{way}");
        assert!(world.shown(request, &format!("Which phone by {way}?")).content.contains("**ann** answered: old"));
    }
    let listed = world.uses(world.ann, "tasks", &[]).await;
    assert_eq!(state(&listed), idle, "{listed}");
    // What is no answer reaches whoever asks.
    world.asks_as(TESTER, |_| {}).await;
    world.writes(world.ann, request, "the one from last year hurt us").await;
    assert!(world.remarks(&part).concat().contains("hurt us"));
}

#[tokio::test(start_paused = true)]
async fn a_question_of_a_part_is_known_after_a_restart_and_its_reminder_comes() {
    let (mut world, request, _) = parted(52).await;
    let question = world.asks_as(TESTER, |spec| spec.question = "Which phone?".to_owned()).await;
    world.is_gone_for(Duration::from_secs(5)).await;
    tokio::time::sleep(Duration::from_secs(6 * 60)).await;
    let reminder = world.shown(request, "Still waiting for you: Which phone?");
    world.writes(world.ann, request, "old").await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
    assert!(world.discord.view(|view| view.message(reminder.id)).unwrap().controls.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_part_that_waits_for_a_review_is_judged_in_the_thread_of_the_whole() {
    let (world, request, part) = parted(53).await;
    let before = world.signs(request);
    world.hands_in_as(TESTER, &part, "All phones work.").await;
    let card = world.shown(request, "asks for a review");
    assert!(card.content.contains("test the login") && card.content.contains("All phones work."), "{}", card.content);
    assert_eq!(world.signs(request), before, "the request is not the part's");
    world.presses_on(world.ann, card.id, "Approve").await;
    assert!(world.is_approved(&part));
    let card = world.discord.view(|view| view.message(card.id)).unwrap();
    assert!(!card.controls.contains(&"Approve".to_owned()), "{card:?}");
}

#[tokio::test(start_paused = true)]
async fn whoever_asked_for_the_whole_may_answer_and_judge_a_part_as_they_are_told() {
    let mut world = World::with(54, |settings, _, _| {
        let only = Some(RightsSet::Only([String::from("full-stack-engineer")].into()));
        let narrow = Grant { can_answer: only.clone(), can_approve: only, ..grant() };
        settings.permissions.roles.insert("developer".to_owned(), narrow);
    })
    .await;
    let (request, _) = world.begins("implement login").await;
    let part = world.delegates("role:test-engineer", "test the login on every phone").await;
    world.hires(TESTER, "test-engineer").await;
    let question = world.asks_as(TESTER, |spec| spec.question = "Which phone?".to_owned()).await;
    let shown = world.shown(request, "Which phone?");
    assert!(shown.content.contains("· you, or who may answer"), "{}", shown.content);
    let developer = world.discord.role(world.guild, "developer");
    let bob = world.discord.member(world.guild, "bob", &[developer]);
    let no = world.presses_on(bob, shown.id, "old").await;
    assert!(no.starts_with('⛔') && world.answer_of(&question).is_none(), "{no}");
    world.writes(world.ann, request, "the new one of mine, please").await;
    assert!(world.remarks(&part).concat().contains("of mine"), "{:?}", world.remarks(&part));
    world.presses_on(world.ann, shown.id, "old").await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("old"));
    world.hands_in_as(TESTER, &part, "All phones work.").await;
    let card = world.shown(request, "asks for a review");
    let told = world.fills_in(world.ann, card.id, "Request changes…", "And the oldest one.").await;
    assert!(told.starts_with('✅'), "{told}");
}
