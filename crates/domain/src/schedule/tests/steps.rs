//! A schedule, step by step.

use std::collections::{BTreeMap, BTreeSet};

use rstest::rstest;

use super::*;
use crate::ids::RoleId;
use crate::samples;
use crate::task::{Target, TargetWho, Task, TaskRecord, TaskSpec};

/// A task for this role that nobody took.
fn task_of_role(role: &str) -> Task {
    let role = RoleId::parse(role).expect("a role");
    let target = Target { who: TargetWho::Role(role), capabilities: BTreeSet::new() };
    let spec = TaskSpec { target, ..samples::plain_task("task0005", NOW) };
    let created = TaskRecord::Created { spec: std::sync::Arc::new(spec), dependencies: BTreeMap::new() };
    Task::from_created(NOW, &created).expect("a task")
}

/// What came of looking at the time, in short.
fn ticks(schedule: &mut Schedule, now: Timestamp, open: Option<&TaskId>) -> Vec<String> {
    let records = schedule.tick(now, open);
    let said = |record: &ScheduleRecord| match record {
        ScheduleRecord::Due { due, .. } => format!("due {}", due.moment.to_string().get(11..16).unwrap_or_default()),
        ScheduleRecord::Skipped { reason, .. } => format!("skipped: {reason}"),
        ScheduleRecord::Missed { count, caught_up, .. } => format!("missed {count}, makes {caught_up}"),
        ScheduleRecord::Created { .. }
        | ScheduleRecord::Changed { .. }
        | ScheduleRecord::Fired { .. }
        | ScheduleRecord::Removed { .. } => panic!("{record:?}"),
    };
    for record in &records {
        assert_eq!(due_once(schedule, record), Ok(()));
        schedule.apply(now, record);
    }
    records.iter().map(said).collect()
}

fn minutes(count: u64) -> Timestamp {
    Timestamp(NOW.0 + count * MINUTE)
}

#[test]
fn a_moment_on_time_is_due_once() {
    let (mut schedule, _) = schedule(&json!({"every": "10m"}));
    assert_eq!(schedule.next(), Some(minutes(10)));
    assert!(ticks(&mut schedule, minutes(9), None).is_empty());
    assert_eq!(ticks(&mut schedule, minutes(10), None), ["due 00:10"]);
    assert!(ticks(&mut schedule, minutes(10), None).is_empty());
    assert_eq!(schedule.next(), Some(minutes(20)));
    assert_eq!(schedule.key(&schedule.due[0]), "schedule:nightly@2026-11-28T00:10:00.000Z");
}

#[rstest]
#[case::none("none", &["missed 5, makes 0"], &["missed 5, makes 0", "due 01:00"])]
#[case::one("one", &["missed 5, makes 1", "due 00:50"], &["missed 5, makes 0", "due 01:00"])]
#[case::all(
    "all",
    &["missed 5, makes 5", "due 00:10", "due 00:20", "due 00:30", "due 00:40", "due 00:50"],
    &["missed 5, makes 5", "due 00:10", "due 00:20", "due 00:30", "due 00:40", "due 00:50", "due 01:00"]
)]
fn a_gap_is_told_and_caught_up(#[case] catch_up: &str, #[case] between: &[&str], #[case] at_a_moment: &[&str]) {
    let (made, _) = schedule(&json!({"every": "10m", "catchUp": catch_up}));
    assert_eq!(ticks(&mut made.clone(), minutes(55), None), between);
    let mut schedule = made;
    assert_eq!(ticks(&mut schedule, minutes(60), None), at_a_moment);
    assert_eq!(schedule.next(), Some(minutes(70)));
    assert_eq!(schedule.missed, 5);
}

#[test]
fn a_very_long_gap_is_looked_at_in_part() {
    let (mut schedule, _) = schedule(&json!({"every": "60s", "catchUp": "all"}));
    let now = minutes(2 * 366 * 24 * 60);
    let said = ticks(&mut schedule, now, None);
    assert_eq!(said.len(), 1 + MOST_CAUGHT_UP + 1, "what was missed, the newest of it, and the moment on time");
    assert_eq!(schedule.cursor, now);
}

