//! The way of octocrab's requests: under our base address, with our headers and token, through our carrier.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use octocrab::OctoBody;
use secrecy::{ExposeSecret as _, SecretString};
use tower::Service;

use crate::actors::forge::carrier::{Carrier, judged};
use crate::actors::forge::error::ForgeError;
use crate::clock::Clock;

/// The version of the interface that we speak.
const VERSION: &str = "2022-11-28";

/// What answers are to be.
const JSON: &str = "application/vnd.github+json";
/// The same for a change as `git diff` prints it.
pub(super) const DIFF: &str = "application/vnd.github.diff";

/// The way.
#[derive(Clone)]
pub(super) struct Way {
    base: String,
    authorization: HeaderValue,
    carrier: Arc<dyn Carrier>,
    clock: Clock,
}

impl Way {
    pub(super) fn new(
        base: &str,
        token: &SecretString,
        carrier: Arc<dyn Carrier>,
        clock: Clock,
    ) -> Result<Self, ForgeError> {
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret()))
            .map_err(|_| ForgeError::Off("the forge's token has characters that no token has".to_owned()))?;
        authorization.set_sensitive(true);
        Ok(Self { base: base.trim_end_matches('/').to_owned(), authorization, carrier, clock })
    }

    /// Where a path lies. A company's own GitHub has GraphQL beside REST and not below it.
    fn address(&self, path: &str) -> String {
        match self.base.strip_suffix("/api/v3") {
            Some(host) if path == "/graphql" => format!("{host}/api/graphql"),
            Some(_) | None => format!("{}{path}", self.base),
        }
    }
}

impl Service<Request<OctoBody>> for Way {
    type Response = Response<Full<Bytes>>;
    type Error = ForgeError;
    type Future = BoxFuture<'static, Result<Self::Response, ForgeError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ForgeError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<OctoBody>) -> Self::Future {
        let way = self.clone();
        async move {
            let unfit = |error: &dyn fmt::Display| ForgeError::Refused(format!("the request cannot be built: {error}"));
            let (parts, body) = request.into_parts();
            let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
            let body = body.collect().await.map_err(|error| unfit(&error))?.to_bytes();
            // The library names media types of its own, which say no more than ours.
            let is_diff = parts.headers.get(ACCEPT).is_some_and(|accept| accept == DIFF);
            let mut built = Request::builder()
                .method(parts.method)
                .uri(way.address(path))
                .header(ACCEPT, if is_diff { DIFF } else { JSON })
                .header("x-github-api-version", VERSION)
                .header(AUTHORIZATION, way.authorization.clone());
            if !body.is_empty() {
                built = built.header(CONTENT_TYPE, "application/json");
            }
            let built = built.body(body).map_err(|error| unfit(&error))?;
            let answer = way.carrier.carry(built).await?;
            Ok(judged(answer, way.clock.machine_now())?.map(Full::new))
        }
        .boxed()
    }
}

/// What became of a request, out of octocrab's own words for it.
pub(super) fn error(error: octocrab::Error) -> ForgeError {
    let told = error.to_string();
    if let octocrab::Error::Service { source, .. } = error {
        return source.downcast::<ForgeError>().map_or(ForgeError::Unreachable(told), |known| *known);
    }
    if let octocrab::Error::Json { source, .. } = error {
        return ForgeError::Unreadable(source.to_string());
    }
    ForgeError::Unreachable(told)
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Way").field("base", &self.base).finish_non_exhaustive()
    }
}
