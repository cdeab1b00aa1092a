//! What a question, a review and lists look like.

use rstest::rstest;
use serde_json::{Value, json};

use super::super::*;
use super::question;
use crate::agent::{AgentView, Availability};
use crate::ids::{AgentId, PrincipalId};
use crate::principal::Surface;
use crate::review::{Change, Round};
use crate::session::question::permission::Permission;
use crate::session::question::{Answerer, QuestionSpec, Resolution, ResolutionType};
use crate::task::KeptText;
use crate::time::Timestamp;

const VIEW: u64 = 1 << 10;

pub(super) fn leave(tool: &str, input: &Value) -> QuestionSpec {
    let permission = Permission::new(tool.to_owned(), String::new(), input, None);
    let question = format!("May it use {tool}?\nsomething\nIn /srv/shop\nBecause: the *build* is old");
    QuestionSpec { question, permission: Some(Box::new(permission)), ..question_of() }
}

fn question_of() -> QuestionSpec {
    question(2, 3, false).spec
}

pub(super) fn resolution(value: &str) -> Resolution {
    let principal = PrincipalId::parse("person:ann").unwrap();
    let by = Answerer { principal, display_name: "Ann".to_owned(), surface: Surface::Page };
    Resolution { kind: ResolutionType::Human, value: value.to_owned(), by, at: Timestamp(7_000) }
}

/// The text outside of all code blocks.
fn outside(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

#[rstest]
#[case::command(json!({"command": "rm -rf *_old `pwd`"}), "```\nrm -rf *_old `pwd`\n```\n")]
#[case::with_more(json!({"command": "ls *", "timeout": 5}), "```\nls *\n\n{\n  \"timeout\": 5\n}\n```\n")]
#[case::change(
    json!({"file_path": "/a_b", "old_string": "*a*\n```", "new_string": "*b*\n```"}),
    "```\n{\n  \"file_path\": \"/a_b\"\n}\n\n\
     --- /a_b\n+++ /a_b\n@@ -1,2 +1,2 @@\n-*a*\n+*b*\n `\u{200b}`\u{200b}`\n```\n"
)]
#[case::other(json!({"file_path": "/a_b_c"}), "```\n{\n  \"file_path\": \"/a_b_c\"\n}\n```\n")]
fn a_call_that_leave_is_asked_for_stands_in_a_block_as_it_is(#[case] input: Value, #[case] block: &str) {
    let (head, body) = question_body(&leave("Bash", &input), usize::MAX);
    assert_eq!(head, "ann wants to use Bash:");
    let sent = outgoing(&format!("<@1> ❓ {head}"), &body, "-# foot");
    assert_eq!(sent.parts.len(), 1);
    let below = format!("ann wants to use Bash:\n{block}In /srv/shop\nBecause: the *build* is old\n-# foot");
    assert!(sent.parts[0].ends_with(&below), "{}", sent.parts[0]);
}

#[rstest]
#[case::fence("a\n```\n@everyone **x**\n```sh\n")]
#[case::long_fence("`````` @everyone")]
#[case::five_ticks("````` @everyone **x**")]
#[case::eight_ticks("a ```````` @everyone")]
#[case::ends_with_a_tick("echo ``")]
fn no_call_breaks_out_of_its_block(#[case] command: &str) {
    let spec = leave("Bash", &json!({"command": command}));
    for most in [usize::MAX, 20, 12] {
        let (head, body) = question_body(&spec, most);
        for part in outgoing(&format!("❓ {head}"), &body, "-# foot").parts {
            assert!(part.matches("```").count().is_multiple_of(2), "{part}");
            assert!(!outside(&part).contains("everyone"), "{part}");
        }
        let shown = outgoing(&format!("❓ {head}"), &body, "-# foot").parts.concat();
        let after = answered(&shown, &resolution("deny"));
        assert!(!outside(&after).contains("everyone") && after.ends_with("\n✅ **Ann** answered: deny"), "{after}");
    }
    let tool = leave("```@everyone", &json!({}));
    assert_eq!(question_body(&tool, usize::MAX).0.matches("```").count(), 0);
}

#[test]
fn a_long_call_is_shown_whole_or_attached_and_says_what_is_not_shown() {
    let spec = leave("Bash", &json!({"command": "echo a_b\n".repeat(400)}));
    let (head, body) = question_body(&spec, usize::MAX);
    let sent = outgoing(&head, &body, "-# foot");
    assert!((2..=3).contains(&sent.parts.len()) && sent.parts.iter().all(|part| part.chars().count() <= 2_000));
    assert_eq!(sent.parts.concat().matches("a_b").count(), 400);
    let spec = leave("Write", &json!({"content": "x_y ".repeat(5_000)}));
    let (head, body) = question_body(&spec, usize::MAX);
    let sent = outgoing(&head, &body, "-# foot");
    assert!(body.contains("more bytes, which are not shown") && sent.file.as_deref() == Some(body.as_str()));
    assert!(sent.parts.len() == 1 && sent.parts[0].matches("```").count() == 2, "{:?}", sent.parts);
}

