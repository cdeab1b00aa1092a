//! The journal's actor: who shares a transaction, who is answered what, and what is left when it ends.

use std::sync::mpsc;
use std::time::Duration;

use tokio::task::JoinHandle;

mod deadlines;

use super::{AppendError, JournalArgs, JournalReads, JournalRef, Sink};
use crate::journal::memory::{self, MemoryFaults, MemoryReader, MemoryStore};
use crate::journal::samples::*;
use crate::journal::{
    Append, HubRecord, Kept, Pruned, ReadError, Reader as _, Record, Seq, Store, WriteError, Written,
};

/// A disk as slow as a test wants: each write waits for a word, and tells the size of its batch.
struct Gated {
    inner: MemoryStore,
    go: mpsc::Receiver<()>,
    began: tokio::sync::mpsc::UnboundedSender<usize>,
}

impl Store for Gated {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        let _ = self.began.send(batch.len());
        self.go.recv().unwrap();
        self.inner.write(batch)
    }
    fn position(&self) -> Seq {
        self.inner.position()
    }
    fn blocks(&self) -> bool {
        true
    }
}

struct Disk {
    go: mpsc::Sender<()>,
    began: tokio::sync::mpsc::UnboundedReceiver<usize>,
}

struct Fixture {
    journal: JournalRef,
    reader: MemoryReader,
    heard: tokio::sync::mpsc::UnboundedReceiver<Vec<Kept>>,
}

impl Fixture {
    async fn with(store: impl Store, reader: MemoryReader, batch: usize, mailbox: usize) -> Self {
        let (tell, heard) = tokio::sync::mpsc::unbounded_channel();
        let sink: Sink = Box::new(move |kept| {
            let _ = tell.send(kept);
        });
        let reads = JournalReads::new(reader.clone());
        let args = JournalArgs { store: Box::new(store), reads, batch, mailbox, sink, search: None, outlet: None };
        Self { journal: args.start(None).await.unwrap(), reader, heard }
    }

    async fn in_memory() -> (Self, MemoryFaults) {
        let (store, reader) = memory::open();
        let faults = store.faults();
        (Self::with(store, reader, 1_024, 64).await, faults)
    }

    async fn gated(batch: usize, mailbox: usize) -> (Self, Disk) {
        let (store, reader) = memory::open();
        let (go, wait) = mpsc::channel();
        let (began, begins) = tokio::sync::mpsc::unbounded_channel();
        let store = Gated { inner: store, go: wait, began };
        (Self::with(store, reader, batch, mailbox).await, Disk { go, began: begins })
    }

    /// An append on its way; it has taken its place when this returns.
    async fn begin(&self, append: Append) -> JoinHandle<Result<Written, AppendError>> {
        let (journal, before) = (self.journal.clone(), self.journal.depth());
        #[expect(clippy::disallowed_methods, reason = "a caller beside the test, who is awaited or aborted by it")]
        let waiting = tokio::spawn(async move { journal.append(append).await });
        while self.journal.depth() == before && !waiting.is_finished() {
            tokio::task::yield_now().await;
        }
        waiting
    }

    fn heard(&mut self) -> Vec<u64> {
        let kept = self.heard.try_recv().unwrap_or_default();
        kept.iter().map(|kept| kept.seq.0).collect()
    }
}

#[tokio::test]
async fn what_was_answered_is_kept_and_was_told_before() {
    let (mut bench, _) = Fixture::in_memory().await;
    assert_eq!(bench.journal.append(says(2)).await, Ok(Written { first: Seq(1), last: Seq(2) }));
    assert_eq!(bench.heard(), [1, 2]);
    let found = bench.journal.read(|reader| reader.records(Seq(0), 10)).await.unwrap();
    assert_eq!(found, says(2).into_kept(Seq(1)));
    let failed = bench.journal.read(|_| Err::<(), _>(ReadError::Fault("no".to_owned()))).await;
    assert_eq!(failed, Err(ReadError::Fault("no".to_owned())));
}

#[tokio::test]
async fn those_who_come_while_a_write_is_under_way_share_the_next_ones() {
    let (mut bench, mut disk) = Fixture::gated(4, 64).await;
    let first = bench.begin(says(1)).await;
    assert_eq!(disk.began.recv().await, Some(1), "a lonely append does not wait for company");
    let mut others = Vec::new();
    for _ in 0..6 {
        others.push(bench.begin(says(1)).await);
    }
    assert!(!first.is_finished(), "no answer before the write ended");
    for expected in [4, 2] {
        disk.go.send(()).unwrap();
        assert_eq!(disk.began.recv().await, Some(expected));
    }
    disk.go.send(()).unwrap();
    assert_eq!(first.await.unwrap().unwrap().first, Seq(1));
    for (other, seq) in others.into_iter().zip(2..) {
        assert_eq!(other.await.unwrap().unwrap().first, Seq(seq), "in the order they came");
    }
    assert_eq!((bench.heard(), bench.heard(), bench.heard()), (vec![1], vec![2, 3, 4, 5], vec![6, 7]));
    let view = bench.journal.view().await.unwrap();
    assert_eq!((view.batches, view.appends, view.position, view.depth), (3, 7, Seq(7), 0));
    assert_eq!((view.batch_size.p50, view.batch_size.max), (2, 4));
}

