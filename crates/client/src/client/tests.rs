//! A hub that answers badly, played by hand on a socket.

use std::os::unix::fs::PermissionsExt as _;

use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{HubClient, HubPlace, StreamItem};
use crate::exit::Exit;
use crate::place::GlobalArgs;

/// Whoever may write there names the address that the operator's token is sent to.
#[test]
fn a_data_directory_that_others_may_write_is_not_read_for_an_address_or_a_token() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("hub.url"), "http://127.0.0.1:9\n").unwrap();
    crate::private_file::replace(&dir.path().join("operator.token"), b"cb_u_test\n").unwrap();
    let globals = GlobalArgs { data_dir: Some(dir.path().to_owned()), ..GlobalArgs::default() };
    let found = |mode: u32| {
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        HubPlace::find(&globals).map(|found| found.url.to_string())
    };
    assert_eq!(found(0o755).unwrap(), "http://127.0.0.1:9/");
    for mode in [0o777, 0o770, 0o1777] {
        let refused = found(mode).unwrap_err();
        assert_eq!(refused.exit(), Exit::Configuration);
        assert!(refused.words().contains(&crate::private_file::closing_folder(dir.path())), "{}", refused.words());
    }
}

async fn hub() -> (TcpListener, HubClient) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let client = HubClient::at(&url, SecretString::from("cb_u_test")).unwrap();
    (listener, client)
}

/// Takes one request, whole, and gives its lines in lower case.
async fn request(listener: &TcpListener) -> (TcpStream, String) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = header(head, "content-length").map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return (stream, text);
            }
        }
        assert!(stream.read_buf(&mut read).await.unwrap() > 0, "it broke off: {text}");
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
}

async fn answer(mut stream: TcpStream, status: &str, body: &str) {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nRetry-After: 0\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn a_mutation_whose_answer_was_lost_is_repeated_with_the_same_key() {
    let (listener, client) = hub().await;
    let plays = async {
        let (lost, first) = request(&listener).await;
        drop(lost);
        let (stream, second) = request(&listener).await;
        answer(stream, "201 Created", r#"{"taskId":"0196abcd"}"#).await;
        (first, second)
    };
    let body = json!({ "prompt": "once" });
    let (made, (first, second)) = tokio::join!(client.post(&["api", "v1", "tasks"], &body), plays);
    assert_eq!(made.unwrap()["taskId"], "0196abcd");
    let key = header(&first, "idempotency-key");
    assert!(key.is_some_and(|key| key.len() > 8), "{first}");
    assert_eq!(key, header(&second, "idempotency-key"));
    assert_eq!(header(&first, "callboard-surface"), Some("cli"));
    assert_eq!(header(&first, "authorization"), Some("bearer cb_u_test"));
}

#[tokio::test]
async fn not_now_is_asked_again_after_the_pause_that_the_hub_names() {
    let (listener, client) = hub().await;
    let plays = async {
        let busy = r#"{"error":"the queue is full","code":"BUSY"}"#;
        answer(request(&listener).await.0, "503 Service Unavailable", busy).await;
        answer(request(&listener).await.0, "429 Too Many Requests", busy).await;
        answer(request(&listener).await.0, "200 OK", r#"{"items":[]}"#).await;
    };
    let (listed, ()) = tokio::join!(client.list(&["api", "v1", "tasks"], &[], 9), plays);
    assert_eq!(listed.unwrap(), Vec::<Value>::new().into());
}

#[tokio::test]
async fn a_no_is_told_once_with_its_code_and_what_to_type() {
    let (listener, client) = hub().await;
    let no = r#"{"error":"there is no such task","code":"TASK_NOT_FOUND","requestId":"r1","details":{"prompt":"x"}}"#;
    let plays = async { answer(request(&listener).await.0, "404 Not Found", no).await };
    let (asked, ()) = tokio::join!(client.get(&["api", "v1", "tasks", "0196abcd"], &[]), plays);
    let problem = asked.unwrap_err();
    assert_eq!(problem.exit(), Exit::NotFound);
    let words =
        "error: there is no such task\n  why:  TASK_NOT_FOUND (404)\n        request r1\n  next: callboard task list\n";
    assert_eq!(problem.words(), words);
}

#[tokio::test]
async fn a_redirect_gets_no_token_and_is_no_hub() {
    let (listener, client) = hub().await;
    let plays = async { answer(request(&listener).await.0, "302 Found", "elsewhere").await };
    let (asked, ()) = tokio::join!(client.get(&["api", "v1", "tasks"], &[]), plays);
    assert_eq!(asked.unwrap_err().exit(), Exit::Failed);
}

#[tokio::test]
async fn a_stream_that_broke_off_goes_on_behind_the_last_event_and_tells_none_twice() {
    let (listener, client) = hub().await;
    let event = |seq: u64| format!("id: {seq}\nevent: task.created\ndata: {{\"seq\":{seq}}}\n\n");
    let plays = async {
        let (mut stream, first) = request(&listener).await;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        let half = "id: 9\ndata: {\"se";
        stream.write_all(format!("{head}:\n\n{}{}{half}", event(7), event(8)).as_bytes()).await.unwrap();
        drop(stream);
        let (mut stream, second) = request(&listener).await;
        let gap = "event: gap\ndata: {\"missed\":3}\n\n";
        stream.write_all(format!("{head}{}{}{gap}", event(8), event(9)).as_bytes()).await.unwrap();
        drop(stream);
        (first, second)
    };
    let hears = async {
        let mut stream = client.events(6, Vec::new());
        let mut heard = Vec::new();
        for _ in 0..4 {
            heard.push(stream.next().await.unwrap());
        }
        heard
    };
    let (heard, (first, second)) = tokio::join!(hears, plays);
    let seq = |seq: u64| StreamItem::Event(json!({ "seq": seq }));
    assert_eq!(heard, [seq(7), seq(8), seq(9), StreamItem::Missed { count: 3, after: None }]);
    assert!(first.starts_with("get /api/v1/events?after=6 ") && header(&first, "last-event-id").is_none(), "{first}");
    assert_eq!(header(&second, "last-event-id"), Some("8"));
}
