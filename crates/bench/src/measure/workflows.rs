//! What it costs to have the hub carry a plan out: `prompts/get` of ten steps that do nothing, beside the ten calls
//! alone over the same connection; and a thousand runs at once.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::Hub;
use super::scratch::Scratch;
use super::spread::Times;

/// The steps of the plan.
const STEPS: usize = 10;

/// A tool that changes nothing and has little to show.
const TOOL: &str = "list_agents";

/// Prompts that are not counted.
const WARM: usize = 10;

/// How many connections ask at once for a thousand runs: each has the next of them.
const CONNECTIONS: usize = 50;

/// The name of the plan.
const NAME: &str = "bench";

/// Measures so many prompts in turn with their calls, and so many runs at once.
pub(super) async fn measure(dir: &Path, prompts: usize, at_once: usize) -> Result<Vec<Figure>, BenchError> {
    let hub = Hub::start_in(defined(Scratch::new(dir)?)?, 0).await?;
    let mut caller = hub.operator(Door::Stateless).await?;
    let (mut asked, mut called) = (Times::default(), Times::default());
    for round in 0..WARM + prompts {
        let began = Instant::now();
        completed(&caller.prompt(NAME).await?)?;
        let (prompt, began) = (began.elapsed(), Instant::now());
        for _ in 0..STEPS {
            caller.tool(TOOL, &json!({})).await?;
        }
        if round >= WARM {
            asked.push(prompt);
            called.push(began.elapsed());
        }
    }
    let figure = |percent| {
        let what = format!("prompts/get of {STEPS} steps, beside their {STEPS} calls, p{percent}");
        Figure::new(Measure::Workflows, what, asked.micros_at(percent), "µs").floor(called.micros_at(percent))
    };
    let mut figures = vec![figure(50).goal(Goal::RatioAtMost(3.0)), figure(99)];
    figures.push(many(&hub, at_once).await?);
    Ok(figures)
}

/// So many runs at once, over a few connections.
async fn many(hub: &Hub, at_once: usize) -> Result<Figure, BenchError> {
    let mut callers = Vec::new();
    for _ in 0..CONNECTIONS.min(at_once) {
        callers.push(hub.operator(Door::Stateless).await?);
    }
    let each = at_once.div_ceil(callers.len().max(1));
    let began = Instant::now();
    let mut asking = JoinSet::new();
    for caller in callers {
        asking.spawn(asks(caller, each));
    }
    let mut runs = 0_u32;
    while let Some(asked) = asking.join_next().await {
        runs += asked.unwrap_or(Ok(0))?;
    }
    let rate = f64::from(runs) / began.elapsed().as_secs_f64();
    Ok(Figure::new(Measure::Workflows, format!("{runs} runs of {STEPS} steps at once"), rate, "/s"))
}

async fn asks(mut caller: Caller, times: usize) -> Result<u32, BenchError> {
    let mut runs = 0;
    for _ in 0..times {
        completed(&caller.prompt(NAME).await?)?;
        runs += 1;
    }
    Ok(runs)
}

fn completed(answer: &Value) -> Result<(), BenchError> {
    let status = answer.pointer("/result/_meta/dev.callboard~1workflow/status");
    if status.and_then(Value::as_str) == Some("completed") {
        return Ok(());
    }
    let body = answer.to_string().chars().take(400).collect();
    Err(BenchError::Answer { asked: "prompts/get".to_owned(), status: 200, body })
}

/// The folder with the plan among its settings.
fn defined(scratch: Scratch) -> Result<Scratch, BenchError> {
    let folder = scratch.path().join("config").join("workflows");
    fs::create_dir_all(&folder).map_err(BenchError::io(format!("make `{}`", folder.display())))?;
    let steps: String = (1..=STEPS).map(|step| format!("  - {{name: step-{step}, tool: {TOOL}}}\n")).collect();
    let file = folder.join("bench.yaml");
    let text = format!("name: {NAME}\ndescription: measure what a plan costs\nsteps:\n{steps}");
    fs::write(&file, text).map_err(BenchError::io(format!("write `{}`", file.display())))?;
    Ok(scratch)
}
