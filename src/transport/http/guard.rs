//! The one guard in front of every route: host, origin, credential, size and rate. No route stands beside it; sockets
//! get a pass that keeps checking.
//!
//! Host and origin are compared as written, with the port. A credential is taken from `Authorization` alone, never
//! from the query, and every invalid token gets one and the same answer.
//!
//! Authenticated clients may finish the body before the 4xx; all others get `Connection: close`. A body that was
//! neither read nor drained would make the server library close without a word.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, EXPECT,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body::Body as _;
use tracing::Instrument as _;

use super::body::{BodyFault, Held, Verdict, spill};
use super::client::client_behind;
use super::headers::{bearer, surface};
use super::hooks::{HOOK_BODY, Hooks};
use super::pages::{Pages, Refused};
use super::paths::{HOSTS, brings_its_credential, is_hook, is_mcp, is_oauth, is_page, is_socket};
use super::places::ConnectionPeer;
use super::rate::Rate;
use super::standby::not_owner;
use crate::actors::HubRef;
use crate::audit::{Decision, Note};
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{Principal, Scope};
use crate::domain::text::shorten;
use crate::transport::tokens::{Credential, TokenStore};
use crate::transport::web::{ApiError, ApiResult, CredentialWatch, Denials, Pass, RequestInfo};
use crate::webhooks::Sources;

/// The longest pause in a request's body.
const BODY_GAP: Duration = Duration::from_secs(10);

/// The most that routes for output and diffs take, in bytes.
const LARGE_BODY: usize = 8 * 1024 * 1024;

/// A log-in or an answer by ticket, in bytes: the sender is not known yet.
///
const LOGIN_BODY: usize = 1024;

const ROOM_FOR_TEXTS: usize = 3 * 3 * 64 * 1024;

/// As which agent a client means to speak; a request whose credential says otherwise is refused.
const MEANT: &str = "callboard-agent";

#[derive(Debug, Clone)]
pub struct Guard {
    hub: HubRef,
    tokens: TokenStore,
    pages: Arc<Pages>,
    rate: Arc<Rate>,
    denials: Denials,
    sources: Sources,
}

impl Guard {
    pub fn new(hub: HubRef, tokens: TokenStore, pages: Pages) -> Self {
        let limits = hub.settings().hub.limits.clone();
        let rate = Arc::new(Rate::new(limits.requests_per_second, limits.burst));
        Self { hub, tokens, pages: Arc::new(pages), rate, denials: Denials::default(), sources: Sources::none() }
    }

    #[must_use]
    pub fn with_sources(self, sources: Sources) -> Self {
        Self { sources, ..self }
    }

    pub(super) fn hooks(&self) -> Hooks {
        Hooks::new(self.sources.clone(), Arc::clone(&self.rate))
    }

    pub const fn denials(&self) -> &Denials {
        &self.denials
    }

    fn credential(&self, headers: &HeaderMap) -> ApiResult<Credential> {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = given.and_then(bearer).unwrap_or_default();
        let of_run = self.tokens.authenticate_run(token, &self.hub.on_call);
        of_run.unwrap_or_else(|| self.tokens.authenticate(token, self.hub.clock.machine_now())).map_err(|_| {
            let message = "this needs a valid token, and none came that is known and neither revoked nor expired";
            ApiError::new("UNAUTHENTICATED", message)
        })
    }

    /// The caller under the name that `people.yaml` gives them.
    ///
    fn named(&self, principal: &Principal) -> Principal {
        let mut named = principal.clone();
        if let Some(name) = self.hub.settings().people.display_name(&principal.id) {
            name.clone_into(&mut named.display_name);
        }
        named
    }

    /// In bytes; no reader behind the guard has a limit of its own.
    ///
    fn body_limit(&self, path: &str) -> usize {
        let limits = &self.hub.settings().hub.limits;
        let of_texts =
            ["/api/v1/tasks/", "/api/v1/reviews/", "/api/v1/inbox/", "/api/v1/questions/", "/api/v1/schedules/"];
        if brings_its_credential(path) {
            LOGIN_BODY
        } else if is_hook(path) {
            HOOK_BODY
        } else if is_mcp(path) || path.starts_with("/api/v1/tools/") {
            // A verb takes the same over plain HTTP as over MCP.
            limits.mcp_body
        } else if path.ends_with("/output") || path.ends_with("/diff") {
            LARGE_BODY.max(limits.api_body)
        } else if matches!(path, "/api/v1/tasks" | "/api/v1/schedules")
            || of_texts.iter().any(|start| path.starts_with(start))
        {
            // `apiBody` bounds what is said beside the texts of a task or a review, which have their own limits.
            limits.api_body.saturating_add(ROOM_FOR_TEXTS)
        } else {
            limits.api_body
        }
    }
}

pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    guard.lets_pass(request, |request| next.run(request)).await
}

