//! Discord without Discord: tables.

mod fences;
mod refused;
mod said;
mod shown;

use std::collections::BTreeSet;
use std::time::Duration;

use rstest::rstest;
use serde_json::json;

use super::*;
use crate::ids::{AgentId, QuestionId, RoleId, TaskId};
use crate::permission::Whose;
use crate::routing::Roster;
use crate::session::question::{Question, QuestionKind, QuestionSpec};
use crate::task::RightsSet;
use crate::time::Timestamp;

fn only(names: &[&str]) -> RightsSet {
    RightsSet::Only(names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>())
}

fn of_role(role: &str) -> Whose {
    Whose::Role { role: RoleId::parse(role).unwrap() }
}

/// An entry: what it assigns, what it denies.
fn grant<'a>(entry: &'a str, assign: &'a RightsSet, deny: &'a RightsSet) -> Grant<'a> {
    Grant { entry, assign, answer: None, approve: None, cancel: None, deny }
}

#[test]
fn roles_count_together_and_deny_wins() {
    let (all, test, none) = (RightsSet::All, only(&["test-engineer"]), only(&[]));
    let roles = Grants::Roles(vec![grant("roles.viewer", &none, &none), grant("roles.lead", &all, &test)]);
    let ruling = |whose: &str| roles.decide(Act::Assign, &of_role(whose), false);
    assert_eq!(ruling("full-stack-engineer"), Ruling { allowed: true, rule: "roles.lead.canAssignTo".to_owned() });
    assert_eq!(ruling("test-engineer"), Ruling { allowed: false, rule: "roles.lead.deny".to_owned() });
    // Also for the author of the task.
    assert!(!roles.decide(Act::Cancel, &of_role("test-engineer"), true).allowed);
}

#[test]
fn who_is_not_named_may_nothing_but_what_is_their_own() {
    let nobody = Grants::Roles(Vec::new());
    assert!(!nobody.decide(Act::Assign, &of_role("test-engineer"), true).allowed);
    assert!(!nobody.decide(Act::Answer, &of_role("test-engineer"), false).allowed);
    assert_eq!(nobody.decide(Act::Answer, &of_role("test-engineer"), true).rule, "the author of the task");
    assert_eq!(nobody.assignable(&Roster::default()), only(&[]));
}

#[test]
fn answering_and_cancelling_follow_assigning_unless_they_say_otherwise() {
    let (all, none, agent) = (RightsSet::All, only(&[]), only(&["ann"]));
    let grant = Grant { answer: Some(&agent), cancel: None, ..grant("users.1", &all, &none) };
    let user = Grants::User(grant);
    let ann = Whose::Agent { agent: AgentId::parse("ann").unwrap(), role: None };
    let bob = Whose::Agent { agent: AgentId::parse("bob").unwrap(), role: None };
    assert_eq!(user.decide(Act::Answer, &ann, false).rule, "users.1.canAnswer");
    assert!(!user.decide(Act::Answer, &bob, false).allowed);
    assert_eq!(user.decide(Act::Cancel, &bob, false).rule, "users.1.canAssignTo");
}

#[test]
fn approving_is_a_right_of_its_own_where_merges_need_it() {
    let (all, none, agent) = (RightsSet::All, only(&[]), only(&["ann"]));
    let ann = Whose::Agent { agent: AgentId::parse("ann").unwrap(), role: None };
    let bob = Whose::Agent { agent: AgentId::parse("bob").unwrap(), role: None };
    let (must, need_not) = (Act::Approve { given: true }, Act::Approve { given: false });
    let answers = Grants::User(Grant { answer: Some(&agent), ..grant("users.1", &all, &none) });
    // Neither who may answer nor who asked for the task may approve it.
    assert!(!answers.decide(must, &ann, false).allowed && !answers.decide(must, &ann, true).allowed);
    assert_eq!(answers.decide(need_not, &ann, false).rule, "users.1.canAnswer");
    assert_eq!(answers.decide(need_not, &bob, true).rule, "the author of the task");
    assert!(!answers.decide(need_not, &bob, false).allowed);
    let approves = Grants::Roles(vec![
        grant("roles.lead", &all, &none),
        Grant { approve: Some(&agent), ..grant("roles.reviewer", &none, &none) },
    ]);
    for act in [must, need_not] {
        assert!(approves.decide(act, &ann, false).allowed, "{act:?}");
    }
    assert_eq!(approves.decide(must, &ann, false).rule, "roles.reviewer.canApprove");
    assert!(!approves.decide(must, &bob, false).allowed);
    let denied = Grants::User(Grant { approve: Some(&agent), ..grant("users.1", &all, &agent) });
    assert_eq!(denied.decide(must, &ann, true).rule, "users.1.deny");
}

