//! Each promise is shown a task that breaks it: one that nothing can break would promise nothing.

use super::kit::*;
use crate::ids::LeaseEpoch;
use crate::invariants::*;
use crate::task::*;
use crate::time::Timestamp;

fn leased() -> Task {
    Story::begins().then(say::offer("ann")).then(say::ack("ann")).task
}

fn done() -> Task {
    Story::begins().then(say::offer("ann")).then(say::tell("ann", ReportKind::Completed)).task
}

/// One whose first lease ran out, and whose second runs.
fn leased_again() -> Task {
    let first = Story::begins().then(say::offer("ann")).then(say::ack("ann")).later(TTL);
    first.then(say::offer("bob")).then(say::ack("bob")).task
}

/// The name of the promise that this breaks.
fn broken(outcome: Result<(), Broken>) -> &'static str {
    outcome.expect_err("it should have been broken").name
}

fn acknowledged(agent_id: &str, epoch: u64) -> TaskRecord {
    let expires_at = Timestamp(DAWN.0 + TTL);
    TaskRecord::Acknowledged { agent: agent(agent_id), epoch: LeaseEpoch(epoch), terms: terms(), expires_at }
}

#[test]
fn two_holders_are_seen() {
    let mut task = leased();
    assert_eq!(t1_one_holder(&task), Ok(()));
    task.attempts.push(task.attempts[0].clone());
    assert_eq!(broken(t1_one_holder(&task)), "T1 one-holder");
    let mut task = leased();
    task.attempts.clear();
    assert_eq!(broken(t1_one_holder(&task)), "T1 one-holder");
    let mut task = leased();
    task.epoch = LeaseEpoch(7);
    assert_eq!(broken(t1_one_holder(&task)), "T1 one-holder");
}

#[test]
fn a_number_given_twice_is_seen() {
    let offered = Story::begins().then(say::offer("ann")).task;
    assert_eq!(t1_numbers_grow(&offered, &acknowledged("ann", 1)), Ok(()));
    assert_eq!(broken(t1_numbers_grow(&leased(), &acknowledged("ann", 1))), "T1 one-holder");
}

#[test]
fn what_was_closed_and_moves_is_seen() {
    let record = TaskRecord::Requeued { count_anew: false, held_for: None };
    assert_eq!(broken(t2_closed_stays_closed(&done(), &record, &leased())), "T2 closed-stays-closed");
    let failed = Story::begins().then(say::offer("ann")).then(say::tell("ann", ReportKind::Failed)).task;
    assert_eq!(t2_closed_stays_closed(&failed, &record, &leased()), Ok(()));
    let remarked = TaskRecord::Remarked { comment: comment("ann", "late"), posted_to: None };
    assert_eq!(broken(t2_closed_stays_closed(&failed, &remarked, &failed)), "T2 closed-stays-closed");
}

#[test]
fn what_an_attempt_lost_is_seen() {
    let before = done();
    for spoil in [
        |task: &mut Task| task.attempts.clear(),
        |task: &mut Task| task.attempts[0].message = None,
        |task: &mut Task| task.attempts[0].outcome = AttemptOutcome::Failed,
    ] {
        let mut after = before.clone();
        spoil(&mut after);
        assert_eq!(broken(t4_attempts_are_kept(&before, &after)), "T4 attempts-are-kept");
    }
    let mut remarked = leased();
    remarked.comments.push(comment("ann", "mind the tests"));
    assert_eq!(t4_attempts_are_kept(&leased(), &remarked), Ok(()));
    assert_eq!(broken(t4_attempts_are_kept(&remarked, &leased())), "T4 attempts-are-kept");
}

#[test]
fn a_dependent_that_does_not_wait_is_seen() {
    let mut task = leased();
    task.dependencies.insert(task_id("first001"), Dependency::Pending);
    assert_eq!(broken(t5_dependents_wait(&task)), "T5 dependents-wait");
    let mut idle = Story::depends(&[("first001", Dependency::Pending)]).task;
    idle.dependencies.clear();
    assert_eq!(broken(t5_dependents_wait(&idle)), "T5 dependents-wait");
    assert_eq!(broken(t3_every_wait_ends(&idle)), "T3 every-wait-ends", "it waits for nobody");
}

#[test]
fn a_stranger_who_changes_a_task_is_seen() {
    assert_eq!(a3_own_work_only(&leased(), &acknowledged("ann", 2)), Ok(()));
    assert_eq!(broken(a3_own_work_only(&leased(), &acknowledged("bob", 2))), "A3 own-work-only");
    assert_eq!(broken(a3_own_work_only(&Story::begins().task, &acknowledged("bob", 1))), "A3 own-work-only");
}

#[test]
fn a_life_that_replay_does_not_tell_is_seen() {
    let story = Story::begins().then(say::offer("ann"));
    assert_eq!(j1_replay_equals_life(&story.records, &story.task), Ok(()));
    assert_eq!(broken(j1_replay_equals_life(&story.records[..1], &story.task)), "J1 replay-equals-life");
    assert_eq!(broken(j1_replay_equals_life(&[], &story.task)), "J1 replay-equals-life");
    let headless = story.then(say::ack("ann"));
    let outcome = j1_replay_equals_life(&headless.records[1..], &headless.task);
    assert_eq!(broken(outcome), "J1 replay-equals-life", "its beginning is lost");
}

