//! Offers and leases: numbers, deadlines, late answers, and what policy makes of a lease that ran out.

use std::sync::Arc;

use super::kit::*;
use crate::ids::LeaseEpoch;
use crate::task::*;
use crate::time::Timestamp;

use TaskStateName::*;

#[test]
fn a_task_is_created_with_its_first_offer_in_one_decision() {
    let first_offer = Some((agent("ann"), terms()));
    let command = TaskCommand::Create { spec: Arc::new(spec()), dependencies: [].into(), first_offer };
    let decision = Task::begin(DAWN, &command, &cause("boss")).unwrap();
    assert!(matches!(
        decision.records.as_slice(),
        [TaskRecord::Created { .. }, TaskRecord::Offered { epoch: LeaseEpoch(1), .. }]
    ));
    assert_eq!(decision.effects.len(), 1);
}

#[test]
fn every_offer_has_a_number_of_its_own() {
    let story = Story::begins().then(say::offer("ann"));
    assert_eq!((story.state(), story.task.epoch), (Assigned, LeaseEpoch(1)));
    let story = story.then(say::offer("ann"));
    assert_eq!((story.state(), story.task.epoch), (Assigned, LeaseEpoch(2)));
    assert_eq!(story.refuses(&say::offer("bob")).code(), "TASK_WRONG_STATE");
}

#[test]
fn any_call_of_the_offered_agent_acknowledges() {
    for command in [say::ack("ann"), say::tell("ann", progress())] {
        let story = Story::begins().then(say::offer("ann")).then(command);
        assert_eq!(story.state(), InProgress);
        assert_eq!(story.task.attempts.len(), 1);
    }
    let mut story = Story::begins().then(say::offer("ann"));
    let decision = story.try_to(&say::tell("ann", ReportKind::Completed)).unwrap();
    assert!(matches!(decision.records.as_slice(), [TaskRecord::Acknowledged { .. }, TaskRecord::Completed { .. }]));
}

#[test]
fn to_acknowledge_twice_is_to_acknowledge_once() {
    let mut story = Story::begins().then(say::offer("ann")).then(say::ack("ann"));
    assert_eq!(story.try_to(&say::ack_of("ann", 1)).unwrap(), TaskDecision::default());
}

#[test]
fn an_old_number_changes_nothing() {
    let story = Story::begins().then(say::offer("ann")).then(say::offer("ann"));
    let refusal = story.refuses(&say::ack_of("ann", 1));
    assert_eq!(refusal.code(), "LEASE_LOST");
    assert_eq!(story.refuses(&say::tell_of("ann", 9, ReportKind::Completed)).code(), "LEASE_LOST");
}

#[test]
fn words_that_ended_the_lease_they_name_are_only_said_again_whatever_came_after_it() {
    let failed =
        Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::tell("ann", ReportKind::Failed));
    let mut taken = failed.then(TaskCommand::Retry).then(say::ack_of("ann", 1));
    assert_eq!((taken.state(), taken.task.epoch), (InProgress, LeaseEpoch(2)));
    let again = taken.try_to(&say::tell_of("ann", 1, ReportKind::Failed)).unwrap();
    assert!(again.records.is_empty(), "{again:?}");
    assert_eq!(taken.then(say::tell_of("ann", 2, ReportKind::Failed)).state(), Failed, "of the new lease it is news");
}

#[test]
fn somebody_elses_task_does_not_exist() {
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann"));
    for command in [say::ack("bob"), say::tell("bob", ReportKind::Completed), say::submit("bob")] {
        assert_eq!(story.refuses(&command).code(), "TASK_NOT_FOUND");
    }
}

#[test]
fn who_had_it_before_hears_that_it_moved_on() {
    let story = Story::begins().then(say::offer("ann")).later(ACK).then(say::offer("bob"));
    assert_eq!(story.refuses(&say::ack_of("ann", 1)).code(), "LEASE_LOST");
    assert_eq!(story.refuses(&say::tell("ann", ReportKind::Completed)).code(), "LEASE_LOST");
}

