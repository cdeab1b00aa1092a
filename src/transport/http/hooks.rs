//! `POST /hooks/in/{source}`: forges and trackers tell the hub what happened. Its one credential is the signature.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::rate::Rate;
use crate::actors::HubRef;
use crate::domain::ids::PrincipalId;
use crate::tools::doubled_key;
use crate::tools::hooks::{HookReceipt, receive_hook};
use crate::transport::web::{ApiError, ApiResult, BodyParts, RequestInfo, Route, Routes, Segment};
use crate::webhooks::{NotTaken, Sources, Taken, Unsigned};

/// In bytes: what GitHub sends at most. It is read as it comes, and little of it kept.
pub(super) const HOOK_BODY: usize = 25 * 1024 * 1024;

/// Larger deliveries are read a few at a time: their sender is not known before their end.
const SMALL: usize = 256 * 1024;
const LARGE_ONES: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Hooks {
    sources: Sources,
    rate: Arc<Rate>,
    /// Passes one at a time of those that come faster than they may.
    crowd: Arc<Semaphore>,
    room: Arc<Semaphore>,
}

/// What a sender is told.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// `kept`: it is written down, and done next. `repeat`: it came before, and nothing is done. `unused`: nobody here
    /// acts on what it says.
    received: &'static str,
    /// The delivery's id, as its sender gave it.
    delivery: String,
}

pub(super) fn routes() -> Routes {
    let hook = Route::post::<serde_json::Value, Answer>("/hooks/in/{source}", "takes a webhook of a forge or tracker");
    Routes::new().add(hook.answers::<Answer>(202).open().under_its_own_id(), take)
}

async fn take(
    State(hub): State<HubRef>,
    Extension(hooks): Extension<Hooks>,
    Extension(info): Extension<RequestInfo>,
    Segment(source): Segment,
    request: Request,
) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let mut reading = hooks.sources.begin(&source, &parts.headers)?;
    let (mut body, mut room) = (BodyParts::of(&parts.headers, body)?, None);
    while let Some(part) = body.next().await? {
        reading.feed(&part);
        if room.is_none() && reading.kept() > SMALL {
            room = hooks.room.acquire().await.ok();
        }
    }
    let Taken { received, digest, kept } = reading.end(hub.clock.machine_now())?;
    if let Some(doubled) = doubled_key(&kept) {
        return Err(ApiError::new("INVALID_JSON", format!("the body can be read in more than one way: {doubled}")));
    }
    drop((kept, room));
    let _turn = hooks.turn(&source).await;
    let delivery = received.id.clone();
    let (status, word) = match receive_hook(&hub, &info.id, received, &digest).await? {
        HookReceipt::Kept => (StatusCode::ACCEPTED, "kept"),
        HookReceipt::Repeated => (StatusCode::OK, "repeat"),
        HookReceipt::Unused => (StatusCode::OK, "unused"),
    };
    Ok((status, Json(Answer { received: word, delivery })).into_response())
}

impl Hooks {
    pub(super) fn new(sources: Sources, rate: Arc<Rate>) -> Self {
        let [crowd, room] = [1, LARGE_ONES].map(|permits| Arc::new(Semaphore::new(permits)));
        Self { sources, rate, crowd, room }
    }

    /// Forges do not repeat what was refused. So signed calls over the source's rate wait here, one at a time.
    async fn turn(&self, source: &str) -> Option<SemaphorePermit<'_>> {
        let principal = PrincipalId::parse(&format!("hook:{source}")).ok()?;
        match self.rate.take(&principal) {
            Ok(()) => None,
            // Never closed, so there is always a permit to wait for.
            Err(_) => self.crowd.acquire().await.ok(),
        }
    }
}

impl From<NotTaken> for ApiError {
    fn from(why: NotTaken) -> Self {
        let message = why.to_string();
        match why {
            NotTaken::Unknown => Self::new("HOOK_NOT_FOUND", message),
            NotTaken::Unsigned(Unsigned::Missing(header)) => {
                Self::new("SIGNATURE_MISSING", message).detail("header", header)
            }
            NotTaken::Unsigned(Unsigned::Wrong) => Self::new("SIGNATURE_INVALID", message),
            NotTaken::Unsigned(Unsigned::TooOld) => Self::new("SIGNATURE_TOO_OLD", message),
            NotTaken::NoId(header) => Self::new("INVALID_REQUEST", message).detail("header", header),
            NotTaken::NoJson(_) => Self::new("INVALID_JSON", message),
            NotTaken::TooMuch(limit) => Self::new("BODY_TOO_LARGE", message).detail("limit", limit),
            NotTaken::NotIts { repository, .. } => {
                Self::new("HOOK_REPOSITORY_NOT_LISTED", message).detail("repository", repository)
            }
            NotTaken::Field { field, .. } => Self::new("HOOK_PAYLOAD_INVALID", message).detail("field", field),
        }
    }
}
