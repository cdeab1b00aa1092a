//! How cost grows with history: a hub with many closed tasks behind it, beside an empty one, in turns in the same run.
//!
//! The closed tasks are the machine's own (`story`), written by the real store over the last ten days, and taken into
//! the search index: `journal verify` accepts them, and a test holds it to that. What is asked of the hub is what
//! people and the page ask first: the slowest of some answers counts. The backup is the one of `journal backup`, made
//! while somebody hands out work.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::called::{Asker, Stage};
use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::{Hub, ROLE};
use super::scratch::Scratch;
use super::spread::{Times, median};
use super::start::{Filled, fill_over};
use super::throughput::{Until, crowd, floating, quiet, turn_of_agent, turn_of_asker};
use callboard::journal::inspect;
use callboard::journal::search::SearchIndex;
use callboard::journal::sqlite::open_read_only;

/// The goals: called → delivered and tasks a second by the empty hub's, then milliseconds, then kB.
const CALLED: f64 = 1.1;
const RATE: f64 = 0.9;
const STARTS: f64 = 1_000.0;
const LOOKS: f64 = 50.0;
const KEPT: f64 = 12.0;
const PAUSES: f64 = 100.0;

/// Over so long the closed tasks ended.
const SPAN: Duration = Duration::from_secs(10 * 24 * 60 * 60);

/// Calls that are not counted.
const WARM: usize = 10;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Closed tasks behind the hub.
    pub(super) closed: usize,
    /// Agents that are called, and as many that work through a queue.
    pub(super) agents: usize,
    /// Calls to either hub.
    pub(super) calls: usize,
    /// Rounds of tasks, and tasks of each.
    pub(super) rounds: (usize, usize),
    /// How often each look is taken.
    pub(super) looks: usize,
}

/// Both hubs: the one with a history, and the empty one.
struct Pair<T> {
    full: T,
    empty: T,
}

pub(super) async fn measure(dir: &Path, size: Size) -> Result<Vec<Figure>, BenchError> {
    let scratch = Scratch::new(dir)?;
    let data = scratch.path().join("data");
    fs::create_dir_all(&data).map_err(BenchError::io(format!("make `{}`", data.display())))?;
    let filled = tokio::task::block_in_place(|| fill(&data, size.closed))?;
    let bytes = bytes_in(&data)?;
    let hubs =
        Pair { full: Hub::start_in(scratch, 2 * size.agents).await?, empty: Hub::start(dir, 2 * size.agents).await? };
    let behind = format!("{} closed tasks", size.closed);
    let row = |what: &str, value: f64, unit, goal| {
        Figure::new(Measure::History, format!("{behind}: {what}"), value, unit).goal(goal)
    };
    let started = |hub: &Hub| hub.started_in.as_secs_f64() * 1e3;
    let mut figures = vec![
        row("start", started(&hubs.full), "ms", Goal::AtMost(STARTS)).floor(started(&hubs.empty)),
        row(
            "on disk for each, the search index included",
            bytes / 1e3 / floating(size.closed),
            "kB",
            Goal::AtMost(KEPT),
        ),
    ];
    for (what, times) in looks(&hubs, &filled, size.looks).await? {
        let worst = |times: &Times| times.micros_at(100) / 1e3;
        figures.push(row(&what, worst(&times.full), "ms", Goal::AtMost(LOOKS)).floor(worst(&times.empty)));
    }
    let rates = rates(&hubs, size).await?;
    let rate = row("completed tasks", median(&rates.full), "/s", Goal::RatioAtLeast(RATE)).floor(median(&rates.empty));
    figures.push(rate.goal(Goal::RatioAtLeast(RATE)));
    let called = called(&hubs, size).await?;
    for percent in [50, 99] {
        let at = |times: &Times| times.micros_at(percent);
        let what = format!("{behind}: POST /tasks → wait, {} parked, p{percent}", size.agents);
        let figure = Figure::new(Measure::History, what, at(&called.full), "µs").floor(at(&called.empty));
        figures.push(figure.goal(Goal::RatioAtMost(CALLED)));
    }
    let backup = backup(&hubs, dir).await?;
    let longest = |times: &Times| times.micros_at(100) / 1e3;
    let what = "an append beside a backup, the longest";
    figures.push(row(what, longest(&backup.full), "ms", Goal::AtMost(PAUSES)).floor(longest(&backup.empty)));
    Ok(figures)
}

