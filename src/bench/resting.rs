//! What a terminal weighs in a hub that runs: with ten thousand lines, and when it was left alone and lies on disk.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::client::Door;
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::Hub;

/// How long a terminal is left alone here; longer than it takes to fill all of them.
const REST_AFTER: Duration = Duration::from_secs(10);
/// How long all of them may take to rest.
const PATIENCE: Duration = Duration::from_secs(120);
/// Kilobytes: awake as the contract says, and at rest what an agent that waits may take.
const GOALS: (f64, f64) = (2_048.0, 64.0);

/// Measures with so many terminals, each of which prints this.
pub(super) async fn measure(dir: &Path, terminals: usize, log: &[u8]) -> Result<Vec<Figure>, BenchError> {
    let rest_after = [("CALLBOARD_MONITOR_REST_AFTER", format!("{}s", REST_AFTER.as_secs()))];
    let hub = Hub::start_with(dir, terminals + 1, &rest_after).await?;
    let mut operator = hub.operator(Door::Plain).await?;
    let mut sessions = Vec::new();
    for mut agent in hub.agents(Door::Plain, 0, terminals + 1, false).await? {
        let session = agent.caller.tool("get_session", &json!({})).await?.fields["session"].take();
        sessions.push(session["sessionId"].as_str().unwrap_or_default().to_owned());
    }
    let text = String::from_utf8_lossy(log);
    // The first makes what all of them share.
    let mut before = 0.0;
    for (index, session) in sessions.iter().enumerate() {
        if index == 1 {
            before = hub.child.resident()?;
        }
        operator.post_text(&format!("/api/v1/sessions/{session}/output"), &text).await?;
    }
    let awake = hub.child.resident()?;
    let began = Instant::now();
    for session in &sessions {
        while operator.get(&format!("/admin/actors/terminal:{session}")).await?.fields["detail"]["rests"]
            != Value::Bool(true)
        {
            if began.elapsed() > PATIENCE {
                return Err(BenchError::Late { what: "a terminal to rest".to_owned(), seconds: PATIENCE.as_secs() });
            }
            sleep(Duration::from_millis(100)).await;
        }
    }
    let resting = hub.child.resident()?;
    let each = |after: f64| (after - before) / 1024.0 / f64::from(u32::try_from(terminals).unwrap_or(u32::MAX));
    let figure = |what: &str, value: f64, goal: f64| {
        let what = format!("memory of a terminal in a hub, 10,000 lines, {what}");
        Figure::new(Measure::Prompts, what, value, "kB").goal(Goal::AtMost(goal))
    };
    Ok(vec![figure("in use", each(awake), GOALS.0), figure("left alone", each(resting), GOALS.1)])
}
