//! The short way of a call: past the library.
//!
//! Nearly all that agents send is `tools/call` of 2026-07-28, which stands alone. It is read once and given to its
//! verb. Nothing of the protocol is decided here: headers and body are of exactly the known shape, tool and caller are
//! known. Any other request is the library's, which says what is wrong.

use axum::response::Response;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, Method};
use rmcp::model::{ProtocolVersion, RequestId, RequestMetaObject, ServerResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::caller::caller_of;
use super::super::reply_path::ReplyPath;
use super::super::result;
use super::super::wait::Notes;
use super::arguments::Arguments;
use super::early_sse;
use super::parked::Parked;
use crate::actors::HubRef;
use crate::tools::{self, Reply, Structured, ToolEntry};
use crate::transport::web::Slot;

/// The room that an answer begins with, in bytes.
const ROOM: usize = 1024;

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
    arguments: Option<Arguments>,
    #[serde(rename = "_meta")]
    meta: Arguments,
}

/// The answer to a request of the known shape, not yet at work. None where the request is the library's to answer.
pub(in crate::transport::mcp) fn answer(
    hub: &HubRef,
    head: &Parts,
    body: &[u8],
) -> Option<impl Future<Output = Response> + use<>> {
    let entry = entry_of(&head.method, &head.headers)?;
    let slot = Slot::default();
    let call = ShortRequest::read(body, entry)?.begin(hub, entry, head, &slot)?;
    Some(async move { early_sse::watched(early_sse::answer_of(call).await, slot) })
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
        let known = asked.jsonrpc == "2.0" && asked.method == "tools/call" && asked.params.name == entry.name;
        known.then_some(asked)
    }

    /// The call, not yet at work; none where the library has to say what is wrong, or gives a ticket.
    fn begin(self, hub: &HubRef, entry: &'static ToolEntry, head: &Parts, slot: &Slot) -> Option<Parked> {
        let Params { arguments, meta: Arguments(meta), .. } = self.params;
        let meta = RequestMetaObject::from(meta);
        let able = meta.client_capabilities()?;
        if meta.protocol_version()? != ProtocolVersion::V_2026_07_28 || entry.blocks && able.supports_tasks() {
            return None;
        }
        let client = (meta.client_info(), able.supports_tasks());
        let mut caller = caller_of(hub, head, &meta, None, client).ok()?;
        let arguments = arguments.map_or(Value::Null, |Arguments(given)| Value::Object(given));
        let notes = Notes::of_call(hub, entry, &mut caller, meta.get_progress_token());
        let (hub, id, path) = (hub.clone(), self.id, ReplyPath::ends_with_the_call(slot.clone()));
        let call = async move {
            match tools::call(&hub, &caller, entry.name, arguments).await {
                Ok(mut reply) if reply.workflow.is_none() => {
                    path.carries(reply.guard.take());
                    written(&id, &reply)
                }
                other @ (Ok(_) | Err(_)) => result::message(id, path.answer(other).map(ServerResult::from)),
            }
        };
        Some(Parked::new(call, notes))
    }
}

/// A verb's success as the library writes it, without the tree that the library makes of it first.
fn written(id: &RequestId, reply: &Reply) -> Bytes {
    let text = reply.text();
    let content = [Text { kind: "text", text: &text }];
    let structured = (!reply.is_text_alone()).then_some(Structured(reply));
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
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Structured<'a>>,
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
mod tests;
