//! What the stand-in answers: strict about headers, routes, fields and branches.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{Method, Request, Response};
use serde_json::{Map, Value, json};

use super::Fault;
use super::world::{Pull, Repository, Review, World};
use crate::domain::time::Timestamp;

/// A refusal: the status, and GitHub's words.
type Refused = (u16, Value);
type Answered = Result<(u16, Value), Refused>;

/// Answers one request; none where the connection is reset.
pub(super) fn answer(world: &mut World, request: &Request<Bytes>, now: Timestamp) -> Option<Response<Bytes>> {
    let path = request.uri().path().to_owned();
    world.asked.push(format!("{} {path}", request.method()));
    let limited = |status: u16, name: &str, value: String| {
        let answer =
            response(status, &json!({"message": "API rate limit exceeded for user ID 1."}), Some((name, value)));
        Some(answer)
    };
    match world.fault {
        Fault::Down => return None,
        Fault::BadGateway => return Some(response(502, &Value::Null, None)),
        Fault::UsedUp(until) if now < until => {
            return limited(403, "x-ratelimit-reset", until.0.div_ceil(1_000).to_string());
        }
        Fault::TooMany(pause) => return limited(429, RETRY_AFTER.as_str(), pause.as_secs().to_string()),
        Fault::Revoked => return Some(response(401, &json!({"message": "Bad credentials"}), None)),
        Fault::None | Fault::UsedUp(_) | Fault::LosesAnswers => {}
    }
    let (status, body) = match headers(world, request).and_then(|()| routed(world, request, &path)) {
        Ok(answered) | Err(answered) => answered,
    };
    let lost = world.fault == Fault::LosesAnswers && request.method() != Method::GET && path != "/graphql";
    (!lost).then(|| response(status, &body, None))
}

fn response(status: u16, body: &Value, header: Option<(&str, String)>) -> Response<Bytes> {
    let mut built = Response::builder().status(status).header(CONTENT_TYPE, "application/json; charset=utf-8");
    if let Some((name, value)) = header {
        built = built.header(name, value).header("x-ratelimit-remaining", "0");
    }
    built.body(Bytes::from(body.to_string())).unwrap_or_default()
}

fn no(status: u16, message: &str) -> Refused {
    (status, json!({ "message": message, "documentation_url": "https://docs.github.com/rest" }))
}

/// 422, with one error.
fn unfit(message: &str) -> Refused {
    (422, json!({"message": "Validation Failed", "errors": [{"resource": "PullRequest", "message": message}]}))
}

fn headers(world: &World, request: &Request<Bytes>) -> Result<(), Refused> {
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if header(AUTHORIZATION.as_str()) != format!("Bearer {}", world.token) {
        return Err(no(401, "Bad credentials"));
    }
    if header(ACCEPT.as_str()) != "application/vnd.github+json" || header("x-github-api-version") != "2022-11-28" {
        return Err(no(415, "Name the media type and the version of the interface"));
    }
    if !request.body().is_empty() && header(CONTENT_TYPE.as_str()) != "application/json" {
        return Err(no(415, "Unsupported Media Type"));
    }
    Ok(())
}

fn routed(world: &mut World, request: &Request<Bytes>, path: &str) -> Answered {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    if let (&Method::POST, ["graphql"]) = (request.method(), parts.as_slice()) {
        return graphql(world, &body(request)?);
    }
    let ["repos", owner, name, rest @ ..] = parts.as_slice() else { return Err(no(404, "Not Found")) };
    let full = format!("{owner}/{name}");
    let repository = world.repositories.get_mut(&full).ok_or_else(|| no(404, "Not Found"))?;
    match (request.method(), rest) {
        (&Method::GET, []) => Ok((200, json!({"full_name": full, "default_branch": repository.default_branch}))),
        (&Method::GET, ["pulls"]) => listed(repository, &full, owner, request.uri().query().unwrap_or_default()),
        (&Method::POST, ["pulls"]) => opened(repository, &full, &body(request)?),
        (&Method::PATCH, ["pulls", number]) => changed(pull(repository, number)?, &full, &body(request)?),
        (&Method::PUT, ["pulls", number, "merge"]) => merged(pull(repository, number)?, &body(request)?),
        (&Method::GET, ["pulls", number]) => Ok((200, shown(pull(repository, number)?, &full, true))),
        (&Method::GET, ["pulls", number, "reviews"]) => {
            Ok((200, Value::Array(page(request, reviews(pull(repository, number)?)))))
        }
        (&Method::GET, ["commits", commit, "check-runs"]) => {
            let runs = check_runs(repository, commit);
            Ok((200, json!({"total_count": runs.len(), "check_runs": page(request, runs)})))
        }
        (&Method::GET, ["commits", _, "status"]) => Ok((200, json!({"state": "pending", "statuses": []}))),
        (_, _) => Err(no(404, "Not Found")),
    }
}

