//! What a reviewer wants is heard before work on it ends.

use super::kit::*;
use crate::ids::LeaseEpoch;
use crate::task::*;
use TaskStateName::{Assigned, Completed, InProgress, InReview, Queued};

/// A wish as a door makes it.
fn wish(text: &str) -> Comment {
    Comment {
        kind: CommentKind::Review,
        file: Some("src/login.rs".to_owned()),
        line: Some(3),
        at: crate::time::Timestamp(u64::MAX / 2),
        ..comment("ada", text)
    }
}

/// Handed in by `ann`, and sent back.
fn sent_back() -> Story {
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::submit("ann"));
    story.then(TaskCommand::RequestChanges { comments: vec![wish("rename it")], round: None })
}

fn other_submission() -> TaskCommand {
    let TaskCommand::SubmitForReview { agent, epoch, diff, artifacts, submission, .. } = say::submit("ann") else {
        panic!("it is one")
    };
    let message = KeptText::inline("look once more");
    TaskCommand::SubmitForReview { agent, epoch, message, diff, artifacts, submission }
}

#[test]
fn before_it_is_offered_nothing_of_its_last_holder_counts_and_the_refusal_has_the_wishes() {
    let story = sent_back();
    for word in [
        say::tell("ann", ReportKind::Completed),
        say::tell_of("ann", 1, ReportKind::Completed),
        say::tell("ann", progress()),
        say::tell("ann", blocked("how?")),
        say::tell("ann", ReportKind::Failed),
        say::ack("ann"),
        other_submission(),
    ] {
        let refusal = story.refuses(&word);
        assert_eq!(refusal.code(), "CHANGES_REQUESTED", "{word:?}");
        assert!(refusal.to_string().contains("`src/login.rs`, line 3: rename it"), "{refusal}");
    }
    assert_eq!(story.state(), Queued);
}

#[test]
fn once_offered_it_ends_for_who_names_the_offer_or_acknowledged_it() {
    let offered = || sent_back().then(say::offer("ann"));
    for word in [say::tell("ann", ReportKind::Completed), other_submission()] {
        let refusal = offered().refuses(&word);
        assert!(matches!(refusal, TaskRefusal::ChangesRequested { offer: Some(LeaseEpoch(2)), .. }), "{refusal:?}");
    }
    assert_eq!(offered().refuses(&say::tell_of("ann", 1, ReportKind::Completed)).code(), "LEASE_LOST");
    assert_eq!(offered().state(), Assigned);
    assert_eq!(offered().then(say::tell_of("ann", 2, ReportKind::Completed)).state(), Completed);
    for heard in [say::ack("ann"), say::ack_of("ann", 2), say::tell("ann", progress())] {
        let story = offered().then(heard);
        assert_eq!(story.clone().then(say::tell("ann", ReportKind::Completed)).state(), Completed);
        assert_eq!(story.then(other_submission()).state(), InReview);
    }
}

#[test]
fn an_offer_that_lapsed_was_heard_by_who_names_it() {
    let lapsed = || sent_back().then(say::offer("ann")).later(ACK);
    assert_eq!(lapsed().state(), Queued);
    assert_eq!(lapsed().refuses(&say::tell("ann", ReportKind::Completed)).code(), "CHANGES_REQUESTED");
    assert_eq!(lapsed().refuses(&say::ack("ann")).code(), "CHANGES_REQUESTED");
    assert_eq!(lapsed().then(say::ack_of("ann", 2)).state(), InProgress);
    assert_eq!(lapsed().then(say::tell_of("ann", 2, ReportKind::Completed)).state(), Completed);
}

#[test]
fn another_agent_has_to_hear_it_as_well() {
    let story = sent_back().then(say::reassign("bob")).then(say::offer("bob"));
    assert_eq!(story.refuses(&say::tell("bob", ReportKind::Completed)).code(), "CHANGES_REQUESTED");
    assert_eq!(story.refuses(&say::tell("ann", ReportKind::Completed)).code(), "LEASE_LOST");
    let story = story.then(say::ack("bob")).then(say::tell("bob", ReportKind::Completed));
    assert_eq!(story.state(), Completed);
}

#[test]
fn who_asks_a_person_before_it_came_back_does_not_take_it_up() {
    let session = crate::ids::SessionId::parse("s_00000001").unwrap();
    let until = crate::time::Timestamp(DAWN.0 + TTL);
    let ask = TaskCommand::Await { agent: agent("ann"), until, session: Some(session.clone()) };
    let story = sent_back().then(ask);
    assert_eq!((story.state(), story.task.sent_back), (Queued, true));
    assert!(story.task.asked_in.contains(&session), "and the question ends with the task");
}

#[test]
fn after_an_answer_a_late_result_counts_as_ever() {
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::tell("ann", blocked("how?")));
    let answer = TaskCommand::Answer { authority: Authority::Operator, answer: comment("boss", "7420") };
    assert_eq!(story.then(answer).then(say::tell("ann", ReportKind::Completed)).state(), Completed);
}

#[test]
fn of_many_wishes_the_refusal_shows_the_first() {
    let comments: Vec<Comment> = (0..30).map(|n| wish(&format!("wish {n}"))).collect();
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::submit("ann"));
    let said = story.then(TaskCommand::RequestChanges { comments, round: None }).refuses(&say::ack("ann")).to_string();
    assert!(said.contains("wish 19") && !said.contains("wish 20") && said.ends_with("and 10 more"), "{said}");
}
