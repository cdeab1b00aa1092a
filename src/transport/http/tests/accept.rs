//! The accept loop, by true sockets and short patience.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::routing::get;
use axum::{Extension, Router};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::transport::http::{ConnectionPeer, Timeouts, serve};

/// Long enough that only a hang reaches it, and shorter than the door's patience when nothing else is said.
const HANG: Duration = Duration::from_secs(5);
const SOON: Duration = Duration::from_millis(100);
const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
/// From then on the connection is somebody's who is known.
const KNOWN: &[u8] = b"GET /known HTTP/1.1\r\nHost: x\r\n\r\n";

struct Door {
    address: SocketAddr,
    end: CancellationToken,
    served: JoinHandle<()>,
    sits: Arc<Notify>,
    left: Arc<Notify>,
    goes_on: Arc<Notify>,
}

/// Rings when it is dropped.
struct NotifyOnDrop(Arc<Notify>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl Door {
    async fn open(connections: usize, patience: Timeouts) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let [sits, left, goes_on] = [(); 3].map(|()| Arc::new(Notify::new()));
        let waits = {
            let (sits, left, goes_on) = (Arc::clone(&sits), Arc::clone(&left), Arc::clone(&goes_on));
            move || {
                let (sits, bell, goes_on) = (Arc::clone(&sits), NotifyOnDrop(Arc::clone(&left)), Arc::clone(&goes_on));
                async move {
                    sits.notify_one();
                    goes_on.notified().await;
                    drop(bell);
                    "done"
                }
            }
        };
        let router = Router::new().route("/", get(|| async { "hello" })).route("/waits", get(waits));
        let known = |stranger: Extension<ConnectionPeer>| async move {
            stranger.is_known();
            "known"
        };
        let router = router.route("/known", get(known));
        let end = CancellationToken::new();
        #[expect(clippy::disallowed_methods, reason = "the test holds its handle")]
        let served = tokio::spawn(serve(listener, None, router, connections, patience, end.clone()));
        Self { address, end, served, sits, left, goes_on }
    }

    async fn calls(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn waits(&self) -> TcpStream {
        let mut stream = self.calls().await;
        stream.write_all(b"GET /waits HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
        timeout(HANG, self.sits.notified()).await.unwrap();
        stream
    }

    async fn ends(self) {
        self.end.cancel();
        timeout(HANG, self.served).await.expect("the loop ends").unwrap();
    }
}

/// Everything until the other side closes; an end by force counts as an end.
async fn until_closed(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let _ = timeout(HANG, stream.read_to_end(&mut all)).await.expect("the connection is closed");
    String::from_utf8(all).unwrap()
}

/// Everything of one small answer.
async fn answer(stream: &mut TcpStream) -> String {
    let mut all = vec![0; 4096];
    let length = timeout(HANG, stream.read(&mut all)).await.expect("an answer").unwrap_or(0);
    String::from_utf8_lossy(&all[..length]).into_owned()
}

#[tokio::test]
async fn who_says_nothing_is_not_waited_for() {
    let door = Door::open(8, Timeouts { first_byte: SOON, ..Timeouts::default() }).await;
    assert_eq!(until_closed(&mut door.calls().await).await, "");
    door.ends().await;
}

#[tokio::test]
async fn who_says_half_a_request_is_not_waited_for() {
    let door = Door::open(8, Timeouts { headers: SOON, ..Timeouts::default() }).await;
    let mut stream = door.calls().await;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ").await.unwrap();
    assert!(!until_closed(&mut stream).await.contains("200"));
    door.ends().await;
}

#[tokio::test]
async fn no_patience_ends_a_request_that_is_being_answered() {
    let door = Door::open(8, Timeouts { first_byte: SOON, headers: SOON, end: HANG }).await;
    let mut stream = door.waits().await;
    tokio::time::sleep(SOON * 3).await;
    door.goes_on.notify_one();
    assert!(until_closed(&mut stream).await.ends_with("done"));
    door.ends().await;
}

#[tokio::test]
async fn headers_beyond_their_limit_are_refused() {
    let door = Door::open(8, Timeouts::default()).await;
    let mut stream = door.calls().await;
    let large = format!("GET / HTTP/1.1\r\nHost: x\r\nX-Large: {}\r\n\r\n", "x".repeat(200_000));
    let _ = stream.write_all(large.as_bytes()).await;
    // The refusal may be lost with the connection: it is closed while the rest still comes.
    assert!(!until_closed(&mut stream).await.contains("hello"));
    door.ends().await;
}

#[tokio::test]
async fn a_full_house_takes_the_next_when_somebody_leaves() {
    let door = Door::open(1, Timeouts::default()).await;
    let mut first = door.calls().await;
    first.write_all(KNOWN).await.unwrap();
    assert!(answer(&mut first).await.contains("known"));
    assert_eq!(until_closed(&mut door.calls().await).await, "", "nobody else has a place");
    drop(first);
    let served = async {
        loop {
            let mut next = door.calls().await;
            // A place is free as soon as the loop has seen the first one leave.
            if next.write_all(REQUEST).await.is_ok() && answer(&mut next).await.contains("hello") {
                break;
            }
        }
    };
    timeout(HANG, served).await.expect("the place is given on");
    door.ends().await;
}

#[tokio::test]
async fn who_hangs_up_ends_the_handler() {
    let door = Door::open(8, Timeouts::default()).await;
    drop(door.waits().await);
    timeout(HANG, door.left.notified()).await.expect("the handler is dropped");
    door.ends().await;
}

#[tokio::test]
async fn the_end_waits_for_who_is_being_served_and_for_nobody_else() {
    let door = Door::open(8, Timeouts::default()).await;
    let (mut silent, mut idle) = (door.calls().await, door.calls().await);
    idle.write_all(REQUEST).await.unwrap();
    assert!(answer(&mut idle).await.contains("hello"));
    let mut served = door.waits().await;
    door.end.cancel();
    assert_eq!(until_closed(&mut silent).await, "");
    assert_eq!(until_closed(&mut idle).await, "");
    assert!(!door.served.is_finished());
    door.goes_on.notify_one();
    assert!(until_closed(&mut served).await.ends_with("done"));
    assert!(TcpStream::connect(door.address).await.is_err(), "nobody else is let in");
    timeout(HANG, door.served).await.expect("at once").unwrap();
}

#[tokio::test]
async fn the_end_does_not_wait_for_ever() {
    let door = Door::open(8, Timeouts { end: SOON, ..Timeouts::default() }).await;
    let mut stream = door.waits().await;
    door.end.cancel();
    timeout(HANG, door.served).await.expect("the loop ends").unwrap();
    assert_eq!(until_closed(&mut stream).await, "");
    timeout(HANG, door.left.notified()).await.expect("the handler is dropped");
}

#[tokio::test]
async fn a_newcomer_gets_the_place_of_the_first_stranger_and_not_of_who_is_known() {
    let door = Door::open(64, Timeouts::default()).await;
    let mut known = door.calls().await;
    known.write_all(KNOWN).await.unwrap();
    assert!(answer(&mut known).await.contains("known"));
    let mut strangers = Vec::new();
    for _ in 0..33 {
        let mut stream = door.calls().await;
        stream.write_all(REQUEST).await.unwrap();
        assert!(answer(&mut stream).await.contains("hello"));
        strangers.push(stream);
    }
    assert_eq!(until_closed(&mut strangers[0]).await, "", "half of the places are for strangers, and no more");
    for stream in strangers[1..].iter_mut().chain([&mut known]) {
        stream.write_all(REQUEST).await.unwrap();
        assert!(answer(stream).await.contains("hello"));
    }
    door.ends().await;
}
