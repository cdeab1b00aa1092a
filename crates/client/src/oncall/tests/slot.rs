//! The states of a slot, on a time of the test's own.

use std::time::Duration;

use proptest::prelude::*;
use tokio::time::Instant;

use crate::domain::ids::RunId;
use crate::oncall::slot::{Due, GRACE, PARTING, Slot, SlotAction, SlotEvent};

const SILENCE: Duration = Duration::from_secs(600);

fn run(number: u32) -> RunId {
    RunId::parse(&format!("run_{number:08}")).unwrap()
}

fn working(slot: &mut Slot, now: Instant, number: u32) {
    assert_eq!(slot.on(now, SlotEvent::Offered(run(number))), Some(SlotAction::Start(run(number))));
    assert_eq!(slot.on(now, SlotEvent::Spawned), None);
}

/// A run that ends by itself.
fn ends(slot: &mut Slot, now: Instant, number: u32, calls: bool, limited: bool) -> Option<SlotAction> {
    working(slot, now, number);
    if calls {
        slot.on(now, SlotEvent::Called(run(number)));
    }
    assert_eq!(slot.on(now, SlotEvent::Exited { limited }), Some(SlotAction::TellEnd(run(number))));
    slot.on(now, SlotEvent::Kept { waits: false })
}

#[test]
fn a_run_ends_and_the_slot_waits_again() {
    let (now, mut slot) = (Instant::now(), Slot::new(SILENCE));
    assert_eq!(ends(&mut slot, now, 1, true, false), Some(SlotAction::Park));
    assert_eq!((slot.run(), slot.deadline()), (None, None));
}

#[test]
fn a_run_that_asks_keeps_its_slot_without_a_process_and_is_resumed() {
    let (now, mut slot) = (Instant::now(), Slot::new(SILENCE));
    working(&mut slot, now, 1);
    slot.on(now, SlotEvent::Exited { limited: false });
    assert_eq!(slot.on(now, SlotEvent::Kept { waits: true }), None);
    assert!(!slot.has_process() && slot.run() == Some(&run(1)));
    assert_eq!(slot.on(now, SlotEvent::Offered(run(2))), Some(SlotAction::Decline(run(2))));
    assert_eq!(slot.on(now, SlotEvent::Offered(run(1))), Some(SlotAction::Start(run(1))));
    slot.on(now, SlotEvent::Spawned);
    slot.on(now, SlotEvent::Exited { limited: false });
    slot.on(now, SlotEvent::Kept { waits: true });
    assert_eq!(slot.on(now, SlotEvent::Stop(run(1))), Some(SlotAction::Park), "its task was taken from it");
}

#[test]
fn silence_ends_a_run_and_a_sign_puts_it_off() {
    let (began, mut slot) = (Instant::now(), Slot::new(SILENCE));
    working(&mut slot, began, 1);
    let later = began + SILENCE - Duration::from_secs(1);
    slot.on(later, SlotEvent::Printed);
    assert_eq!(slot.on(began + SILENCE, SlotEvent::Tick), None);
    let much_later = later + SILENCE - Duration::from_secs(1);
    slot.on(much_later, SlotEvent::Called(run(1)));
    let silent = much_later + SILENCE;
    assert_eq!(slot.deadline(), Some(silent));
    assert_eq!(slot.on(silent, SlotEvent::Tick), Some(SlotAction::Terminate(Due::Silent)));
    assert_eq!(slot.on(silent, SlotEvent::Tick), None, "it has its time to end");
    assert_eq!(slot.on(silent + GRACE, SlotEvent::Tick), Some(SlotAction::Kill));
    assert_eq!(slot.on(silent + GRACE * 9, SlotEvent::Tick), None, "once");
    assert_eq!(slot.on(silent + GRACE, SlotEvent::Exited { limited: false }), Some(SlotAction::TellEnd(run(1))));
}

#[test]
fn three_ends_without_a_call_make_a_pause_and_each_more_a_longer_one() {
    let (mut now, mut slot) = (Instant::now(), Slot::new(SILENCE));
    assert_eq!(ends(&mut slot, now, 1, false, false), Some(SlotAction::Park));
    assert_eq!(slot.on(now, SlotEvent::Offered(run(2))), Some(SlotAction::Start(run(2))));
    slot.on(now, SlotEvent::SpawnFailed { of_task: false });
    assert_eq!(slot.on(now, SlotEvent::Kept { waits: false }), Some(SlotAction::Park));
    for (number, minutes) in [(3, 1), (4, 5), (5, 25), (6, 25)] {
        let pause = Duration::from_secs(minutes * 60);
        assert_eq!(ends(&mut slot, now, number, false, false), Some(SlotAction::Pause(pause)));
        assert_eq!(slot.on(now, SlotEvent::Offered(run(9))), Some(SlotAction::Decline(run(9))));
        now += pause;
        assert_eq!(slot.on(now, SlotEvent::Tick), Some(SlotAction::Park));
    }
    assert_eq!(ends(&mut slot, now, 7, true, false), Some(SlotAction::Park), "a call ends the series");
    assert_eq!(ends(&mut slot, now, 8, false, false), Some(SlotAction::Park));
}