fn body(request: &Request<Bytes>) -> Result<Map<String, Value>, Refused> {
    serde_json::from_slice(request.body()).map_err(|_| no(400, "Problems parsing JSON"))
}

fn pull<'a>(repository: &'a mut Repository, number: &str) -> Result<&'a mut Pull, Refused> {
    let wanted = number.parse::<u64>().ok();
    let found = repository.pulls.iter_mut().find(|pull| Some(pull.number) == wanted);
    found.ok_or_else(|| no(404, "Not Found"))
}

fn listed(repository: &Repository, full: &str, owner: &str, query: &str) -> Answered {
    let query: BTreeMap<String, String> = serde_query(query);
    let known = ["state", "head", "base", "sort", "direction", "per_page", "page"];
    if let Some(unknown) = query.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(unfit(&format!("unknown parameter {unknown}")));
    }
    let state = query.get("state").map_or("open", String::as_str);
    let fits = |pull: &&Pull| {
        let head = query.get("head").is_none_or(|head| *head == format!("{owner}:{}", pull.head));
        head && match state {
            "all" => true,
            "closed" => !pull.open,
            _ => pull.open,
        }
    };
    let pulls: Vec<Value> = repository.pulls.iter().rev().filter(fits).map(|pull| shown(pull, full, false)).collect();
    Ok((200, Value::Array(pulls)))
}

/// The pairs of a query, decoded.
fn serde_query(query: &str) -> BTreeMap<String, String> {
    let decoded = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((first, more)) = rest.split_first() {
            let hex = more.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
            match (first, hex) {
                (b'%', Some(byte)) => {
                    bytes.push(byte);
                    rest = &more[2..];
                }
                (b'+', _) => {
                    bytes.push(b' ');
                    rest = more;
                }
                (other, _) => {
                    bytes.push(*other);
                    rest = more;
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (decoded(key), decoded(value))).collect()
}

fn opened(repository: &mut Repository, full: &str, asked: &Map<String, Value>) -> Answered {
    let known = ["title", "head", "base", "body", "draft"];
    if let Some(unknown) = asked.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(unfit(&format!("unknown field {unknown}")));
    }
    let text = |field: &str| asked.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (title, head, base) = (text("title"), text("head"), text("base"));
    if title.is_empty() || title.chars().count() > 256 {
        return Err(unfit("title is missing or too long (maximum is 256 characters)"));
    }
    let Some(commit) = repository.branches.get(&head).cloned() else { return Err(unfit("head is invalid")) };
    if !repository.branches.contains_key(&base) {
        return Err(unfit("base is invalid"));
    }
    if head == base {
        return Err(unfit(&format!("No commits between {base} and {head}")));
    }
    if repository.pulls.iter().any(|pull| pull.open && pull.head == head && pull.base == base) {
        return Err(unfit(&format!("A pull request already exists for {full}:{head}.")));
    }
    let number = u64::try_from(repository.pulls.len()).unwrap_or_default() + 1;
    let pull = Pull {
        number,
        title,
        body: text("body"),
        draft: asked.get("draft").and_then(Value::as_bool).unwrap_or_default(),
        open: true,
        merged: false,
        head,
        base,
        commit,
        reviews: Vec::new(),
        checks: BTreeMap::new(),
        open_threads: 0,
    };
    let answer = shown(&pull, full, true);
    repository.pulls.push(pull);
    Ok((201, answer))
}

fn changed(pull: &mut Pull, full: &str, asked: &Map<String, Value>) -> Answered {
    let known = ["title", "body", "state"];
    if let Some(unknown) = asked.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(unfit(&format!("unknown field {unknown}")));
    }
    let text = |field: &str| asked.get(field).and_then(Value::as_str).map(str::to_owned);
    match text("state").as_deref() {
        Some("open") if pull.merged => return Err(unfit("state cannot be changed: it was merged")),
        Some("open") => pull.open = true,
        Some("closed") => pull.open = false,
        Some(_) => return Err(unfit("state is invalid")),
        None => {}
    }
    pull.title = text("title").unwrap_or_else(|| pull.title.clone());
    pull.body = text("body").unwrap_or_else(|| pull.body.clone());
    Ok((200, shown(pull, full, true)))
}

