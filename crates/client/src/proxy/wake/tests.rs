//! What `wake` does, tried.

use std::os::unix::net::UnixListener as StdListener;

use rstest::rstest;
use tokio::net::UnixListener;

use super::*;

#[rstest]
#[case::by_its_path(b"/opt/codex/codex\0app-server\0--listen\0unix://\0", true)]
#[case::by_node(b"node\0/usr/bin/codex\0app-server\0", true)]
#[case::one_run(b"codex\0exec\0hello\0", false)]
#[case::another(b"/bin/app-server\0", false)]
#[case::nothing(b"", false)]
fn only_the_daemon_takes_turns(#[case] command: &[u8], #[case] is: bool) {
    assert_eq!(is_daemon(command), is);
}

#[test]
fn the_socket_is_one_and_is_ours() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(Wake::at(home.path()), None);
    let folder = home.path().join("app-server-control");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("app-server-control.sock"), "").unwrap();
    assert_eq!(Wake::at(home.path()), None, "a file is no socket");
    fs::remove_file(folder.join("app-server-control.sock")).unwrap();
    let _listens = StdListener::bind(folder.join("app-server-control.sock")).unwrap();
    assert!(Wake::at(home.path()).is_some());
}

/// A daemon that answers what it is asked, and tells what it tells; what it was asked.
async fn daemon(listener: UnixListener, refuses: Option<&'static str>) -> Vec<Value> {
    let (stream, _) = listener.accept().await.unwrap();
    let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
    let mut asked = Vec::new();
    while let Some(Ok(Message::Text(text))) = socket.next().await {
        let message: Value = serde_json::from_str(text.as_str()).unwrap();
        asked.push(message.clone());
        let Some(id) = message.get("id") else { continue };
        let told = json!({"method": "thread/status", "params": {"id": id}});
        socket.send(Message::text(told.to_string())).await.unwrap();
        let answer = match refuses {
            Some(method) if message["method"] == method => {
                json!({"id": id, "error": {"code": -1, "message": "no"}})
            }
            // As Codex 0.169 says it.
            None if message["params"]["threadId"] == NOBODYS => {
                json!({"id": id, "error": {"code": -32600, "message": format!("thread not found: {NOBODYS}")}})
            }
            Some(_) | None => json!({"id": id, "result": {}}),
        };
        socket.send(Message::text(answer.to_string())).await.unwrap();
    }
    asked
}

#[tokio::test]
async fn a_turn_is_begun_in_the_thread_with_the_one_sentence() {
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("s");
    let (asked, nudged) = tokio::join!(daemon(UnixListener::bind(&socket).unwrap(), None), async {
        Wake::Socket(socket.clone()).nudge("t-1").await
    });
    assert_eq!(nudged, Ok(()));
    let methods: Vec<_> = asked.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["initialize", "initialized", "thread/resume", "turn/start"]);
    let wanted = json!({"threadId": "t-1", "input": [{"type": "text", "text": NUDGE}]});
    assert_eq!(asked[3]["params"], wanted);
}

#[tokio::test]
async fn a_turn_in_a_thread_that_nobody_has_shows_whether_the_daemon_takes_turns() {
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("s");
    let (asked, tried) =
        tokio::join!(daemon(UnixListener::bind(&socket).unwrap(), None), async { knows_turns(&socket).await });
    assert_eq!(tried, Ok(()));
    let methods: Vec<_> = asked.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["initialize", "initialized", "thread/resume", "turn/start"]);
    assert_eq!(asked[3]["params"]["threadId"], NOBODYS);
    for (method, why) in [("initialize", "initialize: no"), ("turn/start", "it was done for a thread that nobody has")]
    {
        let socket = home.path().join(method.replace('/', "-"));
        let daemon = daemon(UnixListener::bind(&socket).unwrap(), Some(method));
        let (asked, tried) = tokio::join!(daemon, async { knows_turns(&socket).await });
        assert!(tried.as_ref().is_err_and(|said| said.contains(why)), "{tried:?}");
        assert!(asked.iter().all(|message| message["method"] != "turn/start"), "{asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_is_gone_is_said_after_three_tries() {
    let home = tempfile::tempdir().unwrap();
    let why = Wake::Socket(home.path().join("s")).nudge("t-1").await.unwrap_err();
    assert!(why.contains("No such file"), "{why}");
}

#[tokio::test]
async fn a_file_gets_one_line_for_each_turn() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("turns");
    let wake = Wake::File(file.clone());
    assert!(wake.nudge("").await.is_err(), "a file that is gone is read by nobody");
    fs::write(&file, "").unwrap();
    assert_eq!((wake.nudge("").await, wake.nudge("").await), (Ok(()), Ok(())));
    let lines: Vec<Value> =
        fs::read_to_string(&file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, vec![json!({"type": "submit", "text": NUDGE}); 2]);
}

#[rstest]
#[case::a_terminal("/dev/pts/4", b"node\0/usr/bin/qwen\0--prompt-interactive\0wait\0", true)]
#[case::one_prompt("/dev/pts/4", b"qwen\0-p\0wait\0", false)]
#[case::one_prompt_at_length("/dev/tty1", b"qwen\0--prompt=wait\0", false)]
#[case::a_pipe("pipe:[4711]", b"qwen\0", false)]
#[case::nothing("/dev/null", b"qwen\0", false)]
fn the_file_is_for_terminals(#[case] input: &str, #[case] command: &[u8], #[case] reads: bool) {
    assert_eq!(is_terminal(Path::new(input)) && !is_one_prompt(command), reads);
}