impl Guard {
    /// Lets a request pass to what lies behind, or says why not.
    pub async fn lets_pass<F>(&self, mut request: Request, behind: impl FnOnce(Request) -> F) -> Response
    where
        F: Future<Output = Response>,
    {
        let peer = request.extensions().get::<ConnectionPeer>().and_then(ConnectionPeer::peer);
        let peer =
            peer.map(|peer| client_behind(self.hub.settings().hub.behind_proxy.as_ref(), peer, request.headers()));
        let info =
            RequestInfo { peer, ..RequestInfo::of(&self.hub.ids, surface(request.headers()), request.headers()) };
        // A copy: the request's own would keep its connection's read buffer (8 KiB) for as long as a wait takes.
        let path: &str = &Box::<str>::from(request.uri().path());
        let method = request.method().clone();
        let admitted = admit(self, &mut request, path);
        // A verb that refuses tells of it itself, whatever the door.
        let told_elsewhere = admitted.is_ok() && path.starts_with("/api/v1/tools/");
        let who = request.extensions().get::<PrincipalId>().cloned();
        // Authenticated clients may finish a refused body; one that sent `Expect` is told at once.
        let finishes = who.is_some() && !request.headers().contains_key(EXPECT);
        let mut response = match admitted {
            Err(refused) => {
                let rest = std::mem::take(request.body_mut());
                closing(refused.of_request(&info.id).into_response(), Some(rest), finishes).await
            }
            Ok(Admitted { credential: None, body }) => {
                request.extensions_mut().insert(info.clone());
                let response = behind(request).await;
                match body.get() {
                    Some(fault) => closes(ApiError::from(fault).of_request(&info.id).into_response()),
                    None if response.status().is_client_error() => closing(response, body.unread(), false).await,
                    None => response,
                }
            }
            Ok(Admitted { credential: Some(credential), body }) => {
                if method != Method::GET {
                    info.tell_where_from(&self.hub.audit, &credential.principal);
                }
                request.extensions_mut().insert(self.named(&credential.principal));
                if path.starts_with("/api/v1/") {
                    request.extensions_mut().insert(Arc::new(credential.clone()));
                }
                request.extensions_mut().insert(info.clone());
                if is_socket(path) {
                    let visit = Visit { guard: self.clone(), credential: credential.clone(), info: info.clone() };
                    request.extensions_mut().insert(Pass::new(visit));
                }
                let span = info.span(path);
                let answered = tokio::select! {
                    response = behind(request).instrument(span) => Some(response),
                    () = self.tokens.end_of(&credential, &self.hub.clock) => None,
                };
                match (answered, body.get()) {
                    (Some(_), Some(fault)) => closes(ApiError::from(fault).of_request(&info.id).into_response()),
                    (Some(response), None) if response.status().is_client_error() => {
                        closing(response, body.unread(), finishes).await
                    }
                    (Some(response), None) => while_good(response, credential, self),
                    (None, _) => {
                        let message = "this token is good no more: it was revoked, rotated or has expired";
                        closes(ApiError::new("UNAUTHENTICATED", message).of_request(&info.id).into_response())
                    }
                }
            }
        };
        if let Some(code) = tell_denial(&self.denials, &response, &info, path)
            && !told_elsewhere
        {
            self.hub.audit.denied(self.denial(code, who.as_ref(), &info, format!("{method} {path}")));
        }
        dress(&mut response, &info, path);
        response
    }
}

impl Guard {
    fn denial(&self, code: &str, who: Option<&PrincipalId>, info: &RequestInfo, target: String) -> Note {
        Note {
            at: self.hub.clock.now(),
            action: "request".to_owned(),
            decision: Decision::Denied,
            rule: Some(code.to_owned()),
            who: who.map_or_else(|| "nobody".to_owned(), ToString::to_string),
            through: info.surface.as_str().to_owned(),
            peer: info.peer,
            request: Some(info.id.clone()),
            target: Some(target),
            body: None,
        }
    }
}

struct Visit {
    guard: Guard,
    credential: Credential,
    info: RequestInfo,
}

impl CredentialWatch for Visit {
    fn ended(&self) -> BoxFuture<'static, ()> {
        let (tokens, clock, credential) =
            (self.guard.tokens.clone(), self.guard.hub.clock.clone(), self.credential.clone());
        Box::pin(async move { tokens.end_of(&credential, &clock).await })
    }

    fn asks(&self) -> Result<(), u32> {
        let who = &self.credential.principal.id;
        self.guard.rate.take(who).inspect_err(|_| {
            let denial = self.guard.denial("RATE_LIMITED", Some(who), &self.info, "a message on a socket".to_owned());
            self.guard.hub.audit.denied(denial);
        })
    }
}

/// Who passed, none where no credential is needed; and what will have been wrong with the body.
struct Admitted {
    credential: Option<Credential>,
    body: Verdict,
}

