//! `GET /api/v1/events`: what happens, as server-sent events or as lines of JSON, from now on or from a number on.
//!
//! A reader that falls behind, or asks for what retention removed, gets a `gap` and goes on. The stream ends when the
//! hub goes down; readers resume by the number of the last event.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http::{HeaderName, header};
use tokio::sync::watch;
use tokio::time::timeout;

use super::prelude::*;
use crate::actors::noticeboard::{Posted, Subscription, UnknownType, check_types};
use crate::domain::ids::IdError;
use crate::journal::{EventFilter, Seq};

/// How often a silent stream shows that it lives.
const ALIVE: Duration = Duration::from_secs(10);
const LINES: &str = "application/x-ndjson";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct EventParams {
    /// After this number; from now on when left out. The header `Last-Event-ID` goes before it.
    after: Option<u64>,
    /// Of these types, or families of types as `task`, separated by commas.
    types: Option<String>,
    /// About this task.
    task: Option<String>,
    /// About this session.
    session: Option<String>,
    /// About this agent.
    agent: Option<String>,
}

pub(super) fn routes() -> Routes {
    let row = Route::get::<String>("/api/v1/events", "what happens; lines of JSON with `Accept: application/x-ndjson`");
    Routes::new().add(row.query::<EventParams>().answers_text("text/event-stream"), follow)
}

async fn follow(
    State(hub): State<HubRef>,
    headers: HeaderMap,
    Params(params): Params<EventParams>,
) -> ApiResult<Response> {
    let after = resumed(&headers)?.or(params.after).map(Seq);
    let filter = filter(params)?;
    let ended = |error| ApiError::new("UNAVAILABLE", format!("{error}")).retry_after(1);
    let subscription = hub.noticeboard.subscribe(filter, after).await.map_err(ended)?;
    let form = Form::asked_for(&headers);
    let reader = EventReader { subscription, draining: hub.draining.clone(), form };
    // The first sign of life goes out with the headers, so that whoever reads knows that it is connected.
    let first = stream::iter([form.alive()]);
    let text = first.chain(reader.into_stream()).map(Ok::<_, Infallible>);
    let headers = [(header::CONTENT_TYPE, form.content_type()), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(text)).into_response())
}

#[derive(Debug, Clone, Copy)]
enum Form {
    ServerSent,
    Lines,
}

impl Form {
    fn asked_for(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let lines = accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with(LINES));
        if lines { Self::Lines } else { Self::ServerSent }
    }

    const fn content_type(self) -> &'static str {
        match self {
            Self::ServerSent => "text/event-stream",
            Self::Lines => LINES,
        }
    }

    fn alive(self) -> Bytes {
        Bytes::from_static(match self {
            Self::ServerSent => b":\n\n",
            Self::Lines => b"\n",
        })
    }

    fn write(self, posted: &Posted) -> Bytes {
        let text = match (self, posted) {
            (Self::ServerSent, Posted::Event(event)) => {
                format!("id: {}\nevent: {}\ndata: {}\n\n", event.seq, event.kind, json!(event))
            }
            (Self::ServerSent, Posted::Gap { missed, after }) => {
                // Who comes back goes on behind the gap, and does not hear of it again.
                let id = after.map(|after| format!("id: {after}\n")).unwrap_or_default();
                format!("{id}event: gap\ndata: {}\n\n", gap(*missed, *after))
            }
            (Self::Lines, Posted::Event(event)) => format!("{}\n", json!(event)),
            (Self::Lines, Posted::Gap { missed, after }) => {
                let mut gap = gap(*missed, *after);
                gap["type"] = json!("gap");
                format!("{gap}\n")
            }
        };
        Bytes::from(text)
    }
}

/// What a reader is told of events that it does not get: how many, why, and where what it gets goes on.
fn gap(missed: u64, after: Option<Seq>) -> Value {
    match after {
        Some(after) => json!({ "missed": missed, "reason": "retention", "after": after }),
        None => json!({ "missed": missed, "reason": "slow" }),
    }
}

/// One who reads events until the hub goes down.
struct EventReader {
    subscription: Subscription,
    draining: watch::Receiver<bool>,
    form: Form,
}

impl EventReader {
    fn into_stream(self) -> impl Stream<Item = Bytes> + Send {
        stream::unfold(self, |mut reader| async move {
            let next = tokio::select! {
                biased;
                _ = reader.draining.wait_for(|down| *down) => return None,
                next = timeout(ALIVE, reader.subscription.next()) => next,
            };
            match next {
                Ok(Some(posted)) => Some((reader.form.write(&posted), reader)),
                Ok(None) => None,
                Err(_) => Some((reader.form.alive(), reader)),
            }
        })
    }
}

/// The number after which a broken stream is taken up again.
fn resumed(headers: &HeaderMap) -> ApiResult<Option<u64>> {
    let Some(given) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let number = given.to_str().ok().and_then(|text| text.trim_start_matches("ev_").parse().ok());
    let wrong = || ApiError::query("Last-Event-ID", "must be the `id` of an event");
    number.map(Some).ok_or_else(wrong)
}

fn filter(params: EventParams) -> ApiResult<EventFilter> {
    let types: Vec<String> = names(params.types.as_deref()).map(str::to_owned).collect();
    check_types(&types).map_err(|unknown| no_such_type(&unknown))?;
    Ok(EventFilter {
        types,
        task: id("task", params.task, TaskId::parse)?,
        session: id("session", params.session, SessionId::parse)?,
        agent: id("agent", params.agent, AgentId::parse)?,
    })
}

pub(super) fn no_such_type(unknown: &UnknownType) -> ApiError {
    ApiError::query("types", unknown).detail("nearest", unknown.nearest.clone())
}

fn id<T>(field: &str, given: Option<String>, parse: impl Fn(&str) -> Result<T, IdError>) -> ApiResult<Option<T>> {
    given.as_deref().map(parse).transpose().map_err(|error| ApiError::query(field, error))
}

#[cfg(test)]
mod tests;
