//! The short way of a call: past the library.
//!
//! Nearly all that agents send has one shape: `tools/call` of 2026-07-28, which stands alone. The library reads it into
//! a tree, writes that out again to compare it with the headers, and keeps three tasks and as many queues for it: most
//! of what such a call costs. Here it is read once and given to its verb, as plain HTTP does; its answer is the
//! library's own message.
//!
//! Nothing of the protocol is decided here. A request goes the short way when there is nothing to decide: headers and
//! body of exactly the known shape, a tool that exists, a caller that is known. With any other the library does what it
//! always does, and says what is wrong.

use std::borrow::Cow;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use rmcp::model::{ClientCapabilities, Implementation, ProgressToken, ProtocolVersion, RequestId, ServerResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::arguments::Arguments;
use super::caller::{TraceMeta, caller_of};
use super::early_sse;
use super::parked::{self, Parked};
use super::reply_path::{ReplyPath, answer};
use super::result;
use super::wait::Notes;
use crate::actors::HubRef;
use crate::tools::{self, Caller, Follows, Reply, Structured, ToolEntry};
use crate::transport::web::Slot;

/// The room that an answer begins with, in bytes.
const ROOM: usize = 1024;

/// Which way a request goes.
pub(super) enum Road {
    /// It went the short way, and this is its answer.
    Short(Response),
    /// It is the library's, as it came.
    Long(Request),
}

/// A request of the known shape. Unknown fields and doubled ones are for the library to judge.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShortRequest<'a> {
    jsonrpc: &'a str,
    id: RequestId,
    method: &'a str,
    params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'a> {
    name: &'a str,
    #[serde(default)]
    arguments: Option<Arguments>,
    #[serde(rename = "_meta", borrow)]
    about: About<'a>,
}

/// What a request says about itself; what else it says there is nobody's business.
#[derive(Deserialize)]
struct About<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'a str,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: ClientCapabilities,
    #[serde(rename = "io.modelcontextprotocol/clientInfo", default)]
    client: Option<Implementation>,
    #[serde(rename = "progressToken", default)]
    progress: Option<ProgressToken>,
    #[serde(borrow, default)]
    traceparent: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tracestate: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    baggage: Option<Cow<'a, str>>,
    #[serde(rename = "dev.callboard/taskId", default)]
    task: Option<String>,
    #[serde(rename = "io.modelcontextprotocol/related-task", default)]
    related: Option<Related>,
    #[serde(rename = "_task_id", default)]
    task_of_old: Option<String>,
}

#[derive(Deserialize)]
struct Related {
    #[serde(rename = "taskId")]
    task: String,
}

/// Answers a request of the known shape.
pub(super) async fn take(hub: &HubRef, request: Request) -> Road {
    let Some(entry) = entry_of(request.method(), request.headers()) else { return Road::Long(request) };
    let (head, body) = request.into_parts();
    // The guard holds it to its size and its pace, and has its own word on both.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return Road::Short((StatusCode::BAD_REQUEST, "the body did not come whole").into_response());
    };
    let slot = Slot::default();
    let begun = ShortRequest::read(&bytes, entry).and_then(|asked| asked.begin(hub, entry, &head, &slot));
    match begun {
        None => Road::Long(Request::from_parts(head, Body::from(bytes))),
        Some(call) => {
            // Whoever waits keeps nothing of the request.
            drop((head, bytes));
            Road::Short(early_sse::watched(early_sse::answer_of(call).await, slot))
        }
    }
}

/// The verb that is called, by headers of the known shape.
fn entry_of(method: &Method, headers: &HeaderMap) -> Option<&'static ToolEntry> {
    let modern = method == Method::POST
        && only(headers, "mcp-protocol-version") == Some(ProtocolVersion::V_2026_07_28.as_str())
        && only(headers, "mcp-method") == Some("tools/call")
        && only(headers, CONTENT_TYPE.as_str()).is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let accepted = only(headers, ACCEPT.as_str()).unwrap_or_default();
    let accepts = |kind| accepted.split(',').any(|known| known.trim() == kind);
    // A weight or a quoted text is the library's to read.
    if !modern || !accepts("application/json") || !accepts("text/event-stream") || accepted.contains([';', '"']) {
        return None;
    }
    tools::find(only(headers, "mcp-name")?)
}

/// The one value of a header, as text.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

impl<'a> ShortRequest<'a> {
    fn read(body: &'a [u8], entry: &ToolEntry) -> Option<Self> {
        let asked: Self = serde_json::from_slice(body).ok()?;
        let known = asked.jsonrpc == "2.0"
            && asked.method == "tools/call"
            && asked.params.name == entry.name
            && asked.params.about.version == ProtocolVersion::V_2026_07_28.as_str();
        known.then_some(asked)
    }

