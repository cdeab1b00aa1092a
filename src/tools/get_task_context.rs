//! `get_task_context`: everything about one task.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ack_task::acknowledge;
use super::blame;
use super::refusal::Refusal;
use super::verb::{Answer, Call, For, Hints, Verb};
use super::work::{self, DependencyResult};
use crate::actors::noticeboard::Event;
use crate::domain::ids::TaskId;
use crate::domain::principal::Scope;
use crate::domain::task::{HistoryItem, KeptText, Task, TaskView};
use crate::journal::Stream;

/// How many of a task's records are shown, the newest of them.
const HISTORY: usize = 200;

/// The verb.
pub(super) enum GetTaskContext {}

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    /// The task; the one that your session is on when left out.
    #[serde(default)]
    task_id: Option<String>,
}

/// Its answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// The task.
    task_id: String,
    /// Its text, history, comments, attempts and lease.
    task: TaskView,
    /// What the tasks that it depends on came to.
    dependency_results: Vec<DependencyResult>,
}

impl Verb for GetTaskContext {
    const NAME: &'static str = "get_task_context";
    const TITLE: &'static str = "Look at a task";
    const DESCRIPTION: &'static str = "\
        Everything about a task that you hold, held, or assigned: its text, what happened to it, comments and \
        answers, earlier attempts, results of the tasks it depends on, and its lease. An offer of it counts as \
        acknowledged.";
    const FOR: For = For::Anybody(Scope::View);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;

    type Input = Input;
    type Output = Output;

    async fn run(call: Call, input: Input) -> Result<Answer<Output>, Refusal> {
        let given = match input.task_id {
            Some(given) => given,
            None => call.session_view().await?.task_id.ok_or_else(|| blame::no_such_task("none"))?,
        };
        let mut task = call.visible_task(&given).await?;
        let offered = task.offer().map(|offer| &offer.agent);
        if offered.is_some() && offered == call.agent.as_ref().map(|agent| &agent.id) {
            acknowledge(&call, &given, None).await?;
            task = call.visible_task(&given).await?;
        }
        let message = format!("Task {} is {}.", task.id(), task.name());
        Ok(Answer::new(message, shown(&call, &task).await?))
    }
}

/// What is shown of a task that the caller may see.
pub(super) async fn shown(call: &Call, task: &Task) -> Result<Output, Refusal> {
    let view = view(call, task).await?;
    let dependency_results = work::dependency_results(call, &task.dependencies).await?;
    Ok(Output { task_id: task.id().to_string(), task: view, dependency_results })
}

/// The task with its history, and its long texts where they are short enough to be handed out.
async fn view(call: &Call, task: &Task) -> Result<TaskView, Refusal> {
    let mut view = task.view();
    let mut texts: BTreeMap<(usize, bool), KeptText> = BTreeMap::new();
    for (index, attempt) in task.attempts.iter().enumerate() {
        texts.extend(attempt.message.clone().map(|text| ((index, false), text)));
        texts.extend(attempt.diff.clone().map(|text| ((index, true), text)));
    }
    for ((index, is_diff), text) in call.whole_texts(texts).await? {
        if let Some(attempt) = view.attempts.get_mut(index) {
            let place = if is_diff { &mut attempt.diff } else { &mut attempt.message };
            *place = Some(text);
        }
    }
    view.history = history(call, task.id()).await?;
    Ok(view)
}

/// What happened to the task, oldest first.
async fn history(call: &Call, task: &TaskId) -> Result<Vec<HistoryItem>, Refusal> {
    let stream = Stream::Task(task.clone());
    let kept = call.hub.journal.read(move |reader| reader.history(&stream, HISTORY)).await;
    let kept = kept.map_err(|error| blame::read(&error))?;
    Ok(kept.iter().map(|kept| item(Event::of(kept))).collect())
}

fn item(event: Event) -> HistoryItem {
    let surface = serde_json::to_value(event.actor.surface).ok();
    HistoryItem {
        seq: event.seq.0,
        at: event.time,
        kind: event.kind,
        by: event.actor.principal.to_string(),
        surface: surface.and_then(|name| name.as_str().map(ToOwned::to_owned)).unwrap_or_default(),
        data: event.data,
    }
}
