//! The outbox, step by step and over random stories.

use std::time::Duration;

use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use super::*;
use crate::ids::PrincipalId;
use crate::time::Timestamp;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn id(seq: u64) -> DeliveryId {
    DeliveryId { seq, part: 0 }
}

fn delivery(seq: u64) -> Delivery {
    let (destination, lane) = ("chat".to_owned(), "channel-1".to_owned());
    let new = NewDelivery { destination, lane, summary: "a task is done".to_owned(), body: json!({"text": "done"}) };
    Delivery::new(id(seq), Timestamp(1_000), new)
}

fn settle(outcome: SendOutcome, give_up_after: Option<Duration>) -> DeliveryCommand {
    DeliveryCommand::Settle { outcome, jitter: u32::MAX, give_up_after }
}

fn failed() -> SendOutcome {
    SendOutcome::Retry { error: "connection refused".to_owned(), after: None }
}

fn drops() -> DeliveryCommand {
    DeliveryCommand::Drop { by: PrincipalId::parse("person:anna").expect("a person"), reason: "stale".to_owned() }
}

/// Does it, and holds the promise.
fn does(delivery: &mut Delivery, at: u64, command: &DeliveryCommand) -> Result<DeliveryStateName, DeliveryRefusal> {
    let before = delivery.clone();
    let record = delivery.decide(Timestamp(at), command)?;
    assert_eq!(*delivery, before, "deciding changes nothing");
    delivery.apply(Timestamp(at), &record);
    assert_eq!(o1_out_once(&before, delivery), Ok(()));
    Ok(delivery.state.name())
}

#[test]
fn a_delivery_that_fails_waits_longer_each_time_and_keeps_its_key() {
    let mut one = delivery(7);
    let (key, mut now, mut pauses) = (one.key(), 1_000, Vec::new());
    for _ in 0..12 {
        assert_eq!(does(&mut one, now, &DeliveryCommand::Begin), Ok(DeliveryStateName::Sending));
        assert_eq!(does(&mut one, now, &settle(failed(), None)), Ok(DeliveryStateName::Pending));
        let DeliveryState::Pending { not_before } = one.state else { panic!("{:?}", one.state) };
        pauses.push(not_before.since(Timestamp(now)));
        now = not_before.0;
        assert_eq!(
            does(&mut one, now - 1, &DeliveryCommand::Begin),
            Err(DeliveryRefusal::NotDue { id: id(7), not_before })
        );
    }
    assert!(pauses.is_sorted() && pauses[0] < Duration::from_secs(1) && pauses[4] > Duration::from_secs(15));
    assert!(*pauses.last().expect("twelve") <= LONGEST_PAUSE);
    assert_eq!((one.key(), one.attempts, one.failures), (key, 12, 12));
    assert_eq!(one.key(), "chat.d_7_0");
}

#[rstest]
#[case::no_luck_no_pause(1, 0, None, 0)]
#[case::half(3, 1 << 31, None, 2_000)]
#[case::the_destination_wants_more(3, 0, Some(9), 9_000)]
#[case::never_longer_than_that(99, u32::MAX, None, 599_999)]
fn the_pause_is_a_share_of_its_bound(
    #[case] failures: u32,
    #[case] jitter: u32,
    #[case] after: Option<u64>,
    #[case] expected: u64,
) {
    assert_eq!(pause(failures, jitter, after.map(Duration::from_secs)), Duration::from_millis(expected));
}

#[test]
fn what_is_given_up_or_refused_is_a_dead_letter_until_a_person_retries_or_drops_it() {
    let (mut given_up, mut refused) = (delivery(1), delivery(2));
    let day = u64::try_from(DAY.as_millis()).expect("a day");
    does(&mut given_up, 1_000 + day, &DeliveryCommand::Begin).expect("it is due");
    assert_eq!(does(&mut given_up, 1_000 + day, &settle(failed(), Some(DAY))), Ok(DeliveryStateName::DeadLetter));
    assert_eq!(given_up.last_error.as_deref(), Some("given up after 1day: connection refused"));
    let never = SendOutcome::Refused { reason: "410 Gone".to_owned() };
    does(&mut refused, 1_000, &DeliveryCommand::Begin).expect("it is due");
    assert_eq!(does(&mut refused, 1_000, &settle(never, None)), Ok(DeliveryStateName::DeadLetter));
    assert_eq!(does(&mut refused, 2_000, &DeliveryCommand::Begin), Err(DeliveryRefusal::NotUnderWay { id: id(2) }));
    // A person's retry begins the day anew.
    let later = 5_000 + day;
    assert_eq!(does(&mut given_up, later, &DeliveryCommand::Retry), Ok(DeliveryStateName::Pending));
    does(&mut given_up, later, &DeliveryCommand::Begin).expect("it is due");
    assert_eq!(does(&mut given_up, later, &settle(failed(), Some(DAY))), Ok(DeliveryStateName::Pending));
    assert_eq!(does(&mut refused, later, &drops()), Ok(DeliveryStateName::Dropped));
    let over = DeliveryRefusal::Over { id: id(2), state: DeliveryStateName::Dropped };
    assert_eq!(does(&mut refused, later, &DeliveryCommand::Retry), Err(over));
}

#[test]
fn what_nobody_wants_any_more_is_dropped_in_the_name_of_who_decided_so() {
    let (mut one, by) = (delivery(1), PrincipalId::parse("person:anna").expect("a person"));
    let unwanted = SendOutcome::Unwanted { by: by.clone(), reason: "it was removed".to_owned() };
    does(&mut one, 1_000, &DeliveryCommand::Begin).expect("it is due");
    assert_eq!(does(&mut one, 1_000, &settle(unwanted, Some(DAY))), Ok(DeliveryStateName::Dropped));
    let dropped = DeliveryState::Dropped { at: Timestamp(1_000), by, reason: "it was removed".to_owned() };
    assert_eq!(one.state, dropped);
}