fn callees(default: Option<&str>) -> Callees {
    let full = "role:full-stack-engineer".to_owned();
    Callees {
        bot: 1,
        by_role: [(10, full.clone()), (11, "role:test-engineer".to_owned())].into(),
        by_name: [("fullstack".to_owned(), full), ("ann".to_owned(), "ann".to_owned())].into(),
        by_default: default.map(str::to_owned),
    }
}

fn says(text: &str) -> DiscordMessage {
    DiscordMessage { id: 5, channel: 6, guild: Some(8), text: text.to_owned(), ..DiscordMessage::default() }
}

fn work(targets: &[&str], text: &str) -> MentionRequest {
    MentionRequest::Work { targets: targets.iter().map(|one| (*one).to_owned()).collect(), text: text.to_owned() }
}

#[rstest]
#[case("<@&10> implement login", work(&["role:full-stack-engineer"], "implement login"))]
#[case("please <@&10>, implement 🎉 login", work(&["role:full-stack-engineer"], "please, implement 🎉 login"))]
#[case("<@&10> <@&11> both <@&10>", work(&["role:full-stack-engineer", "role:test-engineer"], "both"))]
#[case("<@&10>\n```\n<@&11> in code\n```", work(&["role:full-stack-engineer"], "```\n<@&11> in code\n```"))]
#[case("see `<@&10>`", MentionRequest::Nothing)]
#[case("> <@&10> said x\nI agree", MentionRequest::Nothing)]
#[case("I agree\n  > <@&10> said x", MentionRequest::Nothing)]
#[case("> <@&11> said x\n<@&10> do so", work(&["role:full-stack-engineer"], "> <@&11> said x\n do so"))]
#[case("I agree\n>>> he said\n<@&10> do it", MentionRequest::Nothing)]
#[case("><@&10> do it", work(&["role:full-stack-engineer"], "> do it"))]
#[case("<@&99> hello", MentionRequest::Nothing)]
#[case("hello", MentionRequest::Nothing)]
#[case("<@1> FullStack: do X", work(&["role:full-stack-engineer"], "do X"))]
#[case("<@!1> fullstack do X", work(&["role:full-stack-engineer"], "do X"))]
#[case("<@1> ann: ask <@7>", work(&["ann"], "ask <@7>"))]
fn a_message_asks_for_what_it_mentions(#[case] text: &str, #[case] wanted: MentionRequest) {
    assert_eq!(asked(&says(text), &callees(None)), wanted);
}

#[test]
fn without_words_or_a_name_there_is_a_hint_and_a_default_is_meant_without_a_name() {
    for text in ["<@&10>", "<@1> fullstack:", "<@1> do X"] {
        assert!(matches!(asked(&says(text), &callees(None)), MentionRequest::Hint(..)), "{text}");
    }
    assert_eq!(asked(&says("<@1> do: X"), &callees(Some("ann"))), work(&["ann"], "do: X"));
}

#[rstest]
#[case("<@&10>", Hint::NoWords, "role:full-stack-engineer")]
#[case("<@1> do X", Hint::NoName, "do")]
#[case("<@1>", Hint::NoName, "")]
#[case("<@1> Fulstack: do X", Hint::UnknownName, "Fulstack")]
#[case("<@1> The Coder : do X", Hint::UnknownName, "The Coder")]
#[case("<@1> please look at what is here: X", Hint::NoName, "please")]
#[case("<@1> @fulstack do X", Hint::UnknownName, "@fulstack")]
#[case("<@1> <@&99> do X", Hint::UnknownName, "<@&99>")]
fn a_hint_knows_what_is_missing(#[case] text: &str, #[case] hint: Hint, #[case] name: &str) {
    assert_eq!(asked(&says(text), &callees(None)), MentionRequest::Hint(hint, name.to_owned()));
}

