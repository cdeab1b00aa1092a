//! A hub on PostgreSQL, `--store URL`: beside what that very server does without a hub, or beside a hub on SQLite.
//!
//! Each hub has a database of its own on the server, which stays there: it is one for measurements. Hub and floor take
//! turns, and their middle rounds count.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use callboard::clock::Clock;
use callboard::ids::Ids;
use callboard::journal::postgres::{DatabasePlace, PgStore, open};
use callboard::journal::{Append, Entry, Row, Store as _, TEAM, codec};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_postgres::{Client, NoTls};

use super::appended;
use super::called::{Asker, PAUSE, Stage, WARM};
use super::child::program;
use super::client::Door;
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::floor::{Floor, Sizes, row};
use super::hub::Hub;
use super::scratch::Scratch;
use super::spread::{Times, median};
use super::start;
use super::story::{Cast, End};
use super::throughput::{Until, crowd, floating, turn_of_agent, turn_of_asker};

/// Records a second and tasks a second at least, called → delivered and seconds of an import at most.
const GOALS: (f64, f64, f64, f64) = (0.6, 0.7, 1.6, 120.0);

/// Appends of one batch: as many as producers that wait.
const BATCH: usize = 256;

#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// Agents and tasks of a round, rounds.
    pub(super) tasks: (usize, usize, usize),
    /// Agents that are parked, calls.
    pub(super) called: (usize, usize),
    /// Batches of a round.
    pub(super) batches: usize,
    /// Closed tasks of an import; four records each.
    pub(super) imported: usize,
}

pub(super) async fn measure(dir: &Path, url: &str, size: Size) -> Result<Vec<Figure>, BenchError> {
    let mut server = Server::connect(url).await?;
    let mut figures = vec![records(dir, &mut server, size).await?];
    figures.extend(called(dir, &mut server, size).await?);
    figures.push(tasks(dir, &mut server, size).await?);
    figures.push(import(dir, &mut server, size.imported).await?);
    Ok(figures)
}

fn broken(error: impl std::fmt::Display) -> BenchError {
    BenchError::Database(error.to_string())
}

struct Server {
    url: String,
    client: Client,
    made: usize,
    /// Drives its connection for as long as it lives.
    _driven: JoinSet<Result<(), tokio_postgres::Error>>,
}

impl Server {
    async fn connect(url: &str) -> Result<Self, BenchError> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(broken)?;
        let mut driven = JoinSet::new();
        driven.spawn(connection);
        let table = "CREATE TABLE IF NOT EXISTS bare (id bigserial PRIMARY KEY, body text NOT NULL)";
        client.batch_execute(table).await.map_err(broken)?;
        Ok(Self { url: url.to_owned(), client, made: 0, _driven: driven })
    }

    /// The address of a new database.
    async fn fresh(&mut self) -> Result<String, BenchError> {
        self.made += 1;
        let name = format!("bench_{}_{}", std::process::id(), self.made);
        self.client.batch_execute(&format!("CREATE DATABASE {name}")).await.map_err(broken)?;
        let (address, options) = self.url.split_once('?').unwrap_or((&self.url, ""));
        let server = address.rsplit_once('/').map_or(address, |(server, _)| server);
        Ok(format!("{server}/{name}?{options}").trim_end_matches('?').to_owned())
    }

    /// A hub on a new one.
    async fn hub(&mut self, dir: &Path, agents: usize) -> Result<Hub, BenchError> {
        let url = self.fresh().await?;
        Hub::start_with(dir, agents, &[("CALLBOARD_STORE", url)]).await
    }

    /// One statement that keeps these texts; how many seconds it took.
    async fn inserts(&self, texts: &[String]) -> Result<f64, BenchError> {
        let began = Instant::now();
        let insert = "INSERT INTO bare (body) SELECT * FROM unnest($1::text[])";
        self.client.execute(insert, &[&texts]).await.map_err(broken)?;
        Ok(began.elapsed().as_secs_f64())
    }
}

/// The journal alone, a batch at a time, and the same texts in one bare statement each.
async fn records(dir: &Path, server: &mut Server, size: Size) -> Result<Figure, BenchError> {
    let (url, scratch) = (server.fresh().await?, Scratch::new(dir)?);
    let place = DatabasePlace::parse(&url, None, TEAM, scratch.path()).map_err(broken)?;
    let opened = tokio::task::spawn_blocking(move || open(&place)).await.map_err(broken)?;
    let (mut store, _reader) = opened.map_err(broken)?;
    let (mut hubs, mut bares) = (Vec::new(), Vec::new());
    for round in 0..=size.tasks.2 {
        let (mut ours, mut bare, mut many) = (0.0, 0.0, 0);
        for _ in 0..size.batches {
            let (batch, texts) = batch()?;
            let (back, took) = tokio::task::spawn_blocking(move || write(store, &batch)).await.map_err(broken)?;
            (store, ours) = (back, ours + took?);
            bare += server.inserts(&texts).await?;
            many += texts.len();
        }
        // The first round is warm after.
        if round > 0 {
            hubs.push(floating(many) / ours);
            bares.push(floating(many) / bare);
        }
    }
    let what = format!("records, {BATCH} producers; floor: a bare batched insert of the same bytes");
    let figure = Figure::new(Measure::Database, what, median(&hubs), "/s").floor(median(&bares));
    tokio::task::spawn_blocking(move || drop(store)).await.map_err(broken)?;
    Ok(figure.goal(Goal::RatioAtLeast(GOALS.0)))
}

