//! A Discord of one's own on the loopback: a guild with roles and a channel, the gateway, and the part of REST that the
//! hub uses. Every request is handed to the story in its order.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts as _, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::PATIENCE;

pub(crate) const GUILD: u64 = 100;
pub(crate) const CHANNEL: u64 = 200;
pub(crate) const FULL_STACK: u64 = 300;
pub(crate) const DEVELOPER: u64 = 301;
pub(crate) const BOT: u64 = 400;
pub(crate) const ANN: u64 = 500;

/// One request of the hub.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Value,
}

/// What the stand-in shares with its own threads.
struct World {
    /// Every event so far; its number is its place, from 1.
    events: watch::Sender<Vec<Value>>,
    /// Grows when every connection is to be dropped.
    drops: watch::Sender<u64>,
    /// How the next requests to such a path are answered.
    faults: watch::Sender<VecDeque<(String, u16)>>,
    /// The newest id, and the nonces that were taken, with the message of each.
    taken: watch::Sender<(u64, Vec<(String, u64)>)>,
    /// Identified so often, and resumed so often.
    sessions: watch::Sender<(u32, u32)>,
    close: watch::Sender<Option<u16>>,
    address: SocketAddr,
}

/// The stand-in; ends with its test.
pub(crate) struct Discord {
    world: Arc<World>,
    asked: Receiver<Asked>,
    seen: Vec<Asked>,
}

impl Discord {
    pub(crate) fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let now = callboard::clock::Clock::system().now().0;
        let world = Arc::new(World {
            events: watch::Sender::new(Vec::new()),
            drops: watch::Sender::new(0),
            faults: watch::Sender::new(VecDeque::new()),
            taken: watch::Sender::new(((now - 1_420_070_400_000) << 22, Vec::new())),
            sessions: watch::Sender::new((0, 0)),
            close: watch::Sender::new(None),
            address: listener.local_addr().unwrap(),
        });
        let (send, asked) = channel();
        let serving = Arc::clone(&world);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let app =
                    Router::new().fallback(move |request: Request| answer(Arc::clone(&serving), send.clone(), request));
                axum::serve(tokio::net::TcpListener::from_std(listener).unwrap(), app).await.unwrap();
            });
        });
        Self { world, asked, seen: Vec::new() }
    }

    /// Settings that lead a hub here, in a folder.
    pub(crate) fn settings(&self, folder: &std::path::Path, permissions: &str) {
        let address = self.world.address;
        let hub = format!("discord: {{apiBase: \"http://{address}\", gatewayUrl: \"ws://{address}\"}}\n");
        std::fs::write(folder.join("hub.yaml"), hub).unwrap();
        std::fs::write(folder.join("permissions.yaml"), permissions).unwrap();
    }

    /// Ann, with her roles, writes into the channel, or a thread; the message's id.
    pub(crate) fn says(&self, channel: u64, text: &str) -> u64 {
        let id = self.id();
        self.happens("MESSAGE_CREATE", message(id, channel, text));
        id
    }

    /// The same event once more.
    pub(crate) fn repeats(&self, id: u64, channel: u64, text: &str) {
        self.happens("MESSAGE_CREATE", message(id, channel, text));
    }

    /// Ann presses what has this `custom_id`.
    pub(crate) fn presses(&self, custom_id: &str) -> u64 {
        let id = self.id();
        let user = json!({"id": ANN.to_string(), "username": "ann"});
        let member = json!({"user": user, "roles": [DEVELOPER.to_string()]});
        self.happens(
            "INTERACTION_CREATE",
            json!({"id": id.to_string(), "token": format!("token-{id}"), "type": 3,
            "guild_id": GUILD.to_string(), "channel_id": CHANNEL.to_string(), "member": member,
            "data": {"custom_id": custom_id, "component_type": 2}}),
        );
        id
    }

    /// Ann types a command.
    pub(crate) fn commands(&self, name: &str, options: &[(&str, &str)]) -> u64 {
        let id = self.id();
        let user = json!({"id": ANN.to_string(), "username": "ann"});
        let member = json!({"user": user, "roles": [DEVELOPER.to_string()]});
        let options: Vec<Value> =
            options.iter().map(|(name, value)| json!({"type": 3, "name": name, "value": value})).collect();
        self.happens(
            "INTERACTION_CREATE",
            json!({"id": id.to_string(), "token": format!("token-{id}"), "type": 2,
            "guild_id": GUILD.to_string(), "channel_id": CHANNEL.to_string(), "member": member,
            "data": {"id": "1", "name": name, "type": 1, "options": options}}),
        );
        id
    }

    /// The next request to a path that ends so is answered with this.
    pub(crate) fn fails_once(&self, path: &str, status: u16) {
        self.world.faults.send_modify(|faults| faults.push_back((path.to_owned(), status)));
    }

    /// Every connection to the gateway is dropped.
    pub(crate) fn drops(&self) {
        self.world.drops.send_modify(|count| *count += 1);
    }

    /// Whoever identifies or resumes from now on is closed with this code.
    pub(crate) fn closes_with(&self, code: u16) {
        self.world.close.send_replace(Some(code));
        self.drops();
    }

    /// How often somebody identified, and resumed.
    pub(crate) fn sessions(&self) -> (u32, u32) {
        *self.world.sessions.borrow()
    }

    /// Waits for a request like that; those before it are passed by, and are found by [`Self::count`].
    pub(crate) fn waits_for(&mut self, what: &str, like: impl Fn(&Asked) -> bool) -> Asked {
        loop {
            match self.asked.recv_timeout(PATIENCE) {
                Ok(asked) => {
                    self.seen.push(asked.clone());
                    if like(&asked) {
                        return asked;
                    }
                }
                Err(_) => panic!("no request was {what}; those that came: {:#?}", self.seen),
            }
        }
    }

    /// How many requests like that came so far.
    pub(crate) fn count(&mut self, like: impl Fn(&Asked) -> bool) -> usize {
        self.seen.extend(self.asked.try_iter());
        self.seen.iter().filter(|asked| like(asked)).count()
    }

    fn id(&self) -> u64 {
        next_id(&self.world)
    }

    fn happens(&self, name: &str, data: Value) {
        self.world.events.send_modify(|events| events.push(json!({"t": name, "d": data})));
    }
}