#[rstest]
#[case::told("none", &["missed 1, makes 0"])]
#[case::made("one", &["missed 1, makes 1", "due 09:00"])]
fn a_single_moment_that_passed_is_never_forgotten(#[case] catch_up: &str, #[case] said: &[&str]) {
    let (mut schedule, _) = schedule(&json!({"at": "2026-11-28T09:00:00Z", "catchUp": catch_up}));
    assert_eq!(ticks(&mut schedule, minutes(24 * 60), None), said);
    assert_eq!(schedule.is_over(minutes(24 * 60)), catch_up == "none");
    // One that lay in the past when a file first had it is told, and has no task.
    let (mut late, _) = super::schedule(&json!({"at": "2026-11-27T09:00:00Z", "catchUp": catch_up}));
    assert!(matches!(late.spec.overtaken(Timestamp(0), NOW), Some(ScheduleRecord::Missed { caught_up: 0, .. })));
    assert_eq!(ticks(&mut late, NOW, None), Vec::<String>::new());
}

#[test]
fn while_the_task_before_is_open_a_moment_is_skipped_or_waits() {
    let open = task(1);
    let (mut skips, _) = schedule(&json!({"every": "10m"}));
    assert_eq!(ticks(&mut skips, minutes(10), Some(&open)), ["skipped: the task before, `task0001`, is still open"]);
    assert_eq!(ticks(&mut skips, minutes(20), None), ["due 00:20"]);
    assert_eq!(ticks(&mut skips, minutes(30), None), ["skipped: the task of the moment before is not made yet"]);

    let (mut queues, _) = schedule(&json!({"every": "10m", "overlap": "queue"}));
    assert_eq!(ticks(&mut queues, minutes(10), Some(&open)), ["due 00:10"]);
    assert_eq!(ticks(&mut queues, minutes(20), Some(&open)), ["due 00:20"]);
    assert_eq!(queues.ready(true), None);
    let first = queues.ready(false).expect("a moment").clone();
    assert_eq!(first.moment, minutes(10));
    let name = || "nightly".to_owned();
    queues.apply(minutes(21), &ScheduleRecord::Fired { name: name(), due: first, task: task(2) });
    assert_eq!((queues.due.len(), queues.fired), (1, 1));
    for nth in 3..=101 {
        assert_eq!(ticks(&mut queues, minutes(nth * 10), Some(&open)).len(), 1);
    }
    assert_eq!(
        ticks(&mut queues, minutes(1020), Some(&open)),
        ["skipped: 100 moments wait for the task before already"]
    );
}

/// What a change comes to, as the schedule has it then.
fn changes(schedule: &mut Schedule, now: Timestamp, spec: ScheduleSpec, paused: bool, seen: u64) -> usize {
    let by = PrincipalId::parse("bob").expect("a principal");
    let records = schedule.change(now, spec, paused, (&by, seen));
    records.iter().for_each(|record| schedule.apply(now, record));
    records.len()
}

#[test]
fn a_paused_schedule_lets_moments_pass_and_begins_anew_when_resumed() {
    let (mut schedule, _) = schedule(&json!({"every": "10m"}));
    let spec = schedule.spec.clone();
    assert_eq!(changes(&mut schedule, minutes(5), spec.clone(), true, 9), 1);
    assert_eq!(changes(&mut schedule, minutes(6), spec.clone(), true, 9), 0);
    assert_eq!((schedule.next(), ticks(&mut schedule, minutes(60), None).len()), (None, 0));
    assert_eq!(changes(&mut schedule, minutes(63), spec, false, 11), 1);
    assert_eq!((schedule.next(), schedule.seen, schedule.missed), (Some(minutes(73)), 11, 0));
}

#[test]
fn a_single_moment_that_passes_while_it_is_paused_is_told_and_has_no_task() {
    let (mut schedule, _) = schedule(&json!({"at": "2026-11-28T00:10:00Z"}));
    let spec = schedule.spec.clone();
    changes(&mut schedule, minutes(5), spec.clone(), true, 9);
    assert_eq!(changes(&mut schedule, minutes(20), spec, false, 11), 2, "resumed, and what was missed");
    assert_eq!((schedule.missed, ticks(&mut schedule, minutes(21), None).len()), (1, 0));
    assert!(schedule.is_over(minutes(21)));
}

