//! What the journal does by itself: its search index, and what is older than `journal.retention`.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Fixture;
use crate::actors::alarm::{AlarmRef, ArmedTimer};
use crate::actors::journal::{JournalArgs, JournalMessage, JournalReads, JournalRef};
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::journal::samples::*;
use crate::journal::search::SearchIndex;
use crate::journal::sqlite::{self, Durability, SqliteReader};
use crate::journal::{Append, PageRequest, Reader as _, Seq, TaskFilter};
use crate::settings::Settings;

/// A journal on disk with its index, told of an alarm.
async fn on_disk(folder: &std::path::Path) -> (JournalRef, SqliteReader, AlarmRef, Clock) {
    let (store, reader) = sqlite::open(&folder.join("callboard.db"), Durability::Full).unwrap();
    let search = Some(SearchIndex::open(reader.clone()).unwrap());
    let reads = JournalReads::new(reader.clone());
    let args = JournalArgs {
        store: Box::new(store),
        reads,
        batch: 1_024,
        mailbox: 64,
        sink: Box::new(|_| {}),
        search,
        outlet: None,
    };
    let journal = args.start(None).await.unwrap();
    let clock = Clock::starting_at(at(0));
    let alarm = AlarmRef::alone(clock.clone()).await;
    journal.actor().send_message(JournalMessage::Timing { alarm: alarm.clone(), clock: clock.clone() }).unwrap();
    (journal, reader, alarm, clock)
}

fn found(reader: &SqliteReader) -> usize {
    let filter = TaskFilter { query: Some("login".to_owned()), ..TaskFilter::default() };
    reader.tasks(&filter, &PageRequest::default()).unwrap().items.len()
}

/// What stands at the alarm, once the journal has come to it.
async fn armed(journal: &JournalRef, alarm: &AlarmRef) -> Vec<ArmedTimer> {
    journal.view().await.unwrap();
    alarm.list(10).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_search_index_follows_without_being_asked_at_a_moment_that_can_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, reader, alarm, clock) = on_disk(folder.path()).await;
    journal.caught_up().await;
    assert_eq!(armed(&journal, &alarm).await, [], "all is taken in");
    let written = clock.now();
    for n in 1..=3 {
        journal.append(creates(spec(n))).await.unwrap();
    }
    let armed = armed(&journal, &alarm).await;
    let [timer] = armed.as_slice() else { panic!("{armed:?}") };
    assert_eq!((timer.actor.as_str(), timer.at), ("journal", written + Duration::from_millis(200)));
    assert_eq!((timer.reason, found(&reader)), ("what was written is taken into the search index", 0));
    let started = Instant::now();
    while found(&reader) < 3 {
        assert!(started.elapsed() < Duration::from_secs(1), "the index lags for more than a second");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(started.elapsed() >= Duration::from_millis(200));
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_finds_what_it_wrote_without_a_lag() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, reader, _, _) = on_disk(folder.path()).await;
    let started = Instant::now();
    for n in 1..=20 {
        journal.append(creates(spec(n))).await.unwrap();
        journal.caught_up().await;
        assert_eq!(found(&reader), usize::try_from(n).unwrap());
    }
    assert_eq!(started.elapsed(), Duration::ZERO, "nobody waited for a deadline");
}

#[tokio::test(start_paused = true)]
async fn many_who_ask_while_others_write_all_find_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, reader, _, _) = on_disk(folder.path()).await;
    let asks = (1..=30_u32).map(|n| {
        let (journal, reader) = (journal.clone(), reader.clone());
        async move {
            journal.append(creates(spec(n))).await.unwrap();
            journal.caught_up().await;
            let filter = TaskFilter { query: Some("login".to_owned()), ..TaskFilter::default() };
            let found = reader.tasks(&filter, &PageRequest::default()).unwrap().items;
            assert!(found.iter().any(|task| *task.id() == task_id(n)), "{n}");
        }
    });
    futures_util::future::join_all(asks).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_older_than_the_retention_goes_by_itself_in_the_end() {
    let (bench, _) = Fixture::in_memory().await;
    for _ in 0..300 {
        bench.journal.append(super::says(1)).await.unwrap();
    }
    let later = at(100 * 24 * 60 * 60);
    bench.journal.append(Append { at: later, ..super::says(2) }).await.unwrap();
    let clock = Clock::starting_at(later);
    let alarm = AlarmRef::alone(clock.clone()).await;
    let tell = |message| bench.journal.actor().send_message(message).unwrap();
    tell(JournalMessage::Timing { alarm: alarm.clone(), clock });
    let (_settings, seen) = tokio::sync::watch::channel(Arc::new(Settings::defaults()));
    tell(JournalMessage::KeepToRetention { settings: seen });
    let first = armed(&bench.journal, &alarm).await;
    assert_eq!(first.iter().map(|timer| timer.at).collect::<Vec<Timestamp>>(), [later + Duration::from_secs(60)]);
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert_eq!(bench.reader.records(Seq(0), 1_000).unwrap().len(), 302, "not before others had their turn");
    tokio::time::sleep(Duration::from_secs(3)).await;
    let left = bench.reader.records(Seq(0), 1_000).unwrap();
    assert_eq!(left.iter().map(|kept| kept.seq.0).collect::<Vec<_>>(), [301, 302]);
    let next = armed(&bench.journal, &alarm).await;
    let in_an_hour = later + Duration::from_secs(60 * 60);
    assert!(next.len() == 1 && next[0].at > in_an_hour, "and then it is looked once an hour: {next:?}");
}