    /// The call, not yet at work; none where the library has to say who may not call.
    fn begin(self, hub: &HubRef, entry: &'static ToolEntry, head: &Parts, slot: &Slot) -> Option<Parked> {
        let Params { arguments, about, .. } = self.params;
        if entry.blocks && about.capabilities.supports_tasks() {
            return None;
        }
        let client = (about.client, about.capabilities.supports_tasks());
        let told = TraceMeta {
            parent: about.traceparent.as_deref(),
            state: about.tracestate.as_deref(),
            baggage: about.baggage.as_deref(),
        };
        let mut caller: Caller = caller_of(hub, head, None, client, told).ok()?;
        let named = about.task.or(about.related.map(|related| related.task)).or(about.task_of_old);
        caller.follows = named.map_or(Follows::Unsaid, Follows::Named);
        let arguments = arguments.map_or(Value::Null, |Arguments(given)| Value::Object(given));
        let every = hub.settings().hub.waits.progress_every;
        let notes = about.progress.filter(|_| entry.blocks).map(|token| Notes::new(token, every));
        let notes = notes.map(|notes| notes.with_reports_of(entry, &mut caller));
        let (hub, id) = (hub.clone(), self.id);
        let way = ReplyPath::ends_with_the_call(slot.clone());
        let call = async move {
            match tools::call(&hub, &caller, entry.name, arguments).await {
                Ok(mut reply) if reply.workflow.is_none() => {
                    way.carries(reply.guard.take());
                    written(&id, &reply)
                }
                other @ (Ok(_) | Err(_)) => {
                    let meta = Some(result::about_us());
                    parked::message(id, answer(other, meta, &way).map(ServerResult::from))
                }
            }
        };
        Some(Parked::new(call, notes))
    }
}

/// A verb's success as the library writes it, without the tree that the library makes of it first.
fn written(id: &RequestId, reply: &Reply) -> Bytes {
    let text = reply.text();
    let content = [Text { kind: "text", text: &text }];
    let structured = Structured(reply);
    let about_us = result::about_us_written();
    let result =
        Success { result_type: "complete", content, structured_content: structured, is_error: false, about_us };
    let mut bytes = Vec::with_capacity(ROOM);
    // What a verb answers was made as JSON before: this has no way to fail.
    drop(serde_json::to_writer(&mut bytes, &Message { jsonrpc: "2.0", id, result }));
    bytes.into()
}

#[derive(Serialize)]
struct Message<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: Success<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Success<'a> {
    result_type: &'static str,
    content: [Text<'a>; 1],
    structured_content: Structured<'a>,
    is_error: bool,
    #[serde(rename = "_meta")]
    about_us: &'static RawValue,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

#[cfg(test)]
mod tests {
    use rmcp::model::CallToolResponse;
    use serde_json::{Map, json};

    use super::*;
    use crate::domain::agent::Notice;

    fn reply(fields: Value, notices: Vec<Notice>, tells: bool) -> Reply {
        let fields = fields.as_object().cloned().unwrap_or_else(Map::new);
        let (message, prompt) = ("Said \"so\".\n".to_owned(), tells.then(|| "Go on.".to_owned()));
        Reply { message, prompt, fields, notices, tells, words: None, guard: None, workflow: None }
    }

    #[test]
    fn an_answer_is_written_as_the_library_writes_it() {
        let from = json!({"kind": "api", "id": "x", "displayName": "X"});
        let notice = json!({"id": "n_00000001", "kind": "message", "from": from, "text": "hear", "taskId": null,
            "at": "2026-05-28T20:26:40.123Z"});
        let notice: Notice = serde_json::from_value(notice).expect("a notice");
        let fields = json!({"message": "its own", "success": false, "prompt": 7, "notices": [1], "a": {"b": [null]}});
        let cases = [
            reply(json!({}), Vec::new(), false),
            reply(json!({"a": 1}), Vec::new(), true),
            reply(fields.clone(), Vec::new(), true),
            reply(fields, vec![notice.clone()], true),
            reply(json!({}), vec![notice], false),
        ];
        for reply in cases {
            let ours: Value = serde_json::from_slice(&written(&RequestId::Number(3), &reply)).expect("JSON");
            let theirs = ServerResult::from(CallToolResponse::from(result::success(reply, Some(result::about_us()))));
            let theirs = parked::message(RequestId::Number(3), Ok(theirs));
            assert_eq!(ours, serde_json::from_slice::<Value>(&theirs).expect("JSON"));
        }
    }
}
