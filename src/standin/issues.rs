//! A stand-in for the comments on issues of GitHub: REST on loopback, as strict as GitHub, with faults on demand.

use std::collections::{BTreeSet, VecDeque};
use std::net::{Ipv4Addr, TcpListener};

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, patch};
use axum::{Json, Router};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

/// The longest comment, in characters.
const LONGEST: usize = 65_536;
/// How many are on a page: the default, and the most.
const PAGES: (usize, usize) = (30, 100);

/// A running stand-in. It ends with its process.
#[derive(Debug, Clone)]
pub struct Issues {
    world: watch::Sender<World>,
    port: u16,
}

/// A comment that stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its number.
    pub id: u64,
    /// On what, as `owner/repo#12`.
    pub item: String,
    /// What it says.
    pub body: String,
    /// How often it was changed.
    pub edits: u32,
}

/// What goes wrong with the next request that has a right token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is refused with this status and these headers.
    Refused(u16, Vec<(&'static str, String)>),
    /// The next one that writes is done, and its answer is lost.
    Lost,
}

#[derive(Debug, Default)]
struct World {
    token: String,
    repositories: BTreeSet<String>,
    comments: Vec<Comment>,
    faults: VecDeque<Fault>,
    requests: u64,
}

/// Which page of a list.
#[derive(Debug, Deserialize)]
struct Page {
    per_page: Option<usize>,
    page: Option<usize>,
}

impl Issues {
    /// One with this token and these repositories.
    ///
    /// # Panics
    /// When this machine has no port left.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a stand-in that cannot start is of no use to a test")]
    pub fn start(token: &str, repositories: &[&str]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let port = listener.local_addr().expect("an address").port();
        let repositories = repositories.iter().map(|name| (*name).to_owned()).collect();
        let world = watch::Sender::new(World { token: token.to_owned(), repositories, ..World::default() });
        let router = Router::new()
            .route("/repos/{owner}/{repository}", get(repository))
            .route("/repos/{owner}/{repository}/issues/{number}/comments", get(list).post(write))
            .route("/repos/{owner}/{repository}/issues/comments/{id}", patch(change))
            .with_state(world.clone());
        // It serves tests whose own time stands still, too.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                drop(axum::serve(listener, router).await);
            });
        });
        Self { world, port }
    }

    /// The base of its interface.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The token that is right from now on.
    pub fn takes_token(&self, token: &str) {
        self.world.send_modify(|world| token.clone_into(&mut world.token));
    }

    /// This happens to the next request, after those that were ordered before.
    pub fn fails(&self, fault: Fault) {
        self.world.send_modify(|world| world.faults.push_back(fault));
    }

    /// Somebody else writes a comment.
    pub fn says(&self, item: &str, body: &str) {
        self.world.send_modify(|world| drop(world.add(item, body)));
    }

    /// Every comment, the oldest first.
    #[must_use]
    pub fn comments(&self) -> Vec<Comment> {
        self.world.borrow().comments.clone()
    }

    /// How many requests came.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.world.borrow().requests
    }
}

impl World {
    fn add(&mut self, item: &str, body: &str) -> Comment {
        let id = 1_000 + u64::try_from(self.comments.len()).unwrap_or_default();
        let comment = Comment { id, item: item.to_owned(), body: body.to_owned(), edits: 0 };
        self.comments.push(comment.clone());
        comment
    }

