//! A client of the test's own on the other end of the pipes.

use std::path::Path;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};

use super::talk::{Fault, Talk, Turn};

/// What was told, and what people were asked.
type Seen = (Result<(), Fault>, Vec<Value>, Vec<Value>);

/// Plays one turn against a client that sends `lines` behind each request that it reads; in them, ID stands for the
/// request's id. Also returns what the client read.
async fn played(conversation: Option<&str>, is_allowed: bool, lines: &[&[&str]]) -> (Seen, Vec<Value>) {
    let (ours, theirs) = duplex(64 * 1024);
    let (input, output) = split(ours);
    let (mut told, mut asked) = (Vec::new(), Vec::new());
    let turn = Turn { text: "paint the form", conversation, folder: Path::new("/work") };
    let allow = async |question: Value| {
        asked.push(question);
        if is_allowed { Ok(()) } else { Err("Ada denied it.".to_owned()) }
    };
    let mut talk = Talk::new(BufReader::new(input), output, allow, |said| told.push(said));
    let whole = async {
        let ended = talk.play(&turn).await;
        drop(talk);
        ended
    };
    let (ended, read) = tokio::join!(whole, client(theirs, lines));
    ((ended, told, asked), read)
}

async fn client(stream: DuplexStream, lines: &[&[&str]]) -> Vec<Value> {
    let (input, mut output) = split(stream);
    let (mut input, mut read, mut lines) = (BufReader::new(input).lines(), Vec::new(), lines.iter());
    while let Some(line) = input.next_line().await.unwrap() {
        let message: Value = serde_json::from_str(&line).unwrap();
        let is_request = message["method"].is_string();
        read.push(message.clone());
        if is_request {
            let Some(answers) = lines.next() else { return read };
            for answer in *answers {
                let answer = answer.replace("ID", &message["id"].to_string());
                output.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
            }
        }
    }
    read
}

const HELLO: &[&str] = &[
    "Loading the extensions…",
    r#"{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}"#,
];
const OPENED: &[&str] = &[r#"{"jsonrpc":"2.0","id":ID,"result":{"sessionId":"s-1"}}"#];
const ASKS: &str = r#"{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"s-1",
    "toolCall":{"toolCallId":"c1","title":"rm -rf /","kind":"execute"},
    "options":[{"optionId":"always","kind":"allow_always"},{"optionId":"yes","kind":"allow_once"},
    {"optionId":"no","kind":"reject_once"}]}}"#;
const BEGINS: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":
    {"sessionUpdate":"tool_call","toolCallId":"c2"}}}"#;
const SAYS: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":
    {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"It is blue."}}}}"#;
const DONE: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn","usage":{"inputTokens":7}}}"#;

fn line(text: &str) -> String {
    text.replace("\n    ", "")
}

