//! Which status may follow which, and what a task that moves makes of it.

use super::kit::*;
use crate::session::question::QuestionSpec;
use crate::session::{
    Bond, Details, SessionCommand, SessionOutcome, SessionRecord, SessionRefusal, TaskStep, WorkflowStatus,
};

use WorkflowStatus::{AwaitingInput, AwaitingReview, Blocked, Completed, Started, Working};

#[test]
fn only_what_the_diagram_has_may_follow() {
    let allowed = [
        (Started, Working),
        (Working, AwaitingInput),
        (AwaitingInput, Working),
        (Working, Blocked),
        (Blocked, Working),
        (Working, AwaitingReview),
        (AwaitingReview, Working),
        (AwaitingReview, Completed),
        (Working, Completed),
    ];
    for from in WorkflowStatus::ALL {
        for to in WorkflowStatus::ALL {
            assert_eq!(from.may_become(to), from == to || allowed.contains(&(from, to)), "{from} to {to}");
        }
    }
}

#[test]
fn a_refusal_names_what_is_allowed() {
    let story = Story::at_work();
    let refusal = story.decides(&report(Started)).unwrap_err();
    assert_eq!(refusal.code(), "INVALID_TRANSITION");
    let said = refusal.to_string();
    for name in ["`awaiting_input`", "`blocked`", "`awaiting_review`", "`completed`"] {
        assert!(said.contains(name), "{said}");
    }
    let mut done = Story::at_work();
    done.does(&report(Completed)).unwrap();
    let said = done.decides(&report(Blocked)).unwrap_err().to_string();
    assert!(said.contains("`blocked` cannot follow `started`: allowed are `working`, and `started` again"), "{said}");
}

/// What an agent says or asks after the end of a round is about the next one, and moves no task.
#[test]
fn a_question_or_a_status_after_the_end_of_a_round_opens_the_next_one() {
    let block = SessionCommand::Block { reason: "no key".to_owned(), blockers: Vec::new() };
    for (command, status, records) in [
        (report(Working), Working, 2),
        (ask(spec(1)), AwaitingInput, 4),
        (block, Blocked, 3),
        (SessionCommand::OpenRound, Started, 1),
    ] {
        let mut done = Story::at_work();
        done.does(&report(Completed)).unwrap();
        let decision = done.does(&command).unwrap();
        assert_eq!((decision.records.len(), done.status(), decision.of), (records, status, None), "{command:?}");
        assert_eq!(done.session.task, None, "what is said now is not about the task that was completed");
        if let Some(question) = done.session.open_question() {
            assert_eq!(question.spec.task_id, None);
        }
    }
    let mut working = Story::at_work();
    assert_eq!(working.does(&SessionCommand::OpenRound).unwrap().records, [], "the round goes on");
    let mut done = Story::at_work();
    done.does(&report(Completed)).unwrap();
    done.does(&report(Completed)).unwrap();
    assert_eq!((done.status(), done.session.task.is_some()), (Completed, true), "said again it is the same end");
}

#[test]
fn an_answer_is_valid_for_the_task_that_it_was_given_for_and_for_no_other() {
    let mut story = Story::at_work();
    story.does(&ask(spec(1))).unwrap();
    story.does(&answer(1, "old", "ada")).unwrap();
    let again = story.decides(&ask(QuestionSpec { id: question(2), ..spec(1) })).unwrap();
    assert!(matches!(again.outcome, SessionOutcome::Resolved(ref id, _) if *id == question(1)), "{again:?}");
    let next = crate::ids::TaskId::parse("task0002").unwrap();
    story.hears(&SessionRecord::status(Started, "", Bond::Takes { task: next }));
    let anew = story.decides(&ask(QuestionSpec { id: question(2), ..spec(1) })).unwrap();
    assert!(matches!(anew.outcome, SessionOutcome::Open(ref id) if *id == question(2)), "{anew:?}");
}

#[test]
fn awaiting_input_is_reported_only_while_something_is_asked() {
    let mut story = Story::at_work();
    assert_eq!(story.decides(&report(AwaitingInput)), Err(SessionRefusal::UseRequestInput { from: Working }));
    assert!(story.decides(&report(AwaitingInput)).unwrap_err().to_string().starts_with("use request_input"));
    story.does(&ask(spec(1))).unwrap();
    story.does(&report(Working)).unwrap();
    story.does(&report(AwaitingInput)).unwrap();
    assert_eq!(story.status(), AwaitingInput);
}

#[test]
fn the_same_status_again_is_a_new_message_and_moves_no_task() {
    let mut story = Story::at_work();
    story.does(&report(Blocked)).unwrap();
    let again = story.does(&report(Blocked)).unwrap();
    assert_eq!((again.records.len(), again.task), (1, TaskStep::None));
}

