//! Leave for one call of a tool: given by people alone, taken once, and never by silence.

use rstest::rstest;

use super::kit::*;
use crate::ids::TaskId;
use crate::session::question::permission::{ALLOW_FOR_TASK, ALLOW_ONCE, DENY, Permission};
use crate::session::question::{QuestionKind, QuestionSpec, ResolutionType};
use crate::session::{Bond, SessionCommand, SessionOutcome, SessionRecord, SessionRefusal, TaskStep, WorkflowStatus};

fn leave(n: u32, digest: &str) -> QuestionSpec {
    let permission = Permission::new("Bash".to_owned(), digest.to_owned(), &"cargo test".into(), None);
    QuestionSpec {
        kind: QuestionKind::Permission,
        permission: Some(Box::new(permission)),
        question: "May it run `cargo test`?".to_owned(),
        options: [ALLOW_ONCE, ALLOW_FOR_TASK, DENY].map(str::to_owned).to_vec(),
        default_action: DENY.to_owned(),
        ..spec(n)
    }
}

fn takes(n: u32) -> SessionCommand {
    SessionCommand::Use { question: question(n) }
}

fn answered(value: &str) -> Story {
    let mut story = Story::at_work();
    story.does(&ask(leave(1, "d1"))).unwrap();
    let decision = story.does(&answer(1, value, "ada")).unwrap();
    assert_eq!(decision.task, TaskStep::Resume { question: question(1), answer: None }, "nobody else hears of it");
    assert_eq!(decision.notice, None);
    story
}

/// What the session says to a call that asks: the question that it waits for, or that has its answer.
fn asked(story: &mut Story, n: u32, digest: &str) -> (u32, bool) {
    let decision = story.does(&ask(leave(n, digest))).unwrap();
    let (id, open) = match decision.outcome {
        SessionOutcome::Open(id) => (id, true),
        SessionOutcome::Resolved(id, _) => (id, false),
        other @ (SessionOutcome::Done | SessionOutcome::Late(..) | SessionOutcome::Pull(_)) => panic!("{other:?}"),
    };
    ((1..9).find(|n| question(*n) == id).unwrap(), open)
}

#[rstest]
#[case::once(ALLOW_ONCE, true)]
#[case::denied(DENY, false)]
fn what_is_said_once_is_taken_by_one_call(#[case] value: &str, #[case] allows: bool) {
    let mut story = answered(value);
    assert_eq!(asked(&mut story, 2, "d1"), (1, false), "a call whose wait was lost finds its answer");
    let taken = story.does(&takes(1)).unwrap();
    let SessionOutcome::Resolved(_, resolution) = taken.outcome else { panic!("{taken:?}") };
    assert_eq!(resolution.allows(), allows);
    let again = story.decides(&takes(1)).unwrap_err();
    assert!(matches!(again, SessionRefusal::AlreadyResolved { .. }), "{again}");
    assert_eq!(asked(&mut story, 2, "d1"), (2, true), "the next call is asked anew");
}

#[test]
fn leave_for_the_task_is_for_the_same_call_as_often_as_that_task_makes_it() {
    let mut story = answered(ALLOW_FOR_TASK);
    for _ in 0..3 {
        assert_eq!(asked(&mut story, 2, "d1"), (1, false));
        story.does(&takes(1)).unwrap();
    }
    assert_eq!(asked(&mut story, 3, "d2"), (3, true), "other arguments are another call");
    story.does(&answer(3, DENY, "ada")).unwrap();
    let next = TaskId::parse("task0002").unwrap();
    story.hears(&SessionRecord::status(WorkflowStatus::Started, "", Bond::Takes { task: next }));
    assert!(matches!(story.decides(&takes(1)).unwrap_err(), SessionRefusal::AlreadyResolved { .. }));
    assert_eq!(asked(&mut story, 4, "d1"), (4, true), "and another task another");
}

#[test]
fn leave_for_the_task_outlives_what_is_asked_after_it() {
    let mut story = answered(ALLOW_FOR_TASK);
    for n in 2..40 {
        story.does(&ask(spec(n))).unwrap();
        story.does(&answer(n, "old", "ada")).unwrap();
    }
    assert_eq!(asked(&mut story, 50, "d1"), (1, false));
    assert!(story.session.questions.len() < 12, "the others are forgotten");
}