fn merged(pull: &mut Pull, asked: &Map<String, Value>) -> Answered {
    let method = asked.get("merge_method").and_then(Value::as_str);
    if !matches!(method, Some("merge" | "squash" | "rebase")) {
        return Err(unfit("merge_method is invalid"));
    }
    if !pull.open || pull.draft {
        return Err(no(405, "Pull Request is not mergeable"));
    }
    if asked.get("sha").and_then(Value::as_str) != Some(&pull.commit) {
        return Err(no(409, "Head branch was modified. Review and try the merge again."));
    }
    (pull.open, pull.merged) = (false, true);
    Ok((200, json!({"sha": pull.commit, "merged": true, "message": "Pull Request successfully merged"})))
}

fn shown(pull: &Pull, full: &str, whole: bool) -> Value {
    let end = |name: &str, commit: &str| json!({"ref": name, "sha": commit, "label": name});
    let mut shown = json!({
        "number": pull.number,
        "node_id": format!("PR_{}", pull.number),
        "html_url": format!("https://github.example/{full}/pull/{}", pull.number),
        "title": pull.title,
        "body": pull.body,
        "state": if pull.open { "open" } else { "closed" },
        "draft": pull.draft,
        "merged_at": pull.merged.then_some("2026-05-28T20:26:40Z"),
        "head": end(&pull.head, &pull.commit),
        "base": end(&pull.base, &"0".repeat(40)),
    });
    if whole {
        let more = json!({"mergeable": pull.open, "merged": pull.merged, "commits": 1, "changed_files": 2,
            "additions": 30, "deletions": 4});
        if let (Value::Object(shown), Value::Object(more)) = (&mut shown, more) {
            shown.extend(more);
        }
    }
    shown
}

/// One page of a list.
fn page(request: &Request<Bytes>, all: Vec<Value>) -> Vec<Value> {
    let query = serde_query(request.uri().query().unwrap_or_default());
    let number = |key: &str| query.get(key).and_then(|value| value.parse::<usize>().ok());
    let (length, page) = (number("per_page").unwrap_or(30).min(100), number("page").unwrap_or(1));
    all.into_iter().skip(length * page.saturating_sub(1)).take(length).collect()
}

fn reviews(pull: &Pull) -> Vec<Value> {
    let shown = (1..).zip(&pull.reviews).map(|(id, review): (u64, &Review)| {
        json!({"id": id, "user": {"login": review.who}, "state": review.state, "commit_id": pull.commit,
            "author_association": review.association})
    });
    shown.collect()
}

fn check_runs(repository: &Repository, commit: &str) -> Vec<Value> {
    let of = repository.pulls.iter().filter(|pull| pull.commit == commit).flat_map(|pull| &pull.checks);
    of.map(|(name, conclusion)| {
        let status = if conclusion.is_some() { "completed" } else { "in_progress" };
        json!({"name": name, "status": status, "conclusion": conclusion})
    })
    .collect()
}

fn graphql(world: &mut World, asked: &Map<String, Value>) -> Answered {
    let query = asked.get("query").and_then(Value::as_str).unwrap_or_default();
    let variables = asked.get("variables").cloned().unwrap_or_default();
    let to = [("convertPullRequestToDraft", true), ("markPullRequestReadyForReview", false)];
    if let Some((_, draft)) = to.into_iter().find(|(mutation, _)| query.contains(mutation)) {
        let mut pulls = world.repositories.values_mut().flat_map(|repository| &mut repository.pulls);
        let found = pulls.find(|pull| variables["id"] == format!("PR_{}", pull.number).as_str());
        let Some(pull) = found else {
            return Ok((200, json!({"errors": [{"message": "Could not resolve to a node"}]})));
        };
        pull.draft = draft;
        return Ok((200, json!({"data": {}})));
    }
    if !query.contains("reviewThreads") {
        return Ok((200, json!({"errors": [{"message": "Parse error"}]})));
    }
    let text = |name: &str| variables[name].as_str().unwrap_or_default().to_owned();
    let full = format!("{}/{}", text("owner"), text("name"));
    let repository = world.repositories.get_mut(&full).ok_or_else(|| no(404, "Not Found"))?;
    let pull = pull(repository, &variables["number"].to_string())?;
    let nodes: Vec<Value> = (0..pull.open_threads).map(|_| json!({"isResolved": false})).collect();
    Ok((200, json!({"data": {"repository": {"pullRequest": {"reviewThreads": {"nodes": nodes}}}}})))
}
