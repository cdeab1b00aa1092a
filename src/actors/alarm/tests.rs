//! The alarm, on stopped time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ractor::Actor;

use super::{AlarmActor, AlarmArgs, AlarmRef};
use crate::actors::common::{Counters, line};
use crate::clock::Clock;
use crate::domain::time::{Deadline, Timestamp};

impl AlarmRef {
    /// An alarm on its own, also for the tests of those whose deadlines stand at it.
    pub(in crate::actors) async fn alone(clock: Clock) -> Self {
        let (socket, line) = line("alarm", 16, &Counters::default());
        let (actor, _) = Actor::spawn(None, AlarmActor, AlarmArgs { clock, mailbox_metrics: socket.mailbox_metrics() })
            .await
            .unwrap();
        socket.connect(actor);
        Self::new(line)
    }
}

fn counter() -> (Arc<AtomicUsize>, super::Ring) {
    let count = Arc::new(AtomicUsize::new(0));
    let rung = Arc::clone(&count);
    (
        count,
        Arc::new(move || {
            rung.fetch_add(1, Ordering::SeqCst);
            true
        }),
    )
}

#[tokio::test(start_paused = true)]
async fn a_deadline_rings_once_at_its_moment_and_not_before() {
    let clock = Clock::starting_at(Timestamp(1_000_000));
    let alarm = AlarmRef::alone(clock.clone()).await;
    let (count, ring) = counter();
    let at = clock.now() + Duration::from_secs(1800);
    alarm.set("task:a".into(), Deadline { at, reason: "ttl" }, ring);
    tokio::time::sleep(Duration::from_millis(1_799_999)).await;
    assert_eq!(count.load(Ordering::SeqCst), 0);
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(count.load(Ordering::SeqCst), 1);
    tokio::time::sleep(Duration::from_secs(7200)).await;
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn each_actor_has_one_deadline_and_a_new_one_takes_its_place() {
    let clock = Clock::starting_at(Timestamp(1_000_000));
    let alarm = AlarmRef::alone(clock.clone()).await;
    let (count, ring) = counter();
    for seconds in [60, 30, 90] {
        let at = clock.now() + Duration::from_secs(seconds);
        alarm.set("agent:a".into(), Deadline { at, reason: "wait" }, Arc::clone(&ring));
    }
    let armed = alarm.list(10).await.unwrap();
    assert_eq!(armed.len(), 1);
    assert_eq!(armed[0].at, Timestamp(1_090_000));
    tokio::time::sleep(Duration::from_secs(89)).await;
    assert_eq!(count.load(Ordering::SeqCst), 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cleared_deadline_never_rings_and_the_list_is_in_order() {
    let clock = Clock::starting_at(Timestamp(1_000_000));
    let alarm = AlarmRef::alone(clock.clone()).await;
    let (count, ring) = counter();
    for (key, seconds) in [("b", 20), ("a", 10), ("c", 30)] {
        let at = clock.now() + Duration::from_secs(seconds);
        alarm.set(key.into(), Deadline { at, reason: "x" }, Arc::clone(&ring));
    }
    let order: Vec<_> = alarm.list(2).await.unwrap().into_iter().map(|timer| timer.actor).collect();
    assert_eq!(order, ["a", "b"]);
    alarm.clear("a".into());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_ring_that_nobody_heard_comes_again_until_somebody_does() {
    let clock = Clock::starting_at(Timestamp(1_000_000));
    let alarm = AlarmRef::alone(clock.clone()).await;
    let count = Arc::new(AtomicUsize::new(0));
    let rung = Arc::clone(&count);
    let ring: super::Ring = Arc::new(move || rung.fetch_add(1, Ordering::SeqCst) == 2);
    alarm.set("task:a".into(), Deadline { at: clock.now(), reason: "it was due when the hub began" }, ring);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(count.load(Ordering::SeqCst), 3);
    assert!(alarm.list(10).await.unwrap().is_empty());
}
