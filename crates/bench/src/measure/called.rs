//! Called → delivered: from sending the call to the waiting agent that has parsed it.
//!
//! Every agent is parked; each call names another of them, and is answered by the agent's whole round: acknowledge,
//! complete, wait again. Only then the floor is paid, and only then the next call goes out, so that no measured moment
//! contains work of another.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::appended;
use super::client::{Answer, Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::floor::{Floor, Sizes};
use super::hub::{Agent, Hub, wait};
use super::spread::Times;

/// How long a call may take to arrive before the measurement is given up.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Between two calls: the agent that worked is parked again by then.
pub(super) const PAUSE: Duration = Duration::from_millis(4);

/// Calls that are not counted: connections, caches and statements are warm after them.
pub(super) const WARM: usize = 20;

/// What an agent tells: it was called, and it is done with it.
#[derive(Debug)]
enum AgentReport {
    Delivered { task: String, at: Instant, bytes: (usize, usize) },
    Done,
}

/// Who calls: over plain HTTP, or by the tool over MCP.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asker {
    Route,
    Tool,
}

/// Measures it for each number of parked agents.
pub(super) async fn measure(dir: &Path, agents: &[usize], calls: usize) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    let mut floor = Floor::start(dir).await?;
    for door in [Door::Plain, Door::Stateless, Door::Socket] {
        for &count in agents {
            let hub = Hub::start(dir, count).await?;
            figures.extend(parked(&hub, &mut floor, door, count, calls).await?);
        }
    }
    Ok(figures)
}

async fn parked(
    hub: &Hub,
    floor: &mut Floor,
    door: Door,
    count: usize,
    calls: usize,
) -> Result<Vec<Figure>, BenchError> {
    let mut stage = Stage::open(hub, door, count).await?;
    let mut askers =
        [(Asker::Route, hub.operator(Door::Plain).await?), (Asker::Tool, hub.operator(Door::Stateless).await?)];
    let mut times = [(Times::default(), Times::default()), (Times::default(), Times::default())];
    let mut sizes = [Sizes::default(); 2];
    let mut late = 0_u32;
    for round in 0..WARM + calls {
        for (place, (asker, caller)) in askers.iter_mut().enumerate() {
            let called = stage.call(*asker, caller, round).await?;
            if round < WARM {
                let first = appended::of_task(hub, &called.task)?.first().copied();
                sizes[place] = Sizes { append: first.unwrap_or_default(), ..called.sizes };
                continue;
            }
            let paid = floor.pay(sizes[place]).await?;
            if called.queued {
                // Its agent was not parked: that is another path, and not the one that is measured.
                late += 1;
                continue;
            }
            times[place].0.push(called.took);
            times[place].1.push(paid);
            sleep(PAUSE).await;
        }
    }
    if usize::try_from(late).unwrap_or(usize::MAX) > calls {
        return Err(BenchError::Late { what: "agents to be parked again".to_owned(), seconds: 0 });
    }
    let names = ["POST /tasks", "assign_task"];
    let rows = names.into_iter().zip(&times).flat_map(|(name, (called, paid))| {
        let what = move |tail: &str| format!("{name} → {door} wait, {count} parked, {tail}");
        let at = move |percent| (called.micros_at(percent), paid.micros_at(percent));
        let figure =
            |what, (value, floor), goal| Figure::new(Measure::Called, what, value, "µs").floor(floor).goal(goal);
        [figure(what("p50"), at(50), Goal::RatioAtMost(2.0)), figure(what("p99"), at(99), Goal::RatioAtMost(4.0))]
    });
    Ok(rows.collect())
}

/// The agents at work, and the line on which they tell.
pub(super) struct Stage {
    ids: Vec<String>,
    told: mpsc::UnboundedReceiver<AgentReport>,
    working: JoinSet<Result<(), BenchError>>,
}