#[tokio::test]
async fn a_failed_batch_is_answered_to_each_and_the_actor_lives_on() {
    let (mut bench, faults) = Fixture::in_memory().await;
    bench.journal.append(says(1)).await.unwrap();
    faults.fail_next("the cable was pulled");
    let failed = bench.journal.append(says(1)).await;
    assert_eq!(failed, Err(AppendError::Write(WriteError::Fault("the cable was pulled".to_owned()))));
    faults.fill();
    assert_eq!(bench.journal.append(says(1)).await, Err(AppendError::Write(WriteError::Full)));
    faults.mend();
    assert_eq!(bench.journal.append(says(1)).await.unwrap().first, Seq(2));
    assert_eq!((bench.heard(), bench.heard(), bench.heard()), (vec![1], vec![2], vec![]), "what failed is not told");
    let fault = bench.journal.view().await.unwrap().last_fault.unwrap();
    assert_eq!((fault.at, fault.reason.as_str(), fault.count), (DAWN, "the journal's disk is full", 2));
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_could_not_write_finds_out_by_itself_that_it_can_again_and_says_so_once() {
    let (mut bench, faults) = Fixture::in_memory().await;
    bench.journal.append(says(1)).await.unwrap();
    faults.fill();
    for _ in 0..3 {
        assert_eq!(bench.journal.append(says(1)).await, Err(AppendError::Write(WriteError::Full)));
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(bench.journal.view().await.unwrap().failing, "it is tried, and still fails");
    faults.mend();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let view = bench.journal.view().await.unwrap();
    assert_eq!((view.failing, view.position), (false, Seq(2)), "one record, whether it was tried once or often");
    assert_eq!((bench.heard(), bench.heard(), bench.heard()), (vec![1], vec![2], vec![]));
    let kept = bench.journal.read(|reader| reader.records(Seq(1), 10)).await.unwrap();
    let Record::Hub(HubRecord::JournalMended { refused, reason, since }) = &kept[0].record else { panic!("{kept:?}") };
    assert_eq!((*refused, reason.as_str()), (3, "the journal's disk is full"));
    assert!(kept[0].at.since(*since) >= Duration::from_secs(10), "{kept:?}");
}

#[tokio::test]
async fn a_repeated_key_is_answered_and_not_told_again() {
    let (mut bench, _) = Fixture::in_memory().await;
    bench.journal.append(keyed(says(1), "key", "it")).await.unwrap();
    let again = bench.journal.append(keyed(says(1), "key", "it")).await;
    assert!(matches!(again, Err(AppendError::Write(WriteError::Repeated { .. }))), "{again:?}");
    assert_eq!((bench.heard(), bench.heard()), (vec![1], vec![]));
    assert_eq!(bench.journal.view().await.unwrap().last_fault, None);
}

#[tokio::test]
async fn past_the_limit_an_append_is_refused_until_there_is_room() {
    let (bench, mut disk) = Fixture::gated(1_024, 3).await;
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(bench.begin(says(1)).await);
    }
    assert_eq!(bench.journal.append(says(1)).await, Err(AppendError::Busy { limit: 3 }));
    assert_eq!(bench.journal.view().await.unwrap().depth, 3);
    (0..3).for_each(|_| disk.go.send(()).unwrap());
    for waiting in waiting {
        waiting.await.unwrap().unwrap();
    }
    assert_eq!(bench.journal.depth(), 0);
    disk.go.send(()).unwrap();
    bench.journal.append(says(1)).await.unwrap();
    assert!(disk.began.recv().await.is_some());
}

#[tokio::test]
async fn who_stops_waiting_leaves_the_append_behind() {
    let (bench, mut disk) = Fixture::gated(1_024, 3).await;
    let waiting = bench.begin(says(1)).await;
    disk.began.recv().await.unwrap();
    let second = bench.begin(says(1)).await;
    waiting.abort();
    second.abort();
    disk.go.send(()).unwrap();
    disk.go.send(()).unwrap();
    while bench.journal.depth() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(bench.reader.position(), Ok(Seq(2)));
}

#[tokio::test]
async fn a_drained_journal_has_written_all_it_accepted() {
    let (bench, mut disk) = Fixture::gated(2, 64).await;
    let mut waiting = Vec::new();
    for _ in 0..5 {
        waiting.push(bench.begin(says(1)).await);
    }
    disk.began.recv().await.unwrap();
    bench.journal.actor().drain().unwrap();
    assert_eq!(bench.journal.append(says(1)).await, Err(AppendError::Ended));
    (0..3).for_each(|_| disk.go.send(()).unwrap());
    bench.journal.actor().wait(None).await.unwrap();
    for waiting in waiting {
        waiting.await.unwrap().unwrap();
    }
    assert_eq!(bench.reader.position(), Ok(Seq(5)));
}

#[tokio::test]
async fn a_store_that_panics_ends_the_actor_and_answers_those_who_wait() {
    let (bench, mut disk) = Fixture::gated(1_024, 64).await;
    let waiting = bench.begin(says(1)).await;
    disk.began.recv().await.unwrap();
    drop(disk.go);
    let answer = waiting.await.unwrap();
    assert!(matches!(answer, Err(AppendError::Write(WriteError::Fault(_)))), "{answer:?}");
    bench.journal.actor().wait(None).await.unwrap();
    assert_eq!(bench.journal.append(says(1)).await, Err(AppendError::Ended));
    assert_eq!(bench.journal.depth(), 0);
}

#[tokio::test]
async fn pruning_takes_its_turn_between_two_transactions() {
    let (bench, disk) = Fixture::gated(1_024, 64).await;
    let first = bench.begin(says(1)).await;
    let journal = bench.journal.clone();
    #[expect(clippy::disallowed_methods, reason = "a caller beside the test, who is awaited by it")]
    let pruning = tokio::spawn(async move { journal.prune(at(60)).await });
    let second = bench.begin(says(1)).await;
    disk.go.send(()).unwrap();
    disk.go.send(()).unwrap();
    assert_eq!(first.await.unwrap().unwrap().first, Seq(1));
    assert_eq!(pruning.await.unwrap().unwrap(), Pruned::default(), "this disk keeps everything");
    assert_eq!(second.await.unwrap().unwrap().first, Seq(2));
}
