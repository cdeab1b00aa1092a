//! A restart with much under way: how soon the hub serves, how soon every agent that waited waits again, and whether
//! anybody lost the task that it works on.
//!
//! The agents come back as real ones do: each tries again every few milliseconds from the moment at which its
//! connection is cut. The floor is the same with an empty journal: it holds the same connections and waits.

use std::path::Path;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::{Hub, wait};
use super::spread::Times;
use super::start::fill;

/// The goals, in milliseconds.
const SERVES: f64 = 1_000.0;
const ATTACHED: f64 = 10_000.0;

/// One in so many agents works on a task when the hub goes down; the others wait.
const WORKS: usize = 10;

/// How long agents may take to come back before the measurement is given up.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Between two looks, and between two attempts of an agent.
const EVERY: Duration = Duration::from_millis(5);

/// How many connections are made at once.
const AT_ONCE: usize = 64;

/// Measures `times` restarts with so many open tasks and agents.
pub(super) async fn measure(dir: &Path, open: usize, agents: usize, times: usize) -> Result<Vec<Figure>, BenchError> {
    let (mut full, mut empty) = (Seen::default(), Seen::default());
    for _ in 0..times {
        restart(dir, open, agents, &mut full).await?;
        restart(dir, 0, agents, &mut empty).await?;
    }
    let with = format!("{open} open tasks, {agents} agents");
    let figure = |what: &str, seen: fn(&Seen) -> &Times, percent: usize, goal| {
        let at = |it: &Seen| seen(it).micros_at(percent) / 1e3;
        let what = format!("{with}: {what}, p{percent}");
        Figure::new(Measure::Restart, what, at(&full), "ms").floor(at(&empty)).goal(Goal::AtMost(goal))
    };
    Ok(vec![
        figure("serves", |seen| &seen.serves, 50, SERVES),
        figure("serves", |seen| &seen.serves, 99, SERVES),
        figure("all wait again", |seen| &seen.attached, 50, ATTACHED),
        figure("all wait again", |seen| &seen.attached, 99, ATTACHED),
        Figure::new(Measure::Restart, format!("{with}: tasks that were handed out anew"), full.reassigned, "")
            .floor(empty.reassigned)
            .goal(Goal::AtMost(0.0)),
    ])
}

#[derive(Default)]
struct Seen {
    serves: Times,
    attached: Times,
    reassigned: f64,
}

async fn restart(dir: &Path, open: usize, agents: usize, seen: &mut Seen) -> Result<(), BenchError> {
    let hub = Hub::start_on(dir, agents, |journal| match open {
        0 => Ok(()),
        _ => fill(journal, open, 0).map(drop),
    })
    .await?;
    let workers = agents / WORKS;
    let mut operator = hub.operator(Door::Plain).await?;
    let held = works(&hub, &mut operator, workers).await?;
    let waiting = hub.agents(Door::Plain, workers, agents - workers, true).await?;
    until_wait(&mut operator, waiting.len()).await?;

    // The end is the agents' end too: their connections are cut with it.
    let hub = hub.restart().await?;
    seen.serves.push(hub.started_in);
    let began = Instant::now();
    let places: Vec<usize> = (workers..agents).collect();
    let back = stream::iter(places).map(async |number| comes_back(&hub, number).await);
    let back: Vec<Caller> = back.buffered(AT_ONCE).try_collect().await?;
    let mut operator = hub.operator(Door::Plain).await?;
    until_wait(&mut operator, back.len()).await?;
    seen.attached.push(hub.started_in + began.elapsed());

    for task in &held {
        let shown = operator.get(&format!("/api/v1/tasks/{task}")).await?;
        let history = shown.fields["history"].as_array().map(Vec::as_slice).unwrap_or_default();
        let offers = history.iter().filter(|it| it["type"] == "task.offered").count();
        if offers != 1 || shown.text("state") != "IN_PROGRESS" {
            seen.reassigned += 1.0;
        }
    }
    Ok(())
}

/// So many agents take a task each, and acknowledge it.
async fn works(hub: &Hub, operator: &mut Caller, workers: usize) -> Result<Vec<String>, BenchError> {
    let mut held = Vec::new();
    for mut agent in hub.agents(Door::Plain, 0, workers, false).await? {
        let order = json!({ "targetAgentId": agent.id, "prompt": "Implement the login page.", "priority": "critical" });
        let task = operator.post("/api/v1/tasks", &order).await?.text("taskId").to_owned();
        let offer = agent.caller.tool("wait_for_prompt", &wait()).await?;
        if offer.text("taskId") != task {
            return Err(BenchError::Late { what: "its own task".to_owned(), seconds: 0 });
        }
        agent.caller.tool("ack_task", &json!({ "taskId": task })).await?;
        held.push(task);
    }
    Ok(held)
}

async fn comes_back(hub: &Hub, number: usize) -> Result<Caller, BenchError> {
    let began = Instant::now();
    loop {
        let attempt = async {
            let mut caller = hub.caller_of(number).await?;
            caller.begin("wait_for_prompt", &wait()).await?;
            Ok(caller)
        };
        match attempt.await {
            Err(error) if began.elapsed() > TIMEOUT => return Err(error),
            Err(_) => sleep(EVERY).await,
            Ok(caller) => return Ok(caller),
        }
    }
}

async fn until_wait(operator: &mut Caller, agents: usize) -> Result<(), BenchError> {
    let began = Instant::now();
    while began.elapsed() < TIMEOUT {
        let all = operator.post("/api/v1/tools/list_agents", &json!({ "availability": "waiting" })).await?;
        if all.fields.get("agents").and_then(Value::as_array).is_some_and(|waiting| waiting.len() >= agents) {
            return Ok(());
        }
        sleep(EVERY).await;
    }
    Err(BenchError::Late { what: format!("{agents} agents to wait"), seconds: TIMEOUT.as_secs() })
}
