//! Rounds, verdicts and threads, one story each.

use super::kit::*;
use crate::review::*;
use crate::task::*;

#[test]
fn a_round_is_handed_in_judged_and_handed_in_again() {
    let story = Story::handed_in();
    assert_eq!((story.state(), story.review().rounds.len()), (Some(ReviewState::Open), 1));
    let story = story.then("ada", &changes(vec![comment(1, "rename it"), comment(2, "test it")]));
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::ChangesRequested), TaskStateName::Queued));
    assert_eq!(story.review().rounds[0].verdicts[0].kind, VerdictKind::ChangesRequested);
    assert_eq!(story.review().rounds[0].verdicts[0].by, person());
    let story = story.then("ada", &offer("ann"));
    assert_eq!(story.refuses("ann", &submit("again")), "CHANGES_REQUESTED", "it must have heard the wishes");
    let heard = TaskCommand::Acknowledge { agent: agent("ann"), epoch: None };
    let story = story.then("ann", &heard).then("ann", &submit("again"));
    let rounds: Vec<u32> = story.review().rounds.iter().map(|round| round.number).collect();
    assert_eq!((story.state(), rounds), (Some(ReviewState::Open), vec![1, 2]));
    assert_eq!(story.review().unresolved().count(), 2, "handing in again settles nothing");
}

#[test]
fn an_approval_tells_the_holder_to_merge_and_the_task_stays_open_until_it_has() {
    let mut story = Story::handed_in();
    let decision = story.try_as("ada", &approve(false)).unwrap();
    let told: Vec<(String, String)> =
        decision.notices.into_iter().map(|(who, notice)| (who.to_string(), notice.text)).collect();
    assert_eq!(told, [("ann".to_owned(), "approved: merge and call complete_task (fine)".to_owned())]);
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::Approved), TaskStateName::InReview));
    assert_eq!(story.task.waits_for(), Some(WaitsFor::Completion { agent: agent("ann") }));
    let again = story.clone().try_as("ada", &approve(false)).unwrap();
    assert_eq!(again, TaskDecision::default(), "said twice, it is so already");
    let story = story.then("ann", &report("ann", ReportKind::Completed));
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::Approved), TaskStateName::Completed));
}

#[test]
fn a_role_may_say_that_an_approval_completes() {
    let story = Story::handed_in().then("ada", &approve(true));
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::Approved), TaskStateName::Completed));
}

#[test]
fn an_approval_outlives_its_holder_and_the_next_one_hears_of_it() {
    let gone = TaskCommand::Release { agent: agent("ann"), why: ReturnReason::Evicted };
    let story = Story::handed_in().then("ada", &approve(false)).then("ada", &gone);
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::Approved), TaskStateName::Queued));
    let story = story.then("ada", &offer("bob"));
    let told: Vec<&str> = story.task.news_for(&agent("bob")).iter().map(|comment| comment.text.as_str()).collect();
    assert_eq!(told, ["approved: merge and call complete_task (fine)"]);
    let story = story.then("bob", &report("bob", ReportKind::Completed));
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::Approved), TaskStateName::Completed));
    let moved = TaskCommand::Reassign { target: Target { who: TargetWho::Any, capabilities: [].into() } };
    let story = Story::handed_in().then("ada", &approve(false)).then("ada", &moved);
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::Approved), TaskStateName::Queued));
}

#[test]
fn a_reviewer_may_change_their_mind_and_both_verdicts_stay() {
    let story = Story::handed_in().then("ada", &approve(false)).then("ada", &changes(vec![comment(1, "wait")]));
    let kinds: Vec<VerdictKind> = story.review().rounds[0].verdicts.iter().map(|verdict| verdict.kind).collect();
    assert_eq!(kinds, [VerdictKind::Approved, VerdictKind::ChangesRequested]);
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::ChangesRequested), TaskStateName::Queued));
}

#[test]
fn what_is_taken_back_or_called_off_waits_for_nobody() {
    let back = TaskCommand::TakeBack { agent: agent("ann"), epoch: None };
    let story = Story::handed_in().then("ann", &back);
    assert_eq!((story.state(), story.task.name()), (Some(ReviewState::Withdrawn), TaskStateName::InProgress));
    assert_eq!(story.records.last().unwrap().1, ReviewRecord::Withdrawn { why: Withdrawal::TakenBack });
    let cancel = TaskCommand::Cancel { authority: Authority::Operator, reason: None };
    let story = Story::handed_in().then("ada", &cancel);
    assert_eq!(story.records.last().unwrap().1, ReviewRecord::Withdrawn { why: Withdrawal::Cancelled });
    let story = Story::handed_in().then("ada", &approve(false)).then("ann", &back).then("ada", &cancel);
    assert_eq!(story.state(), Some(ReviewState::Approved), "what was approved stays so");
}

