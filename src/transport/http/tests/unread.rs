//! An agent that does not read its answer, and dies long after: on stopped time, by a pretended connection.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::get;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, DuplexStream, ReadBuf, duplex};
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::tools;
use crate::tools::tests::fixture::{ToolFixture, operator};
use crate::transport::http::{Connection, Listen, Timeouts, serve};
use crate::transport::web::delivered;

const CLOSES: &str = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const STAYS: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// Long after the door's patience with an idle connection, and before the offer goes back by itself.
const LONG: Duration = Duration::from_secs(4 * 60);

/// One connection, and then no other.
#[expect(clippy::disallowed_types, reason = "taken once, never across an await")]
struct Once(std::sync::Mutex<Option<Wire>>);

/// A connection whose other side's kernel says, when it is asked, that its program died without reading.
struct Wire {
    stream: DuplexStream,
    reset: Arc<AtomicBool>,
}

impl Listen for Once {
    type Connection = Wire;

    async fn next(&self) -> io::Result<Wire> {
        let wire = self.0.lock().unwrap().take();
        match wire {
            Some(wire) => Ok(wire),
            None => std::future::pending().await,
        }
    }
}

impl Connection for Wire {
    fn hurry(&self) -> io::Result<()> {
        Ok(())
    }

    async fn first(&mut self) -> io::Result<usize> {
        Ok(1)
    }

    fn peer(&self) -> Option<IpAddr> {
        None
    }

    fn trouble(&self) -> io::Result<Option<io::Error>> {
        Ok(self.reset.load(Ordering::Relaxed).then(|| io::ErrorKind::ConnectionReset.into()))
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Hands an agent a task over a connection, which it does not read; after `LONG` its program dies. Who has the task?
async fn heir_of_who_never_read(request: &str) -> String {
    let desk = ToolFixture::new().await;
    let (first, second) = (desk.agent("a1", "coding").await, desk.agent("a2", "coding").await);
    let task = json!({"targetAgentId": "role:coding", "prompt": "Go."});
    desk.call(&operator(), "assign_task", task).await.done();
    let answered = Arc::new(Notify::new());
    let handler = {
        let (hub, answered) = (desk.hub.clone(), Arc::clone(&answered));
        move || async move {
            let reply = tools::call(&hub, &first, "wait_for_prompt", json!({})).await.expect("a task");
            answered.notify_one();
            delivered(Response::new(Body::from("the task")), reply.guard)
        }
    };
    let (mut theirs, stream) = duplex(64 * 1024);
    let reset = Arc::new(AtomicBool::new(false));
    let ear = Once(Some(Wire { stream, reset: Arc::clone(&reset) }).into());
    let (router, end) = (Router::new().route("/", get(handler)), CancellationToken::new());
    #[expect(clippy::disallowed_methods, reason = "the test holds its handle")]
    let served = tokio::spawn(serve(ear, None, router, 8, Timeouts::default(), end.clone()));
    theirs.write_all(request.as_bytes()).await.unwrap();
    answered.notified().await;
    sleep(LONG).await;
    reset.store(true, Ordering::Relaxed);
    drop(theirs);
    let said = desk.call(&second, "wait_for_prompt", json!({"timeout": 2})).await;
    end.cancel();
    served.await.unwrap();
    let said = said.text("status");
    desk.ends().await;
    said
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_kept_while_its_answer_may_lie_unread() {
    assert_eq!(heir_of_who_never_read(STAYS).await, "TASK");
}

#[tokio::test(start_paused = true)]
async fn our_own_end_waits_for_who_may_not_have_read() {
    assert_eq!(heir_of_who_never_read(CLOSES).await, "TASK");
}