/// Writes the history, and takes it into the search index as a hub has it that was there all the time.
fn fill(data: &Path, closed: usize) -> Result<Filled, BenchError> {
    let filled = fill_over(&data.join("callboard.db"), 0, closed, SPAN)?;
    let searchable = open_read_only(&data.join("callboard.db")).map_err(|error| error.to_string()).and_then(|reader| {
        let mut index = SearchIndex::open(reader).map_err(|error| error.to_string())?;
        index.catch_up(usize::MAX).map_err(|error| error.to_string())
    });
    searchable.map_err(BenchError::Database)?;
    Ok(filled)
}

/// All files of a hub's databases, in bytes.
fn bytes_in(data: &Path) -> Result<f64, BenchError> {
    let unread = || BenchError::io(format!("look at `{}`", data.display()));
    let mut bytes = 0;
    for entry in fs::read_dir(data).map_err(unread())? {
        let entry = entry.map_err(unread())?;
        if entry.file_name().to_string_lossy().starts_with("callboard") {
            bytes += entry.metadata().map_err(unread())?.len();
        }
    }
    Ok(floating(usize::try_from(bytes).unwrap_or(usize::MAX)))
}

/// What people and the page ask first, in turns of both hubs.
async fn looks(hubs: &Pair<Hub>, filled: &Filled, times: usize) -> Result<Vec<(String, Pair<Times>)>, BenchError> {
    let mut full = hubs.full.operator(Door::Plain).await?;
    let mut empty = hubs.empty.operator(Door::Plain).await?;
    // The empty hub has one task to show, too. Nobody has registered there, so no role is known yet.
    let call = json!({ "targetAgentId": "any", "prompt": "Implement the login page." });
    let task = empty.post("/api/v1/tasks", &call).await?.text("taskId").to_owned();
    let same = |path: &str| (path.to_owned(), path.to_owned());
    let asked = [
        ("first page of tasks", same("/api/v1/tasks?limit=50")),
        ("dead letters", same("/api/v1/tasks?state=DEAD_LETTER")),
        ("tasks of an agent", same("/api/v1/tasks?agent=scribe-0&limit=50")),
        ("snapshot", same("/api/v1/snapshot")),
        ("overview", same("/api/v1/overview")),
        ("inbox", same("/api/v1/inbox")),
        ("task show", (format!("/api/v1/tasks/{}", filled.first), format!("/api/v1/tasks/{task}"))),
        ("search for a word of all", same("/api/v1/tasks?q=login&limit=50")),
        ("search for two words of all", same("/api/v1/tasks?q=login%20errors&limit=50")),
        ("search for a word of none", same("/api/v1/tasks?q=zebra&limit=50")),
    ];
    let mut looks = Vec::new();
    for (what, (of_full, of_empty)) in asked {
        let mut seen = Pair { full: Times::default(), empty: Times::default() };
        for _ in 0..times {
            seen.full.push(asks(&mut full, &of_full).await?);
            seen.empty.push(asks(&mut empty, &of_empty).await?);
        }
        looks.push((what.to_owned(), seen));
    }
    // Whoever is measured next is not offered it.
    empty.post(&format!("/api/v1/tasks/{task}/cancel"), &json!({})).await?;
    Ok(looks)
}

async fn asks(caller: &mut Caller, path: &str) -> Result<Duration, BenchError> {
    let began = Instant::now();
    caller.get(path).await?;
    Ok(began.elapsed())
}

/// Tasks a second, handed out and completed, in rounds of both hubs in turn.
async fn rates(hubs: &Pair<Hub>, size: Size) -> Result<Pair<Vec<f64>>, BenchError> {
    let mut rates = Pair { full: Vec::new(), empty: Vec::new() };
    let mut full = Crowd::of(&hubs.full, size.agents).await?;
    let mut empty = Crowd::of(&hubs.empty, size.agents).await?;
    let (rounds, tasks) = size.rounds;
    for round in 0..=rounds {
        let both = (full.completes(&hubs.full, tasks).await?, empty.completes(&hubs.empty, tasks).await?);
        // The first warms both.
        if round > 0 {
            rates.full.push(both.0);
            rates.empty.push(both.1);
        }
    }
    Ok(rates)
}

