//! What is said of a task in each of its states, what can be pressed below it, and what a message brings.

use std::collections::BTreeMap;
use std::sync::Arc;

use rstest::rstest;
use serde_json::{Value, json};

use super::super::text::beginning;
use super::super::*;
use super::question;
use crate::ids::{AgentId, LeaseEpoch, PrincipalId, TaskId};
use crate::principal::Surface;
use crate::samples::{plain_task, plain_terms};
use crate::session::question::{Answerer, Resolution, ResolutionType};
use crate::task::{
    Artifact, ArtifactKind, Attempt, AttemptOutcome, BlockedOn, Lease, Offer, Origin, OriginKind, Progress, Task,
    TaskRecord, TaskSpec, TaskState, TaskStateName,
};
use crate::time::Timestamp;

const NOW: Timestamp = Timestamp(7_000);

pub(super) fn ann() -> AgentId {
    AgentId::parse("ann").unwrap()
}

pub(super) fn task(state: TaskState) -> Task {
    let record = TaskRecord::Created { spec: Arc::new(plain_task("task0001", NOW)), dependencies: BTreeMap::new() };
    Task { state, ..Task::from_created(NOW, &record).unwrap() }
}

fn offer() -> Offer {
    Offer { agent: ann(), epoch: LeaseEpoch(1), terms: plain_terms(), offered_at: NOW, ack_by: NOW }
}

fn lease() -> Lease {
    Lease { agent: ann(), epoch: LeaseEpoch(1), terms: plain_terms(), since: NOW, expires_at: NOW }
}

fn labels(components: &Value) -> Vec<&str> {
    let rows = components.as_array().unwrap().iter();
    rows.flat_map(|row| row["components"].as_array().unwrap()).map(|one| one["label"].as_str().unwrap()).collect()
}

#[rstest]
#[case::queued(
    TaskState::Queued { since: NOW, held_for: None },
    "⏳ queued; nobody is there",
    &["Cancel"],
    "👀",
    "",
    &[],
)]
#[case::offered(TaskState::Assigned { offer: offer() }, "📨 offered to `ann`", &["Cancel"], "👀", "", &[])]
#[case::working(
    TaskState::InProgress { lease: lease() },
    "🔧 `ann` works on it, begun <t:7:R>",
    &["Cancel"],
    "👀",
    "",
    &[],
)]
#[case::waits(
    TaskState::Blocked { on: BlockedOn::Dependencies, since: NOW },
    "⏸ waits for other tasks",
    &["Cancel"],
    "⚠️",
    "",
    &[],
)]
#[case::stuck(
    TaskState::Blocked { on: BlockedOn::DependencyFailed { task: TaskId::parse("task0002").unwrap() }, since: NOW },
    "⚠️ a task that it waits for failed",
    &["Cancel"],
    "⚠️",
    "",
    &[],
)]
#[case::asks(
    TaskState::Blocked {
        on: BlockedOn::Answer { agent: ann(), reason: "Which *port*?".to_owned(), question: None },
        since: NOW,
    },
    "⚠️ `ann` needs an answer",
    &["Cancel"],
    "⚠️",
    "⚠️ Which \\*port\\*?\n-# Coder needs an answer: reply here",
    &[],
)]
#[case::review(
    TaskState::InReview { holder: ann(), since: NOW, approved: false },
    "👀 `ann` handed it in for review",
    &["Cancel"],
    "👀",
    "👀 @Coder asks for a review",
    &["Approve", "Request changes…"],
)]
#[case::approved(
    TaskState::InReview { holder: ann(), since: NOW, approved: true },
    "👍 approved; `ann` completes it",
    &["Cancel"],
    "👀",
    "👀 @Coder asks for a review",
    &[],
)]
#[case::late(
    TaskState::Timeout { since: NOW },
    "⚠️ its time ran out",
    &["Retry", "Cancel"],
    "⚠️",
    "ran out of time",
    &["Retry"],
)]
#[case::done(TaskState::Completed { at: NOW }, "✅ completed <t:7:R>", &[], "✅", "✅ @Coder completed", &[])]
#[case::failed(TaskState::Failed { at: NOW }, "❌ failed <t:7:R>", &[], "❌", "❌ @Coder failed", &["Retry"])]
#[case::cancelled(
    TaskState::Cancelled { at: NOW, reason: Some("no *more*".to_owned()) },
    "🚫 cancelled <t:7:R>",
    &[],
    "⚠️",
    "⚠️ cancelled: no \\*more\\*",
    &[],
)]
#[case::dropped(TaskState::Cancelled { at: NOW, reason: None }, "🚫 cancelled", &[], "⚠️", "⚠️ cancelled", &[])]
#[case::given_up(
    TaskState::DeadLetter { at: NOW, reason: "all ran out".to_owned() },
    "❌ given up <t:7:R>",
    &[],
    "❌",
    "❌ @Coder gave up: all ran out",
    &[],
)]
fn each_state_has_its_words_its_sign_and_its_buttons(
    #[case] state: TaskState,
    #[case] stands: &str,
    #[case] presses: &[&str],
    #[case] sign: &str,
    #[case] line: &str,
    #[case] below: &[&str],
) {
    let task = task(state);
    let waits = (task.state.name() == TaskStateName::Queued).then_some("nobody is there");
    let said = status(&task, "Coder", waits);
    assert!(said.starts_with(&format!("**Coder** · {stands}")), "{said}");
    assert!(said.ends_with("\n-# asked <t:7:R>"), "{said}");
    assert_eq!(labels(&opened(&task)), presses);
    let (its_sign, headline) = headline(&task, "Coder");
    assert!(its_sign == sign && headline.contains(line), "{its_sign} {headline}");
    assert_eq!(headline.is_empty(), line.is_empty(), "what nobody needs to hear is not said");
    assert_eq!(labels(&ended(&task, Some(1))), below);
}

