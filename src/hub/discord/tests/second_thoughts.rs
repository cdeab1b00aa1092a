//! Requests that are deleted or edited, at once and later, while the hub is busy or away.

use std::time::Duration;

use callboard_standin::discord::{GatewayFault, Id};
use tokio::time::sleep;

use super::world::World;
use crate::domain::ids::TaskId;
use crate::domain::task::{ReportKind, TaskCommand, TaskEdit, TaskStateName};
use crate::journal::{PageRequest, Reader as _, TaskFilter};

impl World {
    /// How the newest task stands, and what it asks.
    fn newest(&self) -> (TaskStateName, String) {
        let page = PageRequest { limit: 1, cursor: None };
        let newest = self.reader.tasks(&TaskFilter::default(), &page).unwrap().items.remove(0);
        (newest.state.name(), newest.spec.prompt.clone())
    }

    fn call(&self, text: &str) -> Id {
        self.discord.says(self.ann, self.channel, &format!("<@&{}> {text}", self.role))
    }

    fn edit(&self, request: Id, text: &str) {
        self.discord.edits(request, &format!("<@&{}> {text}", self.role));
    }

    fn newest_id(&self) -> TaskId {
        let page = PageRequest { limit: 1, cursor: None };
        self.reader.tasks(&TaskFilter::default(), &page).unwrap().items.remove(0).spec.id.clone()
    }

