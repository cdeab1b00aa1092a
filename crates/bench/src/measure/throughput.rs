//! Durable calls a second: agents that wait, acknowledge and complete as fast as they can, against clients of the bare
//! library whose one tool keeps a row.
//!
//! What is equal work:
//!
//! - A *durable call* is one whose answer leaves after an append of its own is on disk. Of the bare library every call
//!   is one: one row, in a transaction with whatever came meanwhile, synced. Of the hub these are the agents' own
//!   three: a wait (its offer is appended before it is answered), an acknowledgement, a report. All tasks are queued
//!   before the clock begins, so nothing but those three is called while it runs; the appends that the journal counts
//!   are shown beside it, and must be as many.
//! - The rows of the library are as long as the hub's appends are, measured from tasks of the same loop just before:
//!   the bodies of the records and of the state row. The columns beside them, the second table and the indexes are
//!   the hub's own choice, and count against it.
//! - Both are children of this process, stand on the same runtime, and are called by the same client over as many
//!   connections, which shares the cores with either. What the hub does besides (credentials, rights, schemas, events,
//!   the search index) the library is spared.
//!
//! Hub and library take turns, and the middle round of each counts. The time of a server's process on the cores,
//! divided by its durable calls, says the same without the client and with less noise.
//!
//! The second figure is the round with an asker beside each agent, who hands it the next task while it waits: four
//! calls. An assignment and its offer share one append when the wait came first, so here the durable calls are as many
//! as the appends that the journal counts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::appended;
use super::child::Child;
use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::{Agent, Hub, ROLE, wait};
use super::scratch::Scratch;
use super::server::ServerKind;
use super::spread::median;

/// Durable calls of a turn without an asker: wait, acknowledge, complete.
const DURABLE: f64 = 3.0;

/// Tasks that are put into the queue at the same time.
const ASKERS: usize = 16;

/// Turns of all agents together that come before anything is counted, at least.
const WARM: usize = 200;

/// A server counts as quiet when it ran less than this in [`LOOK_EVERY`].
const QUIET: Duration = Duration::from_millis(20);
const LOOK_EVERY: Duration = Duration::from_millis(400);

const PROMPT: &str = "Implement the login page.";

/// An agent and who asks it.
type Pair = (Agent, Caller);

/// What one round came to.
pub(super) struct Round {
    /// Turns a second, of all together.
    pub(super) rate: f64,
    /// Time of the server's process on the cores for each turn, in microseconds.
    cpu: f64,
}

/// When a crowd stops.
#[derive(Debug, Clone)]
pub(super) enum Until {
    /// After so long.
    Over(Duration),
    /// When so many turns were taken.
    Taken(Arc<AtomicUsize>),
}

/// Measures it for each number of agents.
pub(super) async fn measure(
    dir: &Path,
    agents: &[usize],
    rounds: usize,
    each: Duration,
) -> Result<Vec<Figure>, BenchError> {
    let hub = Hub::start(dir, agents.iter().sum()).await?;
    let mut journal = hub.operator(Door::Plain).await?;
    let mut figures = Vec::new();
    let mut first = 0;
    for &count in agents {
        let mut workers = hub.agents(Door::Stateless, first, count, false).await?;
        first += count;
        let bare = Bare::start(dir, &hub, &mut workers).await?;
        let mut clients = bare.clients(count).await?;
        let (mut hubs, mut bares, mut logs) = (Vec::new(), Vec::new(), Vec::new());
        let mut turns = WARM.max(20 * count);
        // The first round says how many tasks the others need.
        for round in 0..=rounds {
            fill(&hub, turns).await?;
            let before = Log::read(&mut journal).await?;
            let until = Until::Taken(Arc::new(AtomicUsize::new(turns)));
            let of_hub = crowd(&mut workers, &hub.child, until, turn_of_agent).await?;
            let log = Log::read(&mut journal).await?.since(&before);
            let of_bare = crowd(&mut clients, &bare.child, Until::Over(each), turn_of_client).await?;
            if round > 0 {
                logs.push((log.appends / floating(turns) / DURABLE, log.appends / log.batches.max(1.0)));
                hubs.push(Round { rate: of_hub.rate * DURABLE, cpu: of_hub.cpu / DURABLE });
                bares.push(of_bare);
            }
            turns = turns_in(of_hub.rate, each).max(count);
        }
        figures.extend(figures_of(count, &hubs, &bares, &logs, bare.bytes));
        let asked = asked(&hub, workers, &mut journal, rounds.div_ceil(2), each).await?;
        figures.extend(asked.figures(count, middle(&bares, |bare| bare.rate)));
    }
    Ok(figures)
}

