//! An entry over HTTP: its address is called, with the headers that the entry sets and no other credential.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::finding::Finding;
use super::wait::{self, Failure, SECONDS, TIMEOUT, Trial};
use crate::cli::client::{HubClient, sse_events};
use crate::cli::connect::{Client, Values};
use crate::cli::exit::Exit;
use crate::cli::output::cell::str_at;

const SESSION: &str = "mcp-session-id";

/// How an agent's principal begins.
const OF_AN_AGENT: &str = "agent:";

struct Calls<'a> {
    hub: &'a HubClient,
    url: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    session: Option<String>,
}

/// Tries the entry's address; with the agent whose token it has.
pub(super) async fn tried(
    check: &str,
    hub: &HubClient,
    client: Client,
    url: &str,
    headers: &Values,
) -> (Vec<Finding>, Option<String>) {
    if let Some(name) = headers.values().find_map(|value| value.as_ref().err()) {
        let next = format!("callboard token create --agent ID, {AND_THEN}");
        return (vec![Finding::skipped(check, untried(name)).next(next)], None);
    }
    let headers = headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_deref().ok()?))).collect();
    let mut calls = Calls { hub, url, headers, session: None };
    let next = format!("callboard token create --agent ID, and the client started with it; {AND_THEN}");
    let agent = match calls.agent().await {
        Ok(Ok(agent)) => agent,
        Ok(Err(who)) => {
            let message = format!("its token is that of `{who}`, and only an agent can wait: nothing was tried");
            return (vec![Finding::doubtful(check, message).next(next)], None);
        }
        Err(failure) => return (vec![wait::outcome(check, "its address", Err(failure), next)], None),
    };
    let outcome = calls.talk(client).await;
    calls.ends().await;
    let mut findings = vec![wait::outcome(check, "its address", outcome, next)];
    findings.extend(wait::of_agent(hub, client, &agent, false).await);
    (findings, Some(agent))
}

const AND_THEN: &str = "then callboard doctor with the same variable set";

fn untried(name: &str) -> String {
    match name.strip_prefix("input:") {
        Some(name) => format!("its client asks its user for `{name}`: nothing was tried"),
        None => format!("its entry names `{name}`, which is not set here: nothing was tried"),
    }
}

impl Calls<'_> {
    /// Whose token the entry has: an agent's, or somebody else's.
    async fn agent(&self) -> Result<Result<String, String>, Failure> {
        let base = self.url.trim_end_matches('/').trim_end_matches("/mcp");
        let asked = self.dressed(self.hub.bare(Method::GET, &format!("{base}/api/v1/me")));
        let me = within(TIMEOUT, async { self.read(asked.send().await.map_err(lost)?, None).await }).await?;
        let who = str_at(&me, "principal").unwrap_or_default();
        Ok(who.strip_prefix(OF_AN_AGENT).map(str::to_owned).ok_or_else(|| who.to_owned()))
    }

    async fn talk(&mut self, client: Client) -> Result<Trial, Failure> {
        let began = Instant::now();
        let hello = within(TIMEOUT, async { self.post(&wait::hello(client)).await }).await?;
        let session = hello.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        self.session = session;
        wait::answered(&within(TIMEOUT, self.read(hello, Some(1))).await?)?;
        let shook = began.elapsed();
        within(TIMEOUT, self.post(&wait::ready())).await?;
        let tools = wait::listed(&self.asks(&wait::list(), 2, TIMEOUT).await?)?;
        let began = Instant::now();
        wait::answered(&self.asks(&wait::probe(), 3, Duration::from_secs(SECONDS) + TIMEOUT).await?)?;
        Ok(Trial { shook, tools, waited: began.elapsed() })
    }

    async fn asks(&self, message: &Value, id: u64, patience: Duration) -> Result<Value, Failure> {
        within(patience, async { self.read(self.post(message).await?, Some(id)).await }).await
    }

    async fn post(&self, message: &Value) -> Result<Response, Failure> {
        let request = self.dressed(self.hub.bare(Method::POST, self.url)).body(message.to_string());
        let request = request.header(CONTENT_TYPE, "application/json");
        let request = request.header(ACCEPT, "application/json, text/event-stream");
        request.send().await.map_err(lost)
    }

    /// With what the entry sets, and the session that was opened.
    fn dressed(&self, request: RequestBuilder) -> RequestBuilder {
        let session = self.session.as_deref().map(|session| (SESSION, session));
        self.headers.iter().copied().chain(session).fold(request, |request, (name, value)| request.header(name, value))
    }

    /// The message under this id, or the whole of a plain answer.
    async fn read(&self, response: Response, id: Option<u64>) -> Result<Value, Failure> {
        let status = response.status();
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            let text = response.text().await.map_err(lost)?;
            let said: Value = serde_json::from_str(&text).unwrap_or_default();
            return if status.is_success() { Ok(said) } else { Err(refused(status.as_u16(), &said)) };
        }
        let mut events = sse_events(response);
        while let Some(Ok(event)) = events.next().await {
            let said: Value = serde_json::from_str(&event.data.unwrap_or_default()).unwrap_or_default();
            if id.is_some_and(|id| said["id"] == id) {
                return Ok(said);
            }
        }
        Err(Failure::of("its answer breaks off"))
    }

    /// What was opened is closed: whatever waited ends with it.
    async fn ends(&self) {
        if self.session.is_some() {
            drop(timeout(TIMEOUT, self.dressed(self.hub.bare(Method::DELETE, self.url)).send()).await);
        }
    }
}

async fn within<T>(patience: Duration, call: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    timeout(patience, call).await.unwrap_or_else(|_| Err(Failure::of("it does not answer")))
}

fn lost(error: reqwest::Error) -> Failure {
    Failure::of(error.without_url().to_string())
}

fn refused(status: u16, said: &Value) -> Failure {
    let why = str_at(said, "error").or_else(|| str_at(&said["error"], "message")).unwrap_or("it is refused");
    Failure { exit: Exit::of_status(status), ..Failure::of(format!("{why} (status {status})")) }
}
