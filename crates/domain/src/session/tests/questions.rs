//! Questions: one resolution, whoever is faster; and what a deadline may do.

use super::kit::*;
use crate::ids::TaskId;
use crate::principal::Surface;
use crate::session::question::{Answerer, LIMITS, QuestionKind, QuestionSpec, ResolutionType};
use crate::session::{Asker, Bond, SessionRecord};
use crate::session::{SessionCommand, SessionOutcome, SessionRefusal, TaskStep, WorkflowStatus};
use crate::task::{GO_ON, STOP};

use WorkflowStatus::{AwaitingInput, Blocked, Working};

/// What the task of a question has to do with its answer.
fn answered(n: u32, value: &str) -> TaskStep {
    let answer = Some(format!("{value} (the answer to `Which database, number {n}?`)"));
    TaskStep::Resume { question: question(n), answer }
}

fn asked(spec: QuestionSpec) -> Story {
    let mut story = Story::at_work();
    story.does(&ask(spec)).unwrap();
    story
}

#[test]
fn a_human_answer_is_the_resolution_and_the_agent_is_told() {
    let mut story = asked(spec(1));
    assert_eq!(story.status(), AwaitingInput);
    let decision = story.does(&answer(1, "old", "ada")).unwrap();
    let resolution = story.session.question(&question(1)).unwrap().resolution().unwrap();
    assert_eq!((resolution.kind, resolution.value.as_str()), (ResolutionType::Human, "old"));
    assert_eq!((resolution.by.display_name.as_str(), resolution.by.surface), ("ada", Surface::Page));
    assert_eq!((story.status(), decision.task), (Working, answered(1, "old")));
    let notice = decision.notice.unwrap();
    assert_eq!((notice.question_id, notice.text.contains("ada answered")), (Some(question(1)), true));
}

#[test]
fn at_the_deadline_the_default_applies_and_the_agent_hears_it_to_the_letter() {
    let mut story = asked(spec(1)).at(later(30 * MINUTE));
    let decision = story.does(&SessionCommand::Tick).unwrap();
    let resolution = story.session.question(&question(1)).unwrap().resolution().unwrap();
    assert_eq!((resolution.kind, resolution.value.as_str()), (ResolutionType::Timeout, "new"));
    assert_eq!((resolution.by.surface, story.status()), (Surface::Timer, Working));
    assert_eq!(decision.notice.unwrap().text, "No response received; proceeding with default: new");
    assert!(story.does(&SessionCommand::Tick).unwrap().records.is_empty(), "once");
}

#[test]
fn before_the_deadline_a_ring_does_nothing() {
    let mut story = asked(QuestionSpec { reminders: Vec::new(), ..spec(1) }).at(later(30 * MINUTE - 1));
    assert!(story.does(&SessionCommand::Tick).unwrap().records.is_empty());
    assert_eq!(story.session.next_deadline().unwrap().at, later(30 * MINUTE));
}

#[test]
fn a_dangerous_default_never_applies_and_people_are_needed() {
    let mut story = asked(dangerous(1)).at(later(30 * MINUTE));
    let decision = story.does(&SessionCommand::Tick).unwrap();
    let known = story.session.question(&question(1)).unwrap();
    assert!(known.is_open() && known.is_overdue());
    assert_eq!(story.status(), Blocked);
    assert!(matches!(decision.task, TaskStep::Block { question: Some(_), .. }));
    assert!(decision.notice.unwrap().text.contains("wait_for_prompt"));
    let mut story = story.at(later(900 * MINUTE));
    assert!(story.session.next_deadline().is_none(), "nothing but a person ends it");
    assert!(story.does(&SessionCommand::Tick).unwrap().records.is_empty());
    let freed = story.does(&answer(1, "old", "ada")).unwrap();
    assert_eq!((story.status(), freed.task), (Working, answered(1, "old")));
}

#[test]
fn a_later_answer_is_kept_and_its_author_is_told_who_won() {
    let mut story = asked(spec(1));
    story.does(&answer(1, "old", "ada")).unwrap();
    let late = story.does(&answer(1, "new", "bob")).unwrap();
    let SessionOutcome::Late(_, first) = late.outcome else { panic!("{late:?}") };
    assert_eq!((first.by.display_name.as_str(), first.value.as_str()), ("ada", "old"));
    assert_eq!(story.session.question(&question(1)).unwrap().view().late_answers.len(), 1);
    for (value, by) in [("new", "bob"), ("old", "bob"), ("old", "ada")] {
        assert_eq!(story.does(&answer(1, value, by)).unwrap().records.len(), 1, "{by} says it once more");
    }
    let kept = story.session.question(&question(1)).unwrap().view().late_answers;
    let said: Vec<(String, String)> = kept.into_iter().map(|late| (late.by.display_name, late.value)).collect();
    let said: Vec<(&str, &str)> = said.iter().map(|(by, value)| (by.as_str(), value.as_str())).collect();
    assert_eq!(said, [("bob", "new"), ("bob", "new"), ("bob", "old"), ("ada", "old")]);
    assert!(late.notice.is_none(), "the agent acts on the first alone");
}