#[rstest]
#[case(json!({"nick": "Ada \u{202e}\nL."}), "Ada L.")]
#[case(json!({"nick": "\u{200b}\u{3164} "}), "Ada Lovelace")]
#[case(json!({"nick": null}), "Ada Lovelace")]
fn a_name_is_shown_as_it_is_and_nothing_in_it_hides(#[case] member: serde_json::Value, #[case] name: &str) {
    let user = json!({"id": "7", "username": "ada", "global_name": "Ada Lovelace"});
    assert_eq!(Author::read(&user, Some(&member)).unwrap().name, name);
    let hidden = json!({"id": "7", "username": "ada", "global_name": "\u{2060}"});
    assert_eq!(Author::read(&hidden, None).unwrap().name, "ada");
    let nameless = json!({"id": "7", "username": "\u{200b}"});
    assert_eq!(Author::read(&nameless, None).unwrap().name, "somebody");
}

#[test]
fn a_quotation_is_read_with_the_names_of_whom_it_mentions() {
    let named = with_names("> <@7> said so\n`<@7>` <@7>", |_, _| Some("Ada".to_owned()));
    assert_eq!(named, "> @Ada said so\n`<@7>` @Ada");
}

#[test]
fn programs_forwarded_messages_and_messages_of_the_system_ask_for_nothing() {
    let message = |more: serde_json::Value| {
        let mut message = json!({"id": "5", "channel_id": "6", "guild_id": "8", "type": 0, "content": "<@&10> go",
            "author": {"id": "7", "username": "ada"}, "mention_roles": ["10"]});
        for (key, value) in more.as_object().unwrap() {
            message[key] = value.clone();
        }
        asked(&DiscordMessage::read(&message).unwrap(), &callees(None))
    };
    assert_eq!(message(json!({})), work(&["role:full-stack-engineer"], "go"));
    for no in [
        json!({"author": {"id": "7", "username": "b", "bot": true}}),
        json!({"webhook_id": "8"}),
        json!({"type": 7}),
        json!({"message_snapshots": [{"message": {"content": "<@&10> go"}}]}),
        json!({"message_reference": {"type": 1}}),
    ] {
        assert_eq!(message(no.clone()), MentionRequest::Nothing, "{no}");
    }
    // Without the intent the text is empty, and the role is named all the same: say what works.
    assert_eq!(message(json!({"content": ""})), MentionRequest::Hint(Hint::HiddenText, String::new()));
    // In a direct message nobody needs to mention anybody.
    assert_eq!(message(json!({"guild_id": null, "content": "ann: go"})), work(&["ann"], "go"));
    assert_eq!(message(json!({"guild_id": null, "content": "/task ann go"})), work(&["ann"], "go"));
    assert!(matches!(message(json!({"guild_id": null, "content": "thanks!"})), MentionRequest::Hint(..)));
    assert_eq!(DiscordMessage::read(&json!({"content": "no ids"})), None);
}

#[test]
fn a_long_text_is_three_messages_at_most_and_breaks_no_code_block() {
    let code = format!("```rust\n{}\n```\nafter *that*", "let a = 1;\n".repeat(300));
    let sent = outgoing("head", &code, "");
    assert_eq!((sent.parts.len(), sent.file), (2, None));
    for part in &sent.parts {
        assert!(part.encode_utf16().count() <= PART_LIMIT, "{}", part.len());
        assert_eq!(part.matches("```").count() % 2, 0, "{part}");
    }
    assert!(sent.parts[1].starts_with("```rust\n") && sent.parts[1].ends_with("after *that*"), "{}", sent.parts[1]);
    let long = "🎉x".repeat(5_000);
    let sent = outgoing("head", &long, "");
    assert_eq!(sent.file.as_deref(), Some(long.as_str()));
    assert!(sent.parts.len() == 1 && sent.parts[0].contains("attached"));
    // Something is always said, and nobody is pinged by it.
    assert_eq!(outgoing("", " ", "").parts, ["(nothing)"]);
    assert_eq!(outgoing("a", "@everyone <@1>", "-# z").parts, ["a\n\\@everyone \\<\\@1\\>\n-# z"]);
    let line = outgoing("", &"y".repeat(4_000), "");
    assert!(line.parts.iter().all(|part| part.len() <= PART_LIMIT) && line.parts.concat().len() == 4_000);
}

#[test]
fn a_thread_is_named_for_its_task_within_discords_limit() {
    let task = TaskId::parse("01h2xcejqtf2nbrexx3vqjhpa1").unwrap();
    assert_eq!(thread_name("FullStack", "implement\n login", &task), "FullStack: implement login · hpa1");
    assert_eq!(thread_name("FullStack", &"é".repeat(300), &task).chars().count(), 100);
}

