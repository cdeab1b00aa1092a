//! A hub behind the guard with a few routes, and callers with tokens.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{any, get, post};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Notify;
use tower::ServiceExt as _;

use crate::actors::journal::JournalReads;
use crate::actors::outbox::Destinations;
use crate::actors::terminal::PretendHost;
use crate::actors::{Backstage, BackstageArgs, Credentials};
use crate::clock::{Clock, FakeMachine};
use crate::domain::ids::{AgentId, PrincipalId, SessionId};
use crate::domain::principal::Scope;
use crate::domain::terminal::TerminalKind;
use crate::domain::time::Timestamp;
use crate::ids::Ids;
use crate::journal::vault::Folder;
use crate::journal::{Store, memory};
use crate::settings::{Settings, SystemPrompts};
use crate::tools::hooks::HookEffects;
use crate::transport::http::Front;
use crate::transport::http::{Guard, Pages, guard};
use crate::transport::tokens::{NewToken, TokenStore};
use crate::webhooks::Sources;

/// The routes behind the guard answer with what they received.
pub(super) struct GuardedHub {
    pub(super) backstage: Backstage,
    router: Router,
    pub(super) real: Front,
    pub(super) tokens: TokenStore,
    /// Rings when somebody sits in the room `/waits`.
    pub(super) sits: Arc<Notify>,
    pub(super) folder: TempDir,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
    pub(super) text: String,
}

impl GuardedHub {
    pub(super) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let (store, reader) = memory::open();
        Self::over(Box::new(store), JournalReads::new(reader), change).await
    }

    /// On this machine.
    pub(super) async fn on(machine: &FakeMachine, change: impl FnOnce(&mut Settings)) -> Self {
        let (store, reader) = memory::open();
        Self::by_clock(machine.clock(), Box::new(store), JournalReads::new(reader), change).await
    }

    /// On a journal that is there already.
    pub(super) async fn over(store: Box<dyn Store>, reads: JournalReads, change: impl FnOnce(&mut Settings)) -> Self {
        Self::by_clock(Clock::starting_at(Timestamp(1_800_000_000_000)), store, reads, change).await
    }

    async fn by_clock(
        clock: Clock,
        store: Box<dyn Store>,
        reads: JournalReads,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let folder = TempDir::new().unwrap();
        let tokens = TokenStore::open(folder.path()).unwrap();
        let mut settings = Settings::defaults();
        change(&mut settings);
        let pages = Pages::of(&settings.hub, "127.0.0.1:7420".parse().unwrap());
        let sources = Sources::load(&settings.hub).unwrap();
        let hooks = HookEffects::default();
        let args = BackstageArgs {
            destinations: Destinations::with_added(
                vec![Arc::new(hooks.clone())],
                Vec::new(),
                Folder::at(folder.path()),
                Credentials::default(),
            ),
            settings,
            ..BackstageArgs::alone(store, reads, clock, Ids::random())
        };
        let backstage = Backstage::start(args).await.unwrap();
        hooks.begin(&backstage.hub);
        let sits = Arc::new(Notify::new());
        let keeper = Guard::new(backstage.hub.clone(), tokens.clone(), pages).with_sources(sources);
        let real = {
            let prompts = SystemPrompts::load(None).unwrap();
            let (_, prompts) = tokio::sync::watch::channel(Arc::new(prompts));
            crate::transport::http::router(&backstage.hub, keeper.clone(), tokens.clone(), prompts)
        };
        let router = rooms(&sits).layer(from_fn_with_state(keeper, guard));
        Self { real, backstage, router, tokens, sits, folder }
    }

    /// From now on it follows files below this folder.
    pub(super) fn follows_files_below(&self, root: &std::path::Path) {
        let mut settings = Settings::clone(&self.backstage.hub.settings());
        settings.hub.monitor.roots = vec![root.to_owned()];
        self.backstage.reload(settings);
    }

    /// Events go to a port where nobody listens.
    pub(super) fn has_a_webhook(&self, name: &str) {
        let secret_file = self.folder.path().join("webhook.secret");
        crate::webhooks::write_sample_secret(&secret_file);
        let mut settings = Settings::clone(&self.backstage.hub.settings());
        let (url, events, allow_private) = ("http://127.0.0.1:9/hook?key=k".to_owned(), Vec::new(), true);
        let webhook = crate::settings::OutboundWebhook { url, secret_file, events, allow_private };
        settings.hub.webhooks.outbound.insert(name.to_owned(), webhook);
        self.backstage.reload(settings);
    }

    /// The program in this session's terminal asks, and somebody hosts it who types what is ordered.
    pub(super) async fn asks_in_the_terminal_of(&self, session: &str, text: &str) {
        let session = SessionId::parse(session).unwrap();
        let owner = PrincipalId::parse("person:ann").unwrap();
        let opened = self.backstage.hub.session_terminal(&session, &owner, TerminalKind::Hosted).await;
        let terminal = opened.unwrap().unwrap();
        PretendHost::types(&terminal).await;
        PretendHost::asks(&terminal, text).await;
    }

    pub(super) async fn ends(self) {
        self.backstage.end(Duration::from_secs(5)).await;
    }

    pub(super) fn agent_token(&self, id: &str) -> String {
        self.token_until(id, None).0
    }

    /// A token of an agent, and its public id.
    pub(super) fn token_until(&self, id: &str, expires_in: Option<Duration>) -> (String, String) {
        let new = NewToken::Agent(AgentId::parse(id).unwrap());
        let (token, view) = self.tokens.create(&new, expires_in, self.backstage.hub.clock.now()).unwrap();
        (token, view.id)
    }

    pub(super) fn token_of(&self, name: &str, scope: Scope) -> String {
        self.named_token(name, scope).0
    }

    /// A person's token, and its public id.
    pub(super) fn named_token(&self, name: &str, scope: Scope) -> (String, String) {
        let new = NewToken::Named { name: name.to_owned(), scope, service: false };
        let (token, view) = self.tokens.create(&new, None, self.backstage.hub.clock.now()).unwrap();
        (token, view.id)
    }

    /// Somebody sits in the room `/waits` when this happens; the code of the answer that they get then.
    pub(super) async fn code_after_end(&self, token: &str, happens: impl FnOnce()) -> String {
        let asks = self.asks(request("GET", "/waits", Some(token)));
        let (answer, ()) = tokio::join!(asks, async {
            self.sits.notified().await;
            happens();
        });
        answer.code().to_owned()
    }

    pub(super) async fn asks(&self, request: Request) -> Answer {
        Answer::of(self.response(request).await).await
    }

    /// Asks the hub itself, not the rooms: an order with a JSON body.
    pub(super) async fn orders(&self, method: &str, path: &str, token: &str, body: Value) -> Answer {
        self.ordered(request(method, path, Some(token)), body).await
    }

    /// The same under an `Idempotency-Key`.
    pub(super) async fn orders_once(&self, method: &str, path: &str, token: &str, key: &str, body: Value) -> Answer {
        let mut request = request(method, path, Some(token));
        request.headers_mut().insert("idempotency-key", key.parse().unwrap());
        self.ordered(request, body).await
    }

    /// The same for a verb over MCP, in the era without sessions.
    pub(super) async fn calls(&self, token: &str, tool: &str, arguments: Value) -> Answer {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mut request = request("POST", "/mcp", Some(token));
        for (name, value) in [
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", tool),
        ] {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let mut answer = self.ordered(request, body).await;
        if answer.body.is_null() {
            // The answer is an event among others.
            let lines = answer.text.lines().filter_map(|line| line.strip_prefix("data:"));
            let read = lines.filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
            answer.body = read.into_iter().find(|message| message["id"] == 1).unwrap_or(Value::Null);
        }
        answer
    }

    pub(super) fn reloads(&self, settings: Settings) {
        self.backstage.reload(settings);
    }

    /// The number of the last record.
    pub(super) async fn position(&self) -> u64 {
        self.backstage.hub.journal.read(|reader| reader.position()).await.unwrap().0
    }

    pub(super) async fn ordered(&self, request: Request, body: Value) -> Answer {
        let request = with_header(request, "content-type", "application/json");
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        Answer::of(self.real.clone().oneshot(request.map(|_| body)).await.unwrap()).await
    }

    /// What the whole hub answers to a request that is whole already.
    pub(super) async fn whole(&self, request: Request) -> Answer {
        Answer::of(self.real.clone().oneshot(request).await.unwrap()).await
    }

    /// The answer with its body still to be read.
    pub(super) async fn response(&self, request: Request) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }
}

