//! The noticeboard: order, resumption, gaps, and what does not leave the hub.

mod reports;

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::StreamExt as _;
use proptest::prelude::*;

use super::buffer::Buffer;
use super::{
    EVENT_TYPES, Event, NoticeboardActor, NoticeboardArgs, NoticeboardMessage, NoticeboardRef, Posted, Subscription,
};
use crate::actors::journal::{JournalArgs, JournalReads, JournalRef};
use crate::domain::task::TaskRecord;
use crate::journal::memory::{self, MemoryReader, MemoryStore};
use crate::journal::samples::*;
use crate::journal::{Append, EventFilter, Seq, Store as _};

struct Fixture {
    board: NoticeboardRef,
    journal: JournalRef,
}

async fn board(reader: &MemoryReader, event_buffer: usize) -> NoticeboardRef {
    let args = NoticeboardArgs { reads: JournalReads::new(reader.clone()), event_buffer };
    NoticeboardActor::start(args, None).await.unwrap()
}

impl Fixture {
    async fn new(event_buffer: usize) -> Self {
        Self::on(memory::open(), event_buffer).await
    }

    async fn on((store, reader): (MemoryStore, MemoryReader), event_buffer: usize) -> Self {
        let board = board(&reader, event_buffer).await;
        let journal = JournalArgs {
            store: Box::new(store),
            reads: JournalReads::new(reader),
            batch: 1_024,
            mailbox: 64,
            sink: board.sink(),
            search: None,
            outlet: None,
        };
        Self { board, journal: journal.start(None).await.unwrap() }
    }

    async fn write(&self, append: Append) {
        self.journal.append(append).await.unwrap();
    }

    /// Writes, and waits until the board has taken it in.
    async fn posts(&self, n: usize) {
        self.write(says(n)).await;
        self.board.view().await.unwrap();
    }

    async fn listens(&self, after: Option<u64>) -> Subscription {
        self.board.subscribe(EventFilter::default(), after.map(Seq)).await.unwrap()
    }
}

/// The next `n`, as their numbers; a gap as minus what is missed.
async fn next(subscription: &mut Subscription, n: usize) -> Vec<i64> {
    let mut heard = Vec::new();
    for _ in 0..n {
        heard.push(number(&subscription.next().await.unwrap()));
    }
    heard
}

#[expect(clippy::disallowed_methods, reason = "a listener beside the test, who is awaited by it")]
fn aside<T: Send + 'static>(listening: impl Future<Output = T> + Send + 'static) -> tokio::task::JoinHandle<T> {
    tokio::spawn(listening)
}

fn number(posted: &Posted) -> i64 {
    match posted {
        Posted::Event(event) => i64::try_from(event.seq.0).unwrap(),
        Posted::Gap { missed, .. } => -i64::try_from(*missed).unwrap(),
    }
}

#[tokio::test]
async fn whoever_listens_hears_what_happens_from_now_on_in_order() {
    let bench = Fixture::new(16).await;
    bench.posts(2).await;
    let mut one = bench.listens(None).await;
    bench.posts(2).await;
    let mut other = bench.listens(None).await;
    bench.posts(1).await;
    assert_eq!(next(&mut one, 3).await, [3, 4, 5]);
    assert_eq!(next(&mut other, 1).await, [5]);
}

#[tokio::test]
async fn a_parked_listener_is_woken() {
    let bench = Fixture::new(16).await;
    let mut listener = bench.listens(None).await;
    let waiting = aside(async move { next(&mut listener, 1).await });
    while !bench.board.view().await.unwrap().subscribers.iter().any(|subscriber| subscriber.waits) {
        tokio::task::yield_now().await;
    }
    bench.posts(1).await;
    assert_eq!(waiting.await.unwrap(), [1]);
}

#[tokio::test]
async fn a_filter_lets_through_what_it_means() {
    let bench = Fixture::new(64).await;
    let ask = |types: &[&str]| EventFilter {
        types: types.iter().map(|name| (*name).to_owned()).collect(),
        ..EventFilter::default()
    };
    let filters = [
        (ask(&["task.created"]), vec![1, 4]),
        (ask(&["task"]), vec![1, 4, 5]),
        (ask(&["agent.registered", "session"]), vec![2, 3]),
        (EventFilter { task: Some(task_id(2)), ..EventFilter::default() }, vec![4, 5]),
        (EventFilter { agent: Some(agent_id("fullstack-1")), ..EventFilter::default() }, vec![2, 3]),
        (EventFilter { session: Some(session_id(1)), ..EventFilter::default() }, vec![2, 3]),
    ];
    let mut live = Vec::new();
    for (filter, _) in &filters {
        live.push(bench.board.subscribe(filter.clone(), None).await.unwrap());
    }
    bench.write(creates(spec(1))).await;
    bench.write(registers("fullstack-1", 1, at(1))).await;
    bench.write(creates(spec(2))).await;
    let prioritised = TaskRecord::Prioritised { priority: crate::domain::task::Priority::High };
    bench.write(Append::new(at(2), by(), vec![task_entry(2, prioritised)])).await;
    for ((filter, expected), mut live) in filters.into_iter().zip(live) {
        let mut resumed = bench.board.subscribe(filter.clone(), Some(Seq(0))).await.unwrap();
        assert_eq!(next(&mut live, expected.len()).await, expected, "{filter:?}");
        assert_eq!(next(&mut resumed, expected.len()).await, expected, "{filter:?}");
    }
}