#[test]
fn whoever_changes_what_it_makes_takes_it_over_and_who_pauses_it_does_not() {
    let (mut schedule, _) = schedule(&json!({"every": "10m"}));
    let (maker, spec) = (schedule.made_by.clone(), schedule.spec.clone());
    changes(&mut schedule, minutes(1), spec.clone(), true, 1);
    assert_eq!(schedule.made_by, maker);
    changes(&mut schedule, minutes(2), ScheduleSpec { prompt: "other words".to_owned(), ..spec }, false, 2);
    assert_eq!(schedule.made_by.as_str(), "bob");
}

#[test]
fn what_is_made_by_hand_holds_no_moment_up() {
    let (mut schedule, _) = schedule(&json!({"at": "2026-11-28T00:10:00Z"}));
    let by_hand = Due { moment: minutes(1), ended: None, by_hand: true };
    schedule.apply(minutes(1), &ScheduleRecord::Fired { name: "nightly".to_owned(), due: by_hand, task: task(1) });
    assert_eq!(schedule.before, None);
    assert_eq!(ticks(&mut schedule, minutes(10), None), ["due 00:10"]);
}

#[test]
fn a_moment_that_waits_when_its_schedule_is_removed_is_told() {
    let (mut schedule, _) = schedule(&json!({"every": "10m", "overlap": "queue"}));
    ticks(&mut schedule, minutes(10), Some(&task(1)));
    let said = schedule.remove();
    assert!(matches!(&said[..], [ScheduleRecord::Skipped { .. }, ScheduleRecord::Removed { .. }]), "{said:?}");
}

#[test]
fn after_its_end_no_moment_comes() {
    let (mut schedule, _) = schedule(&json!({"every": "10m", "until": "2026-11-28T00:25:00Z"}));
    assert_eq!(ticks(&mut schedule, minutes(10), None), ["due 00:10"]);
    assert_eq!(
        ticks(&mut schedule, minutes(500), None),
        ["missed 1, makes 1", "skipped: the task of the moment before is not made yet"]
    );
    assert_eq!(schedule.next(), None);
    assert!(!schedule.is_over(minutes(500)), "a task is still to be made");
    let due = schedule.due[0].clone();
    schedule.apply(minutes(500), &ScheduleRecord::Fired { name: "nightly".to_owned(), due, task: task(1) });
    assert!(schedule.is_over(minutes(500)));
}

#[test]
fn the_end_of_a_task_makes_one_for_the_next_with_its_result() {
    let (mut schedule, _) = schedule(&json!({
        "after": {"role": "fullstack"},
        "prompt": "Review {task} ({title?«{title}»}{state}): {result} {unknown} {schedule}",
    }));
    let ended = |seq| Ended { seq, task: task(5), state: crate::task::TaskStateName::Completed };
    let done = task_of_role("fullstack");
    assert_eq!(schedule.task_ended(NOW, &ended(7), &done, None), None, "what was before it");
    let record = schedule.task_ended(NOW, &ended(8), &done, None).expect("a moment");
    assert_eq!(due_once(&schedule, &record), Ok(()));
    schedule.apply(NOW, &record);
    assert!(due_once(&schedule, &record).is_err());
    assert_eq!(schedule.task_ended(NOW, &ended(8), &done, None), None, "the same event again");
    assert_eq!(schedule.task_ended(NOW, &ended(9), &task_of_role("tester"), None), None);
    let failed = Ended { state: crate::task::TaskStateName::Failed, ..ended(9) };
    assert_eq!(schedule.task_ended(NOW, &failed, &done, None), None);
    let due = schedule.due[0].clone();
    assert_eq!(schedule.key(&due), "schedule:nightly@8");
    let text = fill(&schedule.spec.prompt, &schedule, &due, Some(&done));
    assert_eq!(text, "Review task0005 (COMPLETED):  {unknown} nightly");
}
