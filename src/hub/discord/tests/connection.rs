//! The hub's two ways to a Discord in the same process: requests as calls, and the gateway as a client of it would
//! speak. The library's own client is tried with sockets, in `tests/it` and beside the gateway.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::{Instant, interval_at, sleep, timeout};
use tokio_util::sync::CancellationToken;
use twilight_http::request::{Method, Request};

use crate::actors::discord::{Carried, Carrier, Ear, Gateway};
use crate::actors::service::{Look, Service};
use callboard_standin::discord::Discord;

/// What the library waits for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);
/// What the gateway's service waits for HELLO.
const HELLO_WITHIN: Duration = Duration::from_secs(30);
/// `GUILDS`, `GUILD_MESSAGES` and `DIRECT_MESSAGES`.
const INTENTS: u64 = 1 | 1 << 9 | 1 << 12;
const MESSAGE_CONTENT: u64 = 1 << 15;

/// Requests as calls.
#[derive(Debug)]
pub(super) struct InProcess {
    pub(super) discord: Arc<Discord>,
    /// The hub is killed: nothing of it goes on.
    pub(super) dead: CancellationToken,
}

impl Carrier for InProcess {
    fn carry(&self, request: Request) -> BoxFuture<'_, Carried> {
        async move {
            let asked = self.asked(&request);
            let answered = timeout(ANSWER_WITHIN, self.discord.answers(asked));
            let answered = tokio::select! {
                biased;
                () = self.dead.cancelled() => return std::future::pending().await,
                answered = answered => answered,
            };
            let Ok(Some(answer)) = answered else { return Carried::Nothing("no answer came".to_owned()) };
            let status = answer.status().as_u16();
            if status == 429 {
                return Carried::Limited;
            }
            let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap().to_vec();
            // The library reads the JSON of a refusal.
            if status >= 400 && serde_json::from_slice::<Value>(&body).is_err() {
                return Carried::Nothing("the answer could not be read".to_owned());
            }
            Carried::Answered { status, body }
        }
        .boxed()
    }
}

impl InProcess {
    fn asked(&self, request: &Request) -> axum::extract::Request {
        let method = match request.method() {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
            other => panic!("nobody sends {other:?}"),
        };
        let asked = axum::extract::Request::builder().method(method).uri(format!("/api/v10/{}", request.path()));
        let token = request.use_authorization_token().then(|| format!("Bot {}", self.discord.token()));
        let asked = token.into_iter().fold(asked, |asked, token| asked.header("authorization", token));
        let (kind, body) = match (request.form(), request.body()) {
            (Some(form), _) => (form.content_type(), form.clone().build()),
            (None, body) => (b"application/json".to_vec(), body.unwrap_or_default().to_vec()),
        };
        asked.header("content-type", kind).body(Body::from(body)).unwrap()
    }
}

#[derive(Debug)]
pub(super) struct GatewayConnection {
    pub(super) discord: Arc<Discord>,
    pub(super) gateway: Gateway,
    pub(super) dead: CancellationToken,
}

impl Service for GatewayConnection {
    fn run(&self) -> BoxFuture<'static, String> {
        let Gateway { shared, door, clock, settings, .. } = &self.gateway;
        let intents = INTENTS | if settings.message_content { MESSAGE_CONTENT } else { 0 };
        let mut ear = Ear::new(shared.clone(), door.clone(), clock.clone());
        let memory = shared.memory.borrow().clone();
        let mut session = memory.session;
        let (discord, dead, shared) = (Arc::clone(&self.discord), self.dead.clone(), shared.clone());
        let kept = async move {
            loop {
                connect(&discord, &mut ear, &mut session, intents).await;
                shared.stands("connecting", false);
                sleep(Duration::from_secs(1)).await;
            }
        };
        async move {
            tokio::select! {
                () = dead.cancelled() => std::future::pending().await,
                () = kept => "never".to_owned(),
            }
        }
        .boxed()
    }

    fn look(&self) -> Look {
        Look::default()
    }
}

/// One connection, until it is lost.
async fn connect(discord: &Discord, ear: &mut Ear, session: &mut Option<(String, u64)>, intents: u64) {
    let Some(mut line) = discord.opens_gateway() else { return };
    let mut silence = HELLO_WITHIN;
    let beat = Duration::from_millis(41_250);
    let mut beats = interval_at(Instant::now() + beat, beat);
    let (mut quiet, mut greeted) = (Instant::now(), false);
    loop {
        let heard = tokio::select! {
            heard = timeout(silence.saturating_sub(quiet.elapsed()), line.hears()) => heard,
            // Before HELLO nobody knows how often the heart is to beat.
            _ = beats.tick(), if greeted => {
                line.says(r#"{"op":1,"d":null}"#);
                continue;
            }
        };
        let Ok(Ok(text)) = heard else { return };
        quiet = Instant::now();
        let payload: Value = serde_json::from_str(&text).unwrap_or_default();
        match payload["op"].as_u64() {
            Some(10) => {
                greeted = true;
                line.says(&hello(discord, session.as_ref(), intents));
            }
            Some(1) => line.says(r#"{"op":1,"d":null}"#),
            Some(7) => return,
            Some(9) if payload["d"] == true => return,
            Some(9) => {
                *session = None;
                line.says(&hello(discord, None, intents));
            }
            _ => {}
        }
        if payload["t"] == "READY" {
            *session = payload["d"]["session_id"].as_str().map(|id| (id.to_owned(), 0));
        }
        if let (Some((_, last)), Some(number)) = (session.as_mut(), payload["s"].as_u64()) {
            *last = number;
        }
        if let Some(longest) = ear.hears(&text, session.clone(), Some("ws://127.0.0.1:9".to_owned())) {
            silence = longest;
        }
    }
}

/// RESUME, or IDENTIFY without a session.
fn hello(discord: &Discord, session: Option<&(String, u64)>, intents: u64) -> String {
    let token = discord.token();
    let payload = match session {
        Some((id, number)) => json!({"op": 6, "d": {"token": token, "session_id": id, "seq": number}}),
        None => {
            let properties = json!({"os": "linux", "browser": "test", "device": "test"});
            json!({"op": 2, "d": {"token": token, "intents": intents, "properties": properties}})
        }
    };
    payload.to_string()
}
