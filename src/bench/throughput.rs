//! Calls a second: agents that wait, acknowledge and complete as fast as they can, against clients of the bare library
//! whose one tool keeps a row.
//!
//! Each agent has an asker beside it that hands it the next task while it waits, so a round is four calls, three of
//! which are durable: assign, acknowledge, complete. The bare library makes every call durable, with rows of as many
//! bytes as the hub appends on average. Hub and library take turns, and the middle round of each counts.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::child::Child;
use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::{Agent, Hub, wait};
use super::scratch::Scratch;
use super::server::ServerKind;
use super::spread::median;

/// Durable calls of a round, and all of them.
const DURABLE: f64 = 3.0;
const CALLS: f64 = 4.0;

/// The bytes of a row of the floor: what a hub appends on average in such a round, its state row included.
const APPEND_BYTES: usize = 1600;

/// An agent and who asks it.
type Pair = (Agent, Caller);

/// Measures it for each number of agents.
pub(super) async fn measure(
    dir: &Path,
    agents: &[usize],
    rounds: usize,
    each: Duration,
) -> Result<Vec<Figure>, BenchError> {
    let hub = Hub::start(dir, agents.iter().sum()).await?;
    let scratch = Scratch::new(dir)?;
    let bare = Child::bare(ServerKind::Rmcp, scratch.path(), APPEND_BYTES)?;
    let mut journal = hub.operator(Door::Plain).await?;
    let mut figures = Vec::new();
    let mut first = 0;
    for &count in agents {
        let mut pairs = Vec::with_capacity(count);
        for agent in hub.agents(Door::Stateless, first, count, false).await? {
            pairs.push((agent, hub.operator(Door::Stateless).await?));
        }
        first += count;
        let mut clients = Vec::with_capacity(count);
        for _ in 0..count {
            clients.push(Caller::open(bare.address, Door::Stateless, None).await?);
        }
        let (mut of_hub, mut of_bare, mut batches) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let before = Log::read(&mut journal).await?;
            let (back, rate) = crowd(pairs, each, turn_of_agent).await?;
            let after = Log::read(&mut journal).await?;
            pairs = back;
            of_hub.push(rate);
            batches.push((after.appends - before.appends) / (after.batches - before.batches).max(1.0));
            let (back, rate) = crowd(clients, each, turn_of_client).await?;
            clients = back;
            of_bare.push(rate);
        }
        figures.extend(figures_of(count, median(&of_hub), median(&of_bare), median(&batches)));
    }
    Ok(figures)
}

fn figures_of(count: usize, rounds: f64, bare: f64, batch: f64) -> [Figure; 3] {
    let row =
        |what: &str, value, unit| Figure::new(Measure::Throughput, format!("{count} agents, {what}"), value, unit);
    [
        row("durable calls", rounds * DURABLE, "/s").floor(bare).goal(Goal::RatioAtLeast(0.5)),
        row("all calls, with the waits", rounds * CALLS, "/s").floor(bare),
        row("appends in a transaction, mean", batch, ""),
    ]
}

/// What `/admin/journal` counts.
struct Log {
    appends: f64,
    batches: f64,
}

impl Log {
    async fn read(caller: &mut Caller) -> Result<Self, BenchError> {
        let view = caller.get("/admin/journal").await?.fields;
        let count = |name: &str| view.get(name).and_then(Value::as_f64).unwrap_or_default();
        Ok(Self { appends: count("appends"), batches: count("batches") })
    }
}

/// Lets all of them take turns for a while. They come back with how many turns a second they took together.
async fn crowd<T: Send + 'static, F>(
    members: Vec<T>,
    span: Duration,
    turn: fn(T) -> F,
) -> Result<(Vec<T>, f64), BenchError>
where
    F: Future<Output = Result<T, BenchError>> + Send + 'static,
{
    let began = Instant::now();
    let mut working = JoinSet::new();
    for mut member in members {
        working.spawn(async move {
            let mut turns = 0_u32;
            while began.elapsed() < span {
                member = turn(member).await?;
                turns += 1;
            }
            Ok::<_, BenchError>((member, turns))
        });
    }
    let mut back = Vec::new();
    let mut turns = 0.0;
    while let Some(ended) = working.join_next().await {
        let late = |_| BenchError::Late { what: "a client that ended".to_owned(), seconds: 0 };
        let (member, took) = ended.map_err(late)??;
        back.push(member);
        turns += f64::from(took);
    }
    Ok((back, turns / began.elapsed().as_secs_f64()))
}

async fn turn_of_agent((mut agent, mut asker): Pair) -> Result<Pair, BenchError> {
    let call = json!({ "targetAgentId": agent.id, "prompt": "Implement the login page." });
    let wait = wait();
    let (waited, asked) = tokio::join!(agent.caller.tool("wait_for_prompt", &wait), asker.tool("assign_task", &call));
    asked?;
    let task = waited?.text("taskId").to_owned();
    agent.caller.tool("ack_task", &json!({ "taskId": task })).await?;
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "Done." });
    agent.caller.tool("send_response", &done).await?;
    Ok((agent, asker))
}

async fn turn_of_client(mut client: Caller) -> Result<Caller, BenchError> {
    client.tool("append", &json!({ "text": "Implement the login page." })).await?;
    Ok(client)
}