fn question(options: usize, length: usize, dangerous: bool) -> Question {
    let options: Vec<String> = (0..options).map(|n| format!("{n}{}", "o".repeat(length - 1))).collect();
    Question::asked(QuestionSpec {
        work_item: None,
        id: QuestionId::parse("q_01h2xcejqtf2nbrexx3vqjhpa1").unwrap(),
        session_id: crate::ids::SessionId::parse("s_01h2xcejqtf2nbrexx3vqjhpa1").unwrap(),
        agent_id: AgentId::parse("ann").unwrap(),
        task_id: None,
        kind: QuestionKind::Decision,
        permission: None,
        question: "Old or new?".to_owned(),
        default_action: options.first().cloned().unwrap_or_default(),
        options,
        danger: dangerous.then_some(crate::session::question::Danger::Declared),
        allow_free_text: false,
        asked_at: Timestamp(0),
        expires_at: Timestamp(60_000),
        reminders: Vec::new(),
        sanitized: None,
    })
}

#[rstest]
#[case(question(0, 1, false), &["words", "default"])]
#[case(question(2, 80, false), &["option", "option", "default"])]
#[case(question(2, 80, true), &["option", "option"])]
#[case(question(2, 101, false), &["select", "default"])]
#[case(question(25, 10, false), &["select", "default"])]
#[case(question(26, 10, false), &["words", "default"])]
fn a_question_is_answered_with_what_discord_has_room_for(#[case] question: Question, #[case] wanted: &[&str]) {
    let rows = question_components(&question);
    let parts: Vec<_> = rows.as_array().unwrap().iter().flat_map(|row| row["components"].as_array().unwrap()).collect();
    let verbs: Vec<_> = parts.iter().map(|it| it["custom_id"].as_str().unwrap().split(':').nth(1).unwrap()).collect();
    assert_eq!(verbs, wanted);
    for part in parts {
        assert!(part["custom_id"].as_str().unwrap().len() <= 100);
        assert!(part["label"].as_str().is_none_or(|label| label.chars().count() <= 80));
        for option in part["options"].as_array().into_iter().flatten() {
            assert!(option["label"].as_str().unwrap().chars().count() <= 100);
        }
    }
}

#[test]
fn a_press_is_read_as_it_is_written_and_nothing_else_is() {
    let (question, task) = (question(0, 1, false).spec.id, TaskId::parse("01h2xcejqtf2nbrexx3vqjhpa1").unwrap());
    for press in [
        Press::Cancel(task.clone()),
        Press::Retry(task.clone()),
        Press::CancelAnyway(task.clone()),
        Press::Approve(task.clone(), None),
        Press::Approve(task.clone(), Some(2)),
        Press::Changes(task.clone(), None),
        Press::Changes(task.clone(), Some(2)),
        Press::Option(question.clone(), 24),
        Press::OptionAnyway(question.clone(), 24),
        Press::Select(question.clone()),
        Press::Assign(u64::MAX),
        Press::Default(question.clone()),
        Press::Words(question),
    ] {
        assert_eq!(Press::parse(&press.to_string()), Some(press));
    }
    for wrong in [
        "", "cb:", "cb:judged", "cb:approve:a:x", "cb:cancel", "cb:cancel:q!:1", "xx:cancel:a", "cb:option:q_1",
        "cb:option!:q_1", "cb:run:a",
    ] {
        assert_eq!(Press::parse(wrong), None, "{wrong}");
    }
    assert_eq!(Press::parse(&format!("cb:cancel:{task}:1")), None);
}

#[test]
fn identifications_are_counted_over_a_day_and_pauses_grow_while_sessions_end_at_once() {
    let mut taken = Identifies::default();
    for n in 0..IDENTIFIES_A_DAY {
        assert!(taken.take(Timestamp(1_000 + n as u64)));
    }
    let now = Timestamp(10_000);
    assert!(!taken.take(now), "the budget is spent");
    assert_eq!((taken.count(now), taken.next(now)), (IDENTIFIES_A_DAY, Timestamp(1_000 + 86_400_000)));
    assert!(taken.take(Timestamp(1_000 + 86_400_000)), "and has one left a day later");
    let (mut failures, mut pauses) = (0, Vec::new());
    for _ in 0..9 {
        let (after, pause) = reconnect_pause(failures, Duration::from_secs(1), u32::MAX);
        failures = after;
        pauses.push(pause.as_secs_f64().round() as u64);
    }
    assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(reconnect_pause(9, Duration::from_secs(60), u32::MAX), (0, Duration::ZERO));
    assert_eq!(reconnect_pause(9, Duration::ZERO, 0).1, Duration::ZERO, "the pause is a share by chance");
}
