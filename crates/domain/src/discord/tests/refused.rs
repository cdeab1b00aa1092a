//! What Discord refuses, and what was decided about rights, in words for people.

use rstest::rstest;
use serde_json::json;

use super::super::*;
use super::question;
use crate::time::Timestamp;

#[rstest]
#[case(50_007, "this person takes no direct messages")]
#[case(40_060, "run one hub for each token")]
#[case(10_062, "older than the three seconds")]
#[case(50_013, "`callboard doctor discord` names it")]
fn a_known_code_says_what_to_do_and_discords_own_words_follow(#[case] code: u64, #[case] words: &str) {
    let said = refusal(&json!({"code": code, "message": "As Discord says"}));
    assert!(said.contains(words) && said.ends_with("(Discord: As Discord says)"), "{said}");
}

#[test]
fn each_place_of_a_body_that_does_not_fit_is_named_by_its_path() {
    let wrong = |words: &str| json!({"_errors": [{"code": "X", "message": words}]});
    let errors = json!({"components": {"0": {"label": wrong("Too long.")}}, "content": wrong("Too short.")});
    let said = refusal(&json!({"code": 50_035, "message": "Invalid Form Body", "errors": errors}));
    assert_eq!(
        said,
        "a part of what was sent does not fit (Discord: Invalid Form Body; components.0.label: Too long.; content: Too \
         short.)"
    );
    assert_eq!(refusal(&json!({"code": 7, "message": "New"})), "New");
    assert_eq!(refusal(&json!("<html>")), "no reason is given");
    assert!(refusal(&json!({"message": "x".repeat(5_000)})).len() <= 600);
}

#[test]
fn a_decision_is_one_line_that_names_who_what_and_the_rule() {
    let no = Decision {
        number: 7,
        action: "discord.assign",
        allowed: false,
        who: "discord:5",
        target: "role:test-engineer",
        rule: "no entry allows it",
    };
    assert_eq!(no.line(), "⛔ <@5> may not assign: role:test-engineer (no entry allows it) · line 7");
    let yes = Decision { allowed: true, who: "person:@everyone", rule: "users.5.canAssignTo", ..no };
    assert!(yes.line().starts_with("✅ person:\\@everyone may assign: "), "{}", yes.line());
    assert!(Decision { who: "discord:5> @everyone", ..no }.line().contains("\\@everyone"));
}

#[test]
fn options_that_no_label_shows_whole_stand_numbered_below_the_question() {
    let long = question(3, 101, false);
    let (_, body) = question_body(&long.spec, usize::MAX);
    let first = &long.spec.options[0];
    assert!(body.starts_with("Old or new?\n\n1. 0oo") && body.contains(first), "{body}");
    let select = &question_components(&long)[0]["components"][0];
    let label = select["options"][2]["label"].as_str().unwrap();
    assert!(label.starts_with("3. 2oo") && label.ends_with('…') && label.chars().count() == 100, "{label}");
    for short in [question(4, 80, false), question(20, 99, false), question(0, 1, false)] {
        assert_eq!(question_body(&short.spec, usize::MAX), (String::new(), "Old or new?".to_owned()));
    }
    assert!(question_body(&question(4, 81, false).spec, usize::MAX).1.contains("\n4. "), "a button shows 80");
}

#[test]
fn an_id_says_when_it_was_made() {
    assert_eq!(written_at(0), Timestamp(1_420_070_400_000));
    assert_eq!(written_at((5_000 << 22) | 17), Timestamp(1_420_070_405_000));
}
