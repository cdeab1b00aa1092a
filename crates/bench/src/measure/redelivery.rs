//! From the death of an agent that holds an offer and has not acknowledged it, to another parked agent that has parsed
//! the task.
//!
//! Both are parked. The one that waits for longer is offered the task: its asker has been told so when the connection
//! of that agent is cut, with the offer unread. The floor is what a delivery costs at least: one durable append and two
//! bare round trips.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::floor::{Floor, Sizes};
use super::hub::{Hub, wait};
use super::spread::Times;

/// The goal for the middle and the tail, in milliseconds.
const GOAL: f64 = 1_000.0;

/// How long a task may take to arrive before the measurement is given up; longer than an offer waits here.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Until an agent that has begun to wait is parked.
const PARKED: Duration = Duration::from_millis(300);

/// Roughly what a delivery moves.
const SIZES: Sizes = Sizes { append: 3_000, call: (150, 250), wait: (30, 900) };

/// Measures so many deaths.
pub(super) async fn measure(dir: &Path, deaths: usize) -> Result<Vec<Figure>, BenchError> {
    let hub = Hub::start(dir, 2).await?;
    let mut floor = Floor::start(dir).await?;
    let (mut times, mut paid) = (Times::default(), Times::default());
    let mut operator = hub.operator(Door::Plain).await?;
    let mut both = hub.agents(Door::Plain, 0, 2, false).await?.into_iter();
    let (Some(first), Some(heir)) = (both.next(), both.next()) else {
        return Err(BenchError::Late { what: "two agents".to_owned(), seconds: 0 });
    };
    let mut heir = heir.caller;
    drop(first);
    for _ in 0..deaths {
        let mut victim = hub.caller_of(0).await?;
        victim.begin("wait_for_prompt", &wait()).await?;
        sleep(PARKED).await;
        heir.begin("wait_for_prompt", &wait()).await?;
        sleep(PARKED).await;
        let order = json!({ "targetAgentId": "role:bench", "prompt": "Implement the login page." });
        let answer = operator.post("/api/v1/tasks", &order).await?;
        if answer.fields.get("queued") != Some(&Value::Bool(false)) {
            return Err(BenchError::Late { what: "an offer at once".to_owned(), seconds: 0 });
        }
        drop(victim);
        let died = Instant::now();
        let heard = timeout(TIMEOUT, heir.end("wait_for_prompt")).await;
        let heard = heard.map_err(|_| BenchError::Late {
            what: "a task whose agent died".to_owned(),
            seconds: TIMEOUT.as_secs(),
        })??;
        times.push(heard.at.saturating_duration_since(died));
        finish(&mut heir, &heard.fields).await?;
        paid.push(floor.pay(SIZES).await?);
    }
    let figure = |tail: &str, percent| {
        let what = format!("the connection is cut with the offer unread, {tail}");
        Figure::new(Measure::Redelivery, what, times.micros_at(percent) / 1e3, "ms")
            .floor(paid.micros_at(percent) / 1e3)
            .goal(Goal::AtMost(GOAL))
    };
    Ok(vec![figure("p50", 50), figure("p99", 99)])
}

async fn finish(heir: &mut Caller, offer: &Value) -> Result<(), BenchError> {
    let report = json!({ "taskId": offer["taskId"], "status": "COMPLETED", "message": "Done." });
    heir.tool("send_response", &report).await.map(drop)
}
