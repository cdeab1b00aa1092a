//! What `wait` does, tried.

use super::*;

const NOTHING: Pending =
    Pending { evicted: false, draining: false, news: false, full: false, reminded: false, over: false };

fn load(held: &[HeldState]) -> Load {
    held.iter().copied().collect()
}

#[test]
fn the_most_urgent_end_comes_first() {
    let all = Pending { evicted: true, draining: true, news: true, full: true, reminded: false, over: true };
    let steps = [
        (all, Some(WaitOver::Evicted)),
        (Pending { evicted: false, ..all }, Some(WaitOver::Draining)),
        (Pending { evicted: false, draining: false, ..all }, Some(WaitOver::News)),
        (Pending { full: true, over: true, ..NOTHING }, Some(WaitOver::AtCapacity)),
        (Pending { over: true, ..NOTHING }, Some(WaitOver::Idle)),
        (NOTHING, None),
    ];
    for (pending, end) in steps {
        assert_eq!(pending.ends_with(), end, "{pending:?}");
    }
}

#[test]
fn who_is_at_capacity_is_told_once_and_when_the_time_is_over() {
    let full = Pending { full: true, ..NOTHING };
    assert_eq!(full.ends_with(), Some(WaitOver::AtCapacity));
    assert_eq!(Pending { reminded: true, ..full }.ends_with(), None);
    assert_eq!(Pending { reminded: true, over: true, ..full }.ends_with(), Some(WaitOver::AtCapacity));
}

#[test]
fn what_waits_for_others_does_not_count_and_an_open_offer_comes_first() {
    use HeldState::{Blocked, InProgress, InReview, Offered};
    let table: [(&[HeldState], bool, bool); 6] = [
        (&[], false, true),
        (&[Blocked, InReview], false, true),
        (&[InProgress], false, true),
        (&[InProgress, Blocked, InProgress], true, false),
        (&[InProgress, InProgress, Offered], false, false),
        (&[Offered], false, false),
    ];
    for (held, full, takes) in table {
        assert_eq!(load(held).is_full(|| 2), full, "{held:?}");
        assert_eq!(load(held).takes_work(|| 2), takes, "{held:?}");
    }
    assert!(!load(&[]).is_full(|| 0), "one may always be held");
}

#[test]
fn a_task_is_held_while_somebody_works_on_it_or_waits_for_others() {
    let held = |state| HeldState::of(state);
    assert_eq!(held(TaskStateName::Assigned), Some(HeldState::Offered));
    assert_eq!(held(TaskStateName::InProgress), Some(HeldState::InProgress));
    assert_eq!(held(TaskStateName::Blocked), Some(HeldState::Blocked));
    assert_eq!(held(TaskStateName::InReview), Some(HeldState::InReview));
    assert_eq!(held(TaskStateName::Queued), None);
    assert_eq!(held(TaskStateName::Completed), None);
}