#[test]
fn who_asks_while_at_work_is_not_said_to_work() {
    let said = status(&task(TaskState::InProgress { lease: lease() }), "Coder", Some("needs an answer"));
    assert!(said.starts_with("**Coder** · ❓ `ann` needs an answer\n"), "{said}");
}

#[test]
fn the_last_progress_stands_below_what_is_open_and_not_below_what_is_over() {
    let progress = |percent| Some(Progress { message: "half *way*".to_owned(), phase: None, percent, at: NOW });
    let working = Task { progress: progress(Some(40)), ..task(TaskState::InProgress { lease: lease() }) };
    assert!(status(&working, "Coder", None).ends_with("\n> 40 % · half \\*way\\* (<t:7:R>)"));
    let plain = Task { progress: progress(None), ..task(TaskState::Queued { since: NOW, held_for: None }) };
    assert!(status(&plain, "Coder", None).ends_with("\n> half \\*way\\* (<t:7:R>)"));
    let over = Task { progress: progress(None), ..task(TaskState::Completed { at: NOW }) };
    assert!(!status(&over, "Coder", None).contains("half"));
}

#[rstest]
#[case::pull_request(ArtifactKind::Pr, None, Some("https://h/p/pull/42"), ": PR #42 https://h/p/pull/42")]
#[case::no_number(ArtifactKind::Pr, None, Some("https://h/p/pull/new"), ": https://h/p/pull/new")]
#[case::no_end(ArtifactKind::Pr, None, Some("https://h/p/"), ": https://h/p/")]
#[case::named(ArtifactKind::File, Some("The plan"), Some("https://h/p"), ": The plan https://h/p")]
#[case::address(ArtifactKind::Build, None, Some("https://h/b"), ": https://h/b")]
#[case::title(ArtifactKind::Report, Some("All is well"), None, ": All is well")]
#[case::nothing(ArtifactKind::Other, None, None, "completed")]
fn what_came_out_first_stands_in_the_headline(
    #[case] kind: ArtifactKind,
    #[case] title: Option<&str>,
    #[case] url: Option<&str>,
    #[case] expected: &str,
) {
    let (title, url) = (title.map(str::to_owned), url.map(str::to_owned));
    let attempt = Attempt {
        number: 1,
        agent: ann(),
        epoch: LeaseEpoch(1),
        started_at: NOW,
        ended_at: None,
        outcome: AttemptOutcome::Completed,
        message: None,
        blocked_reason: None,
        diff: None,
        artifacts: vec![Artifact { kind, url, path: None, text: None, title }],
        evidence: None,
    };
    let done = Task { attempts: vec![attempt], ..task(TaskState::Completed { at: NOW }) };
    let (_, said) = headline(&done, "Coder");
    assert!(said.ends_with(expected), "{said}");
}