#[test]
fn an_offer_lapses_at_its_deadline_and_uses_up_no_attempt() {
    let story = Story::begins().then(say::offer("ann")).later(ACK - 1);
    assert_eq!(story.state(), Assigned);
    let story = story.later(1);
    assert_eq!((story.state(), story.task.attempt_number()), (Queued, 1));
    assert!(story.task.held_for().is_none(), "a silent agent is not waited for");
    assert!(matches!(story.task.state, TaskState::Queued { since: DAWN, .. }), "back at the head of its queue");
}

#[test]
fn an_offer_whose_connection_died_is_kept_only_for_who_knows_the_work() {
    let story = Story::begins().then(say::offer("ann"));
    let lost = story.clone().then(say::returned("ann", 1, ReturnReason::ConnectionLost));
    assert_eq!(lost.task.held_for(), None, "it never had it: the next who waits is as good");
    let late = story.then(say::offer("ann")).then(say::returned("ann", 1, ReturnReason::ConnectionLost));
    assert_eq!(late.state(), Assigned, "the offer that came back is not the one at hand");

    let asked = Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::tell("ann", blocked("how?")));
    let again = asked.then(say::answer("so")).then(say::offer("ann"));
    let until = Timestamp(DAWN.0 + HOLD);
    let lost = again.clone().then(say::returned("ann", 2, ReturnReason::ConnectionLost));
    assert_eq!(lost.task.held_for(), Some(&HeldFor { agent: agent("ann"), until }));
    let nobody = again.then(say::returned("ann", 2, ReturnReason::NobodyWaiting));
    assert_eq!(nobody.task.held_for(), None);
}

#[test]
fn a_late_acknowledgement_counts_while_nobody_else_has_the_task() {
    let story = Story::begins().then(say::offer("ann")).later(ACK).then(say::ack_of("ann", 1));
    assert_eq!((story.state(), story.task.epoch), (InProgress, LeaseEpoch(2)), "under a number of its own");
    let story = story.then(say::tell_of("ann", 1, progress())).then(say::tell_of("ann", 2, ReportKind::Completed));
    assert_eq!(story.state(), Completed);
}

#[test]
fn a_late_result_counts_while_nobody_else_has_the_task() {
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann")).later(TTL);
    assert_eq!(story.state(), Queued);
    let story = story.then(say::tell_of("ann", 1, ReportKind::Completed));
    assert_eq!(story.state(), Completed);
    assert_eq!(story.task.attempts.len(), 2);
}

#[test]
fn a_late_word_that_was_taken_under_a_new_number_is_known_by_its_old_one() {
    let (ask, answer) = (say::tell_of("ann", 1, blocked("which one?")), say::answer("the first"));
    let story = Story::begins().then(say::offer("ann")).later(ACK).then(ask.clone());
    assert_eq!((story.state(), story.task.epoch), (Blocked, LeaseEpoch(2)));
    let mut story = story.then(answer).then(say::offer("ann")).then(say::ack("ann"));
    let again = story.try_to(&ask).unwrap();
    assert_eq!((again.records.as_slice(), story.state()), ([].as_slice(), InProgress));
    let story = story.then(say::tell_of("ann", 3, blocked("which one?")));
    assert_eq!(story.state(), Blocked, "what names the lease at hand is news");
}

#[test]
fn words_about_the_offer_at_hand_are_news_and_words_about_an_older_one_are_not() {
    let asked =
        Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::tell("ann", blocked("which one?")));
    let offered = |to: &str| asked.clone().then(say::answer("the first")).later(HOLD).then(say::offer(to));
    let said = |story: &Story, words: &TaskCommand| !story.clone().try_to(words).unwrap().records.is_empty();
    let mine = offered("ann");
    assert!(said(&mine, &say::tell_of("ann", 2, blocked("which one?"))), "they name it");
    assert!(said(&mine, &say::tell("ann", blocked("which one?"))), "they name none");
    assert!(!said(&mine, &say::tell_of("ann", 1, blocked("which one?"))), "they name the one before");
    assert!(!said(&offered("bob"), &say::tell("ann", blocked("which one?"))), "the offer is somebody else's");
}

