//! `get_task_context`: everything about one task.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::ack_task::acknowledge;
use super::fit;
use super::pr::pull_requests_of;
use super::prelude::*;
use super::work::{self, CommentShown, DependencyResult};
use crate::actors::noticeboard::Event;
use crate::domain::task::{HistoryItem, KeptText, Task, TaskView};
use crate::journal::Stream;

/// How many of a task's records are looked at, the newest of them.
const HISTORY: usize = 1_000;

/// The most that a part of a field takes of a result, in bytes as it is written.
const PART: usize = fit::PROMPT;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GetTaskContext {
    /// The task; the one that your session is on when left out.
    task_id: Option<String>,
    /// Only this field, where a result showed a part of it: a JSON pointer, as that result named it (`/prompt`).
    field: Option<String>,
    /// With field: from which of its bytes on; from its beginning when left out.
    #[schemars(range(min = 0))]
    offset: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    task_id: String,
    /// Its text, history, comments, attempts and lease; absent where one field was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Box<TaskView>>,
    /// What the tasks that it depends on came to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependency_results: Vec<DependencyResult>,
    /// The field that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
}

/// A part of one field.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Part {
    field: String,
    /// Its text from `offset` on, as far as one result goes; of what is no text, the JSON.
    text: String,
    /// Where this part begins, in bytes.
    offset: usize,
    /// Give this as offset for what follows; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// How long all of it is, in bytes.
    bytes: usize,
}

impl Verb for GetTaskContext {
    const NAME: &'static str = "get_task_context";
    const TITLE: &'static str = "Look at a task";
    const DESCRIPTION: &'static str = "\
        Everything about a task that you hold, held, or assigned: its text, what happened to it, comments and \
        answers, earlier attempts, results of the tasks it depends on, and its lease. An offer of it counts as \
        acknowledged. Where a result showed a part of a long text, field and offset give the rest.";
    const FOR: For = For::Anybody(Scope::View);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;
    const REST: Option<Remainder> = Some(Remainder::OfTask);

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let given = match input.task_id {
            Some(given) => given,
            None => call.session_view().await?.task_id.ok_or_else(|| refuse::no_such_task("none"))?,
        };
        let mut task = call.visible_task(&given).await?;
        let offered = task.offer().map(|offer| &offer.agent);
        if offered.is_some() && offered == call.agent.as_ref().map(|agent| &agent.id) {
            acknowledge(&call, &given, None).await?;
            task = call.visible_task(&given).await?;
        }
        if let Some(field) = input.field {
            return part(&call, &task, field, input.offset.unwrap_or_default()).await;
        }
        let message = format!("Task {} is {}.", task.id(), task.name());
        Ok(Answer::new(message, shown(&call, &task).await?))
    }
}

/// What is shown of a task that the caller may see.
pub(super) async fn shown(call: &Call, task: &Task) -> Result<Output> {
    let task_id = task.id().to_string();
    let dependency_results = work::dependency_results(call, &task.dependencies).await?;
    let task = Some(Box::new(view(call, task).await?));
    Ok(Output { task_id, task, dependency_results, part: None })
}

/// A part of a field that was too long for a result of this verb, of `wait_for_task` or of `wait_for_prompt`.
async fn part(call: &Call, task: &Task, field: String, offset: usize) -> Result<Answer<Output>> {
    let misplaced = |what: String| refuse::bad_argument(GetTaskContext::NAME, "field", what);
    let whole = all_fields(call, task).await?;
    let Some(value) = whole.pointer(&field) else {
        return Err(misplaced(format!("`{field}` is no field of the task; take one as a result named it: `/prompt`")));
    };
    let text = value.as_str().map_or_else(|| Cow::from(value.to_string()), Cow::from);
    let bytes = text.len();
    let Some(rest) = text.get(offset..) else {
        let what = format!("must be at most {bytes} and at the beginning of a character; take next_offset");
        return Err(refuse::bad_argument(GetTaskContext::NAME, "offset", what));
    };
    let shown = fit::beginning(rest, PART).to_owned();
    let end = offset + shown.len();
    let next_offset = (end < bytes).then_some(end);
    let message = match next_offset {
        Some(next) => format!("{field} from {offset} to {end} of {bytes} bytes; call again with offset {next}."),
        None => format!("{field} from {offset} to its end at {bytes} bytes."),
    };
    let part = Part { field, text: shown, offset, next_offset, bytes };
    let task_id = task.id().to_string();
    Ok(Answer::new(message, Output { task_id, task: None, dependency_results: Vec::new(), part: Some(part) }))
}

/// Whatever a result may have shown in part, whole and under the name that it had there.
async fn all_fields(call: &Call, task: &Task) -> Result<Value> {
    let mut view = view(call, task).await?;
    for (shown, kept) in view.attempts.iter_mut().zip(&task.attempts) {
        for (place, text) in [(&mut shown.message, &kept.message), (&mut shown.diff, &kept.diff)] {
            if let Some(text) = text {
                *place = Some(call.unshortened(text).await?);
            }
        }
    }
    let comments: Vec<CommentShown> = task.comments.iter().map(CommentShown::from).collect();
    Ok(json!({
        "prompt": view.prompt,
        "spec": task.spec.spec,
        "context": view.context,
        "comments": comments,
        "result": view.attempts.last().and_then(|attempt| attempt.message.as_ref()),
        "artifacts": view.artifacts,
        "blockedReason": view.reason,
        "dependencyResults": work::dependency_results(call, &task.dependencies).await?,
        "task": view,
    }))
}

/// The task with its history, and its long texts where they are short enough to be handed out.
async fn view(call: &Call, task: &Task) -> Result<TaskView> {
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
    view.pull_requests = pull_requests_of(&call.hub, task).await?;
    view.history = history(call, task.id()).await?;
    Ok(view)
}

/// What happened to the task, oldest first.
async fn history(call: &Call, task: &TaskId) -> Result<Vec<HistoryItem>> {
    let stream = Stream::Task(task.clone());
    let kept = call.hub.journal.read(move |reader| reader.history(&stream, HISTORY)).await;
    let kept = kept.map_err(|error| refuse::read(&error))?;
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