/// Who hands out, and who works.
struct Crowd {
    askers: Vec<Caller>,
    workers: Vec<super::hub::Agent>,
}

impl Crowd {
    async fn of(hub: &Hub, agents: usize) -> Result<Self, BenchError> {
        let mut askers = Vec::with_capacity(agents);
        for _ in 0..agents {
            askers.push(hub.operator(Door::Plain).await?);
        }
        Ok(Self { askers, workers: hub.agents(Door::Stateless, 0, agents, false).await? })
    }

    async fn completes(&mut self, hub: &Hub, tasks: usize) -> Result<f64, BenchError> {
        quiet(&hub.child).await?;
        let until = || Until::Taken(Arc::new(AtomicUsize::new(tasks)));
        let asked = crowd(&mut self.askers, &hub.child, until(), turn_of_asker).await?;
        let done = crowd(&mut self.workers, &hub.child, until(), turn_of_agent).await?;
        Ok(1.0 / (1.0 / asked.rate + 1.0 / done.rate))
    }
}

/// From a call to the agent that has parsed it, in turns of both hubs.
async fn called(hubs: &Pair<Hub>, size: Size) -> Result<Pair<Times>, BenchError> {
    let stage = async |hub: &Hub| -> Result<Stage, BenchError> {
        Ok(Stage::over(hub.agents(Door::Plain, size.agents, size.agents, false).await?).await)
    };
    let mut stages = Pair { full: stage(&hubs.full).await?, empty: stage(&hubs.empty).await? };
    let mut callers =
        Pair { full: hubs.full.operator(Door::Plain).await?, empty: hubs.empty.operator(Door::Plain).await? };
    let mut times = Pair { full: Times::default(), empty: Times::default() };
    for round in 0..WARM + size.calls {
        let full = stages.full.call(Asker::Route, &mut callers.full, round).await?;
        let empty = stages.empty.call(Asker::Route, &mut callers.empty, round).await?;
        if round >= WARM && !full.queued && !empty.queued {
            times.full.push(full.took);
            times.empty.push(empty.took);
        }
    }
    Ok(times)
}

/// How long handing out takes while the journal is copied, and for as long on the empty hub without a copy.
async fn backup(hubs: &Pair<Hub>, dir: &Path) -> Result<Pair<Times>, BenchError> {
    let to = Scratch::new(dir)?;
    let (journal, copy) = (hubs.full.data().join("callboard.db"), to.path().join("copy.db"));
    let mut times = Pair { full: Times::default(), empty: Times::default() };
    let mut callers =
        Pair { full: hubs.full.operator(Door::Plain).await?, empty: hubs.empty.operator(Door::Plain).await? };
    let copying = tokio::task::spawn_blocking(move || inspect::backup(&journal, &copy, |_, _| ()));
    let call = json!({ "targetAgentId": format!("role:{ROLE}"), "prompt": "Implement the login page." });
    loop {
        let over = copying.is_finished();
        let began = Instant::now();
        callers.full.post("/api/v1/tasks", &call).await?;
        times.full.push(began.elapsed());
        if over {
            break;
        }
    }
    let copied = copying.await.map_err(|_| BenchError::Database("the copy was given up".to_owned()))?;
    copied.map_err(|error| BenchError::Database(error.to_string()))?;
    for _ in 0..times.full.count() {
        let began = Instant::now();
        callers.empty.post("/api/v1/tasks", &call).await?;
        times.empty.push(began.elapsed());
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callboard::journal::{Reader as _, Seq};

    #[test]
    fn a_history_is_one_that_a_verification_accepts_and_a_search_finds() {
        let folder = tempfile::tempdir().unwrap();
        let filled = fill(folder.path(), 40).unwrap();
        let path = folder.path().join("callboard.db");
        let report = inspect::verify(&path, |_, _| ()).unwrap();
        assert_eq!(report.findings.len(), 0, "{report:?}");
        let reader = open_read_only(&path).unwrap();
        let first = reader.task(&filled.first).unwrap().expect("the first task");
        let counts = reader.task_counts().unwrap();
        assert_eq!(counts.values().sum::<u64>(), 40);
        let last = reader.records(Seq(0), usize::MAX).unwrap().pop().unwrap();
        let span = last.at.since(first.spec.created_at);
        assert!(span > SPAN / 2 && span <= SPAN, "{span:?}");
    }
}