#[test]
fn a_second_waiter_and_a_pair_left_over_are_seen() {
    assert_eq!(a1_one_waiter(&agent("ann"), 1), Ok(()));
    assert_eq!(broken(a1_one_waiter(&agent("ann"), 2)), "A1 one-waiter");
    assert_eq!(a2_woken(None), Ok(()));
    assert_eq!(broken(a2_woken(Some((&task_id("task0001"), &agent("ann"))))), "A2 woken");
}

/// Each is broken so that only this one part of it is.
#[test]
fn every_part_of_one_holder_is_looked_at() {
    let twice = || leased_again();
    assert_eq!(t1_one_holder(&twice()), Ok(()));
    let mut below = twice();
    below.attempts[0].ended_at = None;
    assert!(t1_one_holder(&below).unwrap_err().what.contains("runs on below a newer one"));
    let mut shared = twice();
    shared.attempts[0].epoch = shared.attempts[1].epoch;
    assert!(t1_one_holder(&shared).unwrap_err().what.contains("share a number"));
    let mut offered = Story::begins().then(say::offer("ann")).task;
    offered.epoch = LeaseEpoch(9);
    assert!(t1_one_holder(&offered).unwrap_err().what.contains("while its newest number is"));
}

/// The last one, which takes all of them together, sees what each of them sees.
#[test]
fn a_move_that_breaks_any_promise_is_seen() {
    let (before, record) = (Story::begins().then(say::offer("ann")).task, acknowledged("ann", 1));
    assert_eq!(task_moves(&before, &record, &leased()), Ok(()));
    assert_eq!(broken(task_moves(&leased(), &record, &leased())), "T1 one-holder");
    let closed = TaskRecord::Remarked { comment: comment("ann", "late"), posted_to: None };
    assert_eq!(broken(task_moves(&done(), &closed, &done())), "T2 closed-stays-closed");
    let mut forgot = leased();
    forgot.comments.push(comment("ann", "mind the tests"));
    let note = TaskRecord::Remarked { comment: comment("ann", "more"), posted_to: None };
    assert_eq!(broken(task_moves(&forgot, &note, &leased())), "T4 attempts-are-kept");
    assert_eq!(broken(task_moves(&before, &acknowledged("bob", 1), &leased())), "A3 own-work-only");
    let mut two = leased();
    two.attempts.push(two.attempts[0].clone());
    assert_eq!(broken(task_moves(&before, &record, &two)), "T1 one-holder");
    let mut early = leased();
    early.dependencies.insert(task_id("first001"), Dependency::Pending);
    assert_eq!(broken(task_stands(&early)), "T5 dependents-wait");
    let mut idle = Story::depends(&[("first001", Dependency::Pending)]).task;
    idle.dependencies.clear();
    assert_eq!(broken(task_stands(&idle)), "T3 every-wait-ends");
}

#[test]
fn what_a_running_attempt_lost_is_seen() {
    let full = || {
        let mut task = leased();
        task.attempts[0].diff = Some(KeptText::inline("+ line"));
        task.attempts[0].evidence = Some(serde_json::json!(1));
        task
    };
    assert_eq!(t4_attempts_are_kept(&leased(), &full()), Ok(()), "it may grow");
    for spoil in [
        |attempt: &mut Attempt| attempt.diff = None,
        |attempt: &mut Attempt| attempt.evidence = None,
        |attempt: &mut Attempt| attempt.number = 9,
        |attempt: &mut Attempt| attempt.agent = agent("bob"),
        |attempt: &mut Attempt| attempt.epoch = LeaseEpoch(9),
        |attempt: &mut Attempt| attempt.started_at = Timestamp(1),
    ] {
        let mut after = full();
        spoil(&mut after.attempts[0]);
        assert_eq!(broken(t4_attempts_are_kept(&full(), &after)), "T4 attempts-are-kept");
    }
    let artifact = Artifact { kind: ArtifactKind::Pr, url: None, path: None, text: None, title: None };
    let mut with = full();
    with.attempts[0].artifacts.push(artifact);
    assert_eq!(broken(t4_attempts_are_kept(&with, &full())), "T4 attempts-are-kept");
}

#[test]
fn a_dead_letter_goes_back_by_a_person_and_what_failed_by_a_retry() {
    let again = |count_anew| TaskRecord::Requeued { count_anew, held_for: None };
    let dead = Task { state: TaskState::DeadLetter { at: DAWN, reason: "all ran out".to_owned() }, ..leased() };
    assert_eq!(t2_closed_stays_closed(&dead, &again(true), &leased()), Ok(()));
    assert_eq!(broken(t2_closed_stays_closed(&dead, &again(false), &leased())), "T2 closed-stays-closed");
    let failed = Story::begins().then(say::offer("ann")).then(say::tell("ann", ReportKind::Failed)).task;
    assert_eq!(broken(t2_closed_stays_closed(&failed, &again(true), &leased())), "T2 closed-stays-closed");
    let off = Task { state: TaskState::Cancelled { at: DAWN, reason: None }, ..leased() };
    assert_eq!(broken(t2_closed_stays_closed(&off, &again(true), &leased())), "T2 closed-stays-closed");
}