#[rstest]
#[case(ResolutionType::Human, "✅ **Ann \\*B\\*** answered: new")]
#[case(ResolutionType::Timeout, "⏰ nobody answered in time; the default applies: new")]
#[case(ResolutionType::Cancelled, "🚫 the question was withdrawn")]
#[case(ResolutionType::Superseded, "🚫 nobody needs the answer any more")]
fn how_a_question_ended_is_said(#[case] kind: ResolutionType, #[case] expected: &str) {
    let principal = PrincipalId::parse("person:ann").unwrap();
    let by = Answerer { principal, display_name: "Ann *B*".to_owned(), surface: Surface::Page };
    assert_eq!(resolved_text(&Resolution { kind, value: "new".to_owned(), by, at: NOW }), expected);
}

#[test]
fn a_question_says_what_happens_without_an_answer() {
    let safe = question_foot(&question(2, 3, false), "Coder");
    assert_eq!(safe, "-# Coder · 0oo if nobody answers, <t:60:R> · you, or who may answer Coder");
    let dangerous = question_foot(&question(2, 3, true), "Coder");
    assert_eq!(dangerous, "-# Coder · I wait for you (wanted <t:60:R>) · you, or who may answer Coder");
}

#[test]
fn a_place_is_believed_of_tasks_from_discord_alone() {
    let place = DiscordOrigin { channel: 1, message: 2, author: 3, thread: true, direct: false, written_by: None };
    assert_eq!((place.room(), DiscordOrigin { thread: false, ..place }.room()), (2, 1));
    let context = Some(json!({"discord": place.to_context()}));
    let from = |kind| Origin { kind, id: "3".to_owned(), display_name: "Ann".to_owned() };
    let spec = |kind, context| TaskSpec { from: from(kind), context, ..plain_task("task0001", NOW) };
    assert_eq!(DiscordOrigin::of_task(&spec(OriginKind::Discord, context.clone())), Some(place));
    assert_eq!(DiscordOrigin::of_task(&spec(OriginKind::Agent, context)), None, "an agent could write that");
    for broken in [json!({}), json!({"discord": {"channel": "x"}}), json!({"discord": {"thread": true, "channel": 1}})]
    {
        assert_eq!(DiscordOrigin::of_task(&spec(OriginKind::Discord, Some(broken))), None);
    }
    assert_eq!(DiscordOrigin::of_task(&spec(OriginKind::Discord, None)), None);
    let direct = DiscordOrigin { thread: false, direct: true, ..place };
    let read = DiscordOrigin::of_task(&spec(OriginKind::Discord, Some(json!({"discord": direct.to_context()}))));
    assert_eq!(read, Some(direct));
    for (written_by, goes) in [(None, true), (Some(3), true), (Some(4), false)] {
        let place = DiscordOrigin { written_by, ..place };
        let read = DiscordOrigin::of_task(&spec(OriginKind::Discord, Some(json!({"discord": place.to_context()}))));
        assert_eq!((read, place.goes_with_message()), (Some(place), goes), "a request goes with its author's message");
    }
}