#[test]
fn an_answer_after_the_deadline_is_late_too() {
    let mut story = asked(spec(1)).at(later(30 * MINUTE));
    story.does(&SessionCommand::Tick).unwrap();
    let late = story.does(&answer(1, "old", "ada")).unwrap();
    assert!(matches!(late.outcome, SessionOutcome::Late(_, first) if first.kind == ResolutionType::Timeout));
}

#[test]
fn only_people_answer_not_even_the_asker_nor_the_hub() {
    let story = asked(spec(1));
    let principal = |name: &str| crate::ids::PrincipalId::parse(name).unwrap();
    let by = |name: &str, surface| Answerer { principal: principal(name), display_name: name.to_owned(), surface };
    for surface in Surface::ALL {
        let human =
            matches!(surface, Surface::Discord | Surface::Page | Surface::Cli | Surface::Api | Surface::Tracker);
        for (name, person) in [("person:ada", true), ("agent:ann", false), ("hub", false)] {
            let by = by(name, surface);
            let answer =
                SessionCommand::Answer { question: question(1), value: "old".to_owned(), own_words: false, by };
            let outcome = story.decides(&answer);
            assert_eq!(outcome.is_ok(), human && person, "{name} on {surface:?}");
            if let Err(refusal) = outcome {
                assert_eq!(refusal.code(), "NOT_A_HUMAN");
            }
        }
    }
}

#[test]
fn only_options_are_answers_unless_free_text_is_allowed() {
    let story = asked(spec(1));
    let refusal = story.decides(&answer(1, "both", "ada")).unwrap_err();
    assert_eq!(refusal.code(), "ANSWER_NOT_AN_OPTION");
    assert!(refusal.to_string().contains("`old`, `new`"), "{refusal}");
    assert!(asked(QuestionSpec { allow_free_text: true, ..spec(1) }).decides(&answer(1, "both", "ada")).is_ok());
    let open = QuestionSpec { options: Vec::new(), default_action: "carry on".to_owned(), ..spec(1) };
    assert!(asked(open).decides(&answer(1, "both", "ada")).is_ok());
    assert_eq!(story.decides(&answer(1, " ", "ada")).unwrap_err().code(), "INVALID_ARGUMENTS");
}

#[test]
fn the_same_question_is_one_question() {
    let mut story = asked(spec(1));
    let again = QuestionSpec { question: spec(1).question, ..spec(2) };
    let open = story.does(&ask(again.clone())).unwrap();
    assert_eq!((open.records.len(), open.outcome), (0, SessionOutcome::Open(question(1))));
    story.does(&answer(1, "old", "ada")).unwrap();
    let mut story = story.at(later(10 * MINUTE - 1));
    let resolved = story.does(&ask(again.clone())).unwrap();
    assert!(matches!(resolved.outcome, SessionOutcome::Resolved(id, it) if id == question(1) && it.value == "old"));
    let mut story = story.at(later(10 * MINUTE));
    assert_eq!(
        story
            .does(&ask(QuestionSpec { expires_at: later(40 * MINUTE), asked_at: later(10 * MINUTE), ..again }))
            .unwrap()
            .outcome,
        SessionOutcome::Open(question(2)),
        "ten minutes are over"
    );
}

#[test]
fn a_leave_is_given_for_one_task_and_asked_for_again_for_the_next() {
    for spec in [spec(1), dangerous(1)] {
        let again = QuestionSpec { id: question(2), ..spec.clone() };
        let mut story = asked(spec);
        story.does(&answer(1, "old", "ada")).unwrap();
        let is_given = |story: &mut Story| {
            let outcome = story.does(&ask(again.clone())).unwrap().outcome;
            matches!(outcome, SessionOutcome::Resolved(id, _) if id == question(1))
        };
        assert!(is_given(&mut story), "it is the same task");
        let next = TaskId::parse("task0002").unwrap();
        story.hears(&SessionRecord::status(WorkflowStatus::Started, "", Bond::Takes { task: next }));
        assert!(!is_given(&mut story), "the next task is another");
    }
}

