//! What an actor decides on is never older than what is written: over a slow disk, and after another actor of its name.

use std::sync::mpsc;
use std::time::Duration;

use super::hub::{Hub, act};
use crate::actors::agent::WaitEnd;
use crate::actors::task::{ActError, TaskBirth};
use crate::domain::task::{Authority, ReportKind, TaskCommand, TaskStateName};
use crate::domain::time::Timestamp;
use crate::journal::memory::{self, MemoryStore};
use crate::journal::{Append, Seq, Store, WriteError, Written};
use crate::transcripts::Transcripts;

/// A store whose writes wait for a word while there are words to wait for; each says that it began.
struct Slow {
    inner: MemoryStore,
    waits: mpsc::Receiver<mpsc::Receiver<()>>,
    began: tokio::sync::mpsc::UnboundedSender<()>,
}

impl Store for Slow {
    fn write(&mut self, batch: &[Append]) -> Vec<Result<Written, WriteError>> {
        if let Ok(word) = self.waits.try_recv() {
            self.began.send(()).unwrap();
            word.recv().unwrap();
        }
        self.inner.write(batch)
    }

    fn position(&self) -> Seq {
        self.inner.position()
    }

    fn blocks(&self) -> bool {
        true
    }
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_ended_with_a_write_under_way_is_built_from_what_it_wrote() {
    let (store, reader) = memory::open();
    let faults = store.faults();
    let (wait, waits) = mpsc::channel();
    let (began, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let slow = Slow { inner: store, waits, began };
    let now = Timestamp(1_800_000_000_000);
    let hub = Hub::behind(Box::new(slow), (faults, reader), Transcripts::in_memory(), now).await;
    hub.agent("tester-1", "test-engineer").await;
    let task = hub.asks("tester-1", "look at it").await.task_id;

    let (word, slowly) = mpsc::channel();
    wait.send(slowly).unwrap();
    let cancel = TaskCommand::Cancel { authority: Authority::Operator, reason: Some("never mind".to_owned()) };
    let cancelled = hub.orders(&task, cancel);
    let meanwhile = async {
        begins.recv().await.unwrap();
        hub.hub.supervisor.restart(&format!("task:{task}")).await.unwrap().unwrap();
        // Long enough for a new actor, which must not be there yet.
        tokio::time::advance(Duration::from_secs(1)).await;
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let shown = hub.hub.task(&task);
        let first = async {
            tokio::task::yield_now().await;
            word.send(()).unwrap();
        };
        tokio::join!(shown, first).0.unwrap().unwrap()
    };
    let (_, shown) = tokio::join!(cancelled, meanwhile);
    assert_eq!(shown.state.name(), TaskStateName::Cancelled);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_order_to_a_closed_task_is_decided_on_what_the_task_is_by_then() {
    let hub = Hub::new().await;
    let agent = hub.agent("tester-1", "test-engineer").await;
    let task = hub.asks("tester-1", "first").await.task_id;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.reports(&task, ReportKind::Failed, "no").await.unwrap();
    let read_long_ago = TaskBirth::Stored(Box::new(hub.task(&task).await), None);
    hub.orders(&task, TaskCommand::Retry).await.unwrap();
    hub.cancels(&task).await;
    let line = hub.hub.dispatcher.reopen(read_long_ago).await.unwrap();
    let refused = line.act(act(&hub.hub, TaskCommand::Retry, "operator")).await.unwrap_err();
    assert!(matches!(refused, ActError::Refused(_)) && refused.to_string().contains("was cancelled"), "{refused}");
    assert_eq!(hub.state(&task).await, TaskStateName::Cancelled);
    hub.ends().await;
}