impl Answer {
    async fn of(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Self { status: parts.status, headers: parts.headers, body, text }
    }

    pub(super) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// A request of a well-behaved client of this machine.
pub(super) fn request(method: &str, path: &str, token: Option<&str>) -> Request {
    let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:7420");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    request.body(Body::empty()).unwrap()
}

pub(super) fn with_header(mut request: Request, name: &'static str, value: &'static str) -> Request {
    request.headers_mut().append(name, HeaderValue::from_static(value));
    request
}

/// With a body that comes in pieces, and says nothing of its length.
pub(super) fn in_pieces(request: Request, count: usize, length: usize) -> Request {
    let piece = Bytes::from(vec![b' '; length]);
    let pieces = stream::iter((0..count).map(move |_| Ok::<_, axum::Error>(piece.clone())));
    request.map(|_| Body::from_stream(pieces))
}

fn rooms(sits: &Arc<Notify>) -> Router {
    let sits = Arc::clone(sits);
    let waits = move || {
        let sits = Arc::clone(&sits);
        async move {
            sits.notify_one();
            std::future::pending::<()>().await;
        }
    };
    let ticks = || async { Body::from_stream(stream::pending::<Result<Bytes, axum::Error>>()) };
    let reads = |body: Body| async move {
        match body.collect().await {
            Ok(all) => Ok(all.to_bytes().len().to_string()),
            // Whatever a reader makes of it: the guard knows better.
            Err(_) => Err(StatusCode::INTERNAL_SERVER_ERROR),
        }
    };
    Router::new()
        .route("/healthz", get(|| async { "alive" }))
        .route("/readyz", get(|| async { "ready" }))
        .route("/waits", get(waits))
        .route("/events", get(ticks))
        .route("/lacks", post(|| async { StatusCode::NOT_FOUND }))
        .route("/api/v1/tasks", post(reads))
        .route("/api/v1/questions/{id}/answer", post(reads))
        .route("/api/v1/reviews/{id}/comments", post(reads))
        .route("/api/v1/tools/{name}", post(reads))
        .route("/api/v1/agents/{id}/evict", post(reads))
        .route("/api/v1/sessions/{id}/output", post(reads))
        .nest("/mcp", Router::new().fallback(reads))
        .fallback(any(|| async { "a room" }))
}
