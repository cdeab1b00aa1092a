//! `GET /api/v1/snapshot`: how everything stands, with the number of the last event that is in it. It costs one read of
//! rows and one message to the dispatcher: no agent, session or task is asked, however many there are.

use super::prelude::*;
use super::questions;
use crate::actors::session::SessionView;
use crate::domain::agent::AgentView;
use crate::domain::session::question::QuestionView;
use crate::domain::task::{Task, TaskView};

/// How everything stands. Events after `seq` bring it up to date; some of them may be in it already.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Snapshot {
    /// Every event up to this one is in it.
    seq: u64,
    /// Agents, by id.
    agents: Vec<AgentView>,
    /// Open tasks, by id, without their histories.
    tasks: Vec<TaskView>,
    /// Sessions, by id.
    sessions: Vec<SessionView>,
    /// Open questions, the newest first.
    questions: Vec<QuestionView>,
}

pub(super) fn routes() -> Routes {
    let row = Route::get::<Snapshot>("/api/v1/snapshot", "how everything stands; go on with the events after `seq`");
    Routes::new().add(row, show)
}

async fn show(State(hub): State<HubRef>) -> ApiResult<Json<Snapshot>> {
    // The number first: whatever happens from here on is in the events after it, if it is not in the state already.
    let read = hub.journal.read(|reader| {
        let (seq, agents, sessions) = (reader.position()?, reader.agents()?, reader.sessions()?);
        Ok((seq, agents, sessions, reader.open_tasks()?, questions::open(reader)?))
    });
    let (seq, agents, sessions, tasks, questions) = read.await?;
    let sighted = hub.sighted().await?;
    Ok(Json(Snapshot {
        seq: seq.0,
        agents: sighted.agents(&agents),
        tasks: tasks.iter().map(Task::listed).collect(),
        sessions: sighted.sessions(&agents, &sessions),
        questions,
    }))
}
