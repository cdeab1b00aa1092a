//! How the agents of the stage go on, each until its agent is evicted or its connection is gone.

use std::time::Duration;

use serde_json::{Value, json};

use super::agent::Agent;
use crate::cli::output::cell::str_at;
use crate::cli::problem::Problem;

/// How long a piece of work seems to take, half of it and the other half: so long that people see it move.
const HALF: Duration = Duration::from_secs(3);
/// How often an agent that does one thing for long says so: well within a lease's time to live.
const SIGN_OF_LIFE: Duration = Duration::from_secs(240);
/// How often is looked for a question that is about to be asked.
const SOON: Duration = Duration::from_millis(100);
/// What the workflow is about.
const REPORT: &str = "The search shows articles that are sold out.";
/// What its agent must be able to do.
const CAPABILITY: &str = "code-writing";

/// Takes whatever it is given, and seems to do it.
pub(super) async fn works(agent: &Agent) {
    loop {
        match waits(agent).await {
            Next::Task(offer) => drop(does(agent, &offer).await),
            Next::Else => {}
            Next::Gone => return,
        }
    }
}

/// Waits for the verdict on its work, and for other work meanwhile.
pub(super) async fn reviewed(agent: &Agent, part: &str) {
    loop {
        match waits(agent).await {
            Next::Task(offer) => drop(does(agent, &offer).await),
            // Refused for as long as it is not approved.
            Next::Else => {
                let done = json!({ "task_id": part, "summary": "Merged; nothing was: this is the demo." });
                drop(agent.calls("complete_task", done).await);
            }
            Next::Gone => return,
        }
    }
}

/// Goes on with what was answered.
pub(super) async fn asks(agent: &Agent, question: &str, part: &str) {
    if let Some(answer) = answer(agent, question).await {
        let message = format!("Answered was: {answer}. So it is shown.");
        let report = json!({ "taskId": part, "status": "COMPLETED", "message": message });
        drop(agent.calls("send_response", report).await);
    }
    works(agent).await;
}

/// Waits for both parts of its work, and says every now and then that it does.
pub(super) async fn delegates(agent: &Agent, main: &str, parts: &[String]) {
    for part in parts {
        let waiting = async {
            loop {
                let end = agent.calls("wait_for_task", json!({ "taskId": part })).await?;
                if str_at(&end, "state").is_some_and(|state| ["COMPLETED", "FAILED", "CANCELLED"].contains(&state)) {
                    return Ok::<_, Problem>(());
                }
            }
        };
        tokio::select! {
            _ended = waiting => {}
            () = says_so(agent, main, "waits for its parts") => {}
        }
    }
    let report = json!({ "taskId": main, "status": "COMPLETED", "message": "Both parts are done." });
    drop(agent.calls("send_response", report).await);
    works(agent).await;
}

/// Has a terminal that waits for its user.
pub(super) async fn attends(agent: &Agent, task: &str) {
    says_so(agent, task, "the terminal waits for an answer").await;
    works(agent).await;
}

/// Follows the shipped workflow `triage`, whose prompt asks people how urgent something is, or times out.
pub(super) async fn triages(agent: &Agent) {
    let asks = agent.prompts("triage", json!({ "report": REPORT, "capability": CAPABILITY }));
    let hears = async { answer(agent, &open_question(agent).await?).await };
    let (run, urgency) = tokio::join!(asks, hears);
    if let (Ok(_), Some(urgency)) = (run, urgency) {
        drop(hands_on(agent, &urgency).await);
    }
    works(agent).await;
}

/// The question of its workflow, as soon as it is asked.
async fn open_question(agent: &Agent) -> Option<String> {
    for _ in 0..100 {
        let session = agent.calls("get_session", json!({})).await.ok()?;
        if let Some(id) = str_at(&session, "session.openQuestion.id") {
            return Some(id.to_owned());
        }
        tokio::time::sleep(SOON).await;
    }
    None
}

async fn hands_on(agent: &Agent, urgency: &str) -> Result<(), Problem> {
    agent.calls("list_agents", json!({ "capability": CAPABILITY })).await?;
    let priority = if urgency == "high" { "high" } else { "normal" };
    let wanted = json!({
        "targetAgentId": "any", "capabilities": [CAPABILITY], "priority": priority, "prompt": REPORT,
    });
    let receipt = agent.calls("assign_task", wanted).await?;
    let task = str_at(&receipt, "taskId").unwrap_or_default();
    loop {
        let end = agent.calls("wait_for_task", json!({ "taskId": task })).await?;
        if str_at(&end, "state").is_some_and(|state| !["QUEUED", "ASSIGNED", "IN_PROGRESS"].contains(&state)) {
            break;
        }
    }
    agent.calls("workflow_complete", json!({ "result": "handed on, and done" })).await.map(drop)
}

/// What a wait ended with.
enum Next {
    Task(Value),
    Else,
    Gone,
}

async fn waits(agent: &Agent) -> Next {
    let Ok(next) = agent.calls("wait_for_prompt", json!({})).await else { return Next::Gone };
    match str_at(&next, "status") {
        Some("TASK") => Next::Task(next),
        Some("EVICTED" | "SUPERSEDED") => Next::Gone,
        _ => Next::Else,
    }
}

async fn does(agent: &Agent, offer: &Value) -> Result<(), Problem> {
    let task = str_at(offer, "taskId").unwrap_or_default();
    agent.calls("ack_task", json!({ "taskId": task })).await?;
    tokio::time::sleep(HALF).await;
    agent.calls("update_progress", json!({ "taskId": task, "message": "half of it", "percent": 50 })).await?;
    tokio::time::sleep(HALF).await;
    let message = "Done, says a scripted agent of the demo: nothing was changed anywhere.";
    let report = json!({ "taskId": task, "status": "COMPLETED", "message": message });
    agent.calls("send_response", report).await.map(drop)
}

/// What came of a question; none when it cannot be known any more.
async fn answer(agent: &Agent, question: &str) -> Option<String> {
    loop {
        let answer = agent.calls("wait_for_answer", json!({ "question_id": question })).await.ok()?;
        if str_at(&answer, "state") == Some("resolved") {
            return Some(str_at(&answer, "resolution.value").unwrap_or_default().to_owned());
        }
    }
}

/// Until the hub refuses it: the task was ended by somebody.
pub(super) async fn says_so(agent: &Agent, task: &str, message: &str) {
    loop {
        tokio::time::sleep(SIGN_OF_LIFE).await;
        if agent.calls("update_progress", json!({ "taskId": task, "message": message })).await.is_err() {
            return;
        }
    }
}
