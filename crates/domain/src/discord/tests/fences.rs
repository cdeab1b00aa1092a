//! Whatever backticks a text brings, each message that quotes it opens no block that it does not close, and fits.

use rstest::rstest;
use serde_json::json;

use super::super::text::beginning;
use super::super::*;
use super::question;
use super::said::{ann, task};
use super::shown::{leave, resolution};
use crate::agent::{AgentView, Availability};
use crate::review::{Change, Round};
use crate::session::question::Question;
use crate::task::{BlockedOn, KeptText, Progress, Task, TaskState};
use crate::time::Timestamp;

const AT: Timestamp = Timestamp(7_000);
/// The most that Discord takes, in UTF-16 units.
const LONGEST: usize = 2_000;

/// How many backticks begin a text.
fn ticks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// Why Discord would show a block that does not end where the hub ends it: read as Discord reads a message.
fn is_open(message: &str) -> Option<String> {
    let mut rest = message;
    while let Some(at) = rest.find(['\\', '`']) {
        rest = &rest[at..];
        if rest.starts_with('\\') {
            rest = rest.char_indices().nth(2).map_or("", |(at, _)| &rest[at..]);
            continue;
        }
        let (run, behind) = rest.split_at(ticks(rest));
        if run.len() > 3 {
            return Some(format!("{} backticks in a row", run.len()));
        }
        let Some(end) = behind.find(run) else {
            if run.len() == 3 {
                return Some(format!("a block without an end: {behind}"));
            }
            rest = behind;
            continue;
        };
        let (inside, after) = behind.split_at(end);
        if run.len() == 3 && (inside.trim().is_empty() || ticks(after) != 3) {
            return Some(format!("a block of nothing, or with a longer end: {inside:?}"));
        }
        rest = &after[run.len()..];
    }
    None
}

/// Every message that quotes this text, each with its name.
fn messages(text: &str) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let mut says = |kind, parts: Vec<String>| all.extend(parts.into_iter().map(|part| (kind, part)));
    let mut asked: Question = question(2, 3, false);
    asked.spec.question = text.to_owned();
    for (kind, most) in [("a question", usize::MAX), ("a question once more", 300)] {
        let (head, body) = question_body(&asked.spec, most);
        let sent = outgoing(&format!("<@1593540240998400003> ❓ {head}"), &body, &question_foot(&asked, "Coder"));
        says("an answer below it", sent.parts.iter().map(|part| answered(part, &resolution(text))).collect());
        says(kind, sent.parts);
    }
    let mut call = leave("Bash", &json!({"command": text}));
    call.question = format!("May it use Bash?\nit\n{text}");
    let (head, body) = question_body(&call, usize::MAX);
    says("leave", outgoing(&format!("<@1> ❓ {head}"), &body, "-# foot").parts);
    let reason = || text.to_owned();
    let blocked = BlockedOn::Answer { agent: ann(), reason: reason(), question: None };
    let states = [
        TaskState::Blocked { on: blocked, since: AT },
        TaskState::Cancelled { at: AT, reason: Some(reason()) },
        TaskState::DeadLetter { at: AT, reason: reason() },
    ];
    for state in states {
        let (_, head) = headline(&task(state), "Coder");
        says("a report", outgoing(&format!("<@1> {head}"), text, "-# foot").parts);
    }
    let progress = Some(Progress { message: reason(), phase: None, percent: Some(50), at: AT });
    let working = Task { progress, ..task(TaskState::Queued { since: AT, held_for: None }) };
    says("a status", vec![status(&working, "Coder", Some("nobody is there"))]);
    let round = Round {
        number: 1,
        agent: ann(),
        session: None,
        message: KeptText::inline("done"),
        change: Change::default(),
        notes: Some(reason()),
        at: AT,
        verdicts: Vec::new(),
    };
    says("a review", outgoing("<@1> 👀", text, &to_review(&round, "", &[])).parts);
    let view = json!({"agentId": "ann", "displayName": text, "availability": Availability::Waiting,
        "currentTasks": [], "queued": 0, "capabilities": []});
    let agent: AgentView = serde_json::from_value(view).unwrap();
    says("an agent in a list", vec![agent_line(&agent, text)]);
    says("a quotation", vec![quoted(text, 300), quoted(text, 1_500), beginning(text, 600)]);
    let options = format!("write one of: **{}** · **{}**", quoted(text, 80), quoted(text, 1_900));
    says("options", vec![shortened(&options, 1_900)]);
    all
}

