//! What `reply` does, tried.

use rstest::rstest;

use super::{Reply, own_words};
use crate::ids::{AgentId, QuestionId, SessionId};
use crate::session::question::{QuestionKind, QuestionSpec};
use crate::time::Timestamp;

fn spec(options: &[&str]) -> QuestionSpec {
    QuestionSpec {
        id: QuestionId::parse("q_00000001").unwrap(),
        session_id: SessionId::parse("s_00000001").unwrap(),
        agent_id: AgentId::parse("fullstack-1").unwrap(),
        task_id: None,
        work_item: None,
        kind: QuestionKind::Decision,
        permission: None,
        question: "Shall it go?".to_owned(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        default_action: options.first().map_or("x", |option| *option).to_owned(),
        danger: None,
        allow_free_text: false,
        asked_at: Timestamp(0),
        expires_at: Timestamp(60_000),
        reminders: Vec::new(),
        sanitized: None,
    }
}

const YES_NO: &[&str] = &["Yes", "No"];

#[rstest]
// By name, whatever stands around it.
#[case("Yes", Some(0))]
#[case("  yes\n", Some(0))]
#[case("YES!", Some(0))]
#[case("Yes.", Some(0))]
#[case("**yes**", Some(0))]
#[case("_No_", Some(1))]
#[case("`no`", Some(1))]
#[case("“no”", Some(1))]
#[case("- no", Some(1))]
#[case("```\nyes\n```", Some(0))]
#[case("@callboard yes", Some(0))]
#[case("@call-board[bot], no.", Some(1))]
#[case("yes @callboard", Some(0))]
// By number.
#[case("1", Some(0))]
#[case("2.", Some(1))]
#[case("(2)", Some(1))]
#[case("#2", Some(1))]
#[case("1)", Some(0))]
#[case("**1**", Some(0))]
#[case("1\u{FE0F}\u{20E3}", Some(0))]
#[case("Option 2", Some(1))]
#[case("2. No", Some(1))]
#[case("1: yes!", Some(0))]
// With quotations.
#[case("> Shall it go?\n\nyes", Some(0))]
#[case("> Shall it go?\n> - Yes\n> - No\nno", Some(1))]
#[case("no\n\n> **ann** asks:\n> <!-- callboard:12 -->", Some(1))]
#[case("Yes.\n\nOn Mon, 23 Nov 2026 at 10:00, Ann <ann@example.com> wrote:\n\n> Shall it go?\n>\n> 1. Yes", Some(0))]
#[case("No\n\nOn Mon, Nov 23, 2026 at 10:00 AM callboard[bot]\n<notifications@github.com> wrote:\n> it?", Some(1))]
#[case("yes\n-- \nAnn, Acme Inc.", Some(0))]
#[case("yes\n\nSent from my iPhone", Some(0))]
#[case("yes <!-- callboard:12 -->", Some(0))]
// Talk.
#[case("What? Why? Who asked for that?", None)]
#[case("yes?", None)]
#[case("~~yes~~", None)]
#[case("yes and no", None)]
#[case("Yes, but only on Monday", None)]
#[case("3", None)]
#[case("0", None)]
#[case("-1", None)]
#[case("+1", None)]
#[case("1. No", None)]
#[case("12 minutes", None)]
#[case("> yes", None)]
#[case("@callboard", None)]
#[case("", None)]
#[case("yes\n> no\nno", None)]
fn which_words_name_which_option(#[case] text: &str, #[case] place: Option<usize>) {
    let expected = place.map_or(Reply::Talk, |place| Reply::Option(YES_NO[place].to_owned()));
    assert_eq!(spec(YES_NO).read_reply(text), expected, "{text:?}");
}

#[rstest]
#[case::digits_are_names(&["1 hour", "2 hours"], "2", None)]
#[case::digits_whole(&["3", "1"], "1", Some("1"))]
#[case::digits_no_place(&["3", "5"], "1", None)]
#[case::own_numbers(&["1. Old", "2. New"], "2", Some("2. New"))]
#[case::own_numbers_with_name(&["1. Old", "2. New"], "1: old", Some("1. Old"))]
#[case::own_numbers_elsewhere(&["2. Old", "1. New"], "1", None)]
#[case::amounts(&["2 hours", "1 hour"], "1", None)]
#[case::versions(&["1.5", "2.0"], "1", None)]
#[case::two_alike(&["yes", "Yes!"], "YES.", None)]
#[case::one_to_the_letter(&["yes", "yes!"], "yes!", Some("yes!"))]
#[case::people(&["@ann", "@bob"], "@ann", Some("@ann"))]
#[case::signs(&["*", "**"], "**", Some("**"))]
#[case::languages(&["C", "C++"], "c++", Some("C++"))]
#[case::blanks(&["use the  old one"], "Use the old\none", Some("use the  old one"))]
fn what_fits_two_options_names_neither(#[case] options: &[&str], #[case] text: &str, #[case] found: Option<&str>) {
    let expected = found.map_or(Reply::Talk, |option| Reply::Option(option.to_owned()));
    assert_eq!(spec(options).read_reply(text), expected);
}

#[test]
fn where_any_text_is_allowed_it_is_the_answer_without_what_it_quotes() {
    let words = |text: &str| Reply::Words(text.to_owned());
    let open = spec(&[]);
    assert_eq!(open.read_reply("> Which port?\n\n7420\n"), words("7420"));
    assert_eq!(open.read_reply("@ann knows it"), words("@ann knows it"));
    assert_eq!(open.read_reply("Because:\n> a\nand b"), words("Because:\n> a\nand b"));
    assert_eq!(open.read_reply("Take these:\n> a\n> b"), words("Take these:"));
    assert_eq!(open.read_reply("> Which port?"), Reply::Talk);
    let both = QuestionSpec { allow_free_text: true, ..spec(YES_NO) };
    assert_eq!(both.read_reply("**no**"), Reply::Option("No".to_owned()));
    assert_eq!(both.read_reply("On Monday."), words("On Monday."));
    let long = "x".repeat(60_000);
    assert_eq!(own_words(&long), long);
}
