//! A machine that sleeps, and whose clock is set: deadlines pass as people read them, each once, and nothing goes back.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::asking::person;
use super::hub::{Hub, Player};
use crate::actors::agent::WaitEnd;
use crate::clock::{FakeMachine, LOOK_EVERY};
use crate::domain::ids::{LeaseEpoch, QuestionId, TaskId};
use crate::domain::principal::Surface;
use crate::domain::session::WorkflowStatus;
use crate::domain::session::question::{Danger, Question, ResolutionType};
use crate::domain::task::{ReportKind, TaskCommand, TaskStateName};
use crate::domain::time::Timestamp;
use crate::journal::{Reader as _, Seq};

const NOON: Timestamp = Timestamp(1_796_040_000_000);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// The machine sleeps; a moment after it woke.
async fn sleeps(machine: &FakeMachine, time: Duration) {
    machine.sleeps(time);
    sleep(LOOK_EVERY + SECOND).await;
}

/// An agent at work on a task of its own.
async fn at_work(hub: &Hub, id: &str) -> (Player, TaskId) {
    let agent = hub.agent(id, "full-stack-engineer").await;
    let task = hub.asks(id, "implement login").await.task_id;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&task).await.unwrap();
    (agent, task)
}

/// How many records of this kind there are.
fn records(hub: &Hub, kind: &str) -> usize {
    let all = hub.reader.records(Seq(0), 10_000).unwrap();
    all.iter().filter(|kept| kept.record.kind().name == kind).count()
}

fn resolution(question: &Question) -> Option<ResolutionType> {
    question.resolution().map(|resolution| resolution.kind)
}

