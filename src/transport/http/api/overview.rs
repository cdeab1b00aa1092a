//! `GET /api/v1/overview`: counts of everything, the last hour, and warnings. To be polled: it costs one message to
//! dispatcher, journal and supervisor each, and reads of rows, however many agents and tasks there are.

use std::collections::BTreeMap;

use super::prelude::*;
use super::questions;
use super::warnings::{Warning, warnings};
use crate::domain::session::question::QuestionView;
use crate::domain::task::TaskStateName;
use crate::domain::time::Timestamp;
use crate::journal::EndCounts;

/// How many minutes of history are shown.
const MINUTES: u64 = 60;

const MINUTE: u64 = 60_000;

/// How the hub stands. Events after `seq` bring it up to date; some of them may be in it already.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Overview {
    /// The hub's time.
    #[schemars(with = "String")]
    time: Timestamp,
    /// Every event up to this one is in it.
    seq: u64,
    /// How many tasks are in each state; every state is named.
    tasks: BTreeMap<TaskStateName, u64>,
    /// Registered agents by what they do.
    agents: Agents,
    /// Questions that wait for a person.
    questions: Questions,
    /// What ended in the last hour.
    history: History,
    /// What is worth looking at.
    warnings: Vec<Warning>,
}

/// Registered agents by what they do.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Agents {
    /// Parked, and would take work.
    waiting: usize,
    /// Heard of lately, and not parked.
    busy: usize,
    /// Not heard of, or sent away.
    offline: usize,
    /// All of these.
    total: usize,
}

/// Questions that wait for a person.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Questions {
    open: usize,
    /// The first moment at which one of them ends by itself; absent where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_deadline: Option<String>,
}

/// What ended, minute by minute.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct History {
    /// How many minutes: the length of both lists.
    minutes: u64,
    /// When the first of them began. The last one is under way.
    #[schemars(with = "String")]
    from: Timestamp,
    /// Tasks that were completed, oldest minute first.
    done: Vec<u64>,
    /// Tasks that failed or became dead letters, oldest minute first.
    failed: Vec<u64>,
}

pub(super) fn routes() -> Routes {
    let row = Route::get::<Overview>("/api/v1/overview", "counts, the last hour, and what is worth a warning");
    Routes::new().add(row, show)
}

async fn show(State(hub): State<HubRef>) -> ApiResult<Json<Overview>> {
    let now = hub.clock.now();
    let from = Timestamp((now.0 / MINUTE + 1).saturating_sub(MINUTES) * MINUTE);
    // The number first: whatever happens from here on is in the events after it, if it is not in the counts already.
    let read = hub.journal.read(move |reader| {
        let seq = reader.position()?;
        Ok((seq, reader.task_counts()?, questions::open(reader)?, reader.ended_since(from)?))
    });
    let (seq, counts, open, ended) = read.await?;
    let standing = hub.dispatcher.overview().await?;
    let (waiting, busy, offline) = (standing.agents.waiting, standing.agents.busy, standing.agents.offline);
    let tasks = TaskStateName::ALL.map(|state| (state, counts.get(&state).copied().unwrap_or_default()));
    Ok(Json(Overview {
        time: now,
        seq: seq.0,
        tasks: tasks.into(),
        agents: Agents { waiting, busy, offline, total: waiting + busy + offline },
        questions: questions_of(&open),
        history: history(from, &ended),
        warnings: warnings(&hub, &standing).await?,
    }))
}

/// What is dangerous waits on beyond its deadline, and has none any more.
fn questions_of(open: &[QuestionView]) -> Questions {
    let running = open.iter().filter(|question| question.overdue_at.is_none());
    Questions { open: open.len(), next_deadline: running.map(|question| question.expires_at.clone()).min() }
}

fn history(from: Timestamp, ended: &EndCounts) -> History {
    let of =
        |minute: u64, states: &[TaskStateName]| states.iter().filter_map(|state| ended.get(&(minute, *state))).sum();
    let line = |states: &[TaskStateName]| (0..MINUTES).map(|minute| of(minute, states)).collect();
    let failed = line(&[TaskStateName::Failed, TaskStateName::DeadLetter]);
    History { minutes: MINUTES, from, done: line(&[TaskStateName::Completed]), failed }
}