/// The bare library, with rows as long as the hub's.
struct Bare {
    child: Child,
    bytes: usize,
    _scratch: Scratch,
}

impl Bare {
    /// Starts it, after the hub has shown how much it appends.
    async fn start(dir: &Path, hub: &Hub, workers: &mut Vec<Agent>) -> Result<Self, BenchError> {
        fill(hub, 1).await?;
        let Some(worker) = workers.pop() else { return Err(late("an agent")) };
        let (worker, task) = work(worker).await?;
        workers.push(worker);
        // Its first append created it; the others are those of the loop.
        let appends = appended::of_task(hub, &task)?;
        let loops = appends.get(1..).unwrap_or_default();
        let bytes = loops.iter().sum::<usize>() / loops.len().max(1);
        let scratch = Scratch::new(dir)?;
        let child = Child::bare(ServerKind::Rmcp, scratch.path(), bytes)?;
        Ok(Self { child, bytes, _scratch: scratch })
    }

    async fn clients(&self, count: usize) -> Result<Vec<Caller>, BenchError> {
        let mut clients = Vec::with_capacity(count);
        for _ in 0..count {
            clients.push(Caller::open(self.child.address, Door::Stateless, None).await?);
        }
        Ok(clients)
    }
}

fn figures_of(count: usize, hubs: &[Round], bares: &[Round], logs: &[(f64, f64)], bytes: usize) -> [Figure; 5] {
    let row = |what: &str, value, unit| Figure::new(Measure::Throughput, named(count, what), value, unit);
    let (rate, cpu) = (|round: &Round| round.rate, |round: &Round| round.cpu);
    let appends = median(&logs.iter().map(|(appends, _)| *appends).collect::<Vec<_>>());
    let batch = median(&logs.iter().map(|(_, batch)| *batch).collect::<Vec<_>>());
    [
        row("durable calls: wait, ack, complete", middle(hubs, rate), "/s")
            .floor(middle(bares, rate))
            .goal(Goal::RatioAtLeast(0.5)),
        row("time on the cores, a durable call", middle(hubs, cpu), "µs").floor(middle(bares, cpu)),
        row("appends of a durable call, mean", appends, ""),
        row("bytes of an append, mean", floating(bytes), "").floor(floating(bytes)),
        row("appends in a transaction, mean", batch, ""),
    ]
}

/// The four calls of a round with an asker.
struct AskingRound {
    calls: f64,
    appends: f64,
    each: f64,
}

impl AskingRound {
    fn figures(&self, count: usize, bare: f64) -> [Figure; 3] {
        let row = |what: &str, value, unit| Figure::new(Measure::Throughput, named(count, what), value, unit);
        [
            row("with an asker each: durable calls", self.appends, "/s").floor(bare),
            row("with an asker each: all calls", self.calls, "/s").floor(bare),
            row("with an asker each: appends of a round, mean", self.each, ""),
        ]
    }
}

async fn asked(
    hub: &Hub,
    workers: Vec<Agent>,
    journal: &mut Caller,
    rounds: usize,
    each: Duration,
) -> Result<AskingRound, BenchError> {
    let mut pairs = Vec::with_capacity(workers.len());
    for worker in workers {
        pairs.push((worker, hub.operator(Door::Stateless).await?));
    }
    let (mut calls, mut appends, mut of_round) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let before = Log::read(journal).await?;
        let began = Instant::now();
        let round = crowd(&mut pairs, &hub.child, Until::Over(each), turn_of_pair).await?;
        let took = began.elapsed().as_secs_f64();
        let log = Log::read(journal).await?.since(&before);
        calls.push(round.rate * 4.0);
        appends.push(log.appends / took);
        of_round.push(log.appends / (round.rate * took).max(1.0));
    }
    Ok(AskingRound { calls: median(&calls), appends: median(&appends), each: median(&of_round) })
}

fn named(count: usize, what: &str) -> String {
    let agents = if count == 1 { "agent" } else { "agents" };
    format!("{count} {agents}, {what}")
}

fn middle(rounds: &[Round], of: impl Fn(&Round) -> f64) -> f64 {
    median(&rounds.iter().map(of).collect::<Vec<_>>())
}

