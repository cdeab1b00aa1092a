//! What a completed task costs: time on the cores, bytes written, and tasks a second.
//!
//! An asker beside each agent assigns the tasks to the agents' role; then agents wait, acknowledge and complete. All
//! four steps count. The floor is the bare web server, called as often: it reads the JSON, keeps a row as long as the
//! hub's records of a step are, durable before it answers, together with whatever came meanwhile, and answers.
//! Credentials, rights, MCP, state rows, events, audit and search are the hub's own.
//!
//! Counted is what the kernel counts for the process of each server, until it is quiet again, so that work put off is
//! counted too: `utime + stime` of `/proc/PID/stat`, and `write_bytes` of `/proc/PID/io`, which are the bytes that went
//! to a disk. They hardly depend on what else the machine does. Tasks a second do: compare the ratio.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use serde_json::json;

use super::appended;
use super::child::Child;
use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::Hub;
use super::scratch::Scratch;
use super::server::ServerKind;
use super::spread::median;
use super::throughput::{Round, Until, crowd, fill, floating, late, quiet, turn_of_agent, turn_of_asker, work};

/// Of a completed task: milliseconds on the cores, kB written, and the part of the floor's tasks a second.
const GOALS: (f64, f64, f64) = (0.45, 20.0, 0.35);

/// Assigned, offered, acknowledged, completed.
const STEPS: usize = 4;

/// What one round came to, for each task.
struct Cost {
    /// Milliseconds on the cores.
    cpu: f64,
    /// Thousands of bytes to the disk.
    written: f64,
    /// Tasks a second.
    rate: f64,
}

/// Measures so many agents with so many tasks in each round; hub and floor take turns, and their middle rounds count.
pub(super) async fn measure(dir: &Path, agents: usize, tasks: usize, rounds: usize) -> Result<Vec<Figure>, BenchError> {
    let hub = Hub::start(dir, agents).await?;
    let mut workers = hub.agents(Door::Stateless, 0, agents, false).await?;
    fill(&hub, 1).await?;
    let Some(worker) = workers.pop() else { return Err(late("an agent")) };
    let (worker, task) = work(worker).await?;
    workers.push(worker);
    let bytes = appended::records_of_task(&hub, &task)? / STEPS;
    let scratch = Scratch::new(dir)?;
    let bare = Child::bare(ServerKind::Axum, scratch.path(), bytes)?;
    let (mut askers, mut clients) = (Vec::with_capacity(agents), Vec::with_capacity(agents));
    for _ in 0..agents {
        askers.push(hub.operator(Door::Plain).await?);
        clients.push(Caller::open(bare.address, Door::Plain, None).await?);
    }
    let (mut hubs, mut bares) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let before = Before::of(&hub.child)?;
        let asked = crowd(&mut askers, &hub.child, until(tasks), turn_of_asker).await?;
        let done = crowd(&mut workers, &hub.child, until(tasks), turn_of_agent).await?;
        hubs.push(before.cost(&hub.child, tasks, &[asked, done]).await?);
        let before = Before::of(&bare)?;
        let asked = crowd(&mut clients, &bare, until(tasks), turn_of_asker_of_bare).await?;
        let done = crowd(&mut clients, &bare, until(tasks), turn_of_agent_of_bare).await?;
        bares.push(before.cost(&bare, tasks, &[asked, done]).await?);
    }
    let middle = |costs: &[Cost], of: fn(&Cost) -> f64| median(&costs.iter().map(of).collect::<Vec<_>>());
    let row = |what: &str, of: fn(&Cost) -> f64, unit, goal| {
        let what = format!("{agents} agents, {what}");
        Figure::new(Measure::Tasks, what, middle(&hubs, of), unit).floor(middle(&bares, of)).goal(goal)
    };
    Ok(vec![
        row("time on the cores, a completed task", |cost| cost.cpu, "ms", Goal::AtMost(GOALS.0)),
        row("written to the disk, a completed task", |cost| cost.written, "kB", Goal::AtMost(GOALS.1)),
        row("completed tasks", |cost| cost.rate, "/s", Goal::RatioAtLeast(GOALS.2)),
    ])
}

fn until(tasks: usize) -> Until {
    Until::Taken(Arc::new(AtomicUsize::new(tasks)))
}

/// What the kernel had counted before.
struct Before {
    busy: Duration,
    written: f64,
}

impl Before {
    fn of(server: &Child) -> Result<Self, BenchError> {
        Ok(Self { busy: server.busy()?, written: server.written()? })
    }

    /// What these rounds cost, one after the other, once the server is quiet.
    async fn cost(self, server: &Child, tasks: usize, rounds: &[Round]) -> Result<Cost, BenchError> {
        quiet(server).await?;
        let tasks = floating(tasks.max(1));
        let seconds: f64 = rounds.iter().map(|round| tasks / round.rate).sum();
        Ok(Cost {
            cpu: server.busy()?.saturating_sub(self.busy).as_secs_f64() * 1e3 / tasks,
            written: (server.written()? - self.written) / 1e3 / tasks,
            rate: tasks / seconds,
        })
    }
}

async fn turn_of_asker_of_bare(mut client: Caller) -> Result<Caller, BenchError> {
    client.post("/append", &json!({ "text": "kept" })).await?;
    Ok(client)
}

async fn turn_of_agent_of_bare(mut client: Caller) -> Result<Caller, BenchError> {
    for _ in 0..3 {
        client = turn_of_asker_of_bare(client).await?;
    }
    Ok(client)
}
