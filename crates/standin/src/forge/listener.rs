//! The stand-in on loopback.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::task::JoinSet;

use super::ForgeStandIn;

/// Begins to serve on a port of its own; its address. A thread of its own serves tests whose time stands still, too.
#[expect(clippy::expect_used, reason = "a stand-in that cannot start is of no use to a test")]
pub(super) fn start(forge: &ForgeStandIn) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.set_nonblocking(true).expect("a socket that does not block");
    let address = listener.local_addr().expect("an address");
    let forge = forge.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            serve(&forge, tokio::net::TcpListener::from_std(listener).expect("a listener")).await;
        });
    });
    format!("http://{address}")
}

async fn serve(forge: &ForgeStandIn, listener: tokio::net::TcpListener) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let forge = forge.clone();
        let service = service_fn(move |request| answer(forge.clone(), request));
        connections.spawn(async move {
            if let Err(error) = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await {
                tracing::debug!("a connection to the stand-in ended: {error}");
            }
        });
    }
}

/// An error makes the connection end without an answer, as it does where somebody does not say who asks.
async fn answer(forge: ForgeStandIn, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, io::Error> {
    let (parts, body) = request.into_parts();
    let reset = || io::Error::from(io::ErrorKind::ConnectionReset);
    if parts.headers.get(USER_AGENT).is_none_or(http::HeaderValue::is_empty) {
        return Err(reset());
    }
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let answer = forge.answers(&Request::from_parts(parts, body));
    answer.map(|answer| answer.map(Full::new)).ok_or_else(reset)
}
