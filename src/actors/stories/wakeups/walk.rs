//! Walks every path, and judges when the agent woke and with what.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::edges::{by_message, by_record};
use super::path::Path;
use super::scene::play;
use super::stage::{Stage, moment};
use crate::actors::agent::WaitEnd;
use crate::actors::dispatcher::DispatcherMessage;
use crate::journal::{Record, Stream, samples};

/// How long an agent may take to wake.
const WITHIN: Duration = Duration::from_millis(100);

/// The map of messages is held by the compiler alone: most of them cannot be made outside the dispatcher.
const _: fn(&DispatcherMessage) -> &'static [Path] = by_message;

#[tokio::test(start_paused = true)]
async fn every_path_into_a_queue_wakes_an_agent_that_is_parked() {
    walks_all(true).await;
}

#[tokio::test(start_paused = true)]
async fn every_path_into_a_queue_finds_an_agent_that_parks_later() {
    walks_all(false).await;
}

/// Every record that queues a task was seen on the paths that it is said to stand for.
async fn walks_all(parked: bool) {
    let (mut seen, mut asleep) = (BTreeMap::new(), Vec::new());
    for path in Path::ALL {
        match walk(*path, parked).await {
            Ok(kinds) => drop(seen.insert(*path, kinds)),
            Err(why) => asleep.push(format!("{path:?}: {why}")),
        }
    }
    assert!(asleep.is_empty(), "{} of {} paths:\n{}", asleep.len(), Path::ALL.len(), asleep.join("\n"));
    for record in samples::task_records() {
        let kind = Record::Task(record.clone()).kind().name;
        for path in by_record(&record) {
            assert!(seen[path].contains(kind), "no `{kind}` was seen on {path:?}, but {:?}", seen[path]);
        }
    }
}

/// Walks one path; the kinds of the records that its task left behind.
async fn walk(path: Path, parked: bool) -> Result<BTreeSet<&'static str>, String> {
    let mut stage = Stage::new(path, parked).await;
    let mut from = play(&mut stage).await;
    if !parked {
        moment().await;
        from = from.max(stage.now());
    }
    let (end, at) = stage.wakes().await;
    let late = at.since(from);
    if late > WITHIN {
        return Err(format!("woke after {late:?} with {end:?}"));
    }
    let stream = match (&stage.task, &end) {
        (Some(task), WaitEnd::Task(offered)) if offered.spec.id == *task => Stream::Task(task.clone()),
        (None, WaitEnd::Notices(_) | WaitEnd::Evicted(_)) => Stream::Agent(stage.agent.id.clone()),
        (wanted, end) => return Err(format!("woke with {end:?} instead of {wanted:?}")),
    };
    let history = stage.hub.hub.journal.read(move |reader| reader.history(&stream, 100)).await;
    let kinds = history.map_err(|error| error.to_string())?.iter().map(|kept| kept.record.kind().name).collect();
    stage.hub.ends().await;
    Ok(kinds)
}