#[test]
fn limits_and_the_hubs_own_stops_are_no_fault_and_silence_is() {
    let (mut now, mut slot) = (Instant::now(), Slot::new(SILENCE));
    for number in 0..5 {
        assert_eq!(ends(&mut slot, now, number, false, true), Some(SlotAction::Park));
        working(&mut slot, now, 10 + number);
        assert_eq!(slot.on(now, SlotEvent::Stop(run(10 + number))), Some(SlotAction::Terminate(Due::Told)));
        slot.on(now, SlotEvent::Exited { limited: false });
        assert_eq!(slot.on(now, SlotEvent::Kept { waits: false }), Some(SlotAction::Park));
    }
    for number in 0..3 {
        working(&mut slot, now, number);
        now += SILENCE;
        assert_eq!(slot.on(now, SlotEvent::Tick), Some(SlotAction::Terminate(Due::Silent)));
        slot.on(now, SlotEvent::Exited { limited: false });
        let next = slot.on(now, SlotEvent::Kept { waits: false });
        assert_eq!(matches!(next, Some(SlotAction::Pause(_))), number == 2, "{next:?}");
    }
}

#[test]
fn a_place_that_cannot_be_made_is_its_tasks_fault_and_pauses_nothing() {
    let (now, mut slot) = (Instant::now(), Slot::new(SILENCE));
    for number in 0..5 {
        slot.on(now, SlotEvent::Offered(run(number)));
        slot.on(now, SlotEvent::SpawnFailed { of_task: true });
        assert_eq!(slot.on(now, SlotEvent::Kept { waits: false }), Some(SlotAction::Park));
    }
}

#[test]
fn who_reported_and_goes_on_printing_is_ended() {
    let (began, mut slot) = (Instant::now(), Slot::new(SILENCE));
    working(&mut slot, began, 1);
    slot.on(began, SlotEvent::Reported(run(2)));
    assert_eq!(slot.deadline(), Some(began + SILENCE), "that is another run");
    slot.on(began, SlotEvent::Reported(run(1)));
    slot.on(began + PARTING / 2, SlotEvent::Printed);
    assert_eq!(slot.deadline(), Some(began + PARTING));
    assert_eq!(slot.on(began + PARTING, SlotEvent::Tick), Some(SlotAction::Terminate(Due::Parted)));
    slot.on(began + PARTING, SlotEvent::Exited { limited: false });
    slot.on(began + PARTING, SlotEvent::Kept { waits: true });
    slot.on(began + PARTING, SlotEvent::Offered(run(1)));
    slot.on(began + PARTING, SlotEvent::Spawned);
    assert_eq!(slot.deadline(), Some(began + PARTING + SILENCE), "its next process has its own time");
}

#[test]
fn a_stop_while_it_starts_ends_it_as_soon_as_it_is_there() {
    let (now, mut slot) = (Instant::now(), Slot::new(SILENCE));
    slot.on(now, SlotEvent::Offered(run(1)));
    assert_eq!(slot.on(now, SlotEvent::Stop(run(2))), None, "another run's");
    assert_eq!(slot.on(now, SlotEvent::Stop(run(1))), None);
    assert_eq!(slot.on(now, SlotEvent::Spawned), Some(SlotAction::Terminate(Due::Told)));
}

fn any_event() -> impl Strategy<Value = SlotEvent> {
    let run = || (0_u32..3).prop_map(run);
    prop_oneof![
        3 => run().prop_map(SlotEvent::Offered),
        3 => Just(SlotEvent::Spawned),
        1 => any::<bool>().prop_map(|of_task| SlotEvent::SpawnFailed { of_task }),
        1 => Just(SlotEvent::Printed),
        1 => run().prop_map(SlotEvent::Called),
        1 => run().prop_map(SlotEvent::Stop),
        1 => run().prop_map(SlotEvent::Reported),
        3 => any::<bool>().prop_map(|limited| SlotEvent::Exited { limited }),
        3 => any::<bool>().prop_map(|waits| SlotEvent::Kept { waits }),
        2 => Just(SlotEvent::Tick),
    ]
}

proptest! {
    /// Whatever happens in whatever order: one run at a time, each is started, ended and told once, and a slot that has
    /// none is free or knows when it will be.
    #[test]
    fn a_slot_holds_one_run_and_loses_none(events in proptest::collection::vec((any_event(), 0_u64..900), 0..80)) {
        let (mut now, mut slot) = (Instant::now(), Slot::new(SILENCE));
        let mut open: Option<RunId> = None;
        for (event, seconds) in events {
            now += Duration::from_secs(seconds);
            let before = slot.run().cloned();
            match slot.on(now, event.clone()) {
                Some(SlotAction::Start(run)) => {
                    prop_assert!(open.is_none() && before.as_ref().is_none_or(|before| *before == run));
                    open = Some(run);
                }
                Some(SlotAction::TellEnd(run)) => prop_assert_eq!(open.take(), Some(run)),
                Some(SlotAction::Terminate(_) | SlotAction::Kill) => prop_assert!(open.is_some() && slot.has_process()),
                Some(SlotAction::Park) => prop_assert!(slot.run().is_none() && slot.deadline().is_none()),
                Some(SlotAction::Pause(pause)) => prop_assert_eq!(slot.deadline(), Some(now + pause)),
                Some(SlotAction::Decline(run)) => prop_assert_eq!(SlotEvent::Offered(run), event),
                None => {}
            }
            prop_assert_eq!(slot.has_process(), open.is_some());
        }
    }
}