#[tokio::test]
async fn who_resumes_misses_nothing_and_hears_nothing_twice() {
    let bench = Fixture::new(4).await;
    for _ in 0..30 {
        bench.posts(50).await;
    }
    let mut listener = bench.listens(Some(7)).await;
    let mut heard = next(&mut listener, 900).await;
    // The hub goes on while the past is read, and while the edge is reached.
    for _ in 0..290 {
        heard.extend(next(&mut listener, 3).await);
        bench.write(says(1)).await;
    }
    let left = 1_790 - 7 - heard.len();
    heard.extend(next(&mut listener, left).await);
    for _ in 0..20 {
        bench.write(says(1)).await;
        heard.extend(next(&mut listener, 1).await);
    }
    assert_eq!(heard, (8..=1_810).collect::<Vec<i64>>());
}

#[tokio::test]
async fn a_number_from_the_future_means_from_now_on() {
    let bench = Fixture::new(4).await;
    bench.posts(3).await;
    let mut listener = bench.listens(Some(99)).await;
    let waiting = aside(async move { next(&mut listener, 1).await });
    while bench.board.view().await.unwrap().subscribers.is_empty() {
        tokio::task::yield_now().await;
    }
    bench.posts(1).await;
    assert_eq!(waiting.await.unwrap(), [4]);
}

#[tokio::test]
async fn a_slow_reader_is_told_exactly_what_it_missed_and_where() {
    let bench = Fixture::new(4).await;
    let mut slow = bench.listens(None).await;
    let mut quick = bench.listens(None).await;
    for _ in 0..10 {
        bench.posts(1).await;
        next(&mut quick, 1).await;
    }
    let view = bench.board.view().await.unwrap();
    assert_eq!((view.subscribers[0].depth, view.subscribers[0].missed), (4, 6));
    assert_eq!((view.subscribers[1].depth, view.subscribers[1].missed), (0, 0));
    assert_eq!(next(&mut slow, 5).await, [1, 2, 3, 4, -6]);
    bench.posts(2).await;
    assert_eq!(next(&mut slow, 2).await, [11, 12]);
}

#[tokio::test(start_paused = true)]
async fn who_stops_waiting_and_comes_back_has_lost_nothing() {
    let bench = Fixture::new(64).await;
    let mut listener = bench.listens(None).await;
    let mut heard = Vec::new();
    for n in 0..20_usize {
        // Gives up at every point where it can be: before, while and after the board answers.
        for _ in 0..n % 4 {
            if let Some(posted) = futures_util::FutureExt::now_or_never(listener.next()) {
                heard.push(number(&posted.unwrap()));
            }
            tokio::task::yield_now().await;
        }
        bench.write(says(2)).await;
    }
    while heard.len() < 40 {
        if let Ok(posted) = tokio::time::timeout(Duration::from_millis(1), listener.next()).await {
            heard.push(number(&posted.unwrap()));
        }
    }
    assert_eq!(heard, (1..=40).collect::<Vec<i64>>());
}

