//! What `link` does, tried.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;

use super::*;
use crate::place::write_private;

#[test]
fn a_pause_is_never_longer_than_said_and_never_shorter_than_its_half() {
    for _ in 0..1_000 {
        let pause = jittered(Duration::from_secs(4));
        assert!(pause >= Duration::from_secs(2) && pause <= Duration::from_secs(4), "{pause:?}");
    }
}

/// A node that does not own: it says so to the wish for a WebSocket, and to the look at why there is none.
async fn does_not_own(node: &TcpListener) {
    const NOT_OWNER: &str = r#"{"error":"another node owns the journal","code":"NOT_OWNER"}"#;
    for _ in 0..2 {
        let (mut stream, _) = node.accept().await.unwrap();
        let mut read = Vec::new();
        while !read.ends_with(b"\r\n\r\n") {
            assert!(stream.read_buf(&mut read).await.unwrap() > 0);
        }
        let head = format!("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: {}", NOT_OWNER.len());
        let text = format!("{head}\r\nConnection: close\r\n\r\n{NOT_OWNER}");
        stream.write_all(text.as_bytes()).await.unwrap();
    }
}

async fn owns(node: &TcpListener) -> WebSocketStream<TcpStream> {
    let (stream, _) = node.accept().await.unwrap();
    #[expect(clippy::result_large_err, reason = "the shape that the library asks for")]
    let greet = |request: &Request, mut response: Response| {
        assert_eq!(request.headers()["authorization"], "Bearer cb_a_test");
        response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static("mcp"));
        Ok(response)
    };
    tokio_tungstenite::accept_hdr_async(stream, greet).await.unwrap()
}

#[tokio::test]
async fn a_proxy_finds_the_node_that_owns_and_after_its_end_the_one_that_took_over() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let dir = tempfile::tempdir().unwrap();
    write_private(&dir.path().join("token"), "cb_a_test\n").unwrap();
    let (a, b) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let globals = GlobalArgs {
        url: Some(format!("http://{},http://{}", a.local_addr().unwrap(), b.local_addr().unwrap())),
        token_file: Some(dir.path().join("token")),
        data_dir: Some(dir.path().to_owned()),
        config: None,
    };
    let hub = Hub::find(&globals, &AgentId::parse("a1").unwrap(), None).unwrap();
    let plays = async {
        does_not_own(&a).await;
        owns(&b).await
    };
    let (link, mut owner) = tokio::join!(hub.reach(), plays);
    let mut link = link.unwrap();
    owner.send(Message::text("hello")).await.unwrap();
    assert_eq!(link.heard().await.as_deref(), Some("hello"));
    drop((owner, b));
    assert_eq!(link.heard().await, None);
    let plays = async {
        // The other one is dead, and this one has not taken over yet.
        does_not_own(&a).await;
        owns(&a).await
    };
    let (link, mut owner) = tokio::join!(hub.reach(), plays);
    assert!(link.unwrap().say("again".to_owned()).await);
    assert_eq!(owner.next().await.unwrap().unwrap(), Message::text("again"));
}
