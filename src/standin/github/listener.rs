//! The stand-in on loopback.

use std::convert::Infallible;
use std::io;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::GitHub;

/// Serves until its future is dropped.
///
/// # Errors
/// When a connection cannot be accepted.
pub async fn serve(github: GitHub, listener: TcpListener) -> io::Result<Infallible> {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        let github = github.clone();
        let service = service_fn(move |request| answer(github.clone(), request));
        connections.spawn(async move {
            if let Err(error) = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await {
                tracing::debug!("a connection to the stand-in ended: {error}");
            }
        });
    }
}

/// An error makes the connection end without an answer.
async fn answer(github: GitHub, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, io::Error> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let answer = github.answers(&Request::from_parts(parts, body));
    answer.map(|answer| answer.map(Full::new)).ok_or_else(|| io::ErrorKind::ConnectionReset.into())
}