#[test]
fn who_begins_by_asking_is_at_work_first() {
    let mut story = Story::opened();
    story.does(&ask(spec(1))).unwrap();
    assert_eq!(story.status(), AwaitingInput);
    let mut story = Story::opened();
    let block = SessionCommand::Block { reason: "no key".to_owned(), blockers: vec!["key".to_owned()] };
    let decision = story.does(&block).unwrap();
    assert_eq!((decision.records.len(), story.status()), (2, Blocked));
    assert_eq!(story.session.standpoint.blockers, ["key"]);
}

#[test]
fn a_session_works_on_one_item_and_moves_nothing_by_saying_which() {
    let link = |name: &str| SessionCommand::Link { work_item: crate::work_item::WorkItem::parse(name).unwrap() };
    let mut story = Story::at_work();
    let before = story.status();
    let decision = story.does(&link("acme/web#12")).unwrap();
    assert_eq!((decision.records.len(), decision.task, story.status()), (1, TaskStep::None, before));
    assert!(story.does(&link("Acme/Web#12")).unwrap().records.is_empty(), "so it is already");
    story.does(&link("KB-7")).unwrap();
    assert_eq!(story.session.work_item.as_ref().map(ToString::to_string).as_deref(), Some("KB-7"));
    story.does(&ask(spec(1))).unwrap();
    let asked = story.session.questions.last().map(|question| question.spec.work_item.clone());
    assert_eq!(asked, Some(story.session.work_item.clone()), "people there are asked");
}

#[test]
fn a_task_that_is_not_followed_moves_nothing() {
    let mut story = Story::at_work();
    let other = crate::ids::TaskId::parse("other001").unwrap();
    let before = story.session.clone();
    story.hears(&SessionRecord::status(Completed, "", Bond::Follows { task: other.clone() }));
    story.hears(&SessionRecord::status(Started, "", Bond::Leaves { task: other }));
    assert_eq!((story.session.standpoint.clone(), story.session.task.clone()), (before.standpoint, before.task));
    assert_eq!(story.session.version, before.version + 2, "records count whatever they say");
}

#[test]
fn a_new_task_opens_the_next_round_and_the_same_one_goes_on() {
    let mut story = Story::at_work();
    assert_eq!(story.session.round, 1);
    story.hears(&SessionRecord::status(Working, "", Bond::Takes { task: task() }));
    assert_eq!((story.session.round, story.status()), (1, Working));
    story.does(&report(Completed)).unwrap();
    let next = crate::ids::TaskId::parse("task0002").unwrap();
    story.hears(&SessionRecord::status(Started, "", Bond::Takes { task: next.clone() }));
    assert_eq!((story.session.round, story.status(), story.session.task.clone()), (2, Started, Some(next)));
}

#[test]
fn progress_reads_as_a_percentage_where_it_is_one() {
    let percent = |text: &str| Details { phase: None, progress: Some(text.to_owned()) }.percent();
    let cases = [("2/5", Some(40)), ("40%", Some(40)), (" 7 ", Some(7)), ("1/0", None), ("half", None), ("200%", None)];
    for (text, expected) in cases {
        assert_eq!(percent(text), expected, "{text}");
    }
}

/// Said again, only the words are new: the task has heard it.
#[test]
fn a_status_moves_the_task_once() {
    for (status, moves) in [
        (Blocked, TaskStep::Block { reason: "so it is".to_owned(), question: None }),
        (AwaitingReview, TaskStep::Submit { message: "so it is".to_owned() }),
        (Completed, TaskStep::Complete { message: "so it is".to_owned() }),
    ] {
        let mut story = Story::at_work();
        assert_eq!(story.does(&report(status)).unwrap().task, moves);
        assert_eq!(story.does(&report(status)).unwrap().task, TaskStep::None, "{status} again");
    }
}

#[test]
fn mark_blocked_again_tells_the_store_nothing_new() {
    let block = |reason: &str| SessionCommand::Block { reason: reason.to_owned(), blockers: vec!["a key".to_owned()] };
    let mut story = Story::at_work();
    let first = story.does(&block("no key")).unwrap();
    assert_eq!(first.task, TaskStep::Block { reason: "no key".to_owned(), question: None });
    assert_eq!(story.session.standpoint.blockers, ["a key"]);
    assert_eq!(story.does(&block("still none")).unwrap().task, TaskStep::None);
    assert_eq!(story.session.standpoint.message, "still none");
}

#[test]
fn a_session_lives_as_its_agent_does() {
    use crate::agent::Availability::{Evicted, Offline, Waiting, Working as Busy};
    use crate::session::Lifecycle::{self, Idle, Running, Stopped};
    let lives = [Waiting, Busy, Offline, Evicted].map(Lifecycle::of);
    assert_eq!(lives, [Idle, Running, Stopped, Stopped]);
}
