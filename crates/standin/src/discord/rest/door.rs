//! How a request comes in: faults first, then limits, the token, the body, the route.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request as HttpRequest, State};
use axum::response::{IntoResponse as _, Response};
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

use super::call::{Call, Reply};
use super::error::ApiError;
use super::multipart;
use super::route::{Found, Route, bucket, find};
use crate::discord::model::limits::Allowance;
use crate::discord::model::rest_fault::{LimitScope, Request, RestFault};
use crate::discord::model::world::World;
use crate::discord::stage::Stage;

/// The largest body: ten files of 10 MiB.
const BODY_AT_MOST: usize = 101 * 1024 * 1024;
const PREFIX: &str = "/api/v10";
const HTML: &str = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1>\
    </center><hr><center>cloudflare</center></body>\r\n</html>\r\n";

/// Stands in the extensions of an answer that is never sent: the connection is reset instead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reset;

/// A request as its bytes came.
struct Came {
    method: String,
    path: String,
    query: BTreeMap<String, String>,
    token: Option<String>,
    content_type: String,
    body: Vec<u8>,
}

/// Serves a request under `/api/v10`.
pub(crate) async fn serve(State(stage): State<Stage>, request: HttpRequest) -> Response {
    let Some(came) = read(request).await else { return reset() };
    let found = find(&came.method, &came.path);
    let route = if let Found::Route(route, _) = &found { route.path } else { "" };
    let fault = stage.change(|world| world.rest_faults.meet(&came.method, route, &came.path));
    let unhandled = match &fault {
        Some(RestFault::Status(status)) => Some(empty(*status)),
        Some(RestFault::Html502) => {
            Some((StatusCode::BAD_GATEWAY, [(CONTENT_TYPE, "text/html")], HTML).into_response())
        }
        Some(RestFault::ResetBefore) => Some(reset()),
        Some(RestFault::RateLimited { after, scope }) => Some(limited(*after, *scope, &bucket_of(&found))),
        Some(RestFault::Refused { status, code }) => {
            let error = ApiError::known(*code);
            let status = status.unwrap_or(error.status);
            Some(refused(&error.with_status(status)))
        }
        Some(RestFault::Slow(pause)) => {
            tokio::time::sleep(*pause).await;
            None
        }
        Some(RestFault::ResetAfter | RestFault::SlowAnswer(_)) | None => None,
    };
    if let Some(answer) = unhandled {
        stage.change(|world| note(world, &came, Value::Null, Vec::new(), &answer));
        return answer;
    }
    let answer = stage.change(|world| handle(world, came, found));
    match fault {
        Some(RestFault::ResetAfter) => reset(),
        Some(RestFault::SlowAnswer(pause)) => {
            tokio::time::sleep(pause).await;
            answer
        }
        _ => answer,
    }
}

fn handle(world: &mut World, came: Came, found: Found) -> Response {
    let (body, files) = match parsed(&came) {
        Ok(parsed) => parsed,
        Err(error) => {
            let answer = refused(&error);
            note(world, &came, Value::Null, Vec::new(), &answer);
            return answer;
        }
    };
    let sizes = files.iter().map(|file| (file.name.clone(), file.bytes.len())).collect();
    let answer = match found {
        Found::Nothing => refused(&ApiError::plain(404, "Not Found")),
        Found::OtherMethod => refused(&ApiError::plain(405, "Method Not Allowed")),
        Found::Route(route, params) => {
            let allowance = world.limits.take(&bucket(route, &params), world.now);
            if allowance.exceeded {
                let scope = if allowance.global { LimitScope::Global } else { LimitScope::User };
                limited(allowance.reset_after, scope, &bucket(route, &params))
            } else {
                let call = Call { params, query: came.query.clone(), body: body.clone(), files };
                with_limits(routed(world, route, &came, &call), allowance, &bucket(route, &call.params))
            }
        }
    };
    note(world, &came, body, sizes, &answer);
    answer
}

fn routed(world: &mut World, route: &Route, came: &Came, call: &Call) -> Response {
    let token = format!("Bot {}", world.options.token);
    if route.needs_token && came.token.as_deref() != Some(token.as_str()) {
        return refused(&ApiError::plain(401, "Unauthorized"));
    }
    match (route.serve)(world, call) {
        Ok(Reply { status, body: None }) => empty(status),
        Ok(Reply { status, body: Some(body) }) => json_answer(status, &body),
        Err(error) => refused(&error),
    }
}

