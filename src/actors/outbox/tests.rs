//! The outbox in a whole hub on stopped time: random stories of a destination that fails, hangs, refuses and takes
//! without saying so, a hub that is killed, a disk that takes nothing, and people who retry and drop.
//!
//! The judge holds that nothing is lost and nothing invented, that each delivery has one key, that a lane is in order
//! and one at a time, and that only what waits is sent.

mod world;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{OrderError, Ordered, OutboxOrder};
use crate::broken::{self, Break};
use crate::domain::outbox::{DeliveryId, DeliveryRefusal, DeliveryStateName};
use crate::journal::{HubRecord, Reader as _, Record, Seq};
use world::{Mood, Seen, World};

/// Stories in each run of the tests. `CALLBOARD_OUTBOX` asks for so many instead.
const STORIES: u64 = 60;

/// One story by chance, judged.
async fn story(seed: u64) -> Result<(), String> {
    let mut world = World::of(seed, Mood::ByChance).await;
    for _ in 0..40 {
        world.goes_on().await;
    }
    world.end().await
}

#[test]
fn nothing_is_lost_or_doubled_whatever_happens() {
    let asked = std::env::var("CALLBOARD_OUTBOX").ok().and_then(|stories| stories.parse::<u64>().ok());
    let (stories, next) = (asked.unwrap_or(STORIES), AtomicU64::new(1));
    // Each story has a stopped time of its own.
    let plays = || {
        let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        for seed in seeds.take_while(|seed| *seed <= stories) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
            assert_eq!(runtime.unwrap().block_on(story(seed)), Ok(()), "seed {seed}");
        }
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        (0..processors).for_each(|_| drop(scope.spawn(plays)));
    });
}

#[test]
fn the_judge_notices_a_hub_that_is_broken_on_purpose() {
    for (which, word) in [(Break::LosesDeliveries, "has no delivery"), (Break::MixesLanes, "under way in lane")] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let found = broken::with(which, || {
            runtime.block_on(async {
                for seed in 1..=STORIES {
                    story(seed).await?;
                }
                Ok(())
            })
        });
        assert!(found.as_ref().is_err_and(|why: &String| why.contains(word)), "{which:?}: {found:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_waits_for_no_send_and_a_lane_for_no_other() {
    let mut world = World::of(1, Mood::Hangs).await;
    let stuck = world.happens("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    world.is(Mood::Takes);
    world.happens("a").await.unwrap();
    let other = world.happens("b").await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!((world.state(stuck), world.state(other)), (DeliveryStateName::Pending, DeliveryStateName::Delivered));
    // Its turn is over after half a minute: it is sent again, and what is behind it follows.
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(world.state(stuck), DeliveryStateName::Delivered);
    assert_eq!(world.end().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_may_have_been_taken_from_sends_nothing() {
    let mut world = World::of(1, Mood::Takes).await;
    world.backstage.hub.ownership.is_unsure();
    let due = world.happens("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(world.state(due), DeliveryStateName::Pending);
    world.dies().await;
    assert_eq!(world.end().await, Ok(()), "the next one sends it");
}

#[tokio::test(start_paused = true)]
async fn a_dead_letter_frees_its_lane_is_told_and_is_retried_or_dropped_by_a_person() {
    let mut world = World::of(1, Mood::Refuses).await;
    let dead = world.happens("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.state(dead), DeliveryStateName::DeadLetter);
    let told = world.reader.records(Seq(dead.seq), 9).unwrap();
    let told = told.iter().find_map(|kept| {
        let Record::Hub(HubRecord::DeliveryDeadLettered { delivery, reason, .. }) = &kept.record else { return None };
        Some((*delivery, reason.clone()))
    });
    assert_eq!(told, Some((dead, "400".to_owned())));
    world.is(Mood::Takes);
    let behind = world.happens("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.state(behind), DeliveryStateName::Delivered);
    assert_eq!(world.orders(dead, OutboxOrder::Retry).await.unwrap().state.name(), DeliveryStateName::Pending);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.state(dead), DeliveryStateName::Delivered);
    let again = world.orders(dead, OutboxOrder::Drop { reason: "late".to_owned() }).await;
    assert!(matches!(again, Err(OrderError::Refused(DeliveryRefusal::Over { .. }))), "{again:?}");
    let unknown = DeliveryId { seq: 9_999, part: 0 };
    assert_eq!(world.orders(unknown, OutboxOrder::Retry).await, Err(OrderError::Unknown(unknown)));
    assert_eq!(world.end().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_order_is_carried_out_once_under_its_key_also_when_the_hub_dies_right_after_it() {
    let mut world = World::of(1, Mood::Refuses).await;
    let dead = world.happens("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    world.faults.break_down("the disk broke");
    let failed = world.orders_under(Some("k"), dead, OutboxOrder::Retry).await;
    assert!(matches!(failed, Err(OrderError::Fault(_))), "{failed:?}");
    world.faults.mend();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let done = world.orders_under(Some("k"), dead, OutboxOrder::Retry).await;
    assert!(matches!(done, Ok(Ordered::Now(_))), "neither the deed nor its key was kept: {done:?}");
    world.dies().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.state(dead), DeliveryStateName::DeadLetter, "it was refused once more");
    let again = world.orders_under(Some("k"), dead, OutboxOrder::Retry).await;
    assert!(matches!(&again, Ok(Ordered::Before(receipt)) if *receipt == json!("pending")), "{again:?}");
    assert_eq!(world.state(dead), DeliveryStateName::DeadLetter);
    let other = world.orders_under(Some("k"), dead, OutboxOrder::Drop { reason: "late".to_owned() }).await;
    assert!(matches!(other, Err(OrderError::KeyReused)), "{other:?}");
    assert_eq!(world.end().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn what_is_under_way_is_neither_retried_nor_dropped() {
    let mut world = World::of(1, Mood::Hangs).await;
    let id = world.happens("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    for order in [OutboxOrder::Retry, OutboxOrder::Drop { reason: "late".to_owned() }] {
        let refused = world.orders(id, order).await;
        assert_eq!(refused, Err(OrderError::Refused(DeliveryRefusal::UnderWay { id })));
    }
    assert_eq!(world.end().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn what_was_taken_while_the_disk_failed_is_not_sent_again() {
    let mut world = World::of(1, Mood::Fails).await;
    let id = world.happens("a").await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    world.faults.break_down("the disk broke");
    world.is(Mood::Takes);
    tokio::time::sleep(Duration::from_secs(120)).await;
    let actor_view = world.backstage.hub.supervisor.actor_view("outbox").await.unwrap().unwrap();
    assert_eq!((actor_view.state.as_str(), actor_view.detail["unwritten"].clone()), ("standing still", json!(1)));
    world.faults.mend();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(world.state(id), DeliveryStateName::Delivered);
    let mut arrived = 0;
    while let Ok(seen) = world.seen.try_recv() {
        arrived += usize::from(matches!(seen, Seen::Arrived { .. }));
    }
    assert_eq!(arrived, 1);
}