/// One call that arrived.
pub(super) struct Called {
    /// The task that it made.
    pub(super) task: String,
    /// Whether it had to wait: its agent was not parked.
    pub(super) queued: bool,
    /// How long it took.
    pub(super) took: Duration,
    /// How many bytes it moved.
    pub(super) sizes: Sizes,
}

impl Stage {
    pub(super) async fn open(hub: &Hub, door: Door, count: usize) -> Result<Self, BenchError> {
        Ok(Self::over(hub.agents(door, 0, count, false).await?).await)
    }

    /// With these agents, each parked when this returns.
    pub(super) async fn over(agents: Vec<Agent>) -> Self {
        let ids = agents.iter().map(|agent| agent.id.clone()).collect();
        let (tell, told) = mpsc::unbounded_channel();
        let mut working = JoinSet::new();
        for agent in agents {
            working.spawn(work(agent, tell.clone()));
        }
        // Past the moment at which a wait begins to stream.
        sleep(Duration::from_millis(1500)).await;
        Self { ids, told, working }
    }

    /// Calls one of them, and returns when it has done its round.
    pub(super) async fn call(&mut self, asker: Asker, caller: &mut Caller, round: usize) -> Result<Called, BenchError> {
        let arguments = json!({
            "targetAgentId": self.ids[round % self.ids.len()],
            "prompt": "Implement the login page: a form with name and password, errors beside the fields, and tests.",
        });
        let began = Instant::now();
        let answer = ask(asker, caller, &arguments).await?;
        let AgentReport::Delivered { task, at, bytes } = self.hear().await? else {
            return Err(BenchError::Late { what: "a delivery; its end came first".to_owned(), seconds: 0 });
        };
        let AgentReport::Done = self.hear().await? else {
            return Err(BenchError::Late { what: "the end of one task; another came".to_owned(), seconds: 0 });
        };
        let queued = answer.fields.get("queued") != Some(&Value::Bool(false));
        let sizes = Sizes { append: 0, call: answer.bytes, wait: bytes };
        Ok(Called { task, queued, took: at.saturating_duration_since(began), sizes })
    }

    async fn hear(&mut self) -> Result<AgentReport, BenchError> {
        tokio::select! {
            told = timeout(TIMEOUT, self.told.recv()) => match told {
                Ok(Some(told)) => Ok(told),
                Ok(None) | Err(_) => {
                    Err(BenchError::Late { what: "an agent".to_owned(), seconds: TIMEOUT.as_secs() })
                }
            },
            Some(ended) = self.working.join_next() => match ended {
                Ok(Err(error)) => Err(error),
                Ok(Ok(())) | Err(_) => Err(BenchError::Late { what: "an agent that ended".to_owned(), seconds: 0 }),
            },
        }
    }
}

async fn ask(asker: Asker, caller: &mut Caller, arguments: &Value) -> Result<Answer, BenchError> {
    match asker {
        Asker::Route => caller.post("/api/v1/tasks", arguments).await,
        Asker::Tool => caller.tool("assign_task", arguments).await,
    }
}

/// Waits, tells, works, and waits again.
async fn work(agent: Agent, tell: mpsc::UnboundedSender<AgentReport>) -> Result<(), BenchError> {
    let mut caller = agent.caller;
    loop {
        let answer = caller.tool("wait_for_prompt", &wait()).await?;
        if answer.text("status") != "TASK" {
            continue;
        }
        let task = answer.text("taskId").to_owned();
        let told = AgentReport::Delivered { task: task.clone(), at: answer.at, bytes: answer.bytes };
        if tell.send(told).is_err() {
            return Ok(());
        }
        let epoch = answer.fields.get("leaseEpoch").cloned().unwrap_or_default();
        caller.tool("ack_task", &json!({"taskId": task, "leaseEpoch": epoch})).await?;
        caller.tool("send_response", &json!({"taskId": task, "status": "COMPLETED", "message": "Done."})).await?;
        if tell.send(AgentReport::Done).is_err() {
            return Ok(());
        }
    }
}
