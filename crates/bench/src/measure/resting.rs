//! What a terminal weighs in a hub that runs: with ten thousand lines, and when it was left alone and lies on disk.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::Hub;

/// How long a terminal is left alone: for as long as it is weighed in use, and hardly at all.
const REST_AFTER: [Duration; 2] = [Duration::from_secs(3600), Duration::from_secs(1)];
/// After the last line was printed, until all of them are on disk.
const SETTLE: Duration = Duration::from_secs(3);
/// How long all of them may take to rest.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Kilobytes: awake as the contract says, and at rest what an agent that waits may take.
const GOALS: [f64; 2] = [2_048.0, 64.0];

/// Measures with so many terminals, each of which prints this.
pub(super) async fn measure(dir: &Path, terminals: usize, log: &[u8]) -> Result<Vec<Figure>, BenchError> {
    let text = String::from_utf8_lossy(log);
    let mut figures = Vec::new();
    for (index, what) in ["in use", "left alone"].into_iter().enumerate() {
        let each = weigh(dir, terminals, &text, REST_AFTER[index]).await?;
        let what = format!("memory of a terminal in a hub, 10,000 lines, {what}");
        figures.push(Figure::new(Measure::Prompts, what, each, "kB").goal(Goal::AtMost(GOALS[index])));
    }
    Ok(figures)
}

/// Kilobytes that each of so many terminals adds to a hub that has had as many others.
///
/// What a process frees stays with its allocator, for whatever comes next. So this is what one more terminal takes, and
/// not what the system has back when one rests; and those that came first have to be as many, for while they were awake
/// they took what those that come next take again.
async fn weigh(dir: &Path, terminals: usize, text: &str, rest_after: Duration) -> Result<f64, BenchError> {
    let settings = [("CALLBOARD_MONITOR_REST_AFTER", format!("{}s", rest_after.as_secs()))];
    let hub = Hub::start_with(dir, 2 * terminals, &settings).await?;
    let mut operator = hub.operator(Door::Plain).await?;
    let mut sessions = Vec::new();
    for mut agent in hub.agents(Door::Plain, 0, 2 * terminals, false).await? {
        let session = agent.caller.tool("get_session", &json!({})).await?.fields["session"].take();
        sessions.push(session["sessionId"].as_str().unwrap_or_default().to_owned());
    }
    let rests = rest_after < SETTLE;
    let (first, others) = sessions.split_at(terminals);
    fill(&mut operator, first, text, rests).await?;
    let before = hub.child.resident()?;
    fill(&mut operator, others, text, rests).await?;
    let added = hub.child.resident()? - before;
    Ok(added / 1024.0 / f64::from(u32::try_from(terminals).unwrap_or(u32::MAX)))
}

/// Prints the text in each of them, and waits until it is on disk: until all of them rest, if they do.
async fn fill(operator: &mut Caller, sessions: &[String], text: &str, rests: bool) -> Result<(), BenchError> {
    for session in sessions {
        operator.post_text(&format!("/api/v1/sessions/{session}/output"), text).await?;
    }
    sleep(SETTLE).await;
    let began = Instant::now();
    for session in sessions.iter().filter(|_| rests) {
        let actor_view = format!("/admin/actors/terminal:{session}");
        while operator.get(&actor_view).await?.fields["detail"]["rests"] != Value::Bool(true) {
            if began.elapsed() > TIMEOUT {
                return Err(BenchError::Late { what: "a terminal to rest".to_owned(), seconds: TIMEOUT.as_secs() });
            }
            sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(())
}
