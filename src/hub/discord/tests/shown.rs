//! What people read where much is shown: long questions, reviews, lists, and why something cannot be done.

use std::time::Duration;

use tokio::time::sleep;

use super::world::World;
use crate::domain::ids::{AgentId, TaskId};
use crate::domain::review::{Change, DiffSize, Submission};
use crate::domain::session::question::permission::Permission;
use crate::domain::session::question::{QuestionKind, QuestionSpec};
use crate::domain::task::{KeptText, RightsSet, TaskCommand};
use crate::settings::Grant;
use callboard_standin::discord::Id;

const ID: &str = "fullstack-1";

impl World {
    /// The agent hands in a change of five files, with notes.
    pub(super) async fn hands_in_change(&self, task: &TaskId) {
        let names = ["src/login.rs", "src/session.rs", "src/lib.rs", "tests/login.rs", "docs/login.md"];
        let file = |name| format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n");
        let diff: String = names.map(file).concat();
        let change = Change {
            pr_url: Some("https://forge/acme/shop/pulls/7".to_owned()),
            size: Some(DiffSize { files: 5, added: 5, removed: 5, ..DiffSize::default() }),
            ..Change::default()
        };
        let submission =
            Submission { change, notes: Some("Look at the *locks* first.".to_owned()), ..Submission::default() };
        let command = TaskCommand::SubmitForReview {
            agent: AgentId::parse(ID).unwrap(),
            epoch: None,
            message: KeptText::inline("Login works."),
            diff: Some(KeptText::inline(diff)),
            artifacts: Vec::new(),
            submission: Box::new(submission),
        };
        self.orders(task, command).await.unwrap();
        self.settles().await;
    }

    /// Presses a button that opens a form, fills it in, and reads what comes of it.
    pub(super) async fn fills_in(&self, whom: Id, message: Id, button: &str, text: &str) -> String {
        let form = self.discord.clicks(whom, message, button).unwrap();
        self.settles().await;
        let sent = self.discord.submits(form, &[("text", text)]).unwrap();
        self.settles().await;
        self.discord.view(|view| view.reply_of(sent)).unwrap().content
    }

    pub(super) async fn reads(&self, whom: Id, command: &str, given: &[(&str, &str)]) -> String {
        let used = self.discord.commands(whom, self.channel, command, given).unwrap();
        self.settles().await;
        self.discord.view(|view| view.reply_of(used)).unwrap().content
    }

    /// Calls the bot itself, and what is answered.
    pub(super) async fn calls_bot(&self, whom: Id, text: &str) -> String {
        let said = self.writes(whom, self.channel, &format!("<@{}> {text}", self.discord.bot())).await;
        self.replies_to(said).concat()
    }
}