fn write(mut store: PgStore, batch: &[Append]) -> (PgStore, Result<f64, BenchError>) {
    let began = Instant::now();
    let failed = store.write(batch).into_iter().find_map(Result::err);
    let took = failed.map_or(Ok(began.elapsed().as_secs_f64()), |error| Err(broken(error)));
    (store, took)
}

/// Tasks that are created, offered and acknowledged, one append each, and the bodies of their records.
fn batch() -> Result<(Vec<Append>, Vec<String>), BenchError> {
    let cast = Cast::gather().ok_or_else(|| broken("the story has no cast"))?;
    let (ids, now) = (Ids::random(), Clock::system().now());
    let (mut batch, mut texts) = (Vec::new(), Vec::new());
    for _ in 0..BATCH {
        let Some((records, task)) = cast.lives(ids.task(), now, End::InProgress) else { continue };
        let entry = |record| Entry::of_task(&task.spec.id, None, record);
        let mut append = Append::new(now, cast.by(), records.into_iter().map(entry).collect());
        for entry in &append.entries {
            texts.push(codec::encode(&entry.record).map_err(broken)?.body);
        }
        append.rows = vec![Row::Task(Arc::new(task))];
        batch.push(append);
    }
    Ok((batch, texts))
}

/// The floor: an append of as many bytes to the same server, and two bare round trips.
async fn called(dir: &Path, server: &mut Server, size: Size) -> Result<Vec<Figure>, BenchError> {
    let (agents, calls) = size.called;
    let mut floor = Floor::start(dir).await?;
    let bytes = {
        // The same task is as long on SQLite, where its appends can be looked up.
        let hub = Hub::start(dir, 1).await?;
        let mut stage = Stage::open(&hub, Door::Plain, 1).await?;
        let called = stage.call(Asker::Route, &mut hub.operator(Door::Plain).await?, 0).await?;
        appended::of_task(&hub, &called.task)?.first().copied().unwrap_or_default()
    };
    let hub = server.hub(dir, agents).await?;
    let mut stage = Stage::open(&hub, Door::Plain, agents).await?;
    let mut asker = hub.operator(Door::Plain).await?;
    let (mut times, mut paid) = (Times::default(), Times::default());
    for round in 0..WARM + calls {
        let called = stage.call(Asker::Route, &mut asker, round).await?;
        let began = Instant::now();
        server.inserts(&[row(bytes)]).await?;
        floor.trips(Sizes { append: bytes, ..called.sizes }).await?;
        let took = began.elapsed();
        if round >= WARM && !called.queued {
            times.push(called.took);
            paid.push(took);
        }
        sleep(PAUSE).await;
    }
    let of = |percent: usize, goal| {
        let what = format!("called → delivered, {agents} parked, p{percent}; floor: an append and two round trips");
        Figure::new(Measure::Database, what, times.micros_at(percent), "µs").floor(paid.micros_at(percent)).goal(goal)
    };
    Ok(vec![of(50, Goal::RatioAtMost(GOALS.2)), of(99, Goal::RatioAtMost(4.0))])
}

/// Assigned, offered, acknowledged, completed; the floor is a hub on SQLite.
async fn tasks(dir: &Path, server: &mut Server, size: Size) -> Result<Figure, BenchError> {
    let (agents, tasks, rounds) = size.tasks;
    let hubs = [server.hub(dir, agents).await?, Hub::start(dir, agents).await?];
    let (mut crowds, mut rates) = (Vec::new(), [Vec::new(), Vec::new()]);
    for hub in &hubs {
        let mut askers = Vec::with_capacity(agents);
        for _ in 0..agents {
            askers.push(hub.operator(Door::Plain).await?);
        }
        crowds.push((askers, hub.agents(Door::Stateless, 0, agents, false).await?));
    }
    for round in 0..=rounds {
        for ((hub, (askers, workers)), rates) in hubs.iter().zip(&mut crowds).zip(&mut rates) {
            let until = || Until::Taken(Arc::new(AtomicUsize::new(tasks)));
            let asked = crowd(askers, &hub.child, until(), turn_of_asker).await?;
            let done = crowd(workers, &hub.child, until(), turn_of_agent).await?;
            if round > 0 {
                rates.push(1.0 / (1.0 / asked.rate + 1.0 / done.rate));
            }
        }
    }
    let what = format!("completed tasks, {agents} agents; floor: a hub on SQLite");
    let figure = Figure::new(Measure::Database, what, median(&rates[0]), "/s").floor(median(&rates[1]));
    Ok(figure.goal(Goal::RatioAtLeast(GOALS.1)))
}

/// `callboard journal import` of a journal in a file.
async fn import(dir: &Path, server: &mut Server, closed: usize) -> Result<Figure, BenchError> {
    let (url, scratch) = (server.fresh().await?, Scratch::new(dir)?);
    let data = scratch.path().join("data");
    fs::create_dir_all(&data).map_err(BenchError::io(format!("make `{}`", data.display())))?;
    let file = data.join("callboard.db");
    tokio::task::block_in_place(|| start::fill(&file, 0, closed))?;
    let mut command = Command::new(program()?);
    command.args(["journal", "import", "--to", &url]).env("CALLBOARD_DATA_DIR", &data).stdout(Stdio::null());
    let began = Instant::now();
    let status = tokio::task::block_in_place(|| command.status()).map_err(BenchError::io("import"))?;
    let took = began.elapsed().as_secs_f64();
    if !status.success() {
        return Err(broken(format!("the import ended with {status}")));
    }
    let what = format!("import of {} records", 4 * closed);
    Ok(Figure::new(Measure::Database, what, took, "s").goal(Goal::AtMost(GOALS.3)))
}
