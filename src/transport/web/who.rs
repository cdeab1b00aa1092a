//! Who asks: put into the request by the guard, taken out by handlers.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, HeaderName};
use tracing::{Span, field};

use super::error::{ApiError, ApiResult};
use super::key::idempotency_key;
use crate::actors::HubRef;
use crate::audit::Audit;
use crate::domain::ids::SessionId;
use crate::domain::principal::{Principal, Surface};
use crate::domain::trace::Trace;
use crate::ids::Ids;
use crate::tools::people::PersonCall;
use crate::tools::{Caller, Follows};

/// The header that names a session.
const SESSION: HeaderName = HeaderName::from_static("callboard-session-id");

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestInfo {
    pub id: String,
    pub surface: Surface,
    pub trace: Trace,
    pub peer: Option<IpAddr>,
}

impl RequestInfo {
    /// A request with these headers, under an id of its own, and in a trace of its own unless they bring one.
    pub fn of(ids: &Ids, surface: Surface, headers: &HeaderMap) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let brought = header("traceparent").and_then(|parent| Trace::brought(parent, header("tracestate")));
        let trace = brought.unwrap_or_else(|| Trace::begun(ids.trace())).with_baggage(header("baggage"));
        Self { id: ids.request(), surface, trace, peer: None }
    }

    /// Tells the audit where somebody asks from who may do what it keeps. What agents do is in the journal alone.
    pub fn tell_where_from(&self, audit: &Audit, who: &Principal) {
        if let (None, Some(peer)) = (who.agent(), self.peer) {
            audit.is_asked(&self.id, peer);
        }
    }

    /// For what this request logs by itself; verbs and MCP calls have spans of their own.
    pub fn span(&self, path: &str) -> Span {
        if !path.starts_with("/api/") || path.starts_with("/api/v1/tools/") {
            return Span::none();
        }
        let parent = self.trace.parent.map(field::display);
        tracing::info_span!("request", request.id = %self.id, trace.id = %self.trace.id, trace.parent = parent)
    }
}

#[derive(Debug, Clone)]
pub struct Who {
    pub principal: Principal,
    pub request: RequestInfo,
    session: Option<SessionId>,
}

impl Who {
    /// Who asks by another credential than a token.
    pub const fn of(principal: Principal, request: RequestInfo) -> Self {
        Self { principal, request, session: None }
    }

    /// The same for a verb. Plain HTTP has no connections that could speak for an agent.
    pub fn caller(&self) -> Caller {
        Caller {
            principal: self.principal.clone(),
            surface: self.request.surface,
            client: None,
            instance: None,
            session: self.session.clone(),
            request: self.request.id.clone(),
            trace: self.request.trace.clone(),
            peer: self.request.peer,
            reports: None,
            follows: Follows::default(),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Who {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let principal = parts.extensions.get::<Principal>();
        let request = parts.extensions.get::<RequestInfo>();
        match (principal, request) {
            (Some(principal), Some(request)) => {
                Ok(Self { principal: principal.clone(), request: request.clone(), session: session(&parts.headers)? })
            }
            // The guard puts both in; a route that stands outside it must answer nobody.
            (Some(_) | None, Some(_) | None) => Err(ApiError::new("UNAUTHENTICATED", "a credential is needed")),
        }
    }
}

/// A person's call of a verb, under the header `Idempotency-Key`.
impl FromRequestParts<HubRef> for PersonCall {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, hub: &HubRef) -> ApiResult<Self> {
        let who = Who::from_request_parts(parts, hub).await?;
        Ok(Self::new(hub.clone(), who.caller(), idempotency_key(&parts.headers)?))
    }
}

fn session(headers: &HeaderMap) -> ApiResult<Option<SessionId>> {
    let Some(given) = headers.get(SESSION) else { return Ok(None) };
    let id = given.to_str().ok().and_then(|text| SessionId::parse(text).ok());
    let unknown = || ApiError::new("SESSION_NOT_FOUND", "that session does not exist, or is not yours");
    id.map(Some).ok_or_else(unknown)
}