    /// Whether a request may pass, and whether its answer is lost.
    fn admit(&mut self, headers: &HeaderMap, repository: &str, writes: bool) -> Result<bool, Box<Response>> {
        self.requests += 1;
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if header("user-agent").is_empty() {
            let words = "Request forbidden by administrative rules. Please add a User-Agent header.";
            return Err(Box::new(refused(403, words)));
        }
        if header("authorization") != format!("Bearer {}", self.token) {
            return Err(Box::new(refused(401, "Bad credentials")));
        }
        if header("accept") != "application/vnd.github+json" || header("x-github-api-version") != "2022-11-28" {
            return Err(Box::new(refused(415, "Unsupported 'Accept' header or version")));
        }
        if self.faults.front() == Some(&Fault::Lost) && !writes {
            return Ok(false);
        }
        match self.faults.pop_front() {
            Some(Fault::Refused(status, headers)) => {
                let mut response = refused(status, "as ordered");
                for (name, value) in headers {
                    if let Ok(value) = HeaderValue::from_str(&value) {
                        response.headers_mut().insert(name, value);
                    }
                }
                Err(Box::new(response))
            }
            Some(Fault::Lost) => Ok(true),
            None if !self.repositories.contains(repository) => Err(Box::new(refused(404, "Not Found"))),
            None => Ok(false),
        }
    }
}

type Shared = State<watch::Sender<World>>;

/// Does it, alone, and loses the answer where that was ordered.
fn does(
    world: &watch::Sender<World>,
    headers: &HeaderMap,
    repository: &str,
    writes: bool,
    act: impl FnOnce(&mut World) -> Response,
) -> Response {
    let mut answer = None;
    world.send_modify(|world| {
        answer = Some(match world.admit(headers, repository, writes) {
            Ok(is_lost) => {
                let done = act(world);
                if is_lost { refused(502, "Server Error") } else { done }
            }
            Err(refused) => *refused,
        });
    });
    answer.unwrap_or_else(|| refused(500, "nothing was done"))
}

async fn repository(
    State(world): Shared,
    Path((owner, repository)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let name = format!("{owner}/{repository}");
    does(&world, &headers, &name, false, |_| Json(json!({"full_name": name, "has_issues": true})).into_response())
}

async fn list(
    State(world): Shared,
    Path((owner, repository, number)): Path<(String, String, u64)>,
    Query(page): Query<Page>,
    headers: HeaderMap,
) -> Response {
    let name = format!("{owner}/{repository}");
    let item = format!("{name}#{number}");
    does(&world, &headers, &name, false, |world| {
        let size = page.per_page.unwrap_or(PAGES.0).clamp(1, PAGES.1);
        let skipped = page.page.unwrap_or(1).saturating_sub(1) * size;
        let all = world.comments.iter().filter(|comment| comment.item == item).skip(skipped).take(size);
        Json(all.map(shown).collect::<Vec<_>>()).into_response()
    })
}

async fn write(
    State(world): Shared,
    Path((owner, repository, number)): Path<(String, String, u64)>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let name = format!("{owner}/{repository}");
    does(&world, &headers, &name, true, |world| match text(&body) {
        Ok(text) => (StatusCode::CREATED, Json(shown(&world.add(&format!("{name}#{number}"), text)))).into_response(),
        Err(refused) => *refused,
    })
}

async fn change(
    State(world): Shared,
    Path((owner, repository, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let name = format!("{owner}/{repository}");
    does(&world, &headers, &name, true, |world| {
        let text = match text(&body) {
            Ok(text) => text.to_owned(),
            Err(refused) => return *refused,
        };
        let Some(comment) = world.comments.iter_mut().find(|comment| comment.id == id) else {
            return refused(404, "Not Found");
        };
        comment.body = text;
        comment.edits += 1;
        Json(shown(comment)).into_response()
    })
}

/// The one field that a comment has.
fn text(body: &Value) -> Result<&str, Box<Response>> {
    let alone = body.as_object().is_some_and(|fields| fields.len() == 1);
    let text = body.get("body").and_then(Value::as_str).filter(|text| alone && !text.trim().is_empty());
    let text = text.ok_or_else(|| Box::new(refused(422, "Validation Failed")))?;
    if text.chars().count() > LONGEST { Err(Box::new(refused(422, "Body is too long"))) } else { Ok(text) }
}

fn shown(comment: &Comment) -> Value {
    let url = format!("https://forge.example/{}-{}", comment.item.replace('#', "/issues/"), comment.id);
    json!({"id": comment.id, "html_url": url, "body": comment.body})
}

fn refused(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(json!({ "message": message }))).into_response()
}
