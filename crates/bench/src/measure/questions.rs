//! Questions: from a person's answer to the waiting agent that has parsed it, and how late a default applies.
//!
//! The agent waits in `request_input`, as it would; the person answers over plain HTTP. The floor is the one of a call
//! that is delivered: one durable append and two bare round trips.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::client::{Answer, Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::floor::{Floor, Sizes};
use super::hub::{Agent, Hub};
use super::spread::Times;
use callboard::domain::time::Timestamp;

/// How long an answer may take to arrive before the measurement is given up.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Answers that are not counted.
const WARM: usize = 10;

/// The shortest deadline there is, in minutes.
const SHORTEST: f64 = 0.05;

/// The bytes of an answer's append: the resolution, the status, the notice and the rows.
const APPEND: usize = 2_500;

/// Measures `answers` answers, and the deadlines of as many agents as are given.
pub(super) async fn measure(dir: &Path, agents: usize, answers: usize) -> Result<Vec<Figure>, BenchError> {
    let mut floor = Floor::start(dir).await?;
    let hub = Hub::start(dir, agents.max(1)).await?;
    let mut all = hub.agents(Door::Stateless, 0, agents.max(1), false).await?;
    let Some(first) = all.pop() else { return Ok(Vec::new()) };
    let mut figures = answered(&hub, &mut floor, first, answers).await?;
    figures.extend(overdue(all).await?);
    Ok(figures)
}

/// A person answers one question after the other.
async fn answered(hub: &Hub, floor: &mut Floor, agent: Agent, answers: usize) -> Result<Vec<Figure>, BenchError> {
    let mut operator = hub.operator(Door::Plain).await?;
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut working = JoinSet::new();
    working.spawn(asks(agent.caller, tell));
    let (mut times, mut paid) = (Times::default(), Times::default());
    for round in 0..WARM + answers {
        let id = open_question(&mut operator).await?;
        let began = Instant::now();
        let answer = operator.post(&format!("/api/v1/questions/{id}/answer"), &json!({"value": "the new one"})).await?;
        let heard = timeout(TIMEOUT, told.recv()).await.ok().flatten().ok_or_else(late)?;
        if round >= WARM {
            times.push(heard.at.saturating_duration_since(began));
            paid.push(floor.pay(Sizes { append: APPEND, call: answer.bytes, wait: heard.bytes }).await?);
        }
    }
    let figure = |tail: &str, percent, goal| {
        let what = format!("POST /questions/ID/answer → MCP request_input, {tail}");
        let (value, floor) = (times.micros_at(percent), paid.micros_at(percent));
        Figure::new(Measure::Questions, what, value, "µs").floor(floor).goal(goal)
    };
    Ok(vec![figure("p50", 50, Goal::RatioAtMost(3.0)), figure("p99", 99, Goal::RatioAtMost(5.0))])
}

/// Asks for ever, and tells of each answer.
async fn asks(mut caller: Caller, tell: mpsc::UnboundedSender<Answer>) -> Result<(), BenchError> {
    for number in 0_u64.. {
        let question = format!("Which page is to have the login, number {number}?");
        let asked =
            json!({"question": question, "options": ["the old one", "the new one"], "default_action": "the old one"});
        let answer = caller.tool("request_input", &asked).await?;
        if tell.send(answer).is_err() {
            break;
        }
    }
    Ok(())
}

async fn open_question(operator: &mut Caller) -> Result<String, BenchError> {
    let until = Instant::now() + TIMEOUT;
    while Instant::now() < until {
        let open = operator.get("/api/v1/questions?state=open").await?;
        let id = open.fields.pointer("/items/0/id").and_then(Value::as_str).map(str::to_owned);
        if let Some(id) = id {
            return Ok(id);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Err(late())
}

/// Every agent asks at once, and nobody answers.
async fn overdue(agents: Vec<Agent>) -> Result<Vec<Figure>, BenchError> {
    let count = agents.len();
    let mut waiting = JoinSet::new();
    for mut agent in agents {
        waiting.spawn(async move {
            let asked = json!({"question": "Which?", "default_action": "the old one", "timeout_minutes": SHORTEST});
            agent.caller.tool("request_input", &asked).await
        });
    }
    let mut late_by = Times::default();
    while let Some(answer) = waiting.join_next().await {
        let Ok(answer) = answer else { continue };
        let answer = answer?;
        let moment = |path: &str| answer.fields.pointer(path).and_then(Value::as_str).and_then(Timestamp::parse);
        let (at, due) = (moment("/resolution/at"), moment("/expires_at"));
        let (Some(at), Some(due)) = (at, due) else { return Err(late()) };
        late_by.push(at.since(due));
    }
    let what = |tail: &str| format!("deadline → default applied, {count} questions at once, {tail}");
    let figure = |tail: &str, percent| {
        Figure::new(Measure::Questions, what(tail), late_by.micros_at(percent) / 1_000.0, "ms")
            .goal(Goal::AtMost(100.0))
    };
    Ok(vec![figure("p50", 50), figure("p99", 99)])
}

fn late() -> BenchError {
    BenchError::Late { what: "an answer".to_owned(), seconds: TIMEOUT.as_secs() }
}