#[test]
fn leave_without_a_task_is_for_one_call_and_a_question_with_such_an_option_is_no_leave() {
    let mut story = Story::opened();
    story.does(&ask(leave(1, "d1"))).unwrap();
    story.does(&answer(1, ALLOW_FOR_TASK, "ada")).unwrap();
    story.does(&takes(1)).unwrap();
    assert!(matches!(story.decides(&takes(1)).unwrap_err(), SessionRefusal::AlreadyResolved { .. }));
    let mut story = Story::at_work();
    let options = vec![ALLOW_FOR_TASK.to_owned(), DENY.to_owned()];
    story.does(&ask(QuestionSpec { options, default_action: DENY.to_owned(), ..spec(2) })).unwrap();
    story.does(&answer(2, ALLOW_FOR_TASK, "ada")).unwrap();
    let task = story.session.task.clone();
    assert!(!story.session.question(&question(2)).unwrap().is_leave_for(task.as_ref()));
}

#[test]
fn silence_denies() {
    let mut story = Story::at_work();
    story.does(&ask(leave(1, "d1"))).unwrap();
    let mut story = story.at(later(30 * MINUTE));
    story.does(&SessionCommand::Tick).unwrap();
    let resolution = story.session.question(&question(1)).unwrap().resolution().unwrap().clone();
    assert_eq!((resolution.kind, resolution.value.as_str()), (ResolutionType::Timeout, DENY));
    assert!(!resolution.allows());
    story.does(&takes(1)).unwrap();
}

#[test]
fn own_words_are_no_leave() {
    let mut story = Story::at_work();
    story.does(&ask(leave(1, "d1"))).unwrap();
    let said = story.decides(&answer(1, "yes, allow once please", "ada"));
    assert!(said.is_err(), "a sentence is none of the options");
    let SessionCommand::Answer { question, by, .. } = answer(1, "", "ada") else { panic!() };
    let value = "allow once, but not there".to_owned();
    story.does(&SessionCommand::Answer { question: question.clone(), value, own_words: true, by }).unwrap();
    assert!(!story.session.question(&question).unwrap().resolution().unwrap().allows());
}

#[test]
fn leave_that_is_not_given_cannot_be_taken_and_a_question_is_no_leave() {
    let mut story = Story::at_work();
    story.does(&ask(leave(1, "d1"))).unwrap();
    assert!(matches!(story.decides(&takes(1)).unwrap_err(), SessionRefusal::QuestionOpen { .. }));
    story.does(&answer(1, DENY, "ada")).unwrap();
    story.does(&ask(spec(2))).unwrap();
    story.does(&answer(2, "old", "ada")).unwrap();
    assert!(story.decides(&takes(2)).is_err());
}

#[test]
fn what_is_shown_has_no_secrets_and_an_end() {
    let secret =
        format!("curl -H 'Authorization: Bearer {}' {}", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "x".repeat(9_000));
    let shown = Permission::new("Bash".to_owned(), "d".to_owned(), &secret.into(), None);
    assert!(!shown.input.contains("ghp_0123456789"), "{}", shown.input);
    assert!(shown.input.len() <= 8 * 1024 && shown.hidden > 800, "{}", shown.hidden);
}

/// Whatever the default is: by the words of the question and of the answer itself.
#[rstest]
#[case("Delete the production database now?", &["yes", "no"], "no", &["yes"])]
#[case("Delete the production database now?", &["yes", "no"], "yes", &["yes"])]
#[case("How do we go on?", &["rm -rf /", "no"], "no", &["rm -rf /"])]
#[case("What comes next?", &["Wait", "Drop all tables"], "Drop all tables", &["Drop all tables"])]
#[case("What comes next?", &["Wait", "Drop all tables"], "Wait", &["Drop all tables"])]
#[case("How is it sent?", &["git push --force", "keep it here"], "keep it here", &["git push --force"])]
#[case("Which port?", &["80", "443"], "80", &[])]
fn a_press_on_what_may_destroy_is_told_from_one_that_leaves_things_as_they_are(
    #[case] question: &str,
    #[case] options: &[&str],
    #[case] default: &str,
    #[case] destroy: &[&str],
) {
    let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
    let spec = QuestionSpec { question: question.to_owned(), default_action: default.to_owned(), options, ..spec(1) };
    let found: Vec<&String> = spec.options.iter().filter(|option| spec.may_destroy(option)).collect();
    assert_eq!(found, destroy);
    let declared = QuestionSpec { question: "Which port?".to_owned(), ..dangerous(1) };
    assert!(declared.may_destroy("old") && !declared.may_destroy("no"), "its agent says so");
}
