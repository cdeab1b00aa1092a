//! How requests are read and answers written, the same for every kind: tokens, JSON, queries, pages.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};

use super::world::{Pull, Repository, World};

/// An answer: the status, the body, and how many the whole list has, where it is a page of one.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
    pub(super) total: Option<usize>,
    /// What is answered in place of the body, where that is no JSON.
    pub(super) plain: Option<String>,
}

/// A refusal: the status, and the forge's words.
pub(super) type Refused = (u16, Value);
pub(super) type Answered = Result<Answer, Refused>;

impl Answer {
    pub(super) const fn new(status: u16, body: Value) -> Self {
        Self { status, body, total: None, plain: None }
    }

    /// A text that is no JSON.
    pub(super) const fn plain(text: String) -> Self {
        Self { status: 200, body: Value::Null, total: None, plain: Some(text) }
    }
}

/// A refusal with these words.
pub(super) fn refused(status: u16, message: &str) -> Refused {
    (status, json!({ "message": message }))
}

/// A header as text; empty where there is none.
pub(super) fn header<'a>(request: &'a Request<Bytes>, name: &str) -> &'a str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The token is right, and a body says that it is JSON.
pub(super) fn admitted(world: &World, request: &Request<Bytes>, scheme: &str) -> Result<(), Refused> {
    if header(request, "authorization") != format!("{scheme} {}", world.token) {
        return Err(refused(401, "Bad credentials"));
    }
    if !request.body().is_empty() && header(request, CONTENT_TYPE.as_str()) != "application/json" {
        return Err(refused(415, "Unsupported Media Type"));
    }
    Ok(())
}

/// The fields of a body that has these and no others.
pub(super) fn fields(request: &Request<Bytes>, known: &[&str]) -> Result<Map<String, Value>, Refused> {
    let body: Map<String, Value> =
        serde_json::from_slice(request.body()).map_err(|_| refused(400, "Problems parsing JSON"))?;
    match body.keys().find(|key| !known.contains(&key.as_str())) {
        Some(unknown) => Err(refused(422, &format!("unknown field {unknown}"))),
        None => Ok(body),
    }
}

/// A field as text, where it is there.
pub(super) fn text<'a>(fields: &'a Map<String, Value>, field: &str) -> Option<&'a str> {
    fields.get(field).and_then(Value::as_str)
}

pub(super) fn pull<'a>(repository: &'a mut Repository, number: &str) -> Result<&'a mut Pull, Refused> {
    let wanted = number.parse::<u64>().ok();
    let found = repository.pulls.iter_mut().find(|pull| Some(pull.number) == wanted);
    found.ok_or_else(|| refused(404, "Not Found"))
}

/// The pairs of a query that has these and no others, decoded.
pub(super) fn query(request: &Request<Bytes>, known: &[&str]) -> Result<BTreeMap<String, String>, Refused> {
    let query = pairs(request);
    match query.keys().find(|key| !known.contains(&key.as_str())) {
        Some(unknown) => Err(refused(422, &format!("unknown parameter {unknown}"))),
        None => Ok(query),
    }
}

fn pairs(request: &Request<Bytes>) -> BTreeMap<String, String> {
    let pairs = request.uri().query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(key, value)| (decoded(key), decoded(value))).collect()
}

/// A piece of a path or a query, with what `%` and `+` stand for.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let hex = more.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        let (byte, after) = match (first, hex) {
            (b'%', Some(byte)) => (byte, &more[2..]),
            (b'+', _) => (b' ', more),
            (other, _) => (*other, more),
        };
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The pull requests in that state that fit, the newest first.
pub(super) fn listed<'a>(
    repository: &'a Repository,
    query: &'a BTreeMap<String, String>,
    fits: impl Fn(&Pull) -> bool + 'a,
) -> impl Iterator<Item = &'a Pull> {
    let state = query.get("state").map_or("open", String::as_str);
    let in_state = move |pull: &&Pull| match state {
        "all" => true,
        "closed" => !pull.open,
        _ => pull.open,
    };
    repository.pulls.iter().rev().filter(in_state).filter(move |pull| fits(pull))
}

/// One page of a list, and how many the whole has. `size` is the query's word for how long a page is to be; a page has
/// so many at first, and at most.
pub(super) fn page(
    request: &Request<Bytes>,
    size: &str,
    (usual, most): (usize, usize),
    all: Vec<Value>,
) -> (Value, usize) {
    let query = pairs(request);
    let number = |key: &str| query.get(key).and_then(|value| value.parse::<usize>().ok());
    let (length, page) = (number(size).unwrap_or(usual).clamp(1, most), number("page").unwrap_or(1));
    let total = all.len();
    (all.into_iter().skip(length * page.saturating_sub(1)).take(length).collect(), total)
}
