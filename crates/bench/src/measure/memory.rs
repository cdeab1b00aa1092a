//! What a parked agent costs: resident memory, and time while nothing happens.
//!
//! The memory of a process grows with its first requests, whoever makes them. So each server is a fresh process that
//! has answered a few requests before it is weighed; and the weight of an agent is all that came to it: its connection,
//! its registration, its actor, its parked call.

use std::path::Path;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::child::Child;
use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::{Agent, Hub, wait};
use super::scratch::Scratch;
use super::server::ServerKind;

/// After the last request, until the process is weighed: every wait streams by then.
const SETTLE: Duration = Duration::from_secs(3);

/// Agents that come before the process is weighed for the first time.
const WARM: usize = 32;

/// The goal over plain HTTP, in kB.
const PLAIN: f64 = 45.0;

/// What was weighed: kB for each parked call, and the part of a core that all of them took.
struct Weight {
    kilobytes: f64,
    idle: f64,
}

/// Weighs the hub and its floors with so many parked.
pub(super) async fn measure(dir: &Path, agents: &[usize], idle: Duration) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for &count in agents {
        for door in [Door::Stateless, Door::Socket, Door::Session, Door::Plain] {
            let bare = bare(dir, door, count, idle).await?;
            let hub = hub(dir, door, count, idle).await?;
            let row = |what: &str, value, unit| {
                Figure::new(Measure::Memory, format!("{door}, {count} parked, {what}"), value, unit)
            };
            let weight = row("kB each", hub.kilobytes, "kB").floor(bare.kilobytes);
            figures.push(match door {
                Door::Plain => weight.goal(Goal::AtMost(PLAIN)),
                Door::Stateless | Door::Socket | Door::Session => weight.goal(Goal::RatioAtMost(1.3)),
            });
            figures.push(row("idle, of one core", hub.idle * 100.0, "%").floor(bare.idle * 100.0));
        }
    }
    Ok(figures)
}

async fn hub(dir: &Path, door: Door, count: usize, idle: Duration) -> Result<Weight, BenchError> {
    let hub = Hub::start(dir, WARM + count).await?;
    let warm = hub.agents(door, 0, WARM, true).await?;
    sleep(SETTLE).await;
    let before = hub.child.resident()?;
    let agents = hub.agents(door, WARM, count, true).await?;
    let listening = listening(warm.into_iter().chain(agents));
    let weight = weigh(&hub.child, before, count, idle).await;
    drop(listening);
    weight
}

/// All of them read what comes, so that a ping is answered.
fn listening(agents: impl Iterator<Item = Agent>) -> JoinSet<()> {
    let listens = |mut agent: Agent| async move { drop(agent.caller.end("wait_for_prompt").await) };
    agents.map(listens).collect()
}

async fn bare(dir: &Path, door: Door, count: usize, idle: Duration) -> Result<Weight, BenchError> {
    let scratch = Scratch::new(dir)?;
    let kind = match door {
        Door::Plain => ServerKind::Axum,
        // A bare library has no WebSockets: what it takes for a call alone is the floor of both.
        Door::Stateless | Door::Socket | Door::Session => ServerKind::Rmcp,
    };
    let door = if door == Door::Socket { Door::Stateless } else { door };
    let child = Child::bare(kind, scratch.path(), 1)?;
    let warm = open(&child, door, WARM).await?;
    sleep(SETTLE).await;
    let before = child.resident()?;
    let callers = open(&child, door, count).await?;
    let weight = weigh(&child, before, count, idle).await;
    drop((warm, callers));
    weight
}

async fn open(child: &Child, door: Door, count: usize) -> Result<Vec<Caller>, BenchError> {
    let mut callers = Vec::with_capacity(count);
    for _ in 0..count {
        let mut caller = Caller::open(child.address, door, None).await?;
        match door {
            Door::Plain => caller.begin_at("/park", &wait()).await?,
            Door::Stateless | Door::Socket | Door::Session => caller.begin("park", &wait()).await.map(drop)?,
        }
        callers.push(caller);
    }
    Ok(callers)
}

async fn weigh(child: &Child, before: f64, count: usize, idle: Duration) -> Result<Weight, BenchError> {
    sleep(SETTLE).await;
    #[expect(clippy::cast_precision_loss, reason = "a count of connections is far below 2^52")]
    let each = (child.resident()? - before) / count as f64;
    let busy = child.busy()?;
    sleep(idle).await;
    let busy = child.busy()?.saturating_sub(busy);
    Ok(Weight { kilobytes: each / 1000.0, idle: busy.as_secs_f64() / idle.as_secs_f64() })
}