    /// Ann hands out what a message says, or other words, by the command in its menu.
    async fn hands_on(&self, message: Id, text: Option<&str>) {
        let form = self.discord.uses_on(self.ann, message, "Assign to agent…").unwrap();
        self.settles().await;
        let words = text.map(|text| ("text", text));
        let fields: Vec<_> = [("agent", "test-engineer")].into_iter().chain(words).collect();
        self.discord.submits(form, &fields).unwrap();
        self.settles().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_deleted_before_the_hub_can_take_it_makes_no_task() {
    let world = World::of(61).await;
    world.breaks_disk();
    let request = world.call("drop the table users");
    sleep(Duration::from_secs(2)).await;
    world.discord.deletes(request);
    sleep(Duration::from_secs(2)).await;
    world.mends_disk();
    sleep(Duration::from_secs(60)).await;
    assert_eq!(world.tasks_of(request), 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_deleted_while_the_hub_was_away_makes_no_task() {
    let mut world = World::of(62).await;
    world.calls().await;
    world.settles().await;
    let mut request = 0;
    world
        .is_gone_while(async |world| {
            request = world.call("drop the table users");
            sleep(Duration::from_secs(20)).await;
            world.discord.deletes(request);
            sleep(Duration::from_secs(20)).await;
        })
        .await;
    sleep(Duration::from_secs(30)).await;
    assert!(world.discord.view(|view| view.counts().resumes) > 0, "the request and its end come once more");
    assert_eq!(world.tasks_of(request), 0);
}

#[tokio::test(start_paused = true)]
async fn what_became_of_a_request_unheard_counts_as_long_as_nobody_has_the_task() {
    let mut world = World::of(63).await;
    world.calls().await;
    world.settles().await;
    let request = world.said[0];
    assert_eq!(world.newest().0, TaskStateName::Queued);
    for happens in ["edited", "deleted"] {
        world.discord.gateway_fault(GatewayFault::ForgetSessions);
        world
            .is_gone_while(async |world| match happens {
                "edited" => world.edit(request, "draw a dog"),
                _ => world.discord.deletes(request),
            })
            .await;
        sleep(Duration::from_secs(30)).await;
        assert_eq!(world.newest().1, "draw a dog");
    }
    assert_eq!(world.newest().0, TaskStateName::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn an_edit_is_taken_until_somebody_has_the_task_and_then_it_is_said_once_what_to_do() {
    let world = World::of(64).await;
    let request = world.call("implement login");
    world.settles().await;
    world.edit(request, "implement logout");
    world.settles().await;
    assert_eq!(world.newest(), (TaskStateName::Queued, "implement logout".to_owned()));
    let said = world.replies_to(request);
    assert!(said.len() == 1 && said[0].contains("new words"), "{said:?}");
    // A preview of a link is no edit.
    world.discord.unfurls(request);
    world.settles().await;
    world.takes().await;
    world.settles().await;
    for text in ["implement both", "implement neither"] {
        world.edit(request, text);
        world.settles().await;
        assert_eq!(world.newest().1, "implement logout");
        let said = world.replies_to(request);
        let told = said.iter().filter(|one| one.contains("what is different")).count();
        assert_eq!((said.len(), told), (2, 1), "{said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_edited_while_the_hub_was_busy_or_away_is_taken_as_it_stands() {
    let mut world = World::of(65).await;
    world.breaks_disk();
    let request = world.call("implement login");
    sleep(Duration::from_secs(2)).await;
    world.edit(request, "implement logout");
    sleep(Duration::from_secs(2)).await;
    world.mends_disk();
    sleep(Duration::from_secs(60)).await;
    assert_eq!((world.tasks_of(request), world.newest().1), (1, "implement logout".to_owned()));
    let mut request = 0;
    world
        .is_gone_while(async |world| {
            request = world.call("draw a cat");
            sleep(Duration::from_secs(20)).await;
            world.edit(request, "draw a dog");
            sleep(Duration::from_secs(20)).await;
        })
        .await;
    sleep(Duration::from_secs(30)).await;
    assert_eq!((world.tasks_of(request), world.newest().1), (1, "draw a dog".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn whoever_deletes_a_message_that_another_one_assigned_calls_nothing_off_in_their_name() {
    let world = World::of(66).await;
    let bob = world.discord.member(world.guild, "bob", &[]);
    for (writer, called_off) in [(bob, false), (world.ann, true)] {
        let message = world.writes(writer, world.channel, "the login page crashes").await;
        world.hands_on(message, None).await;
        assert_eq!(world.newest(), (TaskStateName::Queued, "the login page crashes".to_owned()));
        world.discord.deletes(message);
        world.settles().await;
        assert_eq!(world.newest().0 == TaskStateName::Cancelled, called_off);
    }
    let used = world.uses(world.ann, "task", &[("agent", "test-engineer"), ("prompt", "test it")]).await;
    assert!(used.starts_with('✅'), "{used}");
    world.discord.deletes(world.shown(world.channel, "test it").id);
    world.settles().await;
    assert_eq!(world.newest(), (TaskStateName::Queued, "test it".to_owned()), "a moderator tidied up");
}

#[tokio::test(start_paused = true)]
async fn an_edit_of_a_message_changes_no_words_that_a_form_asked_for() {
    let world = World::of(67).await;
    let message = world.writes(world.ann, world.channel, "the login page crashes").await;
    world.hands_on(message, Some("find out why the login page crashes")).await;
    world.discord.edits(message, "the login page crashed, and is up again");
    world.settles().await;
    assert_eq!(world.newest().1, "find out why the login page crashes");
}

#[tokio::test(start_paused = true)]
async fn neither_an_edit_nor_a_deletion_counts_once_somebody_has_worked_on_it() {
    let mut world = World::of(68).await;
    let (request, task) = world.begins("implement login").await;
    world.reports(&task, ReportKind::Failed, "no key").await.unwrap();
    world.settles().await;
    world.orders(&task, TaskCommand::Retry).await.unwrap();
    world.settles().await;
    assert_eq!(world.newest().0, TaskStateName::Queued);
    world.edit(request, "implement logout");
    world.settles().await;
    assert_eq!(world.newest(), (TaskStateName::Queued, "implement login".to_owned()));
    assert!(world.replies_to(request).concat().contains("what is different"), "{:?}", world.replies_to(request));
    world.discord.deletes(request);
    world.settles().await;
    assert_eq!(world.newest().0, TaskStateName::Queued);
}

#[tokio::test(start_paused = true)]
async fn whoever_deletes_what_is_at_work_is_told_that_it_goes_on() {
    let mut world = World::of(71).await;
    let (request, _) = world.begins("implement login").await;

    world.discord.deletes(request);
    world.settles().await;
    assert!(world.shown(request, "and the work goes on").pinged.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_the_hub_cannot_take_just_now_is_tried_again() {
    let world = World::of(69).await;
    let request = world.call("drop the table users");
    world.settles().await;
    world.breaks_disk();
    world.discord.deletes(request);
    sleep(Duration::from_secs(4)).await;
    world.mends_disk();
    sleep(Duration::from_secs(60)).await;
    assert_eq!(world.newest().0, TaskStateName::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_comes_late_changes_nothing_that_is_newer() {
    for by_hand in [false, true] {
        let world = World::of(70).await;
        let request = world.call("draw a cat");
        world.settles().await;
        world.breaks_disk();
        world.edit(request, "draw a dog");
        sleep(Duration::from_millis(3_500)).await;
        world.mends_disk();
        sleep(Duration::from_millis(1_500)).await;
        // The hub tries the first edit once more in two seconds.
        if by_hand {
            let edit = TaskEdit { prompt: Some("draw a horse".to_owned()), ..TaskEdit::default() };
            world.orders(&world.newest_id(), TaskCommand::Edit { edit: Box::new(edit) }).await.unwrap();
        } else {
            world.edit(request, "draw a horse");
        }
        sleep(Duration::from_secs(60)).await;
        assert_eq!(world.newest().1, "draw a horse", "by hand: {by_hand}");
        // What is written after that counts again.
        world.edit(request, "draw a cow");
        world.settles().await;
        assert_eq!(world.newest().1, "draw a cow");
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_calls_somebody_else_or_nobody_changes_nothing_and_says_what_to_do() {
    let world = World::of(71).await;
    let tester = world.discord.role(world.guild, "test-engineer");
    let request = world.call("draw a cat");
    world.settles().await;
    for (text, whom) in [(format!("<@&{tester}> test a cat"), "TestEngineer"), ("never mind".to_owned(), "nobody")] {
        world.discord.edits(request, &text);
        world.settles().await;
        assert_eq!(world.newest(), (TaskStateName::Queued, "draw a cat".to_owned()), "{whom}");
        let said = world.replies_to(request).pop().unwrap_or_default();
        assert!(said.contains("FullStack keeps the words that it has") && said.contains(whom), "{said}");
        assert!(said.contains("delete your message"), "{said}");
    }
    // What was said is not said again when another session looks at the request.
    let said = world.replies_to(request).len();
    world.discord.gateway_fault(GatewayFault::ForgetSessions);
    world.discord.gateway_fault(GatewayFault::DropTcp);
    sleep(Duration::from_secs(60)).await;
    assert_eq!((said, world.replies_to(request).len()), (2, 2));
    world.edit(request, "draw a dog");
    world.settles().await;
    assert_eq!(world.newest(), (TaskStateName::Queued, "draw a dog".to_owned()));
}