#[rstest]
#[case::one_run("`".repeat(1_999))]
#[case::a_longer_run("`".repeat(2_100))]
#[case::a_run_and_words(format!("a {} b", "`".repeat(1_999)))]
#[case::runs_of_three("``` ".repeat(500))]
#[case::runs_of_many("a ```` ``` `` ` ````` ".repeat(90))]
#[case::fences_on_lines("```\n".repeat(501))]
#[case::nothing_within("```\n```\n```rust\nlet a = 1;\n```".to_owned())]
#[case::a_longer_fence("````md\n```rust\nlet a = 1;\n```\n````\nafter".to_owned())]
#[case::a_longer_fence_over_the_cut(format!("````md\n{}````\nafter", "```rust\nlet a = 1;\n```\n".repeat(90)))]
#[case::never_closed("````` and on\n```rust\nlet a".to_owned())]
#[case::ends_with_one("```a `".to_owned())]
#[case::backslashes(format!("{}```a\\```", "\\".repeat(1_801)))]
#[case::backslashes_before_ticks("\\`".repeat(900))]
#[case::inline("`a` ```b``` `c` ".repeat(110))]
#[case::of_two_units("🦀```🦀```".repeat(150))]
fn no_message_is_left_with_a_block_that_does_not_end(#[case] text: String) {
    for (kind, message) in messages(&text) {
        assert_eq!(is_open(&message), None, "{kind}: {message}");
        assert!(message.encode_utf16().count() <= LONGEST, "{kind}: {}", message.encode_utf16().count());
    }
}

/// A fence at each place around every cut that a message makes.
#[test]
fn a_fence_at_a_cut_is_neither_halved_nor_left_open() {
    for cut in [80, 120, 300, 400, 600, 1_500, 1_800, 1_850, 1_900] {
        for before in cut - 30..cut + 10 {
            for fence in ["```", "````", "```` ``` ````", "\n```\n"] {
                let text = format!("{}{fence}let a = `b`;{fence} and more{}", "x".repeat(before), " word".repeat(60));
                for (kind, message) in messages(&text) {
                    assert_eq!(is_open(&message), None, "{kind} {before}: {message}");
                    assert!(message.encode_utf16().count() <= LONGEST, "{kind} {before}");
                }
            }
        }
    }
}

#[rstest]
#[case("```a```", None)]
#[case("```a``` ```b", Some("without an end"))]
#[case("\\`\\`\\` a", None)]
#[case("````a````", Some("in a row"))]
#[case("``````", Some("in a row"))]
#[case("```\n```", Some("of nothing"))]
#[case("`a` `` b", None)]
fn a_message_is_read_as_discord_reads_it(#[case] message: &str, #[case] why: Option<&str>) {
    let found = is_open(message);
    assert_eq!(found.is_some(), why.is_some(), "{found:?}");
    assert!(found.unwrap_or_default().contains(why.unwrap_or_default()));
}

#[test]
fn a_longer_fence_is_one_block_and_keeps_what_stands_in_it() {
    let sent = outgoing("", "````md\n```rust\nlet a = 1;\n```\n````\nafter *that*", "");
    let broken = "`\u{200b}`\u{200b}`";
    assert_eq!(sent.parts, [format!("```md\n{broken}rust\nlet a = 1;\n{broken}\n```\nafter *that*")]);
}
