//! The order as tables; which tasks are in the list, and what stands still behind them.

mod asked;
mod deliveries;
mod unheard;
mod workflows;

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::ids::{AgentId, TaskId};
use crate::samples::plain_task;
use crate::task::*;
use crate::time::Timestamp;

const NOW: Timestamp = Timestamp(1_000_000_000);
const MINUTE: u64 = 60_000;

fn item(id: &str) -> InboxItem {
    InboxItem {
        id: id.to_owned(),
        kind: InboxKind::Question,
        title: String::new(),
        reason: String::new(),
        task_id: None,
        workflow_id: None,
        agent_id: None,
        session_id: None,
        role: None,
        owner: None,
        since: Timestamp(NOW.0 - MINUTE),
        deadline: None,
        then: None,
        options: Vec::new(),
        dangerous: false,
        priority: Priority::Normal,
        cost: InboxCost { waits: vec!["ann".to_owned()], stands_still: 0 },
        actions: Vec::new(),
        sanitized: None,
    }
}

fn due(id: &str, minutes: u64) -> InboxItem {
    InboxItem { deadline: Some(Timestamp(NOW.0 + minutes * MINUTE)), ..item(id) }
}

fn idle(id: &str) -> InboxItem {
    InboxItem { cost: InboxCost::default(), ..item(id) }
}

fn costs(id: &str, stands_still: usize) -> InboxItem {
    InboxItem { cost: InboxCost { waits: vec!["ann".to_owned()], stands_still }, ..item(id) }
}

fn old(id: &str, minutes: u64) -> InboxItem {
    InboxItem { since: Timestamp(NOW.0 - minutes * MINUTE), ..item(id) }
}

fn urgent(item: InboxItem) -> InboxItem {
    InboxItem { priority: Priority::Critical, ..item }
}

fn dangerous(item: InboxItem) -> InboxItem {
    InboxItem { dangerous: true, ..item }
}

/// Each case is given in the order that is right.
#[rstest]
#[case::what_is_due_soon_goes_first(vec![due("a", 4), urgent(costs("b", 9)), idle("c")])]
#[case::the_nearest_deadline_first(vec![due("c", 1), due("b", 2), urgent(due("a", 3))])]
#[case::what_is_overdue_before_all(vec![InboxItem { deadline: Some(Timestamp(NOW.0 - 1)), ..item("b") }, due("a", 1)])]
#[case::a_far_deadline_is_none_yet(vec![urgent(item("b")), due("a", 20)])]
#[case::and_decides_between_equals(vec![due("b", 20), due("a", 25), item("0")])]
#[case::the_urgent_before_the_costly(vec![urgent(item("b")), costs("a", 50)])]
#[case::the_dangerous_before_the_costly(vec![dangerous(item("b")), costs("a", 50)])]
#[case::the_costly_before_the_old(vec![costs("b", 3), old("a", 600)])]
#[case::the_old_before_the_new(vec![old("b", 9), old("a", 8)])]
#[case::what_nobody_waits_for_comes_last(vec![item("b"), urgent(idle("a"))])]
#[case::the_name_decides_at_last(vec![item("a"), item("b")])]
fn the_order_is_as_the_table_says(#[case] right: Vec<InboxItem>) {
    let names: Vec<String> = right.iter().map(|item| item.id.clone()).collect();
    let mut shuffled = right;
    shuffled.reverse();
    order(NOW, &mut shuffled);
    assert_eq!(shuffled.iter().map(|item| item.id.clone()).collect::<Vec<_>>(), names);
}

fn task_id(n: u32) -> TaskId {
    TaskId::parse(&format!("task{n:04}")).unwrap()
}

fn task(n: u32, dependencies: &[u32]) -> Task {
    let on = dependencies.iter().map(|n| (task_id(*n), Dependency::Pending));
    let spec = Arc::new(plain_task(task_id(n).as_str(), NOW));
    let record = TaskRecord::Created { spec, dependencies: on.collect::<BTreeMap<_, _>>() };
    Task::from_created(NOW, &record).unwrap()
}

#[test]
fn everything_behind_a_task_is_counted_once_also_in_a_ring() {
    let tasks = [task(2, &[1]), task(3, &[1, 2]), task(4, &[3]), task(5, &[6]), task(6, &[5])];
    let behind = Behind::of(&tasks);
    let count = |n| behind.count(&task_id(n));
    assert_eq!((count(1), count(2), count(3), count(4), count(5)), (3, 2, 1, 0, 2));
}

#[test]
fn a_task_that_waits_for_no_task_stands_behind_none() {
    let called_off = Task { state: TaskState::Cancelled { at: NOW, reason: None }, ..task(2, &[1]) };
    let failed = TaskState::Blocked { on: BlockedOn::DependencyFailed { task: task_id(1) }, since: NOW };
    let stuck = Task { state: failed, ..task(3, &[1]) };
    assert_eq!(Behind::of(std::slice::from_ref(&called_off)).count(&task_id(1)), 0);
    assert_eq!(Behind::of(&[called_off, stuck]).count(&task_id(1)), 1);
}