#[test]
fn a_second_question_is_refused_with_the_first_ones_id() {
    let story = asked(spec(1));
    assert_eq!(story.decides(&ask(spec(2))), Err(SessionRefusal::QuestionOpen { question: question(1) }));
}

#[test]
fn a_withdrawn_question_is_cancelled_and_nobody_is_told_of_it() {
    let mut story = asked(spec(1));
    let decision = story.does(&withdraw(1)).unwrap();
    assert!(matches!(decision.outcome, SessionOutcome::Resolved(_, it) if it.kind == ResolutionType::Cancelled));
    assert_eq!((decision.notice, story.status()), (None, Working));
    assert!(story.does(&withdraw(1)).unwrap().records.is_empty());
    let answered = story.does(&answer(1, "old", "ada")).unwrap();
    assert!(matches!(answered.outcome, SessionOutcome::Late(..)));
    assert_eq!(story.decides(&withdraw(9)).unwrap_err().code(), "QUESTION_NOT_FOUND");
}

#[test]
fn people_are_reminded_once_at_each_of_the_moments() {
    let mut story = asked(spec(1));
    let mut told = Vec::new();
    for minute in 0..30 {
        story.now = later(minute * MINUTE);
        for record in of_questions(&story.does(&SessionCommand::Tick).unwrap()) {
            told.push((minute, format!("{record:?}").contains("Reminded")));
        }
    }
    assert_eq!(told, [(15, true), (27, true)]);
    let mut slept = asked(spec(1)).at(later(28 * MINUTE));
    assert_eq!(of_questions(&slept.does(&SessionCommand::Tick).unwrap()).len(), 1, "of two that are due, the last");
    assert!(slept.does(&SessionCommand::Tick).unwrap().records.is_empty());
}

#[test]
fn who_goes_on_meanwhile_hears_the_default_and_stays_at_work() {
    let mut story = asked(spec(1));
    story.does(&report(Working)).unwrap();
    let mut story = story.at(later(30 * MINUTE));
    let decision = story.does(&SessionCommand::Tick).unwrap();
    assert_eq!((story.status(), decision.task, decision.records.len()), (Working, TaskStep::None, 1));
}

#[test]
fn more_late_answers_than_are_kept_are_refused_with_the_one_that_counts() {
    let mut story = asked(spec(1));
    story.does(&answer(1, "old", "ada")).unwrap();
    for _ in 0..LIMITS.late_answers {
        story.does(&answer(1, "new", "bob")).unwrap();
    }
    let refusal = story.decides(&answer(1, "new", "bob")).unwrap_err();
    assert_eq!(refusal.code(), "LATE_ANSWERS_FULL");
    assert!(refusal.to_string().contains("100 answers") && refusal.to_string().contains("ada"), "{refusal}");
}

#[test]
fn an_answer_is_at_most_60_kib() {
    let free = || QuestionSpec { options: Vec::new(), ..spec(1) };
    let refusal = asked(free()).decides(&answer(1, &"x".repeat(60 * 1024 + 1), "ada")).unwrap_err();
    assert_eq!(refusal.code(), "TEXT_TOO_LONG");
    assert!(refusal.to_string().contains("61441 bytes; 61440 is the most"), "{refusal}");
    let mut story = asked(free());
    let long = answer(1, &"x".repeat(60 * 1024), "ada");
    story.does(&long).unwrap();
    // Of such long ones fewer are kept that come after the first: they are part of the session's state.
    (0..4).for_each(|_| drop(story.does(&long).unwrap()));
    assert_eq!(story.decides(&long).unwrap_err().code(), "LATE_ANSWERS_FULL");
}

