//! How late deadlines are kept under load: the end of a lease, and the end of an offer that nobody acknowledged.
//!
//! While other agents work as fast as they can, tasks are left to their time. What counts is when the record of the
//! end was decided, against the moment that the hub itself had promised (`ackBy`, `expiresAt`). The floor is a bare
//! timer of the same runtime in this process, under the same load.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::{Agent, Hub, wait};
use super::spread::Times;
use callboard::domain::time::Timestamp;

/// The goal for the middle and the tail, in milliseconds.
const GOAL: f64 = 100.0;

/// How long an offer and a lease last here; so many deadlines pass while the load goes on.
const ACK_WITHIN: &str = "2s";
const TTL_SECONDS: u64 = 2;

/// How long the ends may take to come before the measurement is given up.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Measures so many deadlines of each kind, beside so many agents that work.
pub(super) async fn measure(dir: &Path, deadlines: usize, load: usize) -> Result<Vec<Figure>, BenchError> {
    let raised = [("CALLBOARD_LEASES_ACK_WITHIN", ACK_WITHIN.to_owned())];
    let hub = Hub::start_with(dir, load + 2 * deadlines, &raised).await?;
    let mut operator = hub.operator(Door::Plain).await?;
    let mut working = JoinSet::new();
    for agent in hub.agents(Door::Plain, 0, load, false).await? {
        working.spawn(works(agent, hub.operator(Door::Plain).await?));
    }
    let mut timers = JoinSet::new();
    let mut promised = BTreeMap::new();
    for (place, agent) in hub.agents(Door::Plain, load, 2 * deadlines, false).await?.into_iter().enumerate() {
        let acknowledges = place % 2 == 0;
        let (task, at) = is_left(&mut operator, agent, acknowledges).await?;
        promised.insert(task, (acknowledges, at));
        timers.spawn(timer());
    }
    let (mut offers, mut leases) = (Times::default(), Times::default());
    for (task, (acknowledges, at)) in promised {
        let late = ended(&mut operator, &task, acknowledges).await?.since(at);
        if acknowledges { leases.push(late) } else { offers.push(late) }
    }
    let mut floor = Times::default();
    while let Some(late) = timers.join_next().await {
        floor.push(late.unwrap_or_default());
    }
    working.shutdown().await;
    let figure = |what: &str, times: &Times, percent| {
        let what = format!("{what}, {load} agents work, p{percent}");
        Figure::new(Measure::Deadlines, what, times.micros_at(percent) / 1e3, "ms")
            .floor(floor.micros_at(percent) / 1e3)
            .goal(Goal::AtMost(GOAL))
    };
    Ok(vec![
        figure("an offer ends late by", &offers, 50),
        figure("an offer ends late by", &offers, 99),
        figure("a lease ends late by", &leases, 50),
        figure("a lease ends late by", &leases, 99),
    ])
}

/// Asks for work and does it, for as long as it is let.
async fn works(agent: Agent, mut operator: Caller) -> Result<(), BenchError> {
    let mut caller = agent.caller;
    loop {
        let order = json!({ "targetAgentId": agent.id, "prompt": "Implement the login page." });
        operator.post("/api/v1/tasks", &order).await?;
        let offer = caller.tool("wait_for_prompt", &wait()).await?;
        let task = offer.text("taskId").to_owned();
        caller.tool("send_response", &json!({ "taskId": task, "status": "COMPLETED", "message": "Done." })).await?;
    }
}

/// A task that its agent takes, acknowledges or not, and leaves to its time; and when that is over.
async fn is_left(operator: &mut Caller, agent: Agent, acknowledges: bool) -> Result<(String, Timestamp), BenchError> {
    let mut caller = agent.caller;
    let order = json!({ "targetAgentId": agent.id, "prompt": "Leave it.", "ttlSeconds": TTL_SECONDS });
    operator.post("/api/v1/tasks", &order).await?;
    let offer = caller.tool("wait_for_prompt", &wait()).await?;
    let task = offer.text("taskId").to_owned();
    let at = if acknowledges {
        let lease = caller.tool("ack_task", &json!({ "taskId": task })).await?;
        Timestamp::parse(lease.text("expiresAt"))
    } else {
        Timestamp::parse(offer.text("ackBy"))
    };
    let at = at.ok_or_else(|| BenchError::Late { what: "the end of a lease or an offer".to_owned(), seconds: 0 })?;
    Ok((task, at))
}

/// When the record of its end was decided.
async fn ended(operator: &mut Caller, task: &str, acknowledges: bool) -> Result<Timestamp, BenchError> {
    let kind = if acknowledges { "task.timed_out" } else { "task.offer_returned" };
    let began = Instant::now();
    while began.elapsed() < TIMEOUT {
        let shown = operator.get(&format!("/api/v1/tasks/{task}")).await?;
        let history = shown.fields["history"].as_array().map(Vec::as_slice).unwrap_or_default();
        let end = history.iter().find(|it| it["type"] == kind);
        if let Some(at) = end.and_then(|it| it["at"].as_str()).and_then(Timestamp::parse) {
            return Ok(at);
        }
        sleep(Duration::from_millis(20)).await;
    }
    Err(BenchError::Late { what: format!("`{kind}` of `{task}`"), seconds: TIMEOUT.as_secs() })
}

/// How late a bare timer rings that is set for as long.
async fn timer() -> Duration {
    let due = Instant::now() + Duration::from_secs(TTL_SECONDS);
    tokio::time::sleep_until(due).await;
    due.elapsed()
}