/// The names of the states that need a person, and what each offers.
#[test]
fn only_what_does_not_go_on_by_itself_needs_a_person() {
    let holder = AgentId::parse("ann").unwrap();
    let answer = BlockedOn::Answer { agent: holder.clone(), reason: "which port?".to_owned(), question: None };
    let failed = BlockedOn::DependencyFailed { task: TaskId::parse("task0002").unwrap() };
    let review = |approved| TaskState::InReview { holder: holder.clone(), since: NOW, approved };
    let lost = "all ran out".to_owned();
    for (state, gone, expected) in [
        (review(false), false, Some("review:task0001 [Approve, RequestChanges, Cancel]")),
        (review(true), false, None),
        (review(true), true, Some("stranded:task0001 [Reassign, Cancel]")),
        (TaskState::Blocked { on: answer, since: NOW }, false, Some("blocked:task0001 [Answer, Reassign, Cancel]")),
        (TaskState::Blocked { on: failed, since: NOW }, false, Some("blocked:task0001 [Cancel]")),
        (TaskState::Blocked { on: BlockedOn::Dependencies, since: NOW }, false, None),
        (TaskState::Timeout { since: NOW }, false, Some("timeout:task0001 [Retry, Reassign, Cancel]")),
        (TaskState::DeadLetter { at: NOW, reason: lost }, false, Some("dead_letter:task0001 [Requeue]")),
        (TaskState::Queued { since: NOW, held_for: None }, false, None),
        (TaskState::Completed { at: NOW }, false, None),
        (TaskState::Failed { at: NOW }, false, None),
        (TaskState::Cancelled { at: NOW, reason: None }, false, None),
    ] {
        let known = Task { state, ..task(1, &[]) };
        let item = of_task(&known, &Behind::default(), |_| gone);
        let found = item.map(|item| format!("{} {:?}", item.id, item.actions));
        assert_eq!(found.as_deref(), expected, "{:?}", known.state);
    }
}

proptest! {
    #[test]
    fn the_order_is_total_and_does_not_depend_on_where_it_began(
        seeds in proptest::collection::vec((0_u64..40, 0_usize..4, any::<bool>(), any::<bool>(), 0_u64..4), 1..30),
        turn in any::<prop::sample::Index>(),
    ) {
        let mut items: Vec<InboxItem> = seeds.iter().enumerate().map(|(n, (minutes, still, due_at_all, urgent, age))| {
            let made = if *due_at_all { due(&format!("i{n}"), *minutes) } else { costs(&format!("i{n}"), *still) };
            let priority = if *urgent { Priority::High } else { Priority::Normal };
            InboxItem { priority, since: Timestamp(NOW.0 - age * MINUTE), ..made }
        }).collect();
        let mut turned = items.clone();
        let middle = turn.index(turned.len());
        turned.rotate_left(middle);
        order(NOW, &mut items);
        order(NOW, &mut turned);
        prop_assert_eq!(items, turned);
    }
}

#[test]
fn pages_follow_each_other_without_gap_or_repeat_also_when_the_time_goes_on() {
    let mut all = vec![
        due("soon", 2),
        due("soon.er", 1),
        urgent(item("urgent")),
        dangerous(item("dangerous")),
        costs("dear", 3),
        old("old", 60),
        idle("undelivered:a.b"),
        due("late", 6),
        item("a:1"),
        item("a:2"),
    ];
    order(NOW, &mut all);
    let ids = |items: &[InboxItem]| items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    for limit in 1..=all.len() + 1 {
        let (mut seen, mut cursor, mut now) = (Vec::new(), None, NOW);
        loop {
            let mut shuffled = all.clone();
            shuffled.reverse();
            let (items, next) = page(now, shuffled, cursor.as_ref(), limit);
            assert!(items.len() <= limit);
            seen.extend(ids(&items));
            // What was due in six minutes is due soon by now; the pages go on as they began.
            now = Timestamp(now.0 + 2 * MINUTE);
            let Some(next) = next else { break };
            let text = next.to_string();
            assert_eq!(InboxCursor::parse(&text).as_ref(), Some(&next), "{text}");
            cursor = Some(next);
        }
        assert_eq!(seen, ids(&all), "{limit}");
    }
}

#[test]
fn what_was_settled_between_two_pages_leaves_no_gap() {
    let (first, cursor) = page(NOW, vec![item("a"), item("b"), item("c")], None, 2);
    assert_eq!(first.len(), 2);
    let (rest, more) = page(NOW, vec![item("a"), item("c")], cursor.as_ref(), 2);
    assert_eq!((rest.len(), rest[0].id.as_str(), more), (1, "c", None), "`b` was the last of the page before");
}

#[rstest]
#[case("")]
#[case("x")]
#[case("1.2.3")]
#[case("1.3.0.0.false.0.0.0.a")]
#[case("1.0.0.3.false.0.0.0.a")]
#[case("1.0.0.0.maybe.0.0.0.a")]
fn what_is_no_cursor_is_none(#[case] text: &str) {
    assert_eq!(InboxCursor::parse(text), None);
}
