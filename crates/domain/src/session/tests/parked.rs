//! Overdue questions: parked with their tasks, asked again, and at their end.

use super::kit::*;
use crate::ids::TaskId;
use crate::session::question::{LIMITS, QuestionKind, QuestionSpec, ResolutionType};
use crate::session::{Bond, SessionOutcome, SessionRecord, SessionRefusal, TaskStep, WorkflowStatus};
use crate::session::{Happened, SessionCommand};
use crate::text::shorten;
use crate::time::Timestamp;

use WorkflowStatus::{AwaitingInput, Blocked, Started, Working};

fn other() -> TaskId {
    TaskId::parse("task0002").unwrap()
}

/// A dangerous question is overdue, and its task BLOCKED.
fn overdue() -> Story {
    let mut story = Story::at_work();
    story.does(&ask(dangerous(1))).unwrap();
    let mut story = story.at(later(30 * MINUTE));
    story.does(&SessionCommand::Tick).unwrap();
    story
}

/// And its agent takes other work, as it was told to.
fn elsewhere() -> Story {
    let mut story = overdue();
    story.hears(&SessionRecord::status(Started, "", Bond::Takes { task: other() }));
    story.does(&report(Working)).unwrap();
    story
}

/// A question of its own time.
fn now(story: &Story, spec: QuestionSpec) -> QuestionSpec {
    QuestionSpec { asked_at: story.now, expires_at: Timestamp(story.now.0 + 30 * MINUTE), ..spec }
}

#[test]
fn an_overdue_question_stays_open_while_its_agent_does_something_else() {
    let mut story = elsewhere();
    for minutes in [0, 10, 60 * 24] {
        story.now = later((30 + minutes) * MINUTE);
        assert!(story.does(&SessionCommand::Tick).unwrap().records.is_empty());
    }
    assert!(story.session.question(&question(1)).unwrap().is_overdue());
    assert_eq!((story.session.open_question(), story.session.next_deadline()), (None, None));
}

#[test]
fn a_late_answer_frees_the_task_it_was_asked_for_and_leaves_the_agent_at_its_work() {
    let mut story = elsewhere();
    let decision = story.does(&answer(1, "old", "ada")).unwrap();
    assert!(matches!(decision.outcome, SessionOutcome::Resolved(_, it) if it.kind == ResolutionType::Human));
    assert_eq!(decision.of, Some(task()));
    assert!(matches!(decision.task, TaskStep::Resume { question: id, answer: Some(_) } if id == question(1)));
    assert!(decision.notice.unwrap().text.contains("ada answered"));
    assert_eq!((story.status(), story.session.task.clone()), (Working, Some(other())));
}

#[test]
fn it_holds_no_place_so_that_other_work_may_be_asked_about() {
    let mut story = elsewhere();
    let next = now(&story, spec(2));
    story.does(&ask(next)).unwrap();
    assert_eq!(story.status(), AwaitingInput);
    story.does(&answer(1, "old", "ada")).unwrap();
    assert_eq!(story.status(), AwaitingInput, "it is the other answer that it waits for");
    story.does(&answer(2, "old", "ada")).unwrap();
    assert_eq!(story.status(), Working);
}

#[test]
fn but_while_the_agent_stands_still_for_it_nothing_else_is_asked() {
    let story = overdue();
    let refusal = story.decides(&ask(now(&story, spec(2)))).unwrap_err();
    assert_eq!(refusal, SessionRefusal::QuestionOpen { question: question(1) });
}

#[test]
fn one_that_goes_on_by_itself_is_told_all_the_same() {
    let mut story = overdue();
    story.does(&report(Working)).unwrap();
    assert!(story.session.question(&question(1)).unwrap().is_overdue(), "only a person ends it");
    let decision = story.does(&answer(1, "new", "ada")).unwrap();
    assert_eq!((story.status(), decision.records.len(), decision.notice.is_some()), (Working, 1, true));
}

#[test]
fn an_agent_blocked_for_another_reason_stays_so() {
    let mut story = elsewhere();
    story.does(&report(Blocked)).unwrap();
    story.does(&answer(1, "new", "ada")).unwrap();
    assert_eq!(story.status(), Blocked);
}

#[test]
fn withdrawn_from_elsewhere_it_frees_its_task_for_whoever_takes_it_up() {
    let mut story = elsewhere();
    let decision = story.does(&withdraw(1)).unwrap();
    assert_eq!((decision.of, story.status()), (Some(task()), Working));
    assert!(matches!(decision.task, TaskStep::Resume { answer: Some(said), .. } if said.contains("withdrawn")));
}

#[test]
fn more_overdue_ones_than_people_can_be_asked_are_refused() {
    let mut story = elsewhere();
    for n in 2..=u32::try_from(LIMITS.overdue).unwrap() {
        let next = now(&story, dangerous(n));
        story.does(&ask(next)).unwrap();
        story.now = Timestamp(story.now.0 + 30 * MINUTE);
        story.does(&SessionCommand::Tick).unwrap();
        story.does(&report(Working)).unwrap();
    }
    assert_eq!(story.session.overdue().count(), LIMITS.overdue);
    let refusal = story.decides(&ask(now(&story, dangerous(99)))).unwrap_err();
    assert_eq!((refusal.code(), refusal), ("QUESTION_OPEN", SessionRefusal::TooManyOverdue { question: question(1) }));
    assert!(story.decides(&ask(now(&story, spec(99)))).is_ok(), "one that ends by itself is welcome");
}