#[test]
fn one_sign_stands_for_all_who_were_called_by_a_message() {
    let done = TaskState::Completed { at: NOW };
    let failed = TaskState::Failed { at: NOW };
    let cancelled = TaskState::Cancelled { at: NOW, reason: None };
    let works = TaskState::InProgress { lease: lease() };
    let late = TaskState::Timeout { since: NOW };
    for (states, sign) in [
        ([&done, &works], "👀"),
        ([&failed, &works], "👀"),
        ([&cancelled, &works], "👀"),
        ([&late, &works], "⚠️"),
        ([&cancelled, &done], "⚠️"),
        ([&failed, &done], "❌"),
        ([&done, &done], "✅"),
    ] {
        assert_eq!(sign_of_all(&states.map(|state| task(state.clone()))), sign, "{states:?}");
    }
}

#[test]
fn a_message_is_read_as_it_came_whatever_is_missing() {
    let reply = json!({
        "id": "10", "channel_id": "20", "guild_id": "30", "type": 19, "content": "<@&7> do it",
        "author": {"id": "40", "username": "ann", "global_name": "Ann"},
        "member": {"nick": "Annie", "roles": ["7", 8, "x"]},
        "mention_roles": ["7"], "mentions": [{"id": "50", "username": "eve"}, {}],
        "attachments": [{"filename": "a.txt", "url": "https://h/a"}],
        "referenced_message": {"id": "9", "author": {"id": "41", "username": "bob"}, "content": "before"},
    });
    let heard = DiscordMessage::read(&reply).unwrap();
    assert_eq!((heard.id, heard.channel, heard.guild), (10, 20, Some(30)));
    assert_eq!(
        (heard.author.name.as_str(), &heard.author.roles[..], heard.author.is_program),
        ("Annie", &[7][..], false)
    );
    assert_eq!((&heard.roles[..], &heard.users[..]), (&[7][..], &[(50, "eve".to_owned())][..]));
    assert_eq!(heard.attachments, [("a.txt".to_owned(), "https://h/a".to_owned())]);
    let to = heard.replied_to.unwrap();
    assert_eq!((to.id, to.author.as_str(), to.text.as_str()), (9, "bob", "before"));

    let forward = json!({
        "id": "10", "channel_id": "20", "author": {"id": "40"},
        "message_snapshots": [{"message": {"content": "what was said"}}],
    });
    let heard = DiscordMessage::read(&forward).unwrap();
    assert!(heard.is_forwarded && heard.text == "what was said" && heard.author.name == "somebody");
    assert_eq!(heard.with_files(), "Forwarded message: what was said");
    let odd = |more: Value| {
        let mut message = json!({"id": "1", "channel_id": "2", "author": {"id": "3"}});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        DiscordMessage::read(&message).unwrap().is_unreadable
    };
    assert!(odd(json!({"sticker_items": [{"id": "1"}]})) && odd(json!({"poll": {}})) && odd(json!({"flags": 8_192})));
    assert!(!odd(json!({"sticker_items": [{"id": "1"}], "content": "hi"})) && !odd(json!({"flags": 4})));
    let program = |author: Value, more: Value| {
        let mut message = json!({"id": "1", "channel_id": "2", "author": author});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        DiscordMessage::read(&message).unwrap().author.is_program
    };
    assert!(program(json!({"id": "1", "bot": true}), json!({})));
    assert!(program(json!({"id": "1", "system": true}), json!({})));
    assert!(program(json!({"id": "1"}), json!({"webhook_id": "5"})));
    assert!(program(json!({"id": "1"}), json!({"type": 7})));
    assert!(!program(json!({"id": "1"}), json!({"webhook_id": null})));
    for broken in [json!({}), json!({"author": {}}), json!({"id": 1, "channel_id": "2", "author": {"id": "3"}})] {
        assert_eq!(DiscordMessage::read(&broken), None);
    }
}