fn bucket_of(found: &Found) -> String {
    if let Found::Route(route, params) = found { bucket(route, params) } else { String::new() }
}

async fn read(request: HttpRequest) -> Option<Came> {
    let (parts, body) = request.into_parts();
    let header = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let query = parts.uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    Some(Came {
        method: parts.method.to_string(),
        path: parts.uri.path().strip_prefix(PREFIX).unwrap_or_default().into(),
        query: query.map(|(key, value)| (key.into(), value.into())).collect(),
        token: header(AUTHORIZATION).map(String::from),
        content_type: header(CONTENT_TYPE).unwrap_or_default().into(),
        body: to_bytes(body, BODY_AT_MOST).await.ok()?.into(),
    })
}

fn parsed(came: &Came) -> Result<(Value, Vec<multipart::File>), ApiError> {
    if came.body.is_empty() {
        return Ok((Value::Null, Vec::new()));
    }
    let (text, files) = if came.content_type.starts_with("multipart/form-data") {
        multipart::read(&came.content_type, &came.body).ok_or_else(|| ApiError::known(50_109))?
    } else if came.content_type.starts_with("application/json") {
        (came.body.clone(), Vec::new())
    } else {
        return Err(ApiError::form(
            "",
            "CONTENT_TYPE_INVALID",
            "Expected \"Content-Type\" header to be application/json.",
        ));
    };
    serde_json::from_slice(&text).map(|body| (body, files)).map_err(|_| ApiError::known(50_109))
}

fn note(world: &mut World, came: &Came, body: Value, files: Vec<(String, usize)>, answer: &Response) {
    let status = if answer.extensions().get::<Reset>().is_some() { 0 } else { answer.status().as_u16() };
    world.limits.invalid += u64::from(matches!(status, 401 | 403 | 429));
    let query: Vec<_> = came.query.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let path = if query.is_empty() { came.path.clone() } else { format!("{}?{}", came.path, query.join("&")) };
    world.rest_faults.requests.push(Request { method: came.method.clone(), path, body, files, status });
}

fn json_answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

fn empty(status: u16) -> Response {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR).into_response()
}

fn refused(error: &ApiError) -> Response {
    json_answer(error.status, &error.body())
}

fn reset() -> Response {
    let mut answer = Response::new(Body::empty());
    answer.extensions_mut().insert(Reset);
    answer
}

/// 429, with the headers that tell whose limit it is.
fn limited(after: Duration, scope: LimitScope, bucket: &str) -> Response {
    let body = json!({
        "message": "You are being rate limited.", "retry_after": after.as_secs_f64(),
        "global": scope == LimitScope::Global,
    });
    let mut answer = json_answer(429, &body);
    let name = match scope {
        LimitScope::User => "user",
        LimitScope::Global => "global",
        LimitScope::Shared => "shared",
    };
    let seconds = after.as_millis().div_ceil(1_000).to_string();
    let headers = answer.headers_mut();
    headers.insert("x-ratelimit-scope", HeaderValue::from_static(name));
    if let Ok(seconds) = HeaderValue::from_str(&seconds) {
        headers.insert(RETRY_AFTER, seconds);
    }
    if scope == LimitScope::Global {
        headers.insert("x-ratelimit-global", HeaderValue::from_static("true"));
        return answer;
    }
    // The limit of the application names no bucket; these do.
    let (limit, remaining, reset_after, exceeded) = (5, 0, after, true);
    with_limits(answer, Allowance { limit, remaining, reset_after, exceeded, global: false }, bucket)
}

fn with_limits(mut answer: Response, allowance: Allowance, bucket: &str) -> Response {
    let hash = bucket.bytes().fold(0_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let headers = [
        ("x-ratelimit-limit", allowance.limit.to_string()),
        ("x-ratelimit-remaining", allowance.remaining.to_string()),
        ("x-ratelimit-reset-after", format!("{:.3}", allowance.reset_after.as_secs_f64())),
        ("x-ratelimit-bucket", format!("{hash:016x}")),
    ];
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}