/// No record is dated before the one before it.
fn times_never_go_back(hub: &Hub) {
    let all = hub.reader.records(Seq(0), 10_000).unwrap();
    for pair in all.windows(2) {
        assert!(pair[0].at <= pair[1].at, "{:?} after {:?}", pair[1], pair[0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_whose_hour_passed_while_the_machine_slept_is_answered_by_its_default_once_it_wakes() {
    for slept in [2 * HOUR, 20 * HOUR] {
        let machine = FakeMachine::showing(NOON);
        let hub = Hub::on(&machine).await;
        let (agent, _) = at_work(&hub, "fullstack-1").await;
        let id = hub.asked_for(&agent, None, HOUR).await;
        sleep(MINUTE).await;
        assert!(hub.question(&id).is_open());
        sleeps(&machine, slept).await;
        assert_eq!(resolution(&hub.question(&id)), Some(ResolutionType::Timeout), "{slept:?}");
        assert_eq!(hub.status_of(&agent).await, WorkflowStatus::Working);
        sleep(2 * HOUR).await;
        let often = ["question.resolved", "question.reminded"].map(|kind| records(&hub, kind));
        assert_eq!(often, [1, 0], "once, and nobody is reminded of what is over");
        let at = hub.question(&id).resolution().unwrap().at;
        assert!(NOON + slept <= at && at <= NOON + slept + 2 * MINUTE, "dated as the wall clock shows it: {at}");
        hub.is_sound();
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_still_open_after_a_sleep_brings_one_reminder_for_all_that_passed() {
    let machine = FakeMachine::showing(NOON);
    let hub = Hub::on(&machine).await;
    let (agent, _) = at_work(&hub, "fullstack-1").await;
    let id = hub.asked_for(&agent, Some(Danger::Declared), 10 * HOUR).await;
    sleeps(&machine, 9 * HOUR + 30 * MINUTE).await;
    assert_eq!((hub.question(&id).is_open(), records(&hub, "question.reminded")), (true, 1));
    sleeps(&machine, HOUR).await;
    assert!(hub.question(&id).is_overdue());
    hub.answered(&id, "old", person("ada", Surface::Cli)).await.unwrap();
    assert_eq!(records(&hub, "question.overdue"), 1);
    hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_ran_out_in_a_sleep_is_left_a_minute_in_which_its_agent_can_report() {
    for slept in [2 * HOUR, 20 * HOUR] {
        let machine = FakeMachine::showing(NOON);
        let hub = Hub::on(&machine).await;
        let (awake, kept) = at_work(&hub, "fullstack-1").await;
        let (_gone, lost) = at_work(&hub, "fullstack-2").await;
        sleep(10 * MINUTE).await;
        sleeps(&machine, slept).await;
        for task in [&kept, &lost] {
            let found = hub.task(task).await;
            let until = found.lease().unwrap().expires_at;
            let now = hub.hub.clock.now();
            assert!(now < until && until <= now + MINUTE, "{slept:?}: {until} at {now}");
        }
        sleep(30 * SECOND).await;
        let progress = ReportKind::Progress { phase: None, percent: None };
        awake.reports_under(&kept, Some(LeaseEpoch(1)), progress, "still here").await.unwrap();
        sleep(MINUTE).await;
        let states = [hub.state(&kept).await, hub.state(&lost).await];
        assert_eq!(states, [TaskStateName::InProgress, TaskStateName::Queued]);
        assert_eq!(records(&hub, "task.timed_out"), 1);
        assert_eq!(records(&hub, "task.grace_given"), 2);
        sleep(20 * MINUTE).await;
        assert_eq!(hub.state(&kept).await, TaskStateName::InProgress, "it runs as ever from then on");
        sleep(10 * MINUTE).await;
        assert_eq!(hub.state(&kept).await, TaskStateName::Queued);
        hub.is_sound();
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_with_twenty_seconds_left_is_left_twenty_seconds() {
    let machine = FakeMachine::showing(NOON);
    let hub = Hub::on(&machine).await;
    let (_agent, task) = at_work(&hub, "fullstack-1").await;
    sleep(30 * MINUTE - 20 * SECOND).await;
    sleeps(&machine, HOUR).await;
    assert_eq!(hub.state(&task).await, TaskStateName::InProgress);
    sleep(20 * SECOND).await;
    assert_eq!(hub.state(&task).await, TaskStateName::Queued);
}

#[tokio::test(start_paused = true)]
async fn an_offer_that_lapsed_in_a_sleep_can_still_be_acknowledged_and_goes_back_if_nobody_does() {
    for acknowledges in [true, false] {
        let machine = FakeMachine::showing(NOON);
        let hub = Hub::on(&machine).await;
        let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
        let task = hub.asks("fullstack-1", "implement login").await.task_id;
        assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
        sleeps(&machine, 2 * HOUR).await;
        assert_eq!(hub.state(&task).await, TaskStateName::Assigned);
        if acknowledges {
            agent.acknowledges(&task).await.unwrap();
        }
        sleep(2 * MINUTE).await;
        let expected = if acknowledges { TaskStateName::InProgress } else { TaskStateName::Queued };
        assert_eq!(hub.state(&task).await, expected);
        hub.is_sound();
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_set_forward_is_followed_and_what_passed_is_due_once() {
    for by in [2 * HOUR, 3 * DAY] {
        let machine = FakeMachine::showing(NOON);
        let hub = Hub::on(&machine).await;
        let (agent, task) = at_work(&hub, "fullstack-1").await;
        let id = hub.asked_for(&agent, None, HOUR).await;
        machine.set_forward(by);
        sleep(LOOK_EVERY + SECOND).await;
        assert_eq!(resolution(&hub.question(&id)), Some(ResolutionType::Timeout), "{by:?}");
        assert_eq!(hub.state(&task).await, TaskStateName::InProgress);
        assert_eq!(hub.hub.clock.skew().0, Duration::ZERO);
        times_never_go_back(&hub);
        hub.is_sound();
    }
}

/// From asking until the default applies.
async fn default_after(hub: &Hub, id: &QuestionId, asked: Instant) -> Duration {
    while hub.question(id).is_open() {
        sleep(SECOND).await;
    }
    asked.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_set_back_delays_a_deadline_by_a_ninth_of_its_time_at_most() {
    for by in [2 * HOUR, 3 * DAY] {
        let machine = FakeMachine::showing(NOON);
        let hub = Hub::on(&machine).await;
        let (agent, _) = at_work(&hub, "fullstack-1").await;
        let (id, asked) = (hub.asked_for(&agent, None, HOUR).await, Instant::now());
        machine.set_back(by);
        let took = default_after(&hub, &id, asked).await;
        assert!(HOUR <= took && took <= 67 * MINUTE, "{by:?}: {took:?}");
        times_never_go_back(&hub);
        hub.is_sound();
    }
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_began_while_the_clock_was_fast_keeps_its_deadlines_when_that_is_set_right_and_over_a_restart() {
    for fast in [2 * HOUR, 3 * DAY] {
        let machine = FakeMachine::showing(NOON + fast);
        let hub = Hub::on(&machine).await;
        let (agent, task) = at_work(&hub, "fullstack-1").await;
        let (id, asked) = (hub.asked_for(&agent, None, HOUR).await, Instant::now());
        sleep(10 * MINUTE).await;
        machine.set_back(fast);
        sleep(10 * MINUTE).await;
        // A hub that is killed goes on where it last wrote something down.
        hub.asks("any", "something else").await;
        let before = hub.hub.clock.now();
        let hub = hub.starts_anew_on(&machine).await;
        assert!(hub.hub.clock.now() + MINUTE >= before, "{fast:?}: the time goes on where it stood");
        assert_eq!(hub.hub.clock.machine_now(), machine.wall());
        let took = default_after(&hub, &id, asked).await;
        assert!(HOUR <= took && took <= 70 * MINUTE, "{fast:?}: {took:?}");
        assert_eq!(hub.state(&task).await, TaskStateName::InProgress);
        times_never_go_back(&hub);
        hub.is_sound();
    }
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_began_while_the_clock_was_slow_goes_on_with_the_right_time() {
    let machine = FakeMachine::showing(NOON - 3 * DAY);
    let hub = Hub::on(&machine).await;
    let (_, task) = at_work(&hub, "fullstack-1").await;
    machine.set_forward(3 * DAY);
    sleep(LOOK_EVERY + SECOND).await;
    let (now, wall) = (hub.hub.clock.now(), machine.wall());
    assert_eq!(now, wall);
    assert_eq!(hub.state(&task).await, TaskStateName::InProgress);
    times_never_go_back(&hub);
}

#[tokio::test(start_paused = true)]
async fn a_wait_lasts_as_long_as_its_client_tolerates_however_the_clock_is_set_meanwhile() {
    for moves in [FakeMachine::set_back, FakeMachine::set_forward] {
        let machine = FakeMachine::showing(NOON);
        let hub = Hub::on(&machine).await;
        let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
        moves(&machine, 3 * DAY);
        sleep(LOOK_EVERY + SECOND).await;
        let began = Instant::now();
        let parked = agent.parks();
        sleep(MINUTE).await;
        moves(&machine, 2 * HOUR);
        assert!(matches!(parked.await.unwrap(), WaitEnd::Idle));
        let took = began.elapsed();
        assert!(took.abs_diff(HOUR) <= SECOND, "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn steps_of_a_time_server_ring_nothing_early_and_nothing_twice() {
    let machine = FakeMachine::showing(NOON);
    let hub = Hub::on(&machine).await;
    let (agent, task) = at_work(&hub, "fullstack-1").await;
    let (id, asked) = (hub.asked_for(&agent, None, 10 * MINUTE).await, Instant::now());
    for _ in 0..20 {
        machine.set_forward(Duration::from_millis(300));
        sleep(7 * SECOND).await;
        machine.set_back(Duration::from_millis(300));
        sleep(7 * SECOND).await;
    }
    let took = default_after(&hub, &id, asked).await;
    assert!(took.abs_diff(10 * MINUTE) <= 5 * SECOND, "{took:?}");
    assert_eq!(records(&hub, "question.resolved"), 1);
    hub.orders(&task, TaskCommand::Requeue).await.unwrap_err();
    times_never_go_back(&hub);
    hub.is_sound();
}