/// Asks leave for a command.
pub(super) fn leave(command: &str) -> impl FnOnce(&mut QuestionSpec) {
    let input = serde_json::json!({ "command": command });
    move |spec| {
        spec.kind = QuestionKind::Permission;
        spec.permission = Some(Box::new(Permission::new("Bash".to_owned(), String::new(), &input, None)));
        spec.question = "May it use Bash?\nit\nBecause: the build is old".to_owned();
        spec.options = ["allow once", "allow for this task", "deny"].map(str::to_owned).to_vec();
        spec.default_action = "deny".to_owned();
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_that_leave_is_asked_for_is_shown_as_it_is_and_breaks_out_of_nothing() {
    let mut world = World::of(51).await;
    let (request, _) = world.begins("clean up").await;
    let question = world.asks_as(ID, leave("rm *_old_* `pwd` ```\n@everyone **x**")).await;
    let shown = world.shown(request, "wants to use");
    let block = "\n```\nrm *_old_* `pwd` `\u{200B}`\u{200B}`\n@everyone **x**\n```\n";
    assert!(
        shown.content.starts_with(&format!("<@{}> ❓ fullstack-1 wants to use Bash:{block}", world.ann)),
        "{shown:?}"
    );
    assert_eq!(shown.pinged, [world.ann]);
    world.presses_on(world.ann, shown.id, "deny").await;
    assert_eq!(world.answer_of(&question).as_deref(), Some("deny"));
    let after = world.shown(request, "answered: deny").content;
    assert!(after.starts_with(&format!("❓ fullstack-1 wants to use Bash:{block}")), "{after}");
}

#[tokio::test(start_paused = true)]
async fn a_long_question_stands_once_in_the_thread_and_is_short_when_it_comes_again() {
    let mut world = World::of(52).await;
    let (request, _) = world.begins("implement login").await;
    let text = format!("Which of these?\n{}The end of it.", "One line of many words.\n".repeat(150));
    world.asks_as(ID, |spec| spec.question = text).await;
    let all = |world: &World| world.discord.view(|view| view.transcript(request));
    assert_eq!(all(&world).matches("One line").count(), 150);
    let shown = world.shown(request, "The end of it.");
    world.presses_on(world.ann, shown.id, "old").await;
    let after = all(&world);
    assert_eq!(after.matches("One line").count(), 150, "{after}");
    assert_eq!(after.matches("Which of these?").count(), 1);
    let last = world.shown(request, "**ann** answered: old").content;
    assert!(last.ends_with("The end of it.\n✅ **ann** answered: old"), "{last}");

    world.asks_as(ID, |spec| spec.question = format!("And of these? {}", "More words. ".repeat(300))).await;
    sleep(Duration::from_secs(6 * 60)).await;
    let again = world.shown(request, "Still waiting");
    assert!(again.content.chars().count() < 600 && again.controls.contains(&"old".to_owned()), "{again:?}");
    world.presses_on(world.ann, again.id, "new").await;
    let last = world.discord.view(|view| view.message(again.id)).unwrap().content;
    assert!(last.starts_with("❓ And of these?") && last.ends_with("More…\n✅ **ann** answered: new"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn a_review_shows_what_is_to_be_judged_and_what_is_to_change() {
    let mut world = World::of(53).await;
    let (request, task) = world.begins("implement login").await;
    world.hands_in_change(&task).await;
    let card = world.shown(request, "asks for a review");
    for part in [
        "5 files, +5 −5",
        "Login works.",
        "📝 Look at the *locks* first.",
        "src/login.rs · src/session.rs · src/lib.rs · tests/login.rs · … and 1 more",
        "https://forge/acme/shop/pulls/7",
    ] {
        assert!(card.content.contains(part), "{part}: {}", card.content);
    }
    let told = world.fills_in(world.ann, card.id, "Request changes…", "Hold no lock over a `wait`.\n@everyone").await;
    assert!(told.starts_with("✅ Sent back to FullStack"), "{told}");
    let said = world.shown(request, "Hold no lock");
    assert!(said.content.starts_with("✏️ **Changes requested by ann**:\nHold no lock over a `wait`."), "{said:?}");
    assert!(said.pinged.is_empty() && said.content.contains("\\@everyone"), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn tasks_are_told_apart_and_those_that_wait_for_people_come_first() {
    let mut world = World::of(54).await;
    let tester = world.discord.role(world.guild, "test-engineer");
    let text = format!("<@&{}> <@&{tester}> make the login page work for everybody who has forgotten it", world.role);
    world.writes(world.ann, world.channel, &text).await;
    world.takes().await;
    world.hires("tester-1", "test-engineer").await;
    for at in 0..20 {
        world.writes(world.ann, world.channel, &format!("<@&{tester}> work {at}")).await;
    }
    world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let told = world.reads(world.ann, "tasks", &[]).await;
    let lines: Vec<_> = told.lines().collect();
    let title = "make the login page work for everybody who has forgotten it";
    assert!(lines[0].starts_with(&format!("❓ needs an answer · {title} · fullstack-1 · asked <t:")), "{told}");
    assert!(lines[1].starts_with("⏳ queued · work 19 · TestEngineer · asked <t:"), "{told}");
    assert!(lines.len() > 20 && told.chars().count() > 1_000, "{told}");
    assert!(told.chars().count() <= 2_000);
}

#[tokio::test(start_paused = true)]
async fn a_hint_says_what_was_wrong_and_another_mistake_has_another_hint() {
    let world = World::with(55, |settings, _, _| {
        let only = RightsSet::Only([String::from("test-engineer")].into());
        let tester = Grant { can_assign_to: only, can_approve: None, ..super::world::grant() };
        settings.permissions.roles.insert("tester".to_owned(), tester);
    })
    .await;
    let tester = world.discord.role(world.guild, "tester");
    let designers = world.discord.role(world.guild, "Designers");
    let tom = world.discord.member(world.guild, "tom", &[tester]);
    let unknown = world.calls_bot(world.ann, "Fulstack: do it").await;
    assert_eq!(unknown, "Nobody is called Fulstack. Do you mean FullStack?");
    assert_eq!(world.calls_bot(world.ann, "Fulstack: do it now").await, "", "the same is said once a minute");
    let nobody = world.calls_bot(tom, &format!("<@&{designers}> do it")).await;
    assert_eq!(nobody, format!("Nobody is called <@&{designers}>. You may call: TestEngineer."));
    let said = world.writes(world.ann, world.channel, &format!("<@&{}>", world.role)).await;
    assert!(world.replies_to(said)[0].starts_with("Say what is to be done"), "{:?}", world.replies_to(said));
    let no_name = world.calls_bot(world.ann, "do it").await;
    assert!(no_name.starts_with("Say whom you mean") && no_name.contains("You may call: "), "{no_name}");
    let said = world.writes(tom, world.channel, &format!("<@&{}> do it", world.role)).await;
    let no = "⛔ You may not assign tasks to full-stack-engineer. Allowed for you: test-engineer. Who may: developer.";
    assert_eq!(world.replies_to(said), [no]);
    let said = world.writes(world.ann, world.channel, &format!("<@&{designers}> do it")).await;
    assert_eq!(world.replies_to(said), Vec::<String>::new(), "a role that is no agent's is not for the hub");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_done_is_said_without_the_words_of_the_machine() {
    let mut world = World::of(56).await;
    let (request, task) = world.begins("implement login").await;
    world.asks_as(ID, |spec| spec.question = "Old or new?".to_owned()).await;
    let shown = world.shown(request, "Old or new?");
    let mut told = vec![world.presses_on(world.ann, shown.id, "old").await, world.presses_an_old_one(&shown).await];
    assert_eq!(told[1], "⚠️ Already done by you: old, 5 s ago.");
    world.reports(&task, crate::domain::task::ReportKind::Failed, "no key").await.unwrap();
    world.settles().await;
    let failed = world.shown(request, "failed");
    told.push(world.presses_on(world.ann, failed.id, "Retry").await);
    told.push(world.presses_an_old_one(&failed).await);
    world.takes().await;
    world.settles().await;
    told.push(world.presses_an_old_one(&failed).await);
    for (command, given) in [
        ("cancel", [("task", "nonsense")].as_slice()),
        ("answer", [("question", "q_01h2xcejqtf2nbrexx3vqjhpa1"), ("value", "x")].as_slice()),
        ("task", [("agent", "FullStack"), ("prompt", " ")].as_slice()),
    ] {
        told.push(world.reads(world.ann, command, given).await);
    }
    let all = told.join("\n");
    let is_code = |word: &str| {
        word.contains('_')
            || word.contains('`')
            || (word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase()))
    };
    assert!(!all.split_whitespace().any(is_code) && !all.contains(task.as_str()), "{all}");
}
