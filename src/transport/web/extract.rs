//! Bodies, queries and path segments on their way in; what does not fit is said in the words of [`ApiError`].

use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderMap, Uri, header};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::error::{ApiError, ApiResult};
use crate::tools::doubled_key;

/// A JSON body. An empty one counts as `{}`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

#[derive(Debug)]
pub struct Params<T>(pub T);

#[derive(Debug)]
pub struct Segment(pub String);

impl<S, T> FromRequest<S> for JsonBody<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        let bytes = read_body(&parts.headers, body).await?;
        parse(&bytes).map(Self)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let given = parts.uri.query().unwrap_or_default();
        let query: Result<Query<T>, QueryRejection> = match joined(given) {
            None => Query::from_request_parts(parts, state).await,
            Some(joined) => match Uri::try_from(format!("/?{joined}")) {
                Ok(uri) => Query::try_from_uri(&uri),
                Err(_) => Query::from_request_parts(parts, state).await,
            },
        };
        match query {
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => Err(unfit_query(&rejection)),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(segment)| Self(segment)).map_err(|_| ApiError::new("NOT_FOUND", "there is no such thing"))
    }
}

/// Plain JSON only; nothing is decompressed. The guard bounds its length. Fails with `UNSUPPORTED_MEDIA_TYPE`, or
/// `INVALID_REQUEST` when it broke off.
pub async fn read_body(headers: &HeaderMap, body: Body) -> ApiResult<Bytes> {
    let (mut whole, mut parts) = (BytesMut::new(), BodyParts::of(headers, body)?);
    while let Some(part) = parts.next().await? {
        whole.extend_from_slice(&part);
    }
    Ok(whole.freeze())
}

#[derive(Debug)]
pub struct BodyParts {
    body: Body,
    is_json: bool,
}

impl BodyParts {
    /// Fails when it is compressed.
    pub fn of(headers: &HeaderMap, body: Body) -> ApiResult<Self> {
        if headers.contains_key(header::CONTENT_ENCODING) {
            return Err(ApiError::new("UNSUPPORTED_MEDIA_TYPE", "a compressed body is not read: send it as it is"));
        }
        Ok(Self { body, is_json: is_json(headers) })
    }

    /// The next part; none at the end. Fails as [`read_body`] does.
    pub async fn next(&mut self) -> ApiResult<Option<Bytes>> {
        while let Some(frame) = self.body.frame().await {
            let frame =
                frame.map_err(|error| ApiError::new("INVALID_REQUEST", format!("the body broke off: {error}")))?;
            match frame.into_data() {
                Ok(part) if part.is_empty() => {}
                Ok(_) if !self.is_json => {
                    let message = "the body must be JSON: send the header `Content-Type: application/json`";
                    return Err(ApiError::new("UNSUPPORTED_MEDIA_TYPE", message));
                }
                Ok(part) => return Ok(Some(part)),
                Err(_) => {}
            }
        }
        Ok(None)
    }
}

/// Reads JSON; nothing at all counts as `{}`. Fails with `INVALID_JSON`, also where a key stands twice;
/// `INVALID_ARGUMENTS` where it is JSON of another shape.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    let text = if bytes.is_empty() { b"{}" } else { bytes };
    if let Some(doubled) = doubled_key(text) {
        let message = format!("the body is not JSON that can be read in one way: {doubled}");
        return Err(ApiError::new("INVALID_JSON", message));
    }
    // Each body has names. By its place in a list serde would read a field, too, and nobody says which is where.
    if text.trim_ascii_start().starts_with(b"[") {
        return Err(unfit("the body", "", "it is a list: send an object with the names of its fields"));
    }
    let mut given = serde_json::Deserializer::from_slice(text);
    let read = serde_path_to_error::deserialize(&mut given).map_err(|error| {
        let at = error.path().to_string();
        (at, error.into_inner())
    });
    let read = read.and_then(|read| given.end().map(|()| read).map_err(|error| (String::new(), error)));
    read.map_err(|(at, error)| match error.classify() {
        Category::Data => unfit("the body", &at, &error.to_string()),
        Category::Syntax | Category::Eof | Category::Io => {
            ApiError::new("INVALID_JSON", format!("the body is not JSON: {error}"))
        }
    })
}

/// JSON, or a query, of another shape: with the field that is wrong, by the path to it.
fn unfit(what: &str, at: &str, said: &str) -> ApiError {
    let said = said.split(" at line ").next().unwrap_or_default();
    let named =
        ["missing field `", "unknown field `"].iter().find_map(|start| said.strip_prefix(start)?.split('`').next());
    let inside = Some(at).filter(|at| !matches!(*at, "" | "." | "?"));
    let field = match (inside, named) {
        (Some(at), Some(name)) if at != name && !at.ends_with(&format!(".{name}")) => Some(format!("{at}.{name}")),
        (Some(at), _) => Some(at.to_owned()),
        (None, named) => named.map(str::to_owned),
    };
    match field {
        Some(field) if named.is_some() => {
            ApiError::new("INVALID_ARGUMENTS", format!("{what}: {said}")).detail("field", field)
        }
        Some(field) => ApiError::new("INVALID_ARGUMENTS", format!("{what}: `{field}`: {said}")).detail("field", field),
        None => ApiError::new("INVALID_ARGUMENTS", format!("{what}: {said}")),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// `state=A&state=B` as `state=A,B`, which is how fields that take several are read; none where no field is repeated.
fn joined(query: &str) -> Option<String> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    let mut repeated = false;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match fields.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => {
                repeated = true;
                values.push_str("%2C");
                values.push_str(value);
            }
            None => fields.push((name, value.to_owned())),
        }
    }
    let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    repeated.then(|| fields.join("&"))
}

/// The library wraps what the reader says of a query, and the field stands in the wrapping next to it.
fn unfit_query(rejection: &QueryRejection) -> ApiError {
    let mut error: &dyn std::error::Error = rejection;
    loop {
        if let Some(placed) = error.downcast_ref::<serde_path_to_error::Error<serde::de::value::Error>>() {
            return unfit("the query", &placed.path().to_string(), &placed.inner().to_string());
        }
        match error.source() {
            Some(inner) => error = inner,
            None => return unfit("the query", "", &error.to_string()),
        }
    }
}