#[test]
fn progress_renews_the_lease() {
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann"));
    let story = story.later(TTL - 1).then(say::tell("ann", progress())).later(TTL - 1);
    assert_eq!(story.state(), InProgress);
    assert_eq!(story.later(1).state(), Queued);
}

#[test]
fn a_report_before_the_alarm_rings_still_counts() {
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann")).unseen(TTL + 1);
    assert_eq!(story.then(say::tell_of("ann", 1, ReportKind::Completed)).state(), Completed);
}

#[test]
fn attempts_that_run_out_end_in_a_dead_letter_that_can_be_put_back() {
    let round = |story: Story| story.then(say::offer("ann")).then(say::ack("ann")).later(TTL);
    let story = round(round(Story::begins()));
    assert_eq!((story.state(), story.task.attempt_number()), (Queued, 3));
    let story = round(story);
    assert_eq!(story.state(), DeadLetter);
    assert_eq!(story.task.view().attempt, 3);
    let story = story.then(TaskCommand::Requeue);
    assert_eq!((story.state(), story.task.attempt_number(), story.task.attempts.len()), (Queued, 1, 3));
}

#[test]
fn policy_may_hold_or_escalate_what_ran_out() {
    let under = |terms: LeaseTerms| {
        let offer = TaskCommand::Offer { agent: agent("ann"), terms };
        Story::begins().then(offer).then(say::ack("ann")).later(TTL)
    };
    let held = under(LeaseTerms { on_timeout: OnTimeout::Hold, ..terms() });
    assert_eq!(held.state(), Timeout);
    assert_eq!(held.task.waits_for(), Some(WaitsFor::Operator));
    assert_eq!(held.clone().then(TaskCommand::Retry).state(), Queued);
    assert_eq!(held.then(say::tell_of("ann", 1, ReportKind::Completed)).state(), Completed);

    let escalate = LeaseTerms { on_timeout: OnTimeout::Escalate, ..terms() };
    let to = Some(target("role:orchestrator"));
    let raised = under(LeaseTerms { escalate_to: to.clone(), ..escalate.clone() });
    assert_eq!((raised.state(), Some(&raised.task.spec.target)), (Queued, to.as_ref()));
    assert_eq!(raised.then(say::tell_of("ann", 1, ReportKind::Completed)).state(), Completed, "still welcome");
    assert_eq!(under(escalate).state(), Queued, "nobody to escalate to: the next attempt");
}

#[test]
fn an_evicted_agent_gives_everything_back_at_once() {
    let offered = Story::begins().then(say::offer("ann"));
    assert_eq!(offered.clone().then(say::release("ann")).state(), Queued);
    let leased = offered.then(say::ack("ann"));
    let story = leased.clone().then(say::release("ann"));
    assert_eq!((story.state(), story.task.attempt_number()), (Queued, 1));
    assert_eq!(story.task.attempts[0].outcome, AttemptOutcome::Released);
    assert_eq!(leased.then(say::release("bob")).state(), InProgress);
}

#[test]
fn a_reassignment_by_hand_takes_the_task_away_for_good() {
    let story = Story::begins().then(say::offer("ann")).then(say::ack("ann")).then(say::reassign("bob"));
    assert_eq!((story.state(), story.task.spec.target.to_string().as_str()), (Queued, "bob"));
    assert_eq!(story.refuses(&say::tell_of("ann", 1, ReportKind::Completed)).code(), "LEASE_LOST");
    assert_eq!(story.task.attempts[0].outcome, AttemptOutcome::Released);
}

#[test]
fn an_offer_to_whom_it_was_for_before_a_reassignment_is_refused() {
    let story = Story::begins().then(say::reassign("bob"));
    assert_eq!(story.refuses(&say::offer("ann")).code(), "TASK_WRONG_STATE");
    assert_eq!(story.then(say::offer("bob")).state(), Assigned);
}