#[tokio::test(start_paused = true)]
async fn a_task_is_a_prompt_and_its_end_a_result() {
    let says = line(SAYS);
    let ((ended, told, asked), read) = played(None, true, &[HELLO, OPENED, &[&says, DONE]]).await;
    assert_eq!((ended, asked), (Ok(()), Vec::new()));
    let methods: Vec<_> = read.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["initialize", "session/new", "session/prompt"]);
    assert_eq!(read[1]["params"], json!({"cwd": "/work", "mcpServers": []}));
    assert_eq!(read[2]["params"]["prompt"], json!([{"type": "text", "text": "paint the form"}]));
    assert_eq!(told[0], json!({"type": "session", "sessionId": "s-1"}));
    let result = told.last().unwrap();
    assert_eq!((&result["text"], &result["usage"]["inputTokens"]), (&json!("It is blue."), &json!(7)), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_conversation_goes_on_by_its_id_and_what_it_said_before_is_no_result() {
    let says = line(SAYS);
    let loaded: &[&str] = &[&says, r#"{"jsonrpc":"2.0","id":ID,"result":null}"#];
    let ((ended, told, _), read) = played(Some("s-9"), true, &[HELLO, loaded, &[DONE]]).await;
    assert_eq!(ended, Ok(()));
    assert_eq!((&read[1]["method"], &read[1]["params"]["sessionId"]), (&json!("session/load"), &json!("s-9")));
    assert_eq!(told.last().unwrap()["text"], "");
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_lost_begins_anew_and_says_so() {
    let gone: &[&str] = &[r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"none","data":{"a":1}}}"#];
    let ((ended, told, _), read) = played(Some("s-9"), true, &[HELLO, gone, OPENED, &[DONE]]).await;
    assert_eq!(ended, Ok(()));
    assert_eq!(told[0], json!({"type": "conversation_lost", "why": "`session/load`: none ({\"a\":1})"}));
    assert_eq!(told[1]["sessionId"], "s-1");
    let text = read[3]["params"]["prompt"][0]["text"].as_str().unwrap();
    assert!(text.contains("get_task_context") && text.ends_with("\n\npaint the form"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn leave_is_asked_of_people_and_given_for_once() {
    let (asks, begins) = (line(ASKS), line(BEGINS));
    for (is_allowed, option) in [(true, "yes"), (false, "no")] {
        let ((ended, _, asked), read) = played(None, is_allowed, &[HELLO, OPENED, &[&asks, &begins, DONE]]).await;
        assert_eq!(ended, Ok(()));
        assert_eq!(asked, [json!({"tool": "execute", "input": {"command": "rm -rf /"}})]);
        let prompts = read.iter().filter(|message| message["method"] == "session/prompt").count();
        assert_eq!(prompts, 1, "it went on by itself");
        let answer = read.iter().find(|message| message["id"] == "p1").unwrap();
        assert_eq!(answer["result"]["outcome"], json!({"outcome": "selected", "optionId": option}));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_asked_about_by_all_that_was_said_of_it_and_one_that_says_nothing_is_refused() {
    let named = line(
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":
    "tool_call","toolCallId":"c1","title":"delete_repo","kind":"other","rawInput":{"name":"shop"}}}}"#,
    );
    let bare = line(
        r#"{"jsonrpc":"2.0","id":"p1","method":"session/request_permission","params":{"sessionId":"s-1",
    "toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"no",
    "kind":"reject_once"}]}}"#,
    );
    let ((ended, _, asked), _) = played(None, true, &[HELLO, OPENED, &[&named, &bare, DONE]]).await;
    assert_eq!(ended, Ok(()));
    let input = json!({"name": "shop", "title": "delete_repo", "content": null, "locations": null});
    assert_eq!(asked, [json!({"tool": "other", "input": input})]);
    let ((ended, _, asked), read) = played(None, true, &[HELLO, OPENED, &[&bare, DONE], &[DONE]]).await;
    assert_eq!((ended, asked), (Ok(()), Vec::new()));
    let answer = read.iter().find(|message| message["id"] == "p1").unwrap();
    assert_eq!(answer["result"]["outcome"]["optionId"], "no");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_ends_with_a_denial_goes_on_with_its_reason_and_not_for_ever() {
    let (asks, says) = (line(ASKS), line(SAYS));
    let ((ended, told, _), read) = played(None, false, &[HELLO, OPENED, &[&asks, DONE], &[&says, DONE]]).await;
    assert_eq!(ended, Ok(()));
    let prompts: Vec<_> = read.iter().filter(|message| message["method"] == "session/prompt").collect();
    let text = prompts[1]["params"]["prompt"][0]["text"].as_str().unwrap();
    assert_eq!((prompts.len(), text), (2, "Ada denied it. Go on without it, or report why you cannot."));
    assert_eq!(told.last().unwrap()["text"], "It is blue.");
    let again: &[&str] = &[&asks, DONE];
    let lines: Vec<&[&str]> = [HELLO, OPENED].into_iter().chain(std::iter::repeat_n(again, 20)).collect();
    let ((ended, ..), read) = played(None, false, &lines).await;
    assert_eq!(ended, Ok(()));
    assert_eq!(read.iter().filter(|message| message["method"] == "session/prompt").count(), 9);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_offered_is_refused_and_the_turn_goes_on() {
    let reads = r#"{"jsonrpc":"2.0","id":5,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}"#;
    let ((ended, ..), read) = played(None, true, &[HELLO, OPENED, &[reads, DONE]]).await;
    assert_eq!(ended, Ok(()));
    assert!(read.iter().any(|message| message["id"] == 5 && message["error"]["code"] == -32_601), "{read:?}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_fails_ends_or_never_answers_is_told_of_as_it_is() {
    let failed = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":429,"message":"quota"}}"#;
    for (lines, why) in [
        (&[HELLO, OPENED, &[failed]][..], "`session/prompt`: quota"),
        (&[HELLO, OPENED], "it ended, or closed its output, before its turn was over"),
        (&[&[] as &[&str]], "`initialize` had no answer within 180 s"),
        (
            &[&[r#"{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":2}}"#][..]],
            "it speaks version 2 of the protocol, and not 1",
        ),
    ] {
        let ((ended, ..), _) = played(None, true, lines).await;
        assert_eq!(ended.unwrap_err().why(), why);
    }
}