#[test]
fn what_is_unfit_is_refused_before_anything_happens() {
    let cases: [(&str, QuestionSpec); 9] = [
        ("DEFAULT_NOT_AN_OPTION", QuestionSpec { default_action: "both".to_owned(), ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { question: "x".repeat(5 * 1024), ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { question: " \n".to_owned(), ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { options: (0..21).map(|n| n.to_string()).collect(), ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { options: vec!["x".repeat(257)], ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { options: vec!["a".to_owned(), "a".to_owned()], ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { default_action: String::new(), ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { expires_at: later(2_999), ..spec(1) }),
        ("INVALID_ARGUMENTS", QuestionSpec { expires_at: later(1_440 * MINUTE + 1), ..spec(1) }),
    ];
    for (code, spec) in cases {
        assert_eq!(Story::at_work().decides(&ask(spec.clone())).unwrap_err().code(), code, "{spec:?}");
    }
    let approval = QuestionSpec { kind: QuestionKind::Approval, expires_at: later(3_000), ..spec(1) };
    assert!(Story::at_work().decides(&ask(approval)).is_ok());
}

#[test]
fn an_option_is_taken_whatever_its_case_where_that_names_one_alone_and_own_words_where_a_person_insists() {
    let options = ["Yes, now", "no", "No"].map(str::to_owned).to_vec();
    let spec = QuestionSpec { options, default_action: "no".to_owned(), ..spec(1) };
    let read = |given: &str, own| spec.read_answer(given, own).map_err(|refusal| refusal.code());
    assert_eq!(read("  yes,  NOW ", false), Ok("Yes, now".to_owned()));
    assert_eq!(read("No", false), Ok("No".to_owned()), "to the letter goes before any other");
    assert_eq!(read("NO", false), Err("ANSWER_NOT_AN_OPTION"), "it could be either");
    assert_eq!(read("ask Ada", false), Err("ANSWER_NOT_AN_OPTION"));
    assert_eq!(read("ask Ada", true), Ok("ask Ada".to_owned()));
    assert_eq!(read("yes, now", true), Ok("Yes, now".to_owned()), "own words that are an option are that option");
    let story = asked(spec);
    let own = |value: &str, own_words| SessionCommand::Answer {
        question: question(1),
        value: value.to_owned(),
        own_words,
        by: somebody("ada", Surface::Page),
    };
    let heard = |value: &str, own_words| story.decides(&own(value, own_words)).unwrap().notice.unwrap().text;
    assert!(heard("ask Bob", true).ends_with(" in own words, with none of your options: ask Bob"));
    assert!(
        heard("yes, now", false).ends_with(" answered your question q_00000001: Yes, now"),
        "{}",
        heard("no", false)
    );
}

#[test]
fn a_question_with_which_a_run_ends_leaves_the_rest_to_its_task() {
    use crate::task::{ProcessExit, RunEnd, RunExit};
    let process = ProcessExit { number: 1, code: None, tail: None, usage: None };
    let exit = RunExit { process, reason: RunEnd::Budget, limited: None, question: None, budget: None };
    let run = crate::ids::RunId::parse("run_00000001").unwrap();
    let mut story = Story::at_work();
    let status = story.session.status();
    let asker = Box::new(Asker { spec: spec(1), ends: Some((run.clone(), Box::new(exit.clone()))) });
    let decision = story.does(&SessionCommand::Ask { asker }).unwrap();
    let exit = Box::new(RunExit { question: Some(question(1)), ..exit });
    assert_eq!(decision.task, TaskStep::EndRun { run, exit });
    assert_eq!((decision.records.len(), story.session.status()), (1, status), "the question alone");
}

#[test]
fn a_task_that_used_up_its_budget_goes_on_by_one_word_alone() {
    let spent = || QuestionSpec {
        kind: QuestionKind::Budget,
        options: vec![GO_ON.to_owned(), STOP.to_owned()],
        default_action: STOP.to_owned(),
        ..spec(1)
    };
    let own_words = SessionCommand::Answer {
        question: question(1),
        value: "only if it is quick".to_owned(),
        own_words: true,
        by: somebody("ada", Surface::Page),
    };
    for (does, stops) in [
        (answer(1, GO_ON, "ada"), None),
        (answer(1, STOP, "ada"), Some("ada answered `stop`")),
        (own_words, Some("ada answered `only if it is quick`")),
        (withdraw(1), Some("withdrew it")),
        (SessionCommand::Withdraw { question: question(1), reason: Some(GO_ON.to_owned()) }, Some("withdrew it")),
        (SessionCommand::Tick, Some("its default `stop` applied")),
    ] {
        let mut story = Story::at_work();
        story.does(&ask(spent())).unwrap();
        if matches!(does, SessionCommand::Tick) {
            story.now = later(30 * MINUTE);
        }
        let decision = story.does(&does).unwrap();
        match (decision.task, stops) {
            (TaskStep::Budget { goes_on: true, said, .. }, None) => assert!(said.starts_with("go on"), "{said}"),
            (TaskStep::Budget { goes_on: false, said, .. }, Some(why)) => assert!(said.contains(why), "{said}"),
            (step, _) => panic!("{does:?}: {step:?}"),
        }
    }
}