impl Asked {
    /// Whether it writes such a message into this channel.
    pub(crate) fn posts(&self, channel: u64, words: &str) -> bool {
        let says = self.body["content"].as_str().is_some_and(|content| content.contains(words));
        self.method == "POST" && self.path == format!("/api/v10/channels/{channel}/messages") && says
    }
}

fn message(id: u64, channel: u64, text: &str) -> Value {
    json!({"id": id.to_string(), "channel_id": channel.to_string(), "guild_id": GUILD.to_string(), "type": 0,
        "content": text, "author": {"id": ANN.to_string(), "username": "ann"},
        "member": {"roles": [DEVELOPER.to_string()]}, "mentions": [], "mention_roles": [], "attachments": [],
        "timestamp": "2026-01-01T00:00:00.000000+00:00", "edited_timestamp": null})
}

fn next_id(world: &World) -> u64 {
    let mut id = 0;
    world.taken.send_modify(|(newest, _)| {
        *newest += 1;
        id = *newest;
    });
    id
}

async fn answer(world: Arc<World>, asked: Sender<Asked>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    if path == "/" {
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await.unwrap();
        return upgrade.on_upgrade(move |socket| talk(world, socket)).into_response();
    }
    let method = parts.method.to_string();
    assert_eq!(parts.headers["authorization"], "Bot a.test.token");
    let bytes: Bytes = axum::body::to_bytes(body, 1 << 22).await.unwrap();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    let mut fault = None;
    world.faults.send_if_modified(|faults| {
        let found = faults.iter().position(|(part, _)| path.ends_with(part.as_str()));
        fault = found.and_then(|at| faults.remove(at)).map(|(_, status)| status);
        false
    });
    drop(asked.send(Asked { method: method.clone(), path: path.clone(), body: body.clone() }));
    if let Some(status @ 400..500) = fault {
        let said = json!({"code": 0, "message": "no", "errors": {"content": "no"}});
        return (StatusCode::from_u16(status).unwrap(), axum::Json(said)).into_response();
    }
    if let Some(status) = fault {
        return (StatusCode::from_u16(status).unwrap(), "<html>bad gateway</html>").into_response();
    }
    if method == "GET" {
        return axum::Json(json!([])).into_response();
    }
    let mut id = next_id(&world);
    if let Some(nonce) = body["nonce"].as_str() {
        world.taken.send_modify(|(_, nonces)| match nonces.iter().find(|(known, _)| known == nonce) {
            Some((_, first)) => id = *first,
            None => nonces.push((nonce.to_owned(), id)),
        });
    }
    axum::Json(json!({"id": id.to_string(), "channel_id": CHANNEL.to_string()})).into_response()
}

