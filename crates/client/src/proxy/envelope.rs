//! What is read of a message, and how one is changed without touching the rest of its text.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::tool_call;

/// A message, as far as whoever passes it on must understand it.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope<'a> {
    /// As it is written: `1` and `"1"` are two.
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "taskId")]
    task_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "requestId")]
    request_id: Option<&'a RawValue>,
    #[serde(default, rename = "clientInfo")]
    client_info: Option<ClientInfo>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<Meta<'a>>,
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct ClientInfo {
    #[serde(default)]
    name: String,
}

#[derive(Debug, Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
    #[serde(default, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<String>,
    #[serde(default, rename = "io.modelcontextprotocol/clientInfo")]
    client: Option<ClientInfo>,
    /// Codex says so in each call.
    #[serde(borrow, default, rename = "threadId")]
    thread: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/subscriptionId")]
    subscription: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// Reads `text`, or returns `None` where it is not a JSON-RPC message. Such a text is relayed, too: the hub answers
    /// with the error, and the client reads that.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    fn params(&self) -> Params<'a> {
        self.params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default()
    }

    pub(super) fn tool(&self) -> Option<Cow<'a, str>> {
        (self.method.as_deref() == Some("tools/call")).then(|| self.params().name).flatten()
    }

    /// The request that is called off, as its id was written.
    pub(super) fn called_off(&self) -> Option<String> {
        let cancels = self.method.as_deref() == Some("notifications/cancelled");
        cancels.then(|| self.params().request_id).flatten().map(|id| id.get().to_owned())
    }

    /// The token under which a request asks for progress, as it is written.
    pub(super) fn asks_progress(&self) -> Option<String> {
        Some(self.params().meta?.progress_token?.get().to_owned())
    }

    /// The token that a note of progress is about, as it is written.
    pub(super) fn notes_progress(&self) -> Option<String> {
        let notes = self.method.as_deref() == Some("notifications/progress");
        notes.then(|| self.params().progress_token).flatten().map(|token| token.get().to_owned())
    }

    /// The request that is open from here on for what there is to tell, as its id is written.
    pub(super) fn opens(&self) -> Option<String> {
        let opens = self.method.as_deref() == Some("notifications/subscriptions/acknowledged");
        opens.then(|| self.params().meta?.subscription.map(|id| id.get().to_owned())).flatten()
    }

    /// What a subscription is about, or the end of one.
    pub(super) fn named(&self) -> Option<String> {
        self.params().uri.map(Cow::into_owned)
    }

    /// The client's name, where it says it.
    pub(super) fn client(&self) -> Option<String> {
        let params = self.params();
        let said = params.client_info.or_else(|| params.meta?.client)?;
        Some(said.name)
    }

    /// The thread of the client's that the call belongs to, where it says so.
    pub(super) fn thread(&self) -> Option<String> {
        self.params().meta?.thread.map(Cow::into_owned)
    }

    /// Whether the request says by itself which version it speaks.
    pub(super) fn is_modern(&self) -> bool {
        self.params().meta.is_some_and(|meta| meta.version.is_some())
    }

    /// What a request that says by itself which version it speaks says of itself: version, method, and what it names.
    pub(super) fn modern(&self) -> Option<(String, String, Option<String>)> {
        let params = self.params();
        let version = params.meta.and_then(|meta| meta.version)?;
        let name = params.name.or(params.uri).or(params.task_id).map(Cow::into_owned);
        Some((version, self.method.as_deref()?.to_owned(), name))
    }

    /// The version that a handshake came to.
    pub(super) fn agreed_version(&self) -> Option<String> {
        let agreed: Value = serde_json::from_str(self.result?.get()).ok()?;
        Some(agreed.get("protocolVersion")?.as_str()?.to_owned())
    }

    /// Whether it answers a request.
    pub(super) const fn is_answer(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    /// How many seconds a wait asks for.
    pub(super) fn seconds(&self) -> Option<f64> {
        let arguments: Value = serde_json::from_str(self.params().arguments?.get()).ok()?;
        tool_call::seconds(&arguments)
    }

    /// The fields that a tool answered with.
    pub(super) fn fields(&self) -> Option<Value> {
        #[derive(Deserialize)]
        struct Answered<'a> {
            #[serde(borrow, rename = "structuredContent")]
            fields: &'a RawValue,
        }
        let answered: Answered<'_> = serde_json::from_str(self.result?.get()).ok()?;
        serde_json::from_str(answered.fields.get()).ok()
    }

    /// Whether this is a success, of whatever shape.
    pub(super) const fn succeeded(&self) -> bool {
        self.result.is_some()
    }
}