#[tokio::test]
async fn who_goes_away_is_forgotten() {
    let bench = Fixture::new(4).await;
    let listener = bench.listens(None).await;
    let mut never_joined = bench.listens(Some(0)).await;
    assert_eq!(bench.board.view().await.unwrap().subscribers.len(), 1);
    // Gives up while it joins.
    assert!(futures_util::FutureExt::now_or_never(never_joined.next()).is_none());
    drop((listener, never_joined));
    while !bench.board.view().await.unwrap().subscribers.is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_stream_ends_with_the_board() {
    let bench = Fixture::new(4).await;
    let listener = bench.listens(None).await;
    bench.posts(1).await;
    let mut stream = Box::pin(listener.into_stream());
    assert!(stream.next().await.is_some());
    bench.board.actor().stop_and_wait(None, None).await.unwrap();
    assert_eq!(stream.next().await, None);
    assert!(bench.board.subscribe(EventFilter::default(), None).await.is_err());
    bench.journal.append(says(1)).await.expect("the journal does not need the board");
}

#[tokio::test]
async fn a_board_that_fell_behind_reads_what_it_was_not_sent() {
    let (mut store, reader) = memory::open();
    let board = board(&reader, 4_096).await;
    let mut listener = board.subscribe(EventFilter::default(), None).await.unwrap();
    store.write(&[says(1_200)]).remove(0).unwrap();
    board.tell(NoticeboardMessage::CatchUp(Seq(700))).unwrap();
    assert_eq!(next(&mut listener, 1_000).await, (1..=1_000).collect::<Vec<_>>(), "it reads in strides");
    // What was read already is not posted again; what lies between is.
    board.tell(NoticeboardMessage::Publish(says(5).into_kept(Seq(998)))).unwrap();
    store.write(&[says(2)]).remove(0).unwrap();
    board.tell(NoticeboardMessage::Publish(says(1).into_kept(Seq(1_202)))).unwrap();
    assert_eq!(next(&mut listener, 202).await, (1_001..=1_202).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_board_with_a_long_backlog_is_sent_numbers() {
    let (mut store, reader) = memory::open();
    let board = board(&reader, 10_000).await;
    let mut listener = board.subscribe(EventFilter::default(), None).await.unwrap();
    let sink = board.sink();
    // No await: the board cannot run meanwhile, and its backlog grows.
    for n in 0..9_u64 {
        store.write(&[says(1_000)]).remove(0).unwrap();
        sink(says(1_000).into_kept(Seq(n * 1_000 + 1)));
    }
    assert_eq!(next(&mut listener, 9_000).await, (1..=9_000).collect::<Vec<_>>());
}

#[test]
fn every_record_has_an_event_of_a_listed_type() {
    let types: BTreeSet<&str> = EVENT_TYPES.into_iter().collect();
    assert_eq!(types.len(), EVENT_TYPES.len());
    let append = Append { request: Some("req-7".to_owned()), ..Append::new(at(5), by(), one_of_each()) };
    let kept = append.into_kept(Seq(7));
    let events: Vec<Event> = kept.iter().map(Event::of).collect();
    assert!(events.iter().all(|event| types.contains(event.kind.as_str())));
    let lines: Vec<String> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

proptest! {
    #[test]
    fn a_buffer_is_bounded_and_accounts_for_every_event(
        limit in 1_usize..6,
        steps in prop::collection::vec(0_usize..8, 1..60),
    ) {
        let event = std::sync::Arc::new(Event::of(&says(1).into_kept(Seq(1))[0]));
        let mut buffer = Buffer::new(limit);
        let mut pushed = 0_i64;
        let mut accounted = 0_i64;
        let mut account = |posted: Vec<Posted>| {
            for posted in posted {
                match number(&posted) {
                    gap if gap < 0 => accounted -= gap,
                    seq => {
                        accounted += 1;
                        prop_assert_eq!(seq, accounted, "each gap stands where the events are missing");
                    }
                }
            }
            Ok(())
        };
        for step in steps {
            if step == 0 {
                account(buffer.take(2))?;
            }
            for _ in 0..step {
                pushed += 1;
                let seq = Seq(u64::try_from(pushed).unwrap());
                buffer.push(std::sync::Arc::new(Event { seq, ..(*event).clone() }));
            }
            prop_assert!(buffer.depth() <= limit.max(2));
        }
        loop {
            let posted = buffer.take(2);
            if posted.is_empty() {
                break;
            }
            account(posted)?;
        }
        prop_assert_eq!(accounted, pushed);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_for_what_was_let_go_of_hears_how_much_is_gone() {
    async fn soon(subscription: &mut Subscription, n: usize) -> Vec<i64> {
        tokio::time::timeout(Duration::from_secs(5), next(subscription, n)).await.expect("so many")
    }
    let bench = Fixture::new(16).await;
    bench.posts(10).await;
    assert_eq!(bench.journal.prune(at(60 * 60)).await.unwrap().records, 9);
    bench.posts(2).await;
    let mut late = bench.listens(Some(0)).await;
    assert_eq!(soon(&mut late, 4).await, [-9, 10, 11, 12]);
    let mut within = bench.listens(Some(4)).await;
    assert_eq!(soon(&mut within, 2).await, [-5, 10]);
    let mut behind = bench.listens(Some(9)).await;
    assert_eq!(soon(&mut behind, 1).await, [10], "nothing that it had asked for is gone");
    bench.posts(1).await;
    assert_eq!(soon(&mut late, 1).await, [13], "and then it hears everything, once");
    let told = bench.listens(Some(0)).await.next().await;
    assert_eq!(told, Some(Posted::Gap { missed: 9, after: Some(Seq(9)) }), "and where the events begin");
}
