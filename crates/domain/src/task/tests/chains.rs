//! Dependencies, questions and reviews: what sends a task back, and to whom.

use std::sync::Arc;

use super::kit::*;
use crate::task::*;
use crate::time::Timestamp;

use TaskStateName::*;

fn leased() -> Story {
    Story::begins().then(say::offer("ann")).then(say::ack("ann"))
}

fn kept_for_ann(story: &Story) -> bool {
    let until = Timestamp(story.now.0 + HOLD);
    story.task.held_for() == Some(&HeldFor { agent: agent("ann"), until })
}

#[test]
fn a_dependent_waits_for_each_of_its_dependencies() {
    let story = Story::depends(&[("first001", Dependency::Pending), ("second01", Dependency::Pending)]);
    assert_eq!(story.refuses(&say::offer("ann")).code(), "TASK_WRONG_STATE");
    let story = story.then(say::moved("first001", met()));
    assert_eq!((story.state(), story.task.unmet()), (Blocked, vec![task_id("second01")]));
    let story = story.then(say::moved("second01", met()));
    assert_eq!(story.state(), Queued);
    assert_eq!(story.task.dependency_results().len(), 2);
}

#[test]
fn a_dependent_of_what_is_done_already_is_queued_at_once() {
    assert_eq!(Story::depends(&[("first001", met())]).state(), Queued);
}

#[test]
fn a_dependency_that_nobody_spoke_of_is_not_met() {
    let spec = TaskSpec { dependencies: vec![task_id("first001")], ..spec() };
    assert_eq!(Story::of(spec, [].into()).state(), Blocked);
}

#[test]
fn a_first_offer_is_left_out_while_a_dependency_is_not_met() {
    let command = TaskCommand::Create {
        spec: Arc::new(TaskSpec { dependencies: vec![task_id("first001")], ..spec() }),
        dependencies: [(task_id("first001"), Dependency::Pending)].into(),
        first_offer: Some((agent("ann"), terms())),
    };
    let decision = Task::begin(DAWN, &command, &cause("operator")).unwrap();
    assert_eq!((decision.records.len(), decision.effects.len()), (1, 0));
}

#[test]
fn a_failed_dependency_is_named_and_may_be_mended() {
    let mut story = Story::depends(&[("first001", Dependency::Pending)]);
    let decision = story.try_to(&say::moved("first001", failed())).unwrap();
    assert!(decision.notices[0].1.text.contains("`first001`, which is FAILED"), "{:?}", decision.notices);
    let repair = WaitsFor::Repair { task: task_id("first001"), state: Failed };
    assert_eq!(story.task.waits_for(), Some(repair));
    assert!(story.try_to(&say::moved("first001", failed())).unwrap().records.is_empty(), "it is so already");
    let story = story.then(say::moved("first001", Dependency::Pending)).then(say::moved("first001", met()));
    assert_eq!(story.state(), Queued);
}

#[test]
fn what_was_met_stays_met_and_a_stranger_is_no_dependency() {
    let mut story = Story::depends(&[("first001", met()), ("second01", Dependency::Pending)]);
    for command in [say::moved("first001", failed()), say::moved("nobody01", failed())] {
        assert!(story.try_to(&command).unwrap().records.is_empty());
    }
}

#[test]
fn an_answer_brings_the_task_back_to_who_asked() {
    let story = leased().then(say::tell("ann", blocked("which port?")));
    let waits = story.task.waits_for().unwrap().to_string();
    assert_eq!(waits, "`boss` must answer: which port?");
    let story = story.unseen(10).then(say::answer("7420"));
    assert!(kept_for_ann(&story));
    assert_eq!((story.task.attempt_number(), story.task.comments.len()), (1, 1));
    let story = story.then(say::offer("ann")).then(say::ack("ann"));
    let numbers: Vec<u32> = story.task.attempts.iter().map(|attempt| attempt.number).collect();
    assert_eq!(numbers, [1, 1], "going on after an answer is the same attempt");
}

#[test]
fn the_next_taker_is_told_what_was_said_since() {
    let story = leased().unseen(10).then(say::tell("ann", blocked("which port?"))).unseen(10);
    let answer = Comment { at: story.now, ..comment("boss", "7420") };
    let old = Comment { at: DAWN, ..comment("boss", "hello") };
    let story = story.then(TaskCommand::Remark { comment: old, posted_to: None });
    let story = story.then(TaskCommand::Answer { authority: Authority::Operator, answer });
    let news = |who: &str| story.task.news_for(&agent(who)).iter().map(|it| it.text.as_str()).collect::<Vec<_>>();
    assert_eq!(news("ann"), ["7420"]);
    assert_eq!(news("bob"), ["hello", "7420"], "who never had it knows nothing");
}