#[test]
fn the_open_ones_are_never_forgotten() {
    let mut story = elsewhere();
    for n in 2..40 {
        let next = now(&story, spec(n));
        story.does(&ask(next)).unwrap();
        story.does(&answer(n, "old", "ada")).unwrap();
    }
    assert!(story.session.question(&question(1)).unwrap().is_overdue());
    assert!(story.session.questions.len() < 12, "{}", story.session.questions.len());
}

/// What else a question may say, and whether it is another one then.
fn variants() -> Vec<(&'static str, bool, QuestionSpec)> {
    let it = || QuestionSpec { question: spec(1).question, ..spec(2) };
    let reversed = vec!["new".to_owned(), "old".to_owned()];
    vec![
        ("the same", true, it()),
        ("blank space", true, QuestionSpec { question: "  Which database,\n number 1? ".to_owned(), ..it() }),
        ("more time", true, QuestionSpec { expires_at: later(90 * MINUTE), ..it() }),
        ("another default", false, QuestionSpec { default_action: "old".to_owned(), ..it() }),
        ("another order", false, QuestionSpec { options: reversed, ..it() }),
        ("no options", false, QuestionSpec { options: Vec::new(), ..it() }),
        ("another sort", false, QuestionSpec { kind: QuestionKind::Information, ..it() }),
        ("free text", false, QuestionSpec { allow_free_text: true, ..it() }),
        ("dangerous", false, QuestionSpec { danger: dangerous(2).danger, ..it() }),
    ]
}

#[test]
fn the_same_question_is_known_by_all_that_it_asks() {
    for (what, same, again) in variants() {
        let mut story = Story::at_work();
        story.does(&ask(spec(1))).unwrap();
        let open = story.decides(&ask(again.clone())).map(|decision| decision.outcome);
        let expected = if same {
            Ok(SessionOutcome::Open(question(1)))
        } else {
            Err(SessionRefusal::QuestionOpen { question: question(1) })
        };
        assert_eq!(open, expected, "while it is open: {what}");
        story.does(&answer(1, "old", "ada")).unwrap();
        let outcome = story.decides(&ask(again)).unwrap().outcome;
        let known = matches!(&outcome, SessionOutcome::Resolved(id, it) if *id == question(1) && it.value == "old");
        assert_eq!((known, outcome == SessionOutcome::Open(question(2))), (same, !same), "once answered: {what}");
    }
}

#[test]
fn an_overdue_one_is_known_again_and_not_asked_in_other_ways() {
    let story = elsewhere();
    let again = now(&story, QuestionSpec { question: spec(1).question, ..dangerous(2) });
    assert_eq!(story.decides(&ask(again.clone())).unwrap().outcome, SessionOutcome::Open(question(1)));
    let otherwise = QuestionSpec { danger: None, ..again };
    assert_eq!(story.decides(&ask(otherwise)), Err(SessionRefusal::QuestionOpen { question: question(1) }));
}

#[test]
fn what_nobody_answered_is_asked_anew() {
    let again = || QuestionSpec { question: spec(1).question, ..spec(2) };
    let mut story = Story::at_work();
    story.does(&ask(spec(1))).unwrap();
    story.does(&withdraw(1)).unwrap();
    assert_eq!(story.does(&ask(again())).unwrap().outcome, SessionOutcome::Open(question(2)), "withdrawn");
    let mut story = Story::at_work();
    story.does(&ask(spec(1))).unwrap();
    let by = story.by.clone();
    let known = story.session.question(&question(1)).unwrap().clone();
    let notice = crate::ids::NoticeId::parse("n_00000001").unwrap();
    let (ended, told) = crate::session::lapsed(&known, &super::lapses::closed(), by, notice, story.now);
    assert!(told.text.contains("needs no answer any more"));
    let Happened::Question(record) = ended else { panic!("{ended:?}") };
    story.session.hear(story.now, &record);
    story.does(&report(Working)).unwrap();
    assert_eq!(story.does(&ask(again())).unwrap().outcome, SessionOutcome::Open(question(2)), "superseded");
}

#[test]
fn a_task_hears_what_was_asked_and_not_only_what_was_answered() {
    let mut story = Story::at_work();
    let long = QuestionSpec { question: "why ".repeat(200), ..spec(1) };
    story.does(&ask(long)).unwrap();
    let decision = story.does(&answer(1, "old", "ada")).unwrap();
    let TaskStep::Resume { answer: Some(said), .. } = decision.task else { panic!("{:?}", decision.task) };
    assert!(said.starts_with("old (the answer to `why why") && said.len() < 300, "{said}");
    assert!(said.contains(&shorten("why ".repeat(200).trim(), 200)));
}
