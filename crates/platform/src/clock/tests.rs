//! The clock on stopped time, beside a machine that sleeps and whose clock is set.

use super::*;

const DAY: Duration = Duration::from_hours(24);
const HOUR: Duration = Duration::from_hours(1);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// Noon of some day.
const NOON: Timestamp = Timestamp(1_796_040_000_000);

async fn pass(time: Duration) {
    tokio::time::advance(time).await;
}

/// Time passes, and the clock looks at the machine's every five seconds; true where it ever had news.
async fn pass_with_looks(clock: &Clock, time: Duration) -> bool {
    let (mut moved, end) = (false, Instant::now() + time);
    while Instant::now() < end {
        pass(LOOK_EVERY.min(end - Instant::now())).await;
        moved |= clock.look();
    }
    moved
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_was_set_back_goes_on_from_what_was_written_last() {
    let clock = || Clock::starting_at(Timestamp(1_000_000));
    assert_eq!(clock().not_before(Timestamp(900_000)).now(), Timestamp(1_000_000));
    assert_eq!(clock().not_before(Timestamp(1_003_000)).now(), Timestamp(1_003_000));
    let set_back = clock().not_before(Timestamp(1_003_000));
    assert_eq!(set_back.instant(Timestamp(1_004_000)), Instant::now() + SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_was_wrong_by_years_is_believed_when_it_is_mended() {
    let clock = Clock::starting_at(Timestamp(1_000_000));
    assert_eq!(clock.not_before(Timestamp(1_000_000_000_000)).now(), Timestamp(1_000_000));
}

#[tokio::test(start_paused = true)]
async fn every_clone_tells_the_same_time_also_one_from_before_the_hub_knew_what_was_written_last() {
    let early = FakeMachine::showing(NOON).clock();
    let late = early.clone().not_before(NOON + HOUR);
    assert_eq!((early.now(), late.now()), (NOON + HOUR, NOON + HOUR));
    assert_eq!((early.machine_now(), early.skew()), (NOON, (HOUR, true)));
}

#[tokio::test(start_paused = true)]
async fn without_a_machine_nothing_changes_a_clocks_course() {
    let clock = Clock::starting_at(NOON).not_before(NOON + HOUR);
    assert!(!pass_with_looks(&clock, DAY).await);
    assert_eq!((clock.now(), clock.machine_now()), (NOON + HOUR + DAY, NOON + HOUR + DAY));
    assert_eq!(clock.skew(), (Duration::ZERO, false));
    let (away, _) = Clock::system().skew();
    assert!(away < MINUTE, "{away:?}");
}

#[tokio::test(start_paused = true)]
async fn over_a_sleep_of_the_machine_the_hubs_time_goes_on_with_the_next_look() {
    for slept in [MINUTE, 2 * HOUR, 20 * HOUR, 3 * DAY] {
        let machine = FakeMachine::showing(NOON);
        let clock = machine.clock();
        pass(MINUTE).await;
        machine.sleeps(slept);
        assert_eq!((clock.now(), clock.machine_now()), (NOON + MINUTE, NOON + MINUTE + slept));
        assert_eq!(clock.skew(), (slept, false));
        let due = clock.instant(NOON + MINUTE + slept);
        assert!(clock.look(), "{slept:?}");
        assert_eq!((clock.now(), clock.skew().0), (NOON + MINUTE + slept, Duration::ZERO));
        assert!(clock.instant(NOON + MINUTE + slept) <= Instant::now() && due > Instant::now());
        assert!(!clock.look(), "one leap is one piece of news");
    }
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_set_back_is_waited_for_and_the_time_never_goes_back() {
    for back in [SECOND, 2 * HOUR, 3 * DAY] {
        let machine = FakeMachine::showing(NOON);
        let clock = machine.clock();
        machine.set_back(back);
        assert_eq!((clock.now(), clock.machine_now()), (NOON, NOON - back));
        assert!(clock.look());
        // A deadline is late by a ninth of its time at most, and never after the wall clock shows it.
        let due = clock.instant(NOON + back) - Instant::now();
        assert!(back < due && due <= back * 10 / 9 + Duration::from_millis(1), "{back:?}: {due:?}");
        let (mut last, step) = (clock.now(), back);
        for _ in 0..10 {
            assert!(!pass_with_looks(&clock, step).await, "{back:?}: all goes as expected");
            let now = clock.now();
            assert!(last < now && machine.wall() <= now + Duration::from_millis(1));
            last = now;
        }
        assert_eq!(clock.skew().0, Duration::ZERO, "caught up after ten times as long");
        pass(HOUR).await;
        assert_eq!(clock.now(), machine.wall());
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_for_a_moment_never_rings_before_the_clock_shows_it_and_at_most_a_millisecond_later() {
    let machine = FakeMachine::showing(NOON);
    let clock = machine.clock();
    pass(Duration::from_micros(1_234_567)).await;
    machine.set_back(100 * SECOND);
    clock.look();
    for millis in (1..1_200_000).step_by(7_919) {
        let at = NOON + Duration::from_millis(millis);
        let instant = clock.instant(at);
        let course = clock.course.borrow();
        assert!(course.at(instant) >= at.min(course.at(instant).max(at)), "{millis}");
        if at > clock.now() {
            assert_eq!(course.at(instant), at, "{millis}");
            assert!(course.moment(instant) >= at && course.moment(instant) <= at + Duration::from_millis(1));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn small_steps_and_slews_of_a_time_server_are_followed_in_both_directions() {
    let machine = FakeMachine::showing(NOON);
    let clock = machine.clock();
    // A slew of 500 ppm, forward for an hour and back for an hour: 2.5 ms for each look.
    for direction in [FakeMachine::set_forward, FakeMachine::set_back] {
        let mut last = clock.now();
        for _ in 0..360 {
            pass(2 * LOOK_EVERY).await;
            direction(&machine, Duration::from_millis(5));
            clock.look();
            assert!(clock.now() > last && clock.skew().0 <= Duration::from_millis(60), "{:?}", clock.skew());
            last = clock.now();
        }
    }
    for step in [FakeMachine::set_forward, FakeMachine::set_back] {
        step(&machine, Duration::from_millis(400));
        pass_with_looks(&clock, MINUTE).await;
        assert!(clock.skew().0 <= Duration::from_millis(60), "{:?}", clock.skew());
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_whose_end_fell_into_a_leap_is_left_its_time_up_to_a_minute() {
    let machine = FakeMachine::showing(NOON);
    let clock = machine.clock();
    assert_eq!(clock.grace(NOON, NOON + HOUR), None, "nothing leapt");
    pass(MINUTE).await;
    machine.sleeps(2 * HOUR);
    clock.look();
    let (before, woke) = (NOON + MINUTE, clock.now());
    assert_eq!(clock.grace(NOON, before + 29 * MINUTE), Some(woke + MINUTE));
    assert_eq!(clock.grace(NOON, before + 20 * SECOND), Some(woke + 20 * SECOND));
    assert_eq!(clock.grace(NOON, woke + SECOND), Some(woke + MINUTE), "one second is not enough to report");
    assert_eq!(clock.grace(NOON, woke + HOUR), None, "time enough is left");
    assert_eq!(clock.grace(NOON, before), None, "it had run out before");
    assert_eq!(clock.grace(woke, woke + SECOND), None, "nobody slept with it");
    // A second sleep spares what was spared, and not what ran out between.
    pass(30 * SECOND).await;
    machine.sleeps(HOUR);
    clock.look();
    assert_eq!(clock.grace(NOON, woke + MINUTE), Some(clock.now() + 30 * SECOND));
    assert_eq!(clock.grace(NOON, woke + 20 * SECOND), None);
}

#[tokio::test(start_paused = true)]
async fn what_others_dated_is_read_by_the_hubs_own_time_however_the_machine_was_set() {
    // The hub begins two hours fast, asks, and then the clock is set right.
    let machine = FakeMachine::showing(NOON + 2 * HOUR);
    let clock = machine.clock();
    pass(10 * MINUTE).await;
    let asked = clock.now();
    pass_with_looks(&clock, 5 * MINUTE).await;
    machine.set_back(2 * HOUR);
    assert_eq!(clock.to_machine(asked), NOON + 10 * MINUTE, "before the first look, too");
    for passes in [Duration::ZERO, MINUTE, 5 * HOUR, 3 * DAY] {
        pass_with_looks(&clock, passes).await;
        let close = |one: Timestamp, other: Timestamp| one.since(other).max(other.since(one)) < SECOND;
        assert!(close(clock.to_machine(asked), NOON + 10 * MINUTE), "{passes:?}: {}", clock.to_machine(asked));
        assert!(close(clock.of_machine(NOON + 10 * MINUTE), asked), "{passes:?}");
        assert!(clock.of_machine(NOON + 11 * MINUTE) > asked, "{passes:?}: written after the question");
        assert!(clock.of_machine(NOON + 9 * MINUTE) < asked, "{passes:?}: written before the question");
        assert!(close(clock.of_machine(machine.wall()), clock.now()));
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_dated_while_the_machine_slept_came_after_what_was_asked_before() {
    let machine = FakeMachine::showing(NOON);
    let clock = machine.clock();
    let asked = clock.now();
    machine.sleeps(2 * HOUR);
    assert!(clock.of_machine(NOON + HOUR) > asked, "before the first look");
    clock.look();
    assert_eq!((clock.of_machine(NOON + HOUR), clock.to_machine(asked)), (NOON + HOUR, NOON));
    assert!(clock.of_machine(NOON - SECOND) < asked);
}

#[tokio::test(start_paused = true)]
async fn how_much_of_a_time_was_slept_over_is_known() {
    let machine = FakeMachine::showing(NOON);
    let clock = machine.clock();
    pass(HOUR).await;
    machine.sleeps(60 * HOUR);
    clock.look();
    let now = clock.now();
    let table = [(NOON, 60 * HOUR), (NOON + 31 * HOUR, 30 * HOUR), (now, Duration::ZERO), (now + HOUR, Duration::ZERO)];
    for (since, leapt) in table {
        assert_eq!(clock.leapt(since), leapt, "{since}");
    }
    pass(HOUR).await;
    assert_eq!(clock.leapt(NOON), 60 * HOUR, "what passes awake is none of it");
}

#[tokio::test(start_paused = true)]
async fn a_sleep_of_a_machine_that_was_set_back_is_time_that_went_by() {
    for slept in [MINUTE, 2 * HOUR, 20 * HOUR] {
        let machine = FakeMachine::showing(NOON + 2 * HOUR);
        let clock = machine.clock();
        pass_with_looks(&clock, MINUTE).await;
        let asked = clock.now();
        machine.set_back(2 * HOUR);
        pass_with_looks(&clock, MINUTE).await;
        machine.sleeps(slept);
        pass_with_looks(&clock, MINUTE).await;
        let written = |ago: Duration| clock.of_machine(NOON + MINUTE + ago);
        assert!(written(30 * SECOND) > asked && written(MINUTE + slept / 2) > asked, "{slept:?}");
        assert!(clock.of_machine(NOON + 58 * SECOND) < asked, "{slept:?}");
        let shown = clock.to_machine(asked);
        assert!(shown.since(NOON + MINUTE).max((NOON + MINUTE).since(shown)) < SECOND, "{slept:?}: {shown}");
    }
}
