//! Whom a record names, and whose session had the task: by that an event finds its agent.

use super::kit::*;
use crate::ids::SessionId;
use crate::task::{CommentKind, LeaseTerms, TaskCommand, TaskRefusal, TaskStateName};

fn session(id: &str) -> SessionId {
    SessionId::parse(id).unwrap()
}

fn offer_in(to: &str, id: &str) -> TaskCommand {
    TaskCommand::Offer { agent: agent(to), terms: LeaseTerms { session: Some(session(id)), ..terms() } }
}

#[test]
fn a_session_is_its_agents_while_they_have_the_task_and_afterwards() {
    let (first, second) = ("s_00000001", "s_00000002");
    let held = Story::begins().then(offer_in("a", first)).then(say::ack("a"));
    assert_eq!(held.task.agent_of(&session(first)), Some(&agent("a")));
    assert_eq!(held.task.agent_of(&session(second)), None);
    let moved = held.then(say::release("a")).later(HOLD).then(offer_in("b", second)).then(say::ack("b"));
    assert_eq!(moved.task.agent_of(&session(second)), Some(&agent("b")));
    assert_eq!(moved.task.agent_of(&session(first)), Some(&agent("a")), "it was theirs");
    assert_eq!(moved.task.agent_of(&session("s_00000003")), None);
}

#[test]
fn what_lies_with_a_reviewer_is_spoken_for_by_who_handed_it_in_and_by_no_former_holder() {
    let former = Story::begins().then(say::offer("a")).then(say::ack("a")).then(say::release("a")).later(HOLD);
    let reviewed = former.then(say::offer("b")).then(say::ack("b")).then(say::submit("b"));
    for words in [say::ack("a"), say::tell("a", progress()), say::tell("a", blocked("why")), say::submit("a")] {
        assert!(matches!(reviewed.refuses(&words), TaskRefusal::LeaseLost { .. }), "{words:?}");
    }
    assert_eq!(reviewed.then(say::take_back("b")).state(), TaskStateName::InProgress);
}

#[test]
fn a_record_names_the_agent_who_did_it_or_to_whom_it_was_done() {
    let story = Story::begins().then(say::offer("a")).then(say::ack("a")).then(say::tell("a", progress()));
    let story = story.then(say::release("a")).then(say::cancel());
    let named: Vec<_> = story.records.iter().map(|(_, record)| record.agent().map(ToString::to_string)).collect();
    let a = Some("a".to_owned());
    assert_eq!(named, [None, a.clone(), a.clone(), a.clone(), a, None]);
}

fn news(story: &Story, who: &str) -> Vec<CommentKind> {
    story.task.news_for(&agent(who)).into_iter().map(|comment| comment.kind).collect()
}

#[test]
fn an_agreement_is_told_until_wishes_or_another_submission_take_it_back() {
    let submitted = || Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::submit("ann")).later(1);
    let approved = || submitted().then(say::approve(false)).later(1);
    assert_eq!(news(&approved(), "ann"), [CommentKind::Approval]);
    assert_eq!(news(&approved(), "bob"), [CommentKind::Approval], "whoever has it next hears that it was agreed to");
    let remarked = approved().then(say::remark());
    assert_eq!(news(&remarked, "bob").first(), Some(&CommentKind::Approval), "a remark takes nothing back");
    let wished = approved().then(say::changes());
    assert!(!news(&wished, "ann").contains(&CommentKind::Approval), "{:?}", news(&wished, "ann"));
    let again = approved().then(say::take_back("ann")).later(1).then(say::submit("ann"));
    assert_eq!(news(&again, "bob"), [], "the reviewer agreed to another change");
    let at_once = submitted().then(say::approve(false));
    assert_eq!(news(&at_once, "bob"), [CommentKind::Approval]);
}