#[test]
fn who_watches_is_told_when_it_ends_or_needs_somebody() {
    assert!(!leased().task.ends_watch());
    assert!(leased().then(say::tell("ann", blocked("which port?"))).task.ends_watch());
    let waits = Story::depends(&[("first001", Dependency::Pending)]);
    assert!(!waits.task.ends_watch(), "it goes on by itself");
    assert!(waits.then(say::moved("first001", failed())).task.ends_watch());
    assert!(leased().then(say::cancel()).task.ends_watch());
}

#[test]
fn blocked_needs_a_reason() {
    assert_eq!(leased().refuses(&say::tell("ann", blocked("  "))), TaskRefusal::BlockedReasonMissing);
}

#[test]
fn the_same_words_again_are_so_already() {
    let block = || say::tell_of("ann", 1, blocked("which port?"));
    let mut answered = leased().then(block()).then(say::answer("7420"));
    assert!(answered.try_to(&block()).unwrap().records.is_empty(), "said before the answer came");
    let mut again = answered.then(say::offer("ann"));
    assert!(again.try_to(&block()).unwrap().records.is_empty(), "that was about the lease before");
    let anew = again.then(say::tell("ann", blocked("which port?")));
    assert_eq!((anew.state(), anew.task.attempts.len()), (Blocked, 2), "about the task as it was handed now");
}

#[test]
fn other_words_after_the_end_are_refused() {
    let story = leased().then(say::tell("ann", ReportKind::Completed));
    let with = |change: fn(&mut Report)| {
        let mut told = report(ReportKind::Completed, "words");
        change(&mut told);
        TaskCommand::Report { agent: agent("ann"), epoch: None, report: told }
    };
    let branch = Artifact { kind: ArtifactKind::Branch, url: None, path: None, text: Some("b".into()), title: None };
    assert_eq!(story.refuses(&with(|it| it.message = KeptText::inline("other"))).code(), "TASK_CLOSED");
    assert_eq!(story.refuses(&with(|it| it.diff = Some(KeptText::inline("+")))).code(), "TASK_CLOSED");
    let mut told = report(ReportKind::Completed, "words");
    told.artifacts.push(branch);
    let command = TaskCommand::Report { agent: agent("ann"), epoch: None, report: told };
    assert_eq!(story.refuses(&command).code(), "TASK_CLOSED");
}

#[test]
fn a_reviewer_sends_the_work_back_to_who_did_it_or_ends_it() {
    let story = leased().then(say::submit("ann"));
    let back = story.clone().then(say::changes());
    assert!(kept_for_ann(&back));
    assert_eq!(back.task.comments.len(), 1);
    let done = story.then(say::approve(true));
    assert_eq!(done.state(), Completed);
    assert_eq!(done.task.result().unwrap().0, KeptText::inline("look"));
}

#[test]
fn who_mends_its_work_before_the_reviewer_looks_submits_again() {
    let story = leased().then(say::submit("ann"));
    let message = KeptText::inline("look again");
    let again = TaskCommand::SubmitForReview {
        agent: agent("ann"),
        epoch: Some(story.task.epoch),
        message,
        diff: None,
        artifacts: Vec::new(),
        submission: Box::default(),
    };
    let story = story.then(again);
    assert_eq!((story.state(), story.task.attempts.len()), (InReview, 2));
}

#[test]
fn a_retry_keeps_what_came_before() {
    let failed = leased().then(say::tell("ann", ReportKind::Failed));
    assert_eq!(failed.task.view().attempt, 1);
    let story = failed.then(TaskCommand::Retry).then(say::offer("bob")).then(say::ack("bob"));
    assert_eq!(story.task.attempts[0].message, Some(KeptText::inline("words")));
    assert_eq!(story.task.attempts[1].number, 2);
}

#[test]
fn progress_leaves_what_it_brought_with_the_attempt() {
    let mut told = report(progress(), "half way");
    told.diff = Some(KeptText::inline("+ a"));
    let story = leased().then(TaskCommand::Report { agent: agent("ann"), epoch: None, report: told });
    let story = story.then(say::cancel());
    assert_eq!(story.task.attempts[0].diff, Some(KeptText::inline("+ a")));
    assert_eq!(story.task.attempts[0].outcome, AttemptOutcome::Cancelled);
    assert_eq!(story.task.progress.as_ref().unwrap().message, "half way");
}