#[test]
fn nobody_retries_or_drops_what_is_under_way() {
    let mut one = delivery(1);
    does(&mut one, 1_000, &DeliveryCommand::Begin).expect("it is due");
    let under_way = DeliveryRefusal::UnderWay { id: id(1) };
    for command in [DeliveryCommand::Begin, DeliveryCommand::Retry, drops()] {
        assert_eq!(does(&mut one, 2_000, &command), Err(under_way));
    }
}

#[test]
fn a_delivery_that_changes_after_its_end_or_becomes_another_breaks_the_promise() {
    let mut one = delivery(1);
    let elsewhere = Delivery { lane: "channel-2".to_owned(), ..one.clone() };
    assert_eq!(o1_out_once(&one, &elsewhere).map_err(|broken| broken.name), Err("O1 out-once"));
    one.apply(Timestamp(1), &DeliveryRecord::Delivered { receipt: None });
    let again = Delivery { attempts: 9, ..one.clone() };
    assert_eq!(o1_out_once(&one, &again).map_err(|broken| broken.name), Err("O1 out-once"));
}

#[test]
fn a_name_is_read_as_it_is_written() {
    let id = DeliveryId { seq: 12, part: 3 };
    assert_eq!(DeliveryId::parse("d_12_3"), Some(id));
    for wrong in ["", "d_", "d_1", "d_1_", "d_01_0", "d_+1_0", "x_1_0", "d_1_0_0", "d_1_-1"] {
        assert_eq!(DeliveryId::parse(wrong), None, "{wrong}");
    }
}

fn lane(name: &str) -> LaneKey {
    ("chat".to_owned(), name.to_owned())
}

#[test]
fn a_lane_is_in_order_and_holds_no_other_up() {
    let mut lanes = Lanes::default();
    for (seq, name) in [(3, "b"), (2, "a"), (1, "a")] {
        lanes.put(&lane(name), id(seq), Timestamp(10));
    }
    assert_eq!(lanes.take_due(Timestamp(9), 9), []);
    assert_eq!(lanes.take_due(Timestamp(10), 9), [(lane("a"), id(1)), (lane("b"), id(3))]);
    assert_eq!(lanes.next_due(), None, "one at a time in each lane");
    lanes.settled(&lane("b"), id(3), None);
    lanes.settled(&lane("a"), id(1), Some(Timestamp(50)));
    assert_eq!(lanes.next_due(), Some(Timestamp(50)), "the first one holds up what is behind it in its lane");
    assert_eq!((lanes.len(), lanes.depths().get("chat")), (1, Some(&(2, id(1)))));
    // A dead letter, or one that was dropped, frees its lane.
    lanes.remove(&lane("a"), id(1));
    assert_eq!(lanes.take_due(Timestamp(50), 9), [(lane("a"), id(2))]);
}

#[test]
fn what_a_person_retries_waits_for_what_is_under_way_in_its_lane() {
    let mut lanes = Lanes::default();
    lanes.put(&lane("a"), id(5), Timestamp(0));
    assert_eq!(lanes.take_due(Timestamp(0), 9), [(lane("a"), id(5))]);
    lanes.put(&lane("a"), id(1), Timestamp(0));
    lanes.put(&lane("a"), id(5), Timestamp(0));
    assert_eq!(lanes.take_due(Timestamp(0), 9), []);
    lanes.settled(&lane("a"), id(5), None);
    assert_eq!(lanes.take_due(Timestamp(0), 9), [(lane("a"), id(1))]);
    lanes.settled(&lane("a"), id(1), None);
    assert!(lanes.is_empty(), "what was under way does not go twice");
}

proptest! {
    /// However it goes, each delivery is under way at most once at a time, and of a lane the first that waits.
    #[test]
    fn lanes_begin_the_first_of_each_and_one_at_a_time(
        steps in prop::collection::vec((0_u8..4, 0_u64..6, 0_u64..3), 0..80),
    ) {
        let (mut lanes, mut under_way) = (Lanes::default(), Vec::<(LaneKey, DeliveryId)>::new());
        let mut waiting = std::collections::BTreeSet::new();
        for (now, (step, seq, of)) in (0_u64..).zip(steps) {
            // Every third delivery shares a lane.
            let key = lane(&(seq % 3).to_string());
            match step {
                0 => {
                    lanes.put(&key, id(seq), Timestamp(now + of));
                    if !under_way.contains(&(key.clone(), id(seq))) {
                        waiting.insert((key, id(seq)));
                    }
                }
                1 => {
                    lanes.remove(&key, id(seq));
                    waiting.remove(&(key, id(seq)));
                }
                2 => for (key, id) in lanes.take_due(Timestamp(now), 2) {
                    prop_assert!(under_way.iter().all(|(busy, _)| *busy != key));
                    let first = waiting.iter().find(|(of, _)| *of == key).cloned();
                    prop_assert_eq!(first, Some((key.clone(), id)));
                    waiting.remove(&(key.clone(), id));
                    under_way.push((key, id));
                },
                _ => if let Some((key, id)) = under_way.pop() {
                    let again = (of == 0).then_some(Timestamp(now));
                    lanes.settled(&key, id, again);
                    waiting.extend(again.map(|_| (key, id)));
                },
            }
        }
        let depth: usize = lanes.depths().values().map(|(count, _)| *count).sum();
        prop_assert_eq!(depth, waiting.len() + under_way.len());
    }
}
