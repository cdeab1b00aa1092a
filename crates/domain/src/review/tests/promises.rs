//! Each promise about reviews is shown one that breaks it; and what a review says of itself.

use super::kit::*;
use crate::invariants::{Broken, r1_words_are_kept};
use crate::review::*;
use crate::task::TaskCommand;

/// A review with a comment that is settled, and a verdict.
fn full() -> Review {
    let mut story = Story::handed_in();
    let wish = story.comment("rename it");
    let story = story.then("ada", &changes(vec![wish])).then("ada", &resolve(1, Some("done")));
    story.review().clone()
}

fn lost(outcome: Result<(), Broken>) {
    let broken = outcome.expect_err("it should have been broken");
    assert_eq!(broken.name, "R1 words-are-kept");
    assert!(broken.what.contains("`task0001`"), "{broken}");
}

#[test]
fn whatever_a_review_lost_is_seen() {
    let before = full();
    assert_eq!(r1_words_are_kept(&before, &before), Ok(()));
    for spoil in [
        |review: &mut Review| review.rounds.clear(),
        |review: &mut Review| review.rounds[0].number = 9,
        |review: &mut Review| review.rounds[0].agent = agent("bob"),
        |review: &mut Review| review.rounds[0].change = Change::default(),
        |review: &mut Review| review.rounds[0].verdicts.clear(),
        |review: &mut Review| review.comments.clear(),
        |review: &mut Review| review.comments[0].comment.text = "another".to_owned(),
        |review: &mut Review| review.comments[0].resolved = None,
    ] {
        let mut after = before.clone();
        spoil(&mut after);
        lost(r1_words_are_kept(&before, &after));
    }
    // That it was taken back is added to a verdict, and stays with it.
    let mut back = before.clone();
    back.rounds[0].verdicts[0].taken_back = Some(crate::time::Timestamp(1));
    assert_eq!(r1_words_are_kept(&before, &back), Ok(()));
    lost(r1_words_are_kept(&back, &before));
}

#[test]
fn a_review_that_does_not_follow_its_task_is_seen() {
    let (works, waits) = (Story::works(), Story::handed_in());
    assert_eq!(review_stands(&works.task, None), Ok(()));
    let missing = review_stands(&waits.task, None).unwrap_err();
    assert_eq!(missing.name, "R2 review-follows-task");
    assert_eq!(missing.what, "task `task0001` is IN_REVIEW and its review is missing");
    let open = review_stands(&works.task, Some(waits.review())).unwrap_err();
    assert_eq!(open.what, "task `task0001` is IN_PROGRESS and its review is open");
}

#[test]
fn a_state_is_read_as_it_is_written() {
    for state in ReviewState::ALL {
        assert_eq!(ReviewState::parse(state.as_str()), Some(state));
        assert_eq!(serde_json::to_value(state).unwrap(), state.to_string());
    }
    assert_eq!(ReviewState::parse("Open"), None);
}

#[test]
fn each_refusal_has_its_code() {
    let name = || "task0001".to_owned();
    let table = [
        (ReviewRefusal::NoReview { task: name() }, "REVIEW_NOT_FOUND"),
        (ReviewRefusal::CommentNotFound { comment: "c_00000001".to_owned() }, "COMMENT_NOT_FOUND"),
        (ReviewRefusal::Full { task: name() }, "REVIEW_FULL"),
        (ReviewRefusal::HandedInAgain { task: name(), seen: 1, newest: 2 }, "REVIEW_CHANGED"),
        (ReviewRefusal::NothingToReview, "NOTHING_TO_REVIEW"),
        (ReviewRefusal::NoWish, "COMMENT_MISSING"),
    ];
    for (refusal, code) in table {
        assert_eq!(refusal.code(), code);
        assert!(refusal.to_string().contains('`'), "{refusal}");
    }
}

#[test]
fn a_review_begins_with_what_is_handed_in_and_with_nothing_else() {
    let withdrawn = ReviewRecord::Withdrawn { why: Withdrawal::Cancelled };
    assert_eq!(Review::from_submitted(full().task, DAWN, &withdrawn), None);
    let mut story = Story::handed_in();
    assert!(story.try_as("ann", &TaskCommand::TakeBack { agent: agent("ann"), epoch: None }).is_ok());
    assert_eq!(story.state(), Some(ReviewState::Withdrawn));
}

#[test]
fn a_verdict_on_nothing_is_none_and_a_change_to_nobody_too() {
    let story = Story::handed_in();
    let decided = |command: &TaskCommand| story.task.decide(story.now, command, &cause("ada")).unwrap();
    let without = |command: &TaskCommand| {
        let decision = decided(command);
        follow(None, story.now, command, &cause("ada"), &decision, &story.task).unwrap()
    };
    assert_eq!(without(&approve(true)), []);
    assert_eq!(without(&changes(vec![comment(1, "rename it")])), []);
}

#[test]
fn a_thread_is_settled_once_and_again_only_with_other_words() {
    let mut story = Story::handed_in();
    let wish = story.comment("rename it");
    let mut story = story.then("ada", &changes(vec![wish])).then("ada", &resolve(1, Some("done")));
    let before = story.records.len();
    for same in [resolve(1, None), resolve(1, Some("done"))] {
        story.try_as("ada", &same).unwrap();
        assert_eq!(story.records.len(), before, "{same:?}");
    }
    story.try_as("ada", &resolve(1, Some("done anew"))).unwrap();
    assert_eq!(story.records.len(), before + 1);
}

/// `apply` cannot fail, whatever it is given.
#[test]
fn a_record_of_what_is_not_there_changes_nothing() {
    let mut review = full();
    let unknown = ReviewRecord::Resolved { comment: comment_id(77), by: person(), response: None };
    review.apply(full().updated_at, &unknown);
    assert_eq!(review, full());
    review.rounds.clear();
    let verdict = full().rounds[0].verdicts[0].clone();
    review.apply(full().updated_at, &ReviewRecord::Approved { verdict });
    assert_eq!((review.rounds.len(), review.state), (0, ReviewState::Approved));
}