#[test]
fn an_answer_stands_once_below_its_question_and_pings_nobody() {
    let shown = "<@7> ⏰ Still waiting for you: Which one?\n-# Coder · old if nobody answers";
    let after = answered(shown, &resolution("old"));
    assert_eq!(after, "❓ Which one?\n✅ **Ann** answered: old");
    assert_eq!(answered(&after, &resolution("old")), after, "a repeat changes nothing");
    let long = format!("<@7> ❓ {}\n-# foot", "word ".repeat(360));
    let after = answered(&long, &resolution(&"v".repeat(500)));
    assert!(after.encode_utf16().count() <= 2_000 && after.contains("word…\n✅ **Ann**"), "{after}");
}

#[test]
fn a_review_shows_notes_files_and_links() {
    let mut round = Round {
        number: 1,
        agent: AgentId::parse("ann").unwrap(),
        session: None,
        message: KeptText::inline("done"),
        change: Change::default(),
        notes: Some("Look at the *locks* of @everyone".to_owned()),
        at: Timestamp(7_000),
        verdicts: Vec::new(),
    };
    let file = |name: &str| format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n");
    let diff: String = ["src/a_b_c.rs", "b.rs", "c.rs", "d.rs", "e.rs", "f.rs"].map(file).concat();
    let said = to_review(&round, &diff, &["https://h/pulls/7".to_owned()]);
    let expected = "📝 Look at the *locks* of \\@everyone\n-# src/a\\_b\\_c.rs · b.rs · c.rs · d.rs · … and 2 more\n\
                    https://h/pulls/7";
    assert_eq!(said, expected);
    round.notes = Some("word ".repeat(400));
    let said = to_review(&round, "", &[]);
    assert!(said.ends_with("word…") && said.chars().count() < 620, "{said}");
    round.notes = None;
    assert_eq!(to_review(&round, "", &[]), "");
}

fn agent(id: &str, availability: Availability) -> AgentView {
    let view = json!({"agentId": id, "displayName": id, "availability": availability, "currentTasks": [], "queued": 0,
        "lastSeen": "1970-01-01T00:00:07.000Z", "capabilities": []});
    serde_json::from_value(view).unwrap()
}

#[test]
fn agents_are_in_the_order_in_which_people_count_and_free_ones_come_first() {
    let named = [("fs-10", Availability::Waiting), ("fs-1", Availability::Working), ("FS-2", Availability::Waiting)];
    let more = [("a", Availability::Offline), ("fs-1b", Availability::Waiting), ("fs-1", Availability::Waiting)];
    let mut agents: Vec<_> = named.into_iter().chain(more).map(|(id, state)| agent(id, state)).collect();
    sort_agents(&mut agents);
    let lines: Vec<_> = agents.iter().map(|agent| agent_line(agent, "FullStack")).collect();
    let expected = [
        "🟢 free · fs-1 · FullStack",
        "🟢 free · fs-1b · FullStack",
        "🟢 free · FS-2 · FullStack",
        "🟢 free · fs-10 · FullStack",
        "🔧 at work · fs-1 · FullStack",
        "⚪ away · a · FullStack, last seen <t:7:R>",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_list_says_how_many_are_not_shown_and_fits_into_a_message() {
    let lines = |count, length| (0..count).map(|_| "y".repeat(length)).collect::<Vec<_>>();
    assert_eq!(list(&[], "none"), "none");
    assert_eq!(list(&lines(2, 1), "none"), "y\ny");
    assert!(list(&lines(40, 5), "none").ends_with("\n… and 10 more"));
    let long = list(&lines(40, 300), "none");
    assert!(long.ends_with("\n… and 35 more") && long.chars().count() < 1_800, "{long}");
    // Discord counts UTF-16 units, and each of these is two.
    let wide = list(&vec!["🦀".repeat(100); 12], "none");
    assert!(wide.ends_with("\n… and 4 more") && wide.encode_utf16().count() <= 2_000, "{wide}");
}

#[rstest]
#[case::everybody(VIEW, &[], &[], true)]
#[case::nobody(0, &[], &[], false)]
#[case::by_a_role(0, &[(5, VIEW)], &[], true)]
#[case::by_a_role_of_others(0, &[(6, VIEW)], &[], false)]
#[case::hidden(VIEW, &[(5, VIEW)], &[(1, 0, VIEW)], false)]
#[case::hidden_from_all_but_a_role(VIEW, &[], &[(1, 0, VIEW), (5, VIEW, 0)], true)]
#[case::hidden_from_all_but_others(VIEW, &[], &[(1, 0, VIEW), (6, VIEW, 0), (8, VIEW, 0)], false)]
#[case::hidden_from_the_member(VIEW, &[], &[(5, VIEW, 0), (7, 0, VIEW)], false)]
#[case::shown_to_the_member(VIEW, &[], &[(1, 0, VIEW), (5, 0, VIEW), (7, VIEW, 0)], true)]
#[case::an_administrator(0, &[(5, 8)], &[(1, 0, VIEW), (7, 0, VIEW)], true)]
fn who_sees_a_channel_is_computed_as_discord_does(
    #[case] everybody: u64,
    #[case] roles: &[(u64, u64)],
    #[case] changes: &[(u64, u64, u64)],
    #[case] sees: bool,
) {
    let rights = roles.iter().copied().chain([(1, everybody)]).collect();
    let changes: Vec<_> =
        changes.iter().map(|(whom, allow, deny)| Overwrite { whom: *whom, allow: *allow, deny: *deny }).collect();
    assert_eq!(sees_channel(1, (7, &[5]), &rights, &changes), sees);
}
