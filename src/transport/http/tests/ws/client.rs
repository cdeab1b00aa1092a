//! A hub that serves over pipes, and clients that speak MCP over WebSockets to it.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderValue, Request, StatusCode};
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};
use tokio_util::sync::CancellationToken;

use super::super::guarded_hub::GuardedHub;
use super::pipe::{Dials, network};
use crate::domain::principal::Scope;
use crate::settings::Settings;
use crate::transport::http::{Timeouts, serve};

pub(super) const MODERN: &str = "2026-07-28";
pub(super) const LEGACY: &str = "2025-06-18";

/// Longer than anything that is waited for here.
const HANG: Duration = Duration::from_secs(120);

/// A hub that serves.
pub(super) struct Hall {
    pub(super) house: GuardedHub,
    pub(super) dials: Dials,
    pub(super) end: CancellationToken,
    pub(super) served: JoinHandle<()>,
    operator: String,
}

pub(super) struct Client {
    pub(super) ws: WebSocketStream<DuplexStream>,
    last: u64,
}

/// The era that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

impl Hall {
    pub(super) async fn new() -> Self {
        Self::with(16_384, |_| {}).await
    }

    pub(super) async fn with(connections: usize, change: impl FnOnce(&mut Settings)) -> Self {
        // Who looks often whether something has happened yet is no flood.
        let house = GuardedHub::with(|settings| {
            settings.hub.limits.requests_per_second = 100_000;
            settings.hub.limits.burst = 100_000;
            change(settings);
        })
        .await;
        Self::serves(house, connections)
    }

    /// Of a hub that is there already.
    pub(super) fn of(house: GuardedHub) -> Self {
        Self::serves(house, 16_384)
    }

    fn serves(house: GuardedHub, connections: usize) -> Self {
        let (dials, pipes) = network();
        let end = CancellationToken::new();
        let serving = serve(pipes, None, house.real.clone(), connections, Timeouts::default(), end.clone());
        #[expect(clippy::disallowed_methods, reason = "the test holds its handle")]
        let served = tokio::spawn(serving);
        let operator = house.token_of("operator", Scope::Operate);
        Self { house, dials, end, served, operator }
    }

    pub(super) async fn ends(self) {
        self.end.cancel();
        timeout(HANG, self.served).await.expect("the loop ends").expect("it does not fail");
        self.house.ends().await;
    }

    /// A registered agent with a socket.
    pub(super) async fn agent(&self, id: &str, era: Era) -> (Client, String) {
        let token = self.house.agent_token(id);
        let mut client = self.opens(&token).await;
        if era == Era::Legacy {
            client.introduces_itself().await;
        }
        let known = client.calls(era, "register_agent", json!({"agentId": id, "role": "coding"})).await;
        assert_eq!(known["success"], true, "{known}");
        (client, token)
    }

    pub(super) async fn opens(&self, token: &str) -> Client {
        self.tries(upgrade(Some(token))).await.expect("a socket")
    }

    /// A socket, or what was answered instead of one.
    pub(super) async fn tries(&self, request: Request<()>) -> Result<Client, StatusCode> {
        match timeout(HANG, client_async(request, self.dials.dial())).await.expect("an answer") {
            Ok((ws, response)) => {
                assert_eq!(response.headers()["sec-websocket-protocol"], "mcp");
                Ok(Client { ws, last: 0 })
            }
            Err(Error::Http(response)) => Err(response.status()),
            Err(error) => panic!("{error}"),
        }
    }

    /// The operator calls a tool over plain HTTP.
    pub(super) async fn operator(&self, tool: &str, arguments: Value) -> Value {
        self.house.orders("POST", &format!("/api/v1/tools/{tool}"), &self.operator, arguments).await.body
    }

    pub(super) async fn assigns(&self, target: &str) -> String {
        let work = json!({"targetAgentId": target, "prompt": "Go."});
        self.operator("assign_task", work).await["taskId"].as_str().expect("a task").to_owned()
    }

