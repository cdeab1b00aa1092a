//! The listener on loopback: REST and gateway under one address.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::{any, get};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use super::gateway::socket;
use super::rest::door::{self, Reset};
use super::stage::Stage;

/// Binds a free port of loopback.
pub(super) async fn bind() -> io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Serves until its future is dropped; every connection ends with it.
pub(super) async fn serve(listener: TcpListener, stage: Stage) {
    let router = Router::new().route("/", get(socket::open)).route("/{*path}", any(door::serve)).with_state(stage);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(talk(stream, router.clone()));
                }
                Err(error) => {
                    tracing::warn!("the stand-in could not accept a connection: {error}");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn talk(stream: TcpStream, router: Router) {
    let _slower_is_no_matter = stream.set_nodelay(true);
    let service = service_fn(move |request: http::Request<Incoming>| answer(router.clone(), request.map(Body::new)));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service).with_upgrades();
    if let Err(error) = connection.await {
        tracing::debug!("a connection to the stand-in ended: {error}");
    }
}

/// An error makes the connection end without an answer.
async fn answer(router: Router, request: Request) -> Result<Response, io::Error> {
    let answer = router.oneshot(request).await.unwrap_or_else(|never: Infallible| match never {});
    match answer.extensions().get::<Reset>() {
        Some(Reset) => Err(io::ErrorKind::ConnectionReset.into()),
        None => Ok(answer),
    }
}