/// Each part is a text of its own: within bounds, with its blocks closed, and nothing of the text is gone.
#[rstest]
#[case::a_block_without_an_end("before\n```rust\nlet a = 1;", 1, false)]
#[case::a_block_in_a_line("say ```a``` and `b`", 1, false)]
#[case::a_block_over_the_cut(&format!("```rust\n{}```\nafter", "let a = 1;\n".repeat(300)), 2, false)]
#[case::a_block_of_one_line_over_the_cut(&format!("```\n{}\n```", "x".repeat(2_500)), 2, false)]
#[case::a_language_that_is_none(&format!("```{}\n{}```", "l".repeat(30), "a\n".repeat(1_200)), 2, false)]
#[case::backticks_at_the_cut(&"`".repeat(2_100), 1, false)]
#[case::signs_that_are_escaped(&"~".repeat(2_000), 3, false)]
#[case::four_bytes(&"🦀".repeat(1_000), 2, false)]
#[case::more_than_three(&"a line of words\n".repeat(600), 1, true)]
#[case::much_code(&format!("```\n{}```", "code\n".repeat(2_000)), 1, true)]
fn a_text_of_any_length_goes_out_whole(#[case] text: &str, #[case] least: usize, #[case] file: bool) {
    let sent = outgoing("head", text, "");
    assert!((least..=3).contains(&sent.parts.len()), "{}", sent.parts.len());
    assert_eq!(sent.file.as_deref(), file.then_some(text));
    for part in &sent.parts {
        assert!(part.encode_utf16().count() <= 2_000, "{}", part.encode_utf16().count());
        assert!(part.contains("```") || !text.contains("```") || file || !part.contains("let a"), "{part}");
    }
    if text.contains("```rust") {
        assert!(sent.parts.iter().all(|part| part.matches("```").count() % 2 == 0), "{:?}", sent.parts);
    }
}

#[test]
fn a_short_quotation_is_one_line_and_says_where_it_was_cut() {
    assert_eq!(quoted("one\n two\tthree", 20), "one two three");
    assert_eq!(quoted("one two three", 7), "one two…");
    assert_eq!(quoted("**bold**", 3), "\\*…", "it is cut as it is sent, and no sign in two");
    assert_eq!(quoted("the login page breaks", 15), "the login page…");
    assert_eq!(quoted("the login page breaks", 17), "the login page…", "no word is cut in two");
    assert_eq!(quoted(&"a".repeat(30), 10), "aaaaaaaaaa…", "unless it is all there is");
    assert_eq!(quoted("🦀🦀🦀", 4), "🦀🦀…", "Discord counts units");
    assert_eq!(beginning("it is `@everyone` **here**", 12), "it is `@ever`…", "code stays code");
    assert_eq!(beginning("say\n```rust\nlet a = 1;\n```", 18), "say\n```rust\nlet a\n```…");
    assert_eq!(beginning("`a` **b**", 20), "`a` **b**");
}

#[test]
fn a_question_of_free_words_can_be_answered_in_words_and_odd_labels_are_shortened() {
    let mut asked = question(2, 3, false);
    asked.spec.allow_free_text = true;
    asked.spec.options = vec![" ".to_owned(), "b".to_owned()];
    assert_eq!(labels(&question_components(&asked)), ["(empty)", "b", "Answer…", "Use default"]);
    asked.spec.options = vec!["x".repeat(101), "b".to_owned()];
    let select = question_components(&asked);
    let first = select[0]["components"][0]["options"][0]["label"].as_str().unwrap();
    assert!(first.chars().count() == 100 && first.ends_with('…'), "{first}");
    asked.spec.options = (0..26).map(|n| n.to_string()).collect();
    asked.spec.allow_free_text = false;
    assert_eq!(labels(&question_components(&asked)), ["Answer…", "Use default"], "more than a select takes");
}
