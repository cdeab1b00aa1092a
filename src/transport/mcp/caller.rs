//! Who calls, as the guard in front established it, and what the client says of itself.

use http::HeaderMap;
use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, Implementation, JsonObject, RequestMetaObject};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::result;
use crate::actors::HubRef;
use crate::domain::agent::{ClientDoor, DeclaredClient};
use crate::domain::ids::SessionId;
use crate::domain::principal::{Principal, PrincipalKind, Surface};
use crate::domain::trace::Trace;
use crate::tools::{Caller, Follows};
use crate::transport::web::RequestInfo;

/// The keys of `_meta` under which a call names the run of a workflow that it goes on with, the first before others.
pub(super) const TASK_ID: &str = "dev.callboard/taskId";
pub(super) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
pub(super) const TASK_ID_OF_OLD: &str = "_task_id";

/// The header by which a proxy says which connection speaks.
pub(super) const INSTANCE: &str = "callboard-instance";

/// The header by which a proxy says which sets of tools are to be listed.
pub(super) const TOOLS: &str = "callboard-tools";

/// The header by which a client names its callboard session.
pub(super) const SESSION: &str = "callboard-session-id";

/// The caller of a request that the library reads. Fails as [`caller_of`] does.
pub(super) fn caller(hub: &HubRef, context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
    let parts = context.extensions.get::<Parts>().ok_or_else(nobody)?;
    let header = parts.headers.get("mcp-session-id").and_then(|value| value.to_str().ok());
    // A modern request has no session, whatever its headers say.
    let session = header.filter(|_| context.meta.protocol_version().is_none());
    let tasks =
        !result::is_legacy(context) && context.meta.client_capabilities().is_some_and(|able| able.supports_tasks());
    caller_of(hub, parts, &context.meta, session, (context.client_info(), tasks))
}

/// The run of a workflow that a request's `_meta` names.
fn follows(meta: &JsonObject) -> Follows {
    let related = || meta.get(RELATED_TASK)?.get("taskId")?.as_str();
    let named = |key: &str| meta.get(key).and_then(Value::as_str);
    let given = named(TASK_ID).or_else(related).or_else(|| named(TASK_ID_OF_OLD));
    given.map_or(Follows::Unsaid, |id| Follows::Named(id.to_owned()))
}

/// The trace that a request belongs to: what its `_meta` says goes before what its headers say.
fn traced(meta: &RequestMetaObject, trace: Trace) -> Trace {
    let brought = meta.get_traceparent().and_then(|parent| Trace::brought(parent, meta.get_tracestate()));
    let (trace, baggage) = (brought.unwrap_or(trace), meta.get_baggage());
    if baggage.is_some() { trace.with_baggage(baggage) } else { trace }
}

/// The caller of a request, by its head, its `_meta`, its MCP session and what its client says of itself. Fails when
/// the guard let somebody through without a principal, or a header is not what it must be.
pub(super) fn caller_of(
    hub: &HubRef,
    head: &Parts,
    meta: &RequestMetaObject,
    mcp_session: Option<&str>,
    (client, tasks): (Option<Implementation>, bool),
) -> Result<Caller, ErrorData> {
    let principal = head.extensions.get::<Principal>().cloned().ok_or_else(nobody)?;
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
    let session = match header(SESSION).filter(|given| !given.is_empty()) {
        None => None,
        Some(given) => Some(
            SessionId::parse(given)
                .map_err(|error| ErrorData::invalid_request(format!("header {SESSION}: {error}"), None))?,
        ),
    };
    let request = head.extensions.get::<RequestInfo>().cloned();
    let surface = surface(&principal, request.as_ref());
    let request = request.unwrap_or_else(|| RequestInfo::of(&hub.ids, surface, &head.headers));
    let door = if header(INSTANCE).is_some() { ClientDoor::Stdio } else { ClientDoor::Http };
    let client = client.map(|said| DeclaredClient::new(&said.name, Some(&said.version), door, tasks));
    Ok(Caller {
        surface,
        principal,
        client,
        instance: instance_of(&head.headers, mcp_session),
        session,
        trace: traced(meta, request.trace),
        request: request.id,
        peer: request.peer,
        reports: None,
        follows: follows(meta),
    })
}

/// The name of the client that speaks: a proxy is one, whichever connections and sessions it speaks over.
pub(super) fn instance_of(headers: &HeaderMap, mcp_session: Option<&str>) -> Option<String> {
    let named = headers.get(INSTANCE).and_then(|value| value.to_str().ok());
    named.or(mcp_session).map(|instance| instance.chars().take(128).collect())
}

fn nobody() -> ErrorData {
    ErrorData::invalid_request("no credential came with this request", None)
}

/// An agent acts by its tools, whatever it came through.
fn surface(principal: &Principal, request: Option<&RequestInfo>) -> Surface {
    match principal.kind {
        PrincipalKind::Agent { .. } | PrincipalKind::Run { .. } => Surface::Agent,
        PrincipalKind::Host { .. } | PrincipalKind::Person | PrincipalKind::Service => {
            request.map_or(Surface::Api, |request| request.surface)
        }
    }
}