fn admit(guard: &Guard, request: &mut Request, path: &str) -> ApiResult<Admitted> {
    if !guard.hub.ownership.holds() {
        return Err(not_owner("this hub cannot be sure that it still has the journal, and ends"));
    }
    let looks = matches!(*request.method(), Method::GET | Method::HEAD);
    let of_the_page = looks && is_page(path);
    guard.pages.admit(request.headers(), of_the_page).map_err(|refused| match refused {
        Refused::Host => ApiError::new("FORBIDDEN", "this hub does not answer for that host: see `allowedHosts`"),
        Refused::HostMissing => ApiError::new("INVALID_REQUEST", "a request needs one header `Host`"),
        Refused::Origin => {
            ApiError::new("FORBIDDEN", "pages of that origin may not call this hub: see `allowedOrigins`")
        }
    })?;
    if matches!(path, "/healthz" | "/readyz") || of_the_page {
        return Ok(Admitted { credential: None, body: Verdict::default() });
    }
    if is_oauth(path) {
        return Err(ApiError::new("NO_OAUTH", "this hub has no OAuth server: its tokens are made by its operator"));
    }
    // The signature of a hook is looked at with its body.
    if brings_its_credential(path) || is_hook(path) {
        return Ok(Admitted { credential: None, body: hold_body(request, guard.body_limit(path))? });
    }
    let credential = guard.credential(request.headers())?;
    request.extensions_mut().insert(credential.principal.id.clone());
    if let Some(stranger) = request.extensions().get::<ConnectionPeer>() {
        stranger.is_known();
    }
    is_meant(request.headers(), &credential.principal)?;
    if let Err(seconds) = guard.rate.take(&credential.principal.id) {
        let message = format!("too many requests: the limit is {} in a second", guard.rate.per_second());
        return Err(ApiError::new("RATE_LIMITED", message).retry_after(seconds));
    }
    let hosts = path == HOSTS;
    if hosts != credential.principal.may(Scope::Host) {
        return Err(ApiError::scope(if hosts { Scope::Host } else { Scope::View }));
    }
    if !hosts && (is_mcp(path) || is_socket(path)) && !may_mcp(&credential.principal) {
        return Err(ApiError::scope(Scope::Operate));
    }
    let body = hold_body(request, guard.body_limit(path))?;
    Ok(Admitted { credential: Some(credential), body })
}

/// Passes who says nothing of it, or is the agent that it says.
fn is_meant(headers: &HeaderMap, who: &Principal) -> ApiResult<()> {
    let Some(meant) = headers.get(MEANT) else { return Ok(()) };
    if who.agent().is_some_and(|own| meant.as_bytes() == own.as_str().as_bytes()) {
        return Ok(());
    }
    let meant = shorten(&String::from_utf8_lossy(meant.as_bytes()), 64);
    let message = format!("this token belongs to `{}`: nobody speaks with it as the agent `{meant}`", who.id);
    Err(ApiError::new("IDENTITY_MISMATCH", message))
}

/// Agents by their own scope, operators by theirs.
fn may_mcp(principal: &Principal) -> bool {
    principal.may(Scope::Agent) || principal.may(Scope::Operate)
}

/// Refuses what says that it is too large, and holds the rest to the limit and to a pace as it comes.
fn hold_body(request: &mut Request, limit: usize) -> ApiResult<Verdict> {
    if request.headers().get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let message = "a compressed body is not read: send it as it is";
        return Err(ApiError::new("UNSUPPORTED_MEDIA_TYPE", message));
    }
    let said = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if said.is_some_and(|said| usize::try_from(said).unwrap_or(usize::MAX) > limit) {
        return Err(BodyFault::TooLarge { limit }.into());
    }
    let verdict = Verdict::default();
    if !request.body().is_end_stream() {
        let body = std::mem::take(request.body_mut());
        *request.body_mut() = Body::new(Held::new(body, limit, BODY_GAP, verdict.clone()));
    }
    Ok(verdict)
}

/// A refusal: the rest of the body is drained where its client may finish it, else the connection ends.
async fn closing(refusal: Response, rest: Option<Body>, finishes: bool) -> Response {
    let whole = match rest {
        Some(rest) if !rest.is_end_stream() => finishes && spill(rest).await,
        Some(_) | None => true,
    };
    if whole { refusal } else { closes(refusal) }
}

fn closes(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// An answer that goes on for long ends with its token.
fn while_good(response: Response, credential: Credential, guard: &Guard) -> Response {
    let streams = response.body().size_hint().exact().is_none();
    if !streams {
        return response;
    }
    let (tokens, clock) = (guard.tokens.clone(), guard.hub.clock.clone());
    response.map(|body| {
        let end = async move { tokens.end_of(&credential, &clock).await };
        Body::from_stream(body.into_data_stream().take_until(Box::pin(end)))
    })
}

/// The one place where denials are counted and logged: what was asked, and never with which token. Its code.
fn tell_denial(denials: &Denials, response: &Response, info: &RequestInfo, path: &str) -> Option<&'static str> {
    let error = response.extensions().get::<ApiError>()?;
    denials.count(error.code).then(|| {
        let trace = info.trace.id;
        tracing::info!(
            request.id = %info.id, trace.id = %trace, code = error.code, path = %path,
            "a request was refused: {}", error.code
        );
        error.code
    })
}

/// Headers that every answer has.
fn dress(response: &mut Response, info: &RequestInfo, path: &str) {
    let streams = response.body().size_hint().exact().is_none();
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&info.id) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer"));
    // An answer that is opened as a page must load nothing, and show in nobody's frame.
    let bare = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(bare);
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    if streams {
        // A buffering proxy in between would hold events back.
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    }
    if !is_mcp(path) {
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}
