//! `POST /hooks/in/{source}`: forges and trackers tell the hub what happened. Its one credential is the signature.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::rate::Rate;
use crate::actors::HubRef;
use crate::domain::ids::PrincipalId;
use crate::tools::doubled_key;
use crate::tools::hooks::{HookReceipt, receive_hook};
use crate::transport::web::{ApiError, RequestInfo, Route, Routes, Segment, read_body};
use crate::webhooks::{Incoming, NotTaken, Sources, Unsigned};

/// The most that a delivery may have, in bytes. Forges put whole repositories and pull requests into one.
pub(super) const HOOK_BODY: usize = 1024 * 1024;

/// Who may call, and how often.
#[derive(Debug, Clone)]
pub(super) struct Hooks {
    pub(super) sources: Sources,
    pub(super) rate: Arc<Rate>,
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

/// The row of this file.
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
) -> Result<Response, ApiError> {
    hooks.sources.knows(&source)?;
    let (parts, body) = request.into_parts();
    let body = read_body(&parts.headers, body, HOOK_BODY).await?;
    let call = Incoming { headers: &parts.headers, body: &body, now: hub.clock.machine_now() };
    let received = hooks.sources.take(&source, &call);
    if !matches!(received, Err(NotTaken::Unknown | NotTaken::Unsigned(_))) {
        within_its_rate(&hooks, &source)?;
    }
    let received = received?;
    if let Some(doubled) = doubled_key(&body) {
        return Err(ApiError::new("INVALID_JSON", format!("the body can be read in more than one way: {doubled}")));
    }
    let delivery = received.id.clone();
    let digest: String = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
    let (status, word) = match receive_hook(&hub, &info.id, received, &digest).await? {
        HookReceipt::Kept => (StatusCode::ACCEPTED, "kept"),
        HookReceipt::Repeated => (StatusCode::OK, "repeat"),
        HookReceipt::Unused => (StatusCode::OK, "unused"),
    };
    Ok((status, Json(Answer { received: word, delivery })).into_response())
}

/// Counts only what is its own: nobody else can use up what a source may send.
fn within_its_rate(hooks: &Hooks, source: &str) -> Result<(), ApiError> {
    let Ok(principal) = PrincipalId::parse(&format!("hook:{source}")) else { return Ok(()) };
    hooks.rate.take(&principal).map_err(|seconds| {
        let message = format!("too many deliveries: the limit is {} in a second", hooks.rate.per_second());
        ApiError::new("RATE_LIMITED", message).retry_after(seconds)
    })
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
            NotTaken::Field { field, .. } => Self::new("HOOK_PAYLOAD_INVALID", message).detail("field", field),
        }
    }
}