#[test]
fn no_agent_judges_not_even_who_asked_for_the_work() {
    let story = Story::handed_in();
    for command in [approve(false), approve(true), changes(vec![comment(1, "x")]), discuss(comment(1, "x"))] {
        for who in ["ann", "bob"] {
            assert_eq!(story.refuses(who, &command), "NOT_YOURS_TO_JUDGE");
        }
    }
}

#[test]
fn what_must_be_there_is_asked_for() {
    let none = Story::works();
    assert_eq!(none.refuses("ada", &approve(false)), "TASK_WRONG_STATE");
    assert_eq!(none.refuses("ada", &changes(vec![comment(1, "x")])), "TASK_WRONG_STATE");
    assert_eq!(none.refuses("ada", &discuss(comment(1, "x"))), "REVIEW_NOT_FOUND");
    assert_eq!(none.refuses("ada", &resolve(1, None)), "COMMENT_NOT_FOUND");
    let story = Story::handed_in();
    assert_eq!(story.refuses("ada", &changes(Vec::new())), "COMMENT_MISSING");
    assert_eq!(story.refuses("ann", &report("ann", ReportKind::Completed)), "TASK_WRONG_STATE");
    assert_eq!(story.refuses("bob", &resolve(1, None)), "TASK_NOT_FOUND", "to a stranger there is nothing");
    assert_eq!(story.refuses("ada", &resolve(1, None)), "COMMENT_NOT_FOUND");
    let reply = Comment { reply_to: Some(comment_id(9)), ..comment(1, "x") };
    assert_eq!(story.refuses("ada", &discuss(reply)), "COMMENT_NOT_FOUND");
}

#[test]
fn open_comments_are_reason_enough_to_send_it_back() {
    let story = Story::handed_in().then("ada", &discuss(comment(1, "why?"))).then("ada", &changes(Vec::new()));
    assert_eq!(story.state(), Some(ReviewState::ChangesRequested));
}

#[test]
fn a_comment_is_heard_at_once_and_a_thread_is_flat() {
    let mut story = Story::handed_in();
    let decision = story.try_as("ada", &discuss(comment(1, "why?"))).unwrap();
    assert_eq!(decision.notices[0].1.text, "Ada on task `task0001` at `src/login.rs`, line 7: why?");
    let reply = |n, to| Comment { reply_to: Some(comment_id(to)), ..comment(n, "and?") };
    let story = story.then("ada", &discuss(reply(2, 1))).then("ada", &discuss(reply(3, 2)));
    let roots: Vec<_> = story.review().comments.iter().map(|known| known.comment.reply_to.clone()).collect();
    assert_eq!(roots, [None, Some(comment_id(1)), Some(comment_id(1))]);
    assert_eq!(story.review().view().unresolved, 1);
    // Whichever comment of the thread is named, it is the thread that is settled; and once is enough.
    let story = story.then("ann", &resolve(3, Some("renamed")));
    let root = &story.review().comments[0];
    assert_eq!(root.resolved.as_ref().unwrap().response.as_deref(), Some("renamed"));
    assert_eq!(story.review().unresolved().count(), 0);
    assert_eq!(story.clone().then("ann", &resolve(1, Some("renamed"))).review(), story.review());
}

#[test]
fn a_review_holds_so_much_and_no_more() {
    let mut story = Story::handed_in();
    for n in 0..Review::COMMENTS {
        let comment = Comment { id: comment_id(u32::try_from(n).unwrap() + 1), ..comment(1, "x") };
        story = story.then("ada", &discuss(comment));
    }
    assert_eq!(story.refuses("ada", &discuss(comment(70_000, "one more"))), "REVIEW_FULL");
    assert_eq!(story.refuses("ada", &changes(vec![comment(70_000, "one more")])), "REVIEW_FULL");
    let long = "x".repeat(Review::TEXT);
    let story = Story::handed_in().then("ada", &discuss(comment(1, &long)));
    assert_eq!(story.refuses("ada", &discuss(comment(2, "x"))), "REVIEW_FULL");
    assert_eq!(story.refuses("ann", &resolve(1, Some("x"))), "REVIEW_FULL");
    assert_eq!(story.then("ann", &resolve(1, None)).review().unresolved().count(), 0, "it can always be settled");
    let mut story = Story::works();
    for n in 0..Review::ROUNDS {
        story = story.then("ann", &submit(&format!("round {n}")));
    }
    assert_eq!(story.refuses("ann", &submit("one more")), "REVIEW_FULL");
}

#[test]
fn the_same_words_again_are_no_new_round() {
    let story = Story::handed_in().then("ann", &submit("look"));
    assert_eq!(story.review().rounds.len(), 1);
    let story = story.then("ann", &submit("look again"));
    assert_eq!((story.review().rounds.len(), story.state()), (2, Some(ReviewState::Open)));
}