const TIMEOUT: &str = "timeout";
const WAIT_SECONDS: &str = "wait_seconds";

/// The same call with a key of ours, where it has none of its own.
pub(super) fn with_key(text: &str, key: &str) -> Option<String> {
    let envelope = Envelope::of(text)?;
    let arguments = envelope.params().arguments?.get();
    let known: Value = serde_json::from_str(arguments).ok()?;
    let known = known.as_object()?;
    let mut own = ["idempotencyKey", "idempotency_key"].into_iter().filter_map(|name| Some((name, known.get(name)?)));
    match own.next() {
        Some((name, left_out)) if tool_call::is_left_out(left_out) && own.next().is_none() => {
            let mut message: Value = serde_json::from_str(text).ok()?;
            message["params"]["arguments"][name] = key.into();
            return Some(message.to_string());
        }
        Some(_) => return None,
        None => {}
    }
    // The arguments are a part of the text: what comes after their brace is where the key goes.
    let at = arguments.as_ptr() as usize - text.as_ptr() as usize + 1;
    let comma = if known.is_empty() { "" } else { "," };
    Some(format!("{}\"idempotencyKey\":\"{key}\"{comma}{}", &text[..at], &text[at..]))
}

/// The same request with this in its `_meta`, where nothing stands there under any of `unless`.
pub(super) fn with_meta(text: &str, unless: &[&str], name: &str, value: &Value) -> Option<String> {
    #[derive(Deserialize)]
    struct Head<'a> {
        #[serde(borrow, default, rename = "_meta")]
        meta: Option<&'a RawValue>,
    }
    let params = Envelope::of(text)?.params?.get();
    let (into, added) = match serde_json::from_str::<Head<'_>>(params).ok()?.meta {
        Some(meta) => (meta.get(), format!("\"{name}\":{value}")),
        None => (params, format!("\"_meta\":{{\"{name}\":{value}}}")),
    };
    let known: Value = serde_json::from_str(into).ok()?;
    let known = known.as_object()?;
    if unless.iter().any(|name| known.contains_key(*name)) {
        return None;
    }
    // It is a part of the text: what comes after its brace is where the new goes.
    let at = into.as_ptr() as usize - text.as_ptr() as usize + 1;
    let comma = if known.is_empty() { "" } else { "," };
    Some(format!("{}{added}{comma}{}", &text[..at], &text[at..]))
}

/// The same wait for so many seconds.
pub(super) fn for_seconds(text: &str, tool: &str, seconds: u64) -> Option<String> {
    let mut message: Value = serde_json::from_str(text).ok()?;
    let arguments = message.get_mut("params")?.as_object_mut()?.entry("arguments").or_insert_with(|| Value::Null);
    if arguments.is_null() {
        *arguments = Value::Object(serde_json::Map::new());
    }
    let name = if tool == "request_input" { WAIT_SECONDS } else { TIMEOUT };
    arguments.as_object_mut()?.insert(name.to_owned(), seconds.into());
    Some(message.to_string())
}

pub(super) fn under_id(text: &str, id: &str) -> Option<String> {
    let mut message: Value = serde_json::from_str(text).ok()?;
    message.as_object_mut()?.insert("id".to_owned(), id.into());
    Some(message.to_string())
}

/// A message as one line: a break that is not in a string is a blank.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) { Cow::Owned(text.replace(['\n', '\r'], " ")) } else { Cow::Borrowed(text) }
}
