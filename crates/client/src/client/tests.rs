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
        HubPlace::find(&globals).map(|found| found.nodes.now().to_string())
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

/// Two nodes of a hub, and who knows both.
async fn nodes() -> (TcpListener, TcpListener, HubClient) {
    let (first, _) = hub().await;
    let second = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let urls = format!("{},http://{}", url(&first), second.local_addr().unwrap());
    (first, second, HubClient::at(&urls, SecretString::from("cb_u_test")).unwrap())
}

fn url(listener: &TcpListener) -> String {
    format!("http://{}", listener.local_addr().unwrap())
}

async fn does_not_own(node: &TcpListener, owner: &str) {
    let error = json!({"error": "another node owns the journal", "code": "NOT_OWNER", "details": {"publicUrl": owner}});
    answer(request(node).await.0, "503 Service Unavailable", &error.to_string()).await;
}

#[tokio::test]
async fn of_several_nodes_the_one_that_owns_is_found_and_asked_first_from_then_on() {
    let (first, second, client) = nodes().await;
    // What a node says of the owner is only said: the token goes to nobody who was not named.
    let stranger = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plays = async {
        does_not_own(&first, &url(&stranger)).await;
        let (stream, asked) = request(&second).await;
        answer(stream, "201 Created", r#"{"taskId":"1"}"#).await;
        answer(request(&second).await.0, "200 OK", r#"{"items":[]}"#).await;
        asked
    };
    let asks = async {
        let made = client.post(&["api", "v1", "tasks"], &json!({ "prompt": "once" })).await.unwrap();
        client.list(&["api", "v1", "tasks"], &[], 9).await.unwrap();
        made
    };
    let (made, asked) = tokio::join!(asks, plays);
    assert_eq!((made["taskId"].as_str(), header(&asked, "authorization")), (Some("1"), Some("bearer cb_u_test")));
    assert_eq!(client.address(), url(&second));
    let nobody = tokio::time::timeout(std::time::Duration::ZERO, stranger.accept()).await;
    assert!(nobody.is_err(), "{nobody:?}");
}

#[tokio::test]
async fn while_nobody_owns_all_are_asked_again_and_a_mutation_keeps_its_key() {
    let (first, second, client) = nodes().await;
    drop(second);
    let plays = async {
        does_not_own(&first, "https://hub-b.example").await;
        let (lost, one) = request(&first).await;
        drop(lost);
        does_not_own(&first, "https://hub-b.example").await;
        let (stream, other) = request(&first).await;
        answer(stream, "200 OK", "{}").await;
        (one, other)
    };
    let body = json!({});
    let (made, (one, other)) = tokio::join!(client.post(&["api", "v1", "tasks"], &body), plays);
    made.unwrap();
    let key = header(&one, "idempotency-key");
    assert!(key.is_some() && key == header(&other, "idempotency-key"), "{one}");
}

#[tokio::test]
async fn nodes_that_are_all_away_or_do_not_own_are_said_and_who_is_meant_instead() {
    let (first, second, client) = nodes().await;
    let [of_first, of_second] = [&first, &second].map(url);
    drop(second);
    let plays = async {
        loop {
            does_not_own(&first, "https://hub-b.example").await;
        }
    };
    let gone = tokio::select! {
        gone = client.get(&["api", "v1", "me"], &[]) => gone.unwrap_err(),
        () = plays => unreachable!(),
    };
    assert_eq!(gone.exit(), Exit::Unreachable);
    let words = gone.words();
    assert!(words.contains(&format!("`{of_first}`: another node owns the journal")), "{words}");
    assert!(words.contains(&format!("`{of_second}`: nobody answers (")), "{words}");
    drop(first);
    let gone = client.get(&["api", "v1", "me"], &[]).await.unwrap_err().words();
    assert!(gone.contains(&format!("`{of_first}`: nobody answers (")), "{gone}");
    let (only, client) = hub().await;
    let plays = async {
        for _ in 0..3 {
            does_not_own(&only, "https://hub-b.example").await;
        }
    };
    let (refused, ()) = tokio::join!(client.get(&["api", "v1", "me"], &[]), plays);
    let words = refused.unwrap_err().words();
    assert!(words.contains("NOT_OWNER (503)") && words.contains("publicUrl: https://hub-b.example"), "{words}");
}

#[tokio::test]
async fn a_refusal_of_a_node_that_owns_is_no_reason_to_ask_another() {
    let (first, second, client) = nodes().await;
    let no = r#"{"error":"who are you","code":"UNAUTHENTICATED"}"#;
    let plays = async { answer(request(&first).await.0, "401 Unauthorized", no).await };
    let (refused, ()) = tokio::join!(client.get(&["api", "v1", "me"], &[]), plays);
    assert_eq!(refused.unwrap_err().exit(), Exit::Refused);
    assert!(tokio::time::timeout(std::time::Duration::ZERO, second.accept()).await.is_err());
}

#[tokio::test]
async fn a_stream_goes_on_at_the_node_that_owns() {
    let (first, second, client) = nodes().await;
    let event = |seq: u64| format!("id: {seq}\nevent: task.created\ndata: {{\"seq\":{seq}}}\n\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let plays = async {
        does_not_own(&first, "https://hub-b.example").await;
        let (mut stream, _) = request(&second).await;
        stream.write_all(format!("{head}{}", event(7)).as_bytes()).await.unwrap();
        drop(stream);
        does_not_own(&second, "https://hub-a.example").await;
        let (mut stream, asked) = request(&first).await;
        stream.write_all(format!("{head}{}", event(8)).as_bytes()).await.unwrap();
        asked
    };
    let hears = async {
        let mut stream = client.events(6, Vec::new());
        [stream.next().await.unwrap(), stream.next().await.unwrap()]
    };
    let (heard, asked) = tokio::join!(hears, plays);
    assert_eq!(heard, [7, 8].map(|seq| StreamItem::Event(json!({ "seq": seq }))));
    assert_eq!(header(&asked, "last-event-id"), Some("7"));
}

#[test]
fn a_list_of_addresses_is_read_as_a_whole_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let token = dir.path().join("token");
    crate::private_file::replace(&token, b"cb_u_test\n").unwrap();
    let named = |url: &str, token: Option<&std::path::Path>| {
        let (url, data_dir) = (Some(url.to_owned()), Some(dir.path().to_owned()));
        HubPlace::find(&GlobalArgs { url, data_dir, token_file: token.map(Into::into), ..GlobalArgs::default() })
    };
    let found = named("https://a.example, https://b.example:8443/hub", Some(&token)).unwrap();
    let all: Vec<&str> = found.nodes.all().iter().map(reqwest::Url::as_str).collect();
    assert_eq!(all, ["https://a.example/", "https://b.example:8443/hub"]);
    for (list, why) in [
        ("https://a.example,", "an address is missing"),
        (",", "an address is missing"),
        ("https://a.example,https://a.example/", "is there twice"),
        ("https://a.example,b.example", "is not the address of a hub"),
        ("https://a.example https://b.example", "is not the address of a hub"),
        ("https://a.example,http://b.example", "would carry the token in the clear"),
        ("https://a.example,https://me:pw@b.example", "credentials have no place"),
    ] {
        let refused = named(list, Some(&token)).unwrap_err();
        assert_eq!(refused.exit(), Exit::Configuration, "{list}");
        assert!(refused.words().contains(why), "{list}: {}", refused.words());
    }
    // The operator's token is for the hub of its own data directory, and not for another one in the list.
    std::fs::write(dir.path().join("hub.url"), "http://127.0.0.1:9\n").unwrap();
    crate::private_file::replace(&dir.path().join("operator.token"), b"cb_u_test\n").unwrap();
    named("http://127.0.0.1:9", None).unwrap();
    let refused = named("http://127.0.0.1:9,http://127.0.0.1:10", None).unwrap_err().words();
    assert!(refused.contains("there is no token for `http://127.0.0.1:10/`"), "{refused}");
    let globals = GlobalArgs { url: Some("http://127.0.0.1:1,http://127.0.0.1:2".into()), ..GlobalArgs::default() };
    assert_eq!(super::address_of(&globals).unwrap_err().exit(), Exit::Configuration);
}

/// The environment has no proxy here; what matters is which client carries what.
#[test]
fn in_a_list_with_others_an_address_of_this_machine_is_asked_without_a_proxy() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let urls = "http://127.0.0.1:7420,https://hub.example,https://[::1]:7421";
    let mixed = HubClient::at(urls, SecretString::from("cb_u_test")).unwrap();
    let carriers: Vec<_> = mixed.nodes.all().iter().map(|url| std::ptr::from_ref(mixed.carrier(url))).collect();
    assert!(carriers[0] == carriers[2] && carriers[0] != carriers[1]);
}

/// The hub takes each request, and its answer is lost.
#[tokio::test]
async fn a_change_whose_answer_never_came_may_have_been_done_and_a_look_is_just_repeated() {
    let (listener, client) = hub().await;
    let loses = async || {
        for _ in 0..3 {
            drop(request(&listener).await);
        }
    };
    let path = ["api", "v1", "tasks"];
    let (changed, ()) = tokio::join!(client.post(&path, &Value::Null), loses());
    let changed = changed.unwrap_err();
    assert!(changed.is_unsure() && changed.words().contains("it may have been done all the same"), "{changed:?}");
    let (seen, ()) = tokio::join!(client.get(&path, &[]), loses());
    let seen = seen.unwrap_err();
    assert!(!seen.is_unsure() && seen.words().ends_with("next: the same command again\n"), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn who_looks_on_is_told_once_that_an_answer_is_long_in_coming() {
    for (seconds, expected) in [(3, 0), (5, 1), (29, 1)] {
        let (answer, mut told) = (tokio::time::sleep(std::time::Duration::from_secs(seconds)), 0);
        super::request::told_when_slow(answer, || told += 1).await;
        assert_eq!(told, expected, "after {seconds} s");
    }
}
