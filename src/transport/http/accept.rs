//! The accept loop: who may open a connection, and how long they may take to say something.
//!
//! The library's loop has no timers, and leaves Nagle's algorithm on, which delays each event of a stream by 40 ms.

use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::Request;
use http::header::UPGRADE;
use hyper::body::Incoming;
use hyper::server::conn::http1::{self, UpgradeableConnection};
use hyper::service::{HttpService, Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use super::listen::{Connection, Listen};
use super::places::{ConnectionPeer, Places};
use super::reset::Noting;
use super::unread::Unhurried;
use crate::transport::web::LastAnswer;
use crate::transport::ws::UpgradeSlot;

#[derive(Debug, Clone)]
pub struct Timeouts {
    /// From the connection to its first byte, and to the end of its TLS handshake.
    pub first_byte: Duration,
    /// From the first byte of a request to the end of its headers.
    pub headers: Duration,
    /// How long requests may go on after the end was announced.
    pub end: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let ten = Duration::from_secs(10);
        // Two of the ten seconds of a gentle end are left for the actors.
        Self { first_byte: ten, headers: ten, end: Duration::from_secs(8) }
    }
}

/// What answers requests: a clone of it for each connection, and for each request.
pub trait Answers:
    Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send + 'static> + Clone + Send + 'static
{
}

impl<R> Answers for R where
    R: Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send + 'static>
        + Clone
        + Send
        + 'static
{
}

/// A request's line and headers must fit. Read buffers of parked agents grow only as a request needs it.
const HEADERS_AT_MOST: usize = 32 * 1024;

/// Serves until `end` fires; then accepts nobody, and lets requests end.
pub async fn serve<R: Answers>(
    listener: impl Listen,
    tls: Option<TlsAcceptor>,
    router: R,
    connections: usize,
    patience: Timeouts,
    end: CancellationToken,
) {
    let places = Places::new(connections);
    let served = TaskTracker::new();
    let ended = CancellationToken::new();
    loop {
        let stream = tokio::select! {
            () = end.cancelled() => break,
            accepted = listener.next() => match accepted {
                Ok(stream) => stream,
                Err(error) => {
                    // Most often the process has too many files open: others must end first.
                    tracing::warn!("a connection could not be accepted: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let Some(place) = places.take(stream.peer()) else {
            tracing::debug!("a connection was closed at once: {connections} are open");
            continue;
        };
        if let Err(error) = stream.hurry() {
            tracing::debug!("a connection went away at once: {error}");
            continue;
        }
        let (router, tls, patience, serving) = (router.clone(), tls.clone(), patience.clone(), served.token());
        let (end, ended, peer_handle) = (end.clone(), ended.clone(), place.peer_handle().clone());
        let whose = peer_handle.clone();
        #[expect(clippy::disallowed_methods, reason = "a connection is no actor: it holds nothing that a crash loses")]
        let talks = tokio::spawn(async move {
            let talk = async {
                let spoken = end.run_until_cancelled(first_byte(stream, patience.first_byte)).await;
                let Some(stream) = spoken.flatten() else { return };
                let last = LastAnswer::default();
                let stream = Noting::new(stream, last.clone(), end.clone());
                match tls {
                    None => talk(stream, last, router, peer_handle, &patience, &end).await,
                    // Boxed: it takes four times as much room, which connections without TLS would keep too.
                    Some(tls) => Box::pin(talk_tls(tls, stream, last, router, peer_handle, &patience, &end)).await,
                }
            };
            tokio::select! { () = talk => {}, () = ended.cancelled() => {} }
            drop((place, serving));
        });
        whose.talks(talks.abort_handle());
    }
    drop(listener);
    served.close();
    if tokio::time::timeout(patience.end, served.wait()).await.is_err() {
        tracing::info!("connections were closed that did not end in time");
    }
    ended.cancel();
}

/// Looks for a byte before the library allocates a buffer. By `peek`: a fresh socket counts as readable until tried.
async fn first_byte<C: Connection>(mut stream: C, patience: Duration) -> Option<C> {
    match tokio::time::timeout(patience, stream.first()).await {
        Ok(Ok(1..)) => Some(stream),
        Ok(Ok(0) | Err(_)) | Err(_) => None,
    }
}

async fn talk_tls(
    tls: TlsAcceptor,
    stream: Noting<impl Connection>,
    last: LastAnswer,
    router: impl Answers,
    peer_handle: ConnectionPeer,
    patience: &Timeouts,
    end: &CancellationToken,
) {
    match tokio::time::timeout(patience.first_byte, tls.accept(stream)).await {
        Ok(Ok(stream)) => talk(stream, last, router, peer_handle, patience, end).await,
        Ok(Err(error)) => tracing::debug!("a TLS handshake failed: {error}"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

async fn talk<S, R>(
    stream: S,
    last: LastAnswer,
    router: R,
    peer_handle: ConnectionPeer,
    patience: &Timeouts,
    end: &CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    R: Answers,
{
    let service = TowerToHyperService::new(router);
    let upgrade_slot = UpgradeSlot::new(end.clone());
    let at_berth = upgrade_slot.clone();
    let at_last = last.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        at_last.was_read();
        request.extensions_mut().insert(peer_handle.clone());
        if request.headers().contains_key(UPGRADE) {
            request.extensions_mut().insert(at_berth.clone());
        }
        let (answering, last) = (service.call(request), at_last.clone());
        async move { answering.await.inspect(|response| last.goes_by(response)) }
    });
    let connection = http1::Builder::new()
        .timer(Unhurried::new(last.clone()))
        .header_read_timeout(patience.headers)
        .max_buf_size(HEADERS_AT_MOST)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // Handlers notice a hang-up when their future is dropped. Boxed: each future around it would keep room for a copy.
    let talk = Box::pin(gently(connection, end.clone()));
    let ended = talk.await;
    last.ends();
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
    if let Some(then) = upgrade_slot.taken() {
        then.await;
    }
}

/// Serves until the other side ends; after `end`, only the request that is being answered.
async fn gently<S, H>(connection: UpgradeableConnection<TokioIo<S>, H>, end: CancellationToken) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    H: HttpService<Incoming, ResBody = Body, Error = Infallible>,
{
    let mut connection = pin!(connection);
    tokio::select! {
        biased;
        done = &mut connection => return done,
        () = end.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}