#[expect(clippy::cast_precision_loss, reason = "a count of calls is far below 2^52")]
pub(super) const fn floating(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "turns of a few seconds")]
fn turns_in(rate: f64, span: Duration) -> usize {
    (rate * span.as_secs_f64()).round() as usize
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

    fn since(&self, before: &Self) -> Self {
        Self { appends: self.appends - before.appends, batches: self.batches - before.batches }
    }
}

/// Puts so many tasks into the queue of every agent's role, and waits until the hub has nothing more to do.
pub(super) async fn fill(hub: &Hub, tasks: usize) -> Result<(), BenchError> {
    let mut askers = Vec::with_capacity(ASKERS);
    for _ in 0..ASKERS {
        askers.push(hub.operator(Door::Plain).await?);
    }
    crowd(&mut askers, &hub.child, Until::Taken(Arc::new(AtomicUsize::new(tasks))), turn_of_asker).await?;
    quiet(&hub.child).await
}

/// Waits until a server has nothing more to do.
pub(super) async fn quiet(server: &Child) -> Result<(), BenchError> {
    loop {
        let busy = server.busy()?;
        sleep(LOOK_EVERY).await;
        if server.busy()?.saturating_sub(busy) <= QUIET {
            return Ok(());
        }
    }
}

/// Lets all of them take turns.
pub(super) async fn crowd<T: Send + 'static, F>(
    members: &mut Vec<T>,
    server: &Child,
    until: Until,
    turn: fn(T) -> F,
) -> Result<Round, BenchError>
where
    F: Future<Output = Result<T, BenchError>> + Send + 'static,
{
    let busy = server.busy()?;
    let began = Instant::now();
    let mut working = JoinSet::new();
    for mut member in members.drain(..) {
        let until = until.clone();
        working.spawn(async move {
            let mut turns = 0_u32;
            while until.goes_on(began) {
                member = turn(member).await?;
                turns += 1;
            }
            Ok::<_, BenchError>((member, turns))
        });
    }
    let mut turns = 0.0;
    while let Some(ended) = working.join_next().await {
        let (member, took) = ended.map_err(|_| late("a client that ended"))??;
        members.push(member);
        turns += f64::from(took);
    }
    let took = began.elapsed();
    let busy = server.busy()?.saturating_sub(busy);
    Ok(Round { rate: turns / took.as_secs_f64(), cpu: busy.as_secs_f64() * 1e6 / turns.max(1.0) })
}

impl Until {
    fn goes_on(&self, began: Instant) -> bool {
        match self {
            Self::Over(span) => began.elapsed() < *span,
            Self::Taken(left) => {
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
            }
        }
    }
}

pub(super) async fn turn_of_agent(agent: Agent) -> Result<Agent, BenchError> {
    work(agent).await.map(|(agent, _)| agent)
}

/// Wait, acknowledge, complete; and which task it was.
pub(super) async fn work(mut agent: Agent) -> Result<(Agent, String), BenchError> {
    let waited = agent.caller.tool("wait_for_prompt", &wait()).await?;
    let task = waited.text("taskId").to_owned();
    agent.caller.tool("ack_task", &json!({ "taskId": task })).await?;
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "Done." });
    agent.caller.tool("send_response", &done).await?;
    Ok((agent, task))
}

async fn turn_of_pair((mut agent, mut asker): Pair) -> Result<Pair, BenchError> {
    let call = json!({ "targetAgentId": agent.id, "prompt": PROMPT });
    let wait = wait();
    let (waited, asked) = tokio::join!(agent.caller.tool("wait_for_prompt", &wait), asker.tool("assign_task", &call));
    asked?;
    let task = waited?.text("taskId").to_owned();
    agent.caller.tool("ack_task", &json!({ "taskId": task })).await?;
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "Done." });
    agent.caller.tool("send_response", &done).await?;
    Ok((agent, asker))
}

pub(super) async fn turn_of_asker(mut asker: Caller) -> Result<Caller, BenchError> {
    let call = json!({ "targetAgentId": format!("role:{ROLE}"), "prompt": PROMPT });
    asker.post("/api/v1/tasks", &call).await?;
    Ok(asker)
}

async fn turn_of_client(mut client: Caller) -> Result<Caller, BenchError> {
    client.tool("append", &json!({ "text": PROMPT })).await?;
    Ok(client)
}

pub(super) fn late(what: &str) -> BenchError {
    BenchError::Late { what: what.to_owned(), seconds: 0 }
}
