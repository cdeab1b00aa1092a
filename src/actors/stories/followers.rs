//! Followers: what happens reaches them in order and at least once, whatever fails.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::hub::Hub;
use crate::actors::follower::{Consumer, Outcome};
use crate::actors::noticeboard::Event;
use crate::actors::supervisor::FollowerKind;
use crate::journal::{EventFilter, Seq};

/// What the consumer did, and is to do: shared with the test, and kept over a failure as a disk would keep it.
#[derive(Debug, Default)]
struct Book {
    place: Seq,
    taken: Vec<u64>,
    /// So many attempts fail first.
    failing: u32,
    /// The next attempt panics.
    panics: bool,
}

#[derive(Debug, Clone, Default)]
#[expect(clippy::disallowed_types, reason = "each look is one step, and no await lies inside")]
struct Writer(Arc<std::sync::Mutex<Book>>);

impl Writer {
    fn with<T>(&self, look: impl FnOnce(&mut Book) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn follows(&self, hub: &Hub) {
        let own = self.clone();
        let follower = FollowerKind { name: "test", what: Box::new(move || Box::new(own.clone())) };
        hub.hub.supervisor.supervise(follower).await.unwrap();
    }
}

impl Consumer for Writer {
    fn wants(&self) -> EventFilter {
        EventFilter { types: vec!["task.created".to_owned()], ..EventFilter::default() }
    }

    fn place(&mut self) -> BoxFuture<'_, Outcome<Seq>> {
        let place = self.with(|book| book.place);
        async move { Ok(place) }.boxed()
    }

    fn take<'a>(&'a mut self, event: &'a Event) -> BoxFuture<'a, Outcome> {
        async move {
            self.with(|book| {
                assert!(!std::mem::take(&mut book.panics), "broken on purpose");
                if book.failing > 0 {
                    book.failing -= 1;
                    return Err("no room".to_owned());
                }
                book.taken.push(event.seq.0);
                book.place = event.seq;
                Ok(())
            })
        }
        .boxed()
    }

    fn missed(&mut self, count: u64, _: Seq) -> BoxFuture<'_, Outcome> {
        panic!("{count} events were let go of")
    }
}

/// The numbers of the events that it wants, as the journal has them.
async fn created(hub: &Hub) -> Vec<u64> {
    let kept = hub.hub.journal.read(|reader| reader.records(Seq(0), 1_000)).await.unwrap();
    kept.iter().filter(|kept| kept.record.kind().name == "task.created").map(|kept| kept.seq.0).collect()
}

#[tokio::test(start_paused = true)]
async fn a_follower_reads_from_its_place_on_and_then_live() {
    let hub = Hub::new().await;
    for title in ["before", "also before"] {
        hub.asks("any", title).await;
    }
    let writer = Writer::default();
    writer.follows(&hub).await;
    hub.asks("any", "live").await;
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(writer.with(|book| book.taken.clone()), created(&hub).await);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_taken_is_taken_later_and_nothing_before_it() {
    let hub = Hub::new().await;
    let writer = Writer::default();
    writer.follows(&hub).await;
    writer.with(|book| book.failing = 3);
    for title in ["one", "two", "three"] {
        hub.asks("any", title).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let actor_view = hub.hub.supervisor.actor_view("follower:test").await.unwrap().unwrap();
    assert_eq!(actor_view.state, "standing still");
    assert_eq!(actor_view.detail["place"], 0);
    assert!(actor_view.detail["lag"].as_u64().unwrap() >= 3, "{}", actor_view.detail);
    assert_eq!(actor_view.last_refusals.last().unwrap().message, "no room");
    assert!(actor_view.deadline.is_some(), "it says when it tries again");
    assert_eq!(writer.with(|book| book.taken.clone()), Vec::<u64>::new());
    // Its pauses are 1, 2 and 4 seconds long.
    tokio::time::sleep(Duration::from_millis(6_000)).await;
    assert_eq!(writer.with(|book| book.taken.clone()), Vec::<u64>::new());
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    assert_eq!(writer.with(|book| book.taken.clone()), created(&hub).await);
    let actor_view = hub.hub.supervisor.actor_view("follower:test").await.unwrap().unwrap();
    assert_eq!((actor_view.state.as_str(), &actor_view.detail["lag"]), ("running", &0.into()));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_follower_that_panics_is_built_anew_and_goes_on_from_its_place() {
    let hub = Hub::new().await;
    let writer = Writer::default();
    writer.follows(&hub).await;
    hub.asks("any", "one").await;
    tokio::time::sleep(Duration::from_millis(10)).await;
    writer.with(|book| book.panics = true);
    for title in ["two", "three"] {
        hub.asks("any", title).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let actor_view = hub.hub.supervisor.actor_view("follower:test").await.unwrap().unwrap();
    assert_eq!(actor_view.restarts.count, 1);
    assert_eq!(writer.with(|book| book.taken.clone()), created(&hub).await);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_follower_that_stands_still_does_not_keep_the_hub_from_ending() {
    let hub = Hub::new().await;
    let writer = Writer::default();
    writer.follows(&hub).await;
    writer.with(|book| book.failing = u32::MAX);
    hub.asks("any", "one").await;
    tokio::time::sleep(Duration::from_millis(10)).await;
    let before = tokio::time::Instant::now();
    hub.ends().await;
    assert!(before.elapsed() < Duration::from_secs(5), "the end took {:?}", before.elapsed());
}