    pub(super) async fn availability(&self, agent: &str) -> String {
        let said = self.operator("get_agent_status", json!({"agentId": agent})).await;
        said["availability"].as_str().unwrap_or_else(|| panic!("{said}")).to_owned()
    }

    pub(super) async fn state(&self, task: &str) -> String {
        let said = self.house.orders("GET", &format!("/api/v1/tasks/{task}"), &self.operator, Value::Null).await.body;
        said["state"].as_str().unwrap_or_else(|| panic!("{said}")).to_owned()
    }

    /// How long until this agent is no more what it is said to be.
    pub(super) async fn while_it_is(&self, agent: &str, availability: &str) -> Duration {
        let begun = Instant::now();
        while self.availability(agent).await == availability {
            assert!(begun.elapsed() < HANG, "{agent} is {availability} for ever");
            sleep(Duration::from_millis(10)).await;
        }
        begun.elapsed()
    }

    pub(super) async fn until_it_is(&self, agent: &str, availability: &str) {
        let begun = Instant::now();
        while self.availability(agent).await != availability {
            assert!(begun.elapsed() < HANG, "{agent} never is {availability}");
            sleep(Duration::from_millis(10)).await;
        }
    }
}

/// The request of a well-behaved client of this machine.
pub(super) fn upgrade(token: Option<&str>) -> Request<()> {
    let request = Request::get("ws://127.0.0.1:7420/ws")
        .header("host", "127.0.0.1:7420")
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", generate_key())
        .header("sec-websocket-protocol", "mcp");
    let request = match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    };
    request.body(()).expect("a request")
}

pub(super) fn with(mut request: Request<()>, name: &'static str, value: &'static str) -> Request<()> {
    request.headers_mut().insert(name, HeaderValue::from_static(value));
    request
}

impl Client {
    /// Sends a request, and returns its id.
    pub(super) async fn asks(&mut self, era: Era, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if era == Era::Modern {
            let meta = params.as_object_mut().expect("an object").entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "claude-code", "version": "2"});
        }
        let message = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.says(&message.to_string()).await;
        self.last
    }

    pub(super) async fn says(&mut self, text: &str) {
        self.ws.send(Message::text(text)).await.expect("it is heard");
    }

    /// The next message.
    pub(super) async fn hears(&mut self) -> Value {
        let message = async {
            loop {
                match self.ws.next().await {
                    Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).expect("JSON"),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    other => panic!("a message was to come, and not {other:?}"),
                }
            }
        };
        timeout(HANG, message).await.expect("a message in time")
    }

    /// The code by which the socket is closed, after whatever else comes.
    pub(super) async fn is_closed_by(&mut self) -> Option<u16> {
        let end = async {
            loop {
                match self.ws.next().await {
                    Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        };
        timeout(HANG, end).await.expect("an end in time")
    }

    /// Reads, and answers pings, for so long; what came.
    pub(super) async fn listens_for(&mut self, span: Duration) -> Vec<Value> {
        let mut heard = Vec::new();
        let until = Instant::now() + span;
        while let Ok(next) = tokio::time::timeout_at(until, self.ws.next()).await {
            match next {
                Some(Ok(Message::Text(text))) => heard.push(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            }
        }
        heard
    }

    /// Calls a tool to its end: what it answered.
    pub(super) async fn calls(&mut self, era: Era, tool: &str, arguments: Value) -> Value {
        let id = self.begins(era, tool, arguments).await;
        let said = self.hears().await;
        assert_eq!(said["id"], id, "{said}");
        said["result"]["structuredContent"].clone()
    }

    /// Begins to call a tool.
    pub(super) async fn begins(&mut self, era: Era, tool: &str, arguments: Value) -> u64 {
        self.asks(era, "tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// The handshake of the era that has one.
    pub(super) async fn introduces_itself(&mut self) -> Value {
        let client = json!({"name": "claude-code", "version": "2"});
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
        self.asks(Era::Legacy, "initialize", params).await;
        let said = self.hears().await;
        assert_eq!(said["result"]["capabilities"]["tasks"], json!({"cancel": {}}), "its runs are asked about");
        self.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
        said
    }
}
