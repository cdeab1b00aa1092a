//! `/api/v1/tasks/{id}` and what may be read of one task: all of it, why nobody works on it, its change.

use http::header;

use super::prelude::*;
use crate::actors::dispatcher::Why;
use crate::actors::noticeboard::Event;
use crate::domain::session::follower;
use crate::domain::task::{Comment, HistoryItem, TaskView};
use crate::journal::{Kept, Stream};
use crate::tools::people::find_task;
use crate::tools::{pull_requests_of, read_whole_text};

/// The most records of a history that are shown: the newest.
const HISTORY: usize = 1_000;

/// The most comments that come with a task: the newest.
const COMMENTS: usize = 100;

/// How many comments, and from where on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct CommentParams {
    /// At most so many, 1 to 500; 100 when left out.
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct DiffParams {
    /// Of the attempt of this number; of the newest that has one when left out.
    attempt: Option<u32>,
}

pub(super) fn routes() -> Routes {
    let one = Route::get::<TaskView>("/api/v1/tasks/{id}", "a task with its history and its whole texts");
    let why = Route::get::<Why>("/api/v1/tasks/{id}/why", "why nobody works on it, agent by agent");
    let diff = Route::get::<String>("/api/v1/tasks/{id}/diff", "the change that an attempt handed in");
    let diff = diff.query::<DiffParams>().answers_text("text/plain");
    let comments = Route::get::<List<Comment>>("/api/v1/tasks/{id}/comments", "the comments on a task, oldest first");
    let comments = comments.query::<CommentParams>();
    Routes::new().add(one, show).add(why, explain).add(diff, show_diff).add(comments, list_comments)
}

/// Comments are only added, so the place of one in the list stays.
async fn list_comments(
    State(hub): State<HubRef>,
    Segment(id): Segment,
    Params(params): Params<CommentParams>,
) -> Listed<Comment> {
    let page = page_request(params.limit, params.cursor)?;
    let begin = page.cursor.as_deref().map_or(Ok(0), |cursor| {
        cursor.parse::<usize>().map_err(|_| ApiError::query("cursor", "is no `nextCursor` of this list"))
    })?;
    let task = find_task(&hub, &id).await?;
    let end = begin.saturating_add(page.limit);
    let items = task.comments.iter().skip(begin).take(page.limit).cloned().collect();
    let next_cursor = (end < task.comments.len()).then(|| end.to_string());
    let total = u64::try_from(task.comments.len()).ok();
    Ok(Json(List { items, total, next_cursor }))
}

async fn show(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<TaskView>> {
    let task = find_task(&hub, &id).await?;
    let mut view = task.view().with_newest_comments(COMMENTS);
    for (attempt, shown) in task.attempts.iter().zip(&mut view.attempts) {
        if let Some(text) = &attempt.message {
            shown.message = Some(read_whole_text(&hub, text).await?);
            shown.message_blob = None;
        }
        if let Some(text) = &attempt.diff {
            shown.diff = Some(read_whole_text(&hub, text).await?);
            shown.diff_blob = None;
        }
    }
    view.pull_requests = pull_requests_of(&hub, &task).await?;
    let stream = Stream::Task(task.id().clone());
    let kept = hub.journal.read(move |reader| reader.history(&stream, HISTORY)).await?;
    view.history = kept.iter().map(happened).collect();
    Ok(Json(view))
}

fn happened(kept: &Kept) -> HistoryItem {
    let event = Event::of(kept);
    HistoryItem {
        seq: event.seq.0,
        at: event.time,
        kind: event.kind,
        by: event.actor.principal.to_string(),
        surface: event.actor.surface.as_str().to_owned(),
        data: event.data,
    }
}

async fn explain(State(hub): State<HubRef>, Segment(id): Segment) -> ApiResult<Json<Why>> {
    let task = find_task(&hub, &id).await?;
    if task.is_open()
        && let Some(mut why) = hub.dispatcher.why(task.id()).await?
    {
        // The dispatcher knows states, and not what was said in them.
        if let Some(waits) = task.waits_for().filter(|_| task.is_approved()) {
            why.summary = waits.to_string();
        }
        if let Some((agent, session)) = follower(&task)
            && let Some(session) = hub.supervisor.session(session).await?
            && let Some(asked) = session.view().await?.open_question
            && asked.task_id.as_deref() == Some(task.id().as_str())
        {
            why.summary = format!("{agent} waits for an answer: callboard question answer {}", asked.id);
        }
        return Ok(Json(why));
    }
    // It may have closed between the two questions.
    let task = find_task(&hub, &id).await?;
    let summary = if task.is_open() {
        "the task is being built anew: ask again in a moment".to_owned()
    } else {
        format!("the task is closed: it is {}", task.name())
    };
    let (task_id, state) = (task.id().to_string(), task.name().to_string());
    Ok(Json(Why { task_id, state, summary, position: None, reachable: false, agents: Vec::new() }))
}

async fn show_diff(
    State(hub): State<HubRef>,
    Segment(id): Segment,
    Params(params): Params<DiffParams>,
) -> ApiResult<Response> {
    let task = find_task(&hub, &id).await?;
    let meant = |number: u32| params.attempt.is_none_or(|wanted| wanted == number);
    let attempts = task.attempts.iter().rev().filter(|attempt| meant(attempt.number));
    let newest = attempts.filter_map(|attempt| attempt.diff.as_ref()).next();
    let diff = newest.ok_or_else(|| ApiError::new("NOT_FOUND", format!("task `{}` has no diff", task.id())))?;
    let text = read_whole_text(&hub, diff).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}
