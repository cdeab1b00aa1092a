//! The hub over Streamable HTTP, where something between lets no WebSocket pass: a request for each message, whose
//! answer streams back.
//!
//! Both eras are spoken as they are over the socket. The handshake of the elder one is waited for, since the session
//! that it opens must be named from then on, and when it is done, the stream is opened on which that session is told
//! what it did not ask for. A message that is called off in the younger era is called off by the end of its request,
//! which is what that era says.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::envelope::Envelope;
use super::http_reply::{AGAIN_AFTER, HttpReply, each_event};
use super::news::{self, OPEN_WITHIN};
use crate::client::HubCalls;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// How long a handshake may take.
const HELLO_WITHIN: Duration = Duration::from_secs(10);

/// How many answers may wait to be read.
const ANSWERS: usize = 64;

/// The hub, over HTTP.
#[derive(Debug)]
pub(super) struct HttpLink {
    calls: HubCalls,
    headers: Vec<(&'static str, String)>,
    /// What the handshake of the elder era came to.
    session: Option<String>,
    version: Option<String>,
    /// The stream of what that session is told without asking.
    news: Option<AbortHandle>,
    running: JoinSet<()>,
    /// Requests of the younger era, by their ids as they are written.
    open: BTreeMap<String, AbortHandle>,
    /// Requests of the session.
    asked: Vec<AbortHandle>,
    heard: mpsc::Receiver<HttpReply>,
    tell: mpsc::Sender<HttpReply>,
}

impl HttpLink {
    /// With these headers on each request.
    pub(super) fn new(calls: HubCalls, headers: Vec<(&'static str, String)>) -> Self {
        let (tell, heard) = mpsc::channel(ANSWERS);
        let (running, open) = (JoinSet::new(), BTreeMap::new());
        Self { calls, headers, session: None, version: None, news: None, running, open, asked: Vec::new(), heard, tell }
    }

    /// The next message; none when the hub is lost. May be dropped and asked again.
    pub(super) async fn heard(&mut self) -> Option<String> {
        match self.heard.recv().await? {
            HttpReply::Text(text) => Some(text),
            HttpReply::Lost => None,
        }
    }

    /// Whether it could be said.
    pub(super) async fn say(&mut self, text: String) -> bool {
        while self.running.try_join_next().is_some() {}
        self.open.retain(|_, request| !request.is_finished());
        self.asked.retain(|request| !request.is_finished());
        let Some(envelope) = Envelope::of(&text) else {
            return self.begin(None, None, self.request(text, None));
        };
        if let Some(id) = envelope.called_off()
            && let Some(request) = self.open.remove(&id)
        {
            request.abort();
            return true;
        }
        let id = envelope.id.map(|id| id.get().to_owned());
        if envelope.method.as_deref() == Some("initialize") {
            self.ends_session();
            let request = self.request(text, None);
            return self.shakes_hands(id, request).await;
        }
        let is_done = envelope.method.as_deref() == Some("notifications/initialized");
        let modern = envelope.modern().map(|(version, method, name)| Modern { version, method, name });
        let younger = id.clone().filter(|_| modern.is_some());
        let request = self.request(text, modern);
        let begun = self.begin(younger, id, request);
        if is_done {
            self.listens().await;
        }
        begun
    }

    /// Opens the stream of what the session is told without asking.
    async fn listens(&mut self) {
        if self.session.is_none() {
            return;
        }
        let (stands, standing) = oneshot::channel();
        let stream = self.in_session(self.calls.get());
        self.news = Some(self.running.spawn(news::listens(stream, self.tell.clone(), stands)));
        // What comes later than this comes all the same.
        drop(timeout(OPEN_WITHIN, standing).await);
    }

    /// Ends it: whatever waits, ends with its request.
    pub(super) async fn close(mut self) {
        self.running.abort_all();
        // It names this proxy: the hub hears that its client has ended, in the era without sessions, too.
        drop(self.in_session(self.calls.delete()).send().await);
    }

    fn request(&self, text: String, modern: Option<Modern>) -> RequestBuilder {
        let mut request = self.calls.post().header(CONTENT_TYPE, "application/json");
        request = request.header(ACCEPT, "application/json, text/event-stream").body(text);
        if let Some(Modern { version, method, name }) = modern {
            request = self.own(request).header(VERSION, version).header("mcp-method", method);
            return name.into_iter().fold(request, |request, name| request.header("mcp-name", name));
        }
        self.in_session(request)
    }

    /// With whatever is said of this proxy on each request.
    fn own(&self, request: RequestBuilder) -> RequestBuilder {
        self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }

    /// The same, of the session that the handshake opened.
    fn in_session(&self, request: RequestBuilder) -> RequestBuilder {
        let known = [(SESSION, &self.session), (VERSION, &self.version)];
        known.into_iter().fold(self.own(request), |request, (header, value)| match value {
            Some(value) => request.header(header, value),
            None => request,
        })
    }

    fn begin(&mut self, id: Option<String>, asked: Option<String>, request: RequestBuilder) -> bool {
        let (tell, in_session) = (self.tell.clone(), id.is_none() && self.session.is_some());
        let asks = async move {
            let answered = match request.send().await {
                Ok(response) => relays(response, in_session, asked, &tell).await,
                Err(_) => false,
            };
            if !answered {
                // Whatever refuses it may refuse it again: it is asked no faster than this.
                tokio::time::sleep(AGAIN_AFTER).await;
                // Nobody listens any more when the link was given up.
                drop(tell.send(HttpReply::Lost).await);
            }
        };
        let handle = self.running.spawn(asks);
        match id {
            Some(id) => drop(self.open.insert(id, handle)),
            None => self.asked.push(handle),
        }
        true
    }

    /// A client that shakes hands once more has done with the session before: what it asked in it ends, and that it
    /// ends is no sign of a lost hub.
    fn ends_session(&mut self) {
        self.version = None;
        self.news.take().into_iter().chain(self.asked.drain(..)).for_each(|request| request.abort());
        if let Some(session) = self.session.take() {
            // It does not name this proxy, whose client has not ended.
            let ends = self.calls.delete().header(SESSION, session).send();
            self.running.spawn(async move { drop(ends.await) });
        }
    }

    async fn shakes_hands(&mut self, asked: Option<String>, request: RequestBuilder) -> bool {
        let shakes = async {
            let response = request.send().await.ok()?;
            let session = response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
            let (tell, mut heard) = mpsc::channel(ANSWERS);
            let answered = relays(response, false, asked, &tell).await;
            drop(tell);
            let mut texts = Vec::new();
            while let Some(HttpReply::Text(text)) = heard.recv().await {
                texts.push(text);
            }
            answered.then_some((session, texts))
        };
        let Ok(Some((session, texts))) = timeout(HELLO_WITHIN, shakes).await else { return false };
        self.session = session;
        for text in texts {
            let agreed = Envelope::of(&text).and_then(|envelope| envelope.agreed_version());
            self.version = agreed.or(self.version.take());
            if self.tell.try_send(HttpReply::Text(text)).is_err() {
                return false;
            }
        }
        true
    }
}

/// What a request of the younger era says of itself in its headers.
struct Modern {
    version: String,
    method: String,
    name: Option<String>,
}

/// Passes on what an answer brings; false when it broke off, or is none of an MCP server's.
async fn relays(response: Response, in_session: bool, asked: Option<String>, tell: &mpsc::Sender<HttpReply>) -> bool {
    let status = response.status();
    if in_session && status == StatusCode::NOT_FOUND {
        // The session went with its hub: a new handshake opens another.
        return false;
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("text/event-stream") {
        let Ok(text) = response.text().await else { return false };
        // A refusal of the protocol is a message, too; any other one is none.
        let is_message = Envelope::of(&text).is_some_and(|envelope| envelope.is_answer());
        return match (status.is_success(), is_message) {
            (_, true) => tell.send(HttpReply::Text(addressed(text, asked))).await.is_ok(),
            (true, false) => true,
            (false, false) => false,
        };
    }
    each_event(response, tell).await
}

/// What the hub refuses before it reads a request names none: here it is known which one it was.
fn addressed(refusal: String, asked: Option<String>) -> String {
    let nameless = Envelope::of(&refusal).is_some_and(|said| said.id.is_none_or(|id| id.get() == "null"));
    let Some(id) = asked.filter(|_| nameless).and_then(|id| serde_json::from_str::<Value>(&id).ok()) else {
        return refusal;
    };
    match serde_json::from_str::<Value>(&refusal) {
        Ok(Value::Object(mut fields)) => {
            fields.insert("id".to_owned(), id);
            Value::Object(fields).to_string()
        }
        Ok(_) | Err(_) => refusal,
    }
}