async fn talk(world: Arc<World>, mut socket: WebSocket) {
    let hello = json!({"op": 10, "d": {"heartbeat_interval": 40_000}});
    if socket.send(Message::text(hello.to_string())).await.is_err() {
        return;
    }
    let (mut events, mut drops) = (world.events.subscribe(), world.drops.subscribe());
    drops.borrow_and_update();
    let mut place = usize::MAX;
    loop {
        let next = events.borrow_and_update().get(place).cloned();
        if let Some(mut event) = next {
            place += 1;
            (event["op"], event["s"]) = (json!(0), json!(place));
            if socket.send(Message::text(event.to_string())).await.is_err() {
                return;
            }
            continue;
        }
        tokio::select! {
            heard = socket.recv() => {
                let Some(Ok(heard)) = heard else { return };
                let Ok(heard) = heard.to_text() else { continue };
                let heard: Value = serde_json::from_str(heard).unwrap_or_default();
                match heard["op"].as_u64() {
                    Some(1) => drop(socket.send(Message::text(json!({"op": 11}).to_string())).await),
                    Some(2 | 6) if world.close.borrow().is_some() => {
                        let close = *world.close.borrow();
                        if let Some(code) = close {
                            let frame = axum::extract::ws::CloseFrame { code, reason: "no".into() };
                            drop(socket.send(Message::Close(Some(frame))).await);
                        }
                        return;
                    }
                    Some(2) => place = begins(&world),
                    Some(6) => {
                        world.sessions.send_modify(|(_, resumed)| *resumed += 1);
                        place = usize::try_from(heard["d"]["seq"].as_u64().unwrap()).unwrap();
                        world.events.send_modify(|events| events.push(json!({"t": "RESUMED", "d": {}})));
                    }
                    _ => {}
                }
            }
            _ = events.changed() => {}
            _ = drops.changed() => return,
        }
    }
}

/// Somebody identified: what a session begins with; the place of its first event.
fn begins(world: &World) -> usize {
    world.sessions.send_modify(|(identified, _)| *identified += 1);
    let mut place = 0;
    let url = format!("ws://{}", world.address);
    world.events.send_modify(|events| {
        place = events.len();
        let user = json!({"id": BOT.to_string(), "username": "callboard", "discriminator": "0", "bot": true,
            "avatar": null, "mfa_enabled": false, "email": null, "verified": true});
        events.push(json!({"t": "READY", "d": {"v": 10, "user": user, "guilds": [], "session_id": "s",
            "resume_gateway_url": url, "application": {"id": "401", "flags": 0}}}));
        let roles = json!([{"id": FULL_STACK.to_string(), "name": "FullStack"},
            {"id": DEVELOPER.to_string(), "name": "developer"}]);
        events.push(json!({"t": "GUILD_CREATE", "d": {"id": GUILD.to_string(), "name": "Acme", "roles": roles,
            "channels": [{"id": CHANNEL.to_string(), "name": "dev"}], "threads": []}}));
    });
    place
}
