//! The messages of the Agent Client Protocol: JSON-RPC 2.0, one message a line, on the client's standard input and
//! output.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};

/// The longest line that is read, in bytes.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// The most that is kept of the client's last words, in bytes.
const LONGEST_SAID: usize = 16 * 1024;

/// What stands before the text where the conversation that was to go on is there no longer.
const LOST: &str = "(What you said and did before is gone from here. get_task_context tells of it.)";

/// Within this a client must be ready for its task: opencode takes 50 s without a network, on a busy machine.
const READY: Duration = Duration::from_secs(180);

/// Of so many calls it is known what they are: far more than are ever under way.
const MOST_CALLS: usize = 256;

/// How often pieces of text are told of, at most.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// How often a conversation goes on whose turn ended with what was denied: a rule may deny the same for ever.
const MOST_DENIALS: usize = 8;

/// The code of JSON-RPC for a method that is not there.
const NO_METHOD: i64 = -32_601;

/// What a client is to do.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    pub(super) text: &'a str,
    /// The client's own id of the conversation that goes on.
    pub(super) conversation: Option<&'a str>,
    pub(super) folder: &'a Path,
}

/// Why a turn was not played: the client's own error object, or one like it.
#[derive(Debug, PartialEq)]
pub(super) struct Fault(pub(super) Value);

impl Fault {
    fn new(why: impl Into<String>) -> Self {
        Self(json!({ "message": why.into() }))
    }

    pub(super) fn why(&self) -> String {
        let said = self.0["message"].as_str().unwrap_or("it failed");
        let method = self.0["method"].as_str().map(|method| format!("`{method}`: ")).unwrap_or_default();
        let data = if self.0["data"].is_null() { String::new() } else { format!(" ({})", self.0["data"]) };
        format!("{method}{said}{data}")
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::new(format!("its connection broke: {error}"))
    }
}

/// The connection. `allow` answers what the client would ask its user, with why not; `tell` is told what it does.
pub(super) struct Talk<R, W, A, T> {
    input: R,
    output: W,
    allow: A,
    tell: T,
    requests: u64,
    /// Whether the conversation is: what it said before, it may say again while it is loaded.
    is_open: bool,
    said: String,
    told_at: Option<Instant>,
    /// What was said of the calls of its tools, the newest, by their ids.
    calls: BTreeMap<String, Value>,
    /// Why the newest call was denied, where none has begun since.
    denied: Option<String>,
}

impl<R, W, A, T> Talk<R, W, A, T>
where
    R: AsyncBufRead + Unpin,
    W: AsyncWrite + Unpin,
    A: AsyncFnMut(Value) -> Result<(), String>,
    T: FnMut(Value),
{
    pub(super) const fn new(input: R, output: W, allow: A, tell: T) -> Self {
        Self {
            input,
            output,
            allow,
            tell,
            requests: 0,
            is_open: false,
            said: String::new(),
            told_at: None,
            calls: BTreeMap::new(),
            denied: None,
        }
    }

    /// Says hello, opens the conversation, gives the task, and answers until the turn is over.
    pub(super) async fn play(&mut self, turn: &Turn<'_>) -> Result<(), Fault> {
        let hello = json!({
            "protocolVersion": 1,
            "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
            "clientInfo": {"name": "callboard", "version": env!("CARGO_PKG_VERSION")},
        });
        let known = self.ready("initialize", hello).await?;
        if known["protocolVersion"] != 1 {
            return Err(Fault::new(format!(
                "it speaks version {} of the protocol, and not 1",
                known["protocolVersion"]
            )));
        }
        let known = &known["agentCapabilities"];
        let (mut text, mut session) = (Cow::Borrowed(turn.text), Err(Fault(Value::Null)));
        if let Some(conversation) = turn.conversation {
            session = self.resumed(turn, conversation, known).await;
            if let Err(lost) = &session {
                (self.tell)(json!({"type": "conversation_lost", "why": lost.why()}));
                text = Cow::Owned(format!("{LOST}\n\n{text}"));
            }
        }
        let session = match session {
            Ok(session) => session,
            Err(_) => self.new_session(turn).await?,
        };
        (self.tell)(json!({"type": "session", "sessionId": session}));
        self.is_open = true;
        for _ in 0..=MOST_DENIALS {
            let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
            let ended = self.request("session/prompt", prompt).await?;
            let said = std::mem::take(&mut self.said);
            (self.tell)(json!({"type": "result", "stopReason": ended["stopReason"], "text": said,
                "usage": ended["usage"], "_meta": ended["_meta"]}));
            // Codex and Copilot end their turn there, as their user would say next what to do instead.
            let Some(why) = self.denied.take() else { break };
            text = Cow::Owned(format!("{why} Go on without it, or report why you cannot."));
        }
        Ok(())
    }

    /// The id of a new conversation. The servers are those of the client's own settings.
    async fn new_session(&mut self, turn: &Turn<'_>) -> Result<String, Fault> {
        let opened = self.ready("session/new", json!({"cwd": turn.folder, "mcpServers": []})).await?;
        opened["sessionId"].as_str().map(str::to_owned).ok_or_else(|| Fault::new("`session/new` named none"))
    }

    async fn resumed(&mut self, turn: &Turn<'_>, conversation: &str, can: &Value) -> Result<String, Fault> {
        let method = match (&can["sessionCapabilities"]["resume"], &can["loadSession"]) {
            (Value::Object(_) | Value::Bool(true), _) => "session/resume",
            (_, Value::Bool(true)) => "session/load",
            _ => return Err(Fault::new("it cannot go on with a conversation")),
        };
        self.ready(method, json!({"sessionId": conversation, "cwd": turn.folder, "mcpServers": []})).await?;
        Ok(conversation.to_owned())
    }

    async fn ready(&mut self, method: &'static str, params: Value) -> Result<Value, Fault> {
        timeout(READY, self.request(method, params))
            .await
            .map_err(|_| Fault::new(format!("`{method}` had no answer within {} s", READY.as_secs())))?
    }

    /// Sends a request, and answers the client's own until the answer is there.
    async fn request(&mut self, method: &'static str, params: Value) -> Result<Value, Fault> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        loop {
            let mut message = self.next().await?;
            match (message["method"].as_str(), message.get("id").is_some_and(|id| !id.is_null())) {
                (Some("session/request_permission"), true) => {
                    let outcome = self.permission(&message["params"]).await;
                    self.answer(&message, json!({"result": {"outcome": outcome}})).await?;
                }
                (Some(other), true) => {
                    let error = json!({"code": NO_METHOD, "message": format!("`{other}` is not offered here")});
                    self.answer(&message, json!({ "error": error })).await?;
                }
                (Some("session/update"), false) if self.is_open => self.heard(&message["params"]["update"]),
                (Some(_), false) => {}
                (None, _) if message["id"] == id => {
                    return match message.get("error") {
                        Some(error) => {
                            let mut error = error.clone();
                            error["method"] = method.into();
                            Err(Fault(error))
                        }
                        None => Ok(message["result"].take()),
                    };
                }
                (None, _) => {}
            }
        }
    }

    async fn send(&mut self, message: &Value) -> Result<(), Fault> {
        self.output.write_all(format!("{message}\n").as_bytes()).await?;
        Ok(self.output.flush().await?)
    }

    async fn answer(&mut self, asked: &Value, mut answer: Value) -> Result<(), Fault> {
        (answer["jsonrpc"], answer["id"]) = (json!("2.0"), asked["id"].clone());
        self.send(&answer).await
    }

    /// The next message. What is no JSON is a client's own print, and left out.
    async fn next(&mut self) -> Result<Value, Fault> {
        loop {
            let mut line = Vec::new();
            let length = (&mut self.input).take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
            if length == 0 {
                return Err(Fault::new("it ended, or closed its output, before its turn was over"));
            }
            if !line.ends_with(b"\n") && u64::try_from(length).is_ok_and(|length| length == LONGEST_LINE) {
                return Err(Fault::new(format!("a line of it is longer than {LONGEST_LINE} bytes")));
            }
            if let Some(message) = serde_json::from_slice(&line).ok().filter(Value::is_object) {
                return Ok(message);
            }
        }
    }

    /// Tells of what it does, and keeps its last words.
    fn heard(&mut self, update: &Value) {
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        if kind == "agent_message_chunk" {
            self.said.push_str(update["content"]["text"].as_str().unwrap_or_default());
            let from = self.said.ceil_char_boundary(self.said.len().saturating_sub(LONGEST_SAID));
            self.said.drain(..from);
        }
        if matches!(kind, "tool_call" | "tool_call_update") {
            self.call(update);
        }
        if update["_meta"]["usage"].is_object() || kind == "usage_update" {
            return (self.tell)(json!({"type": "usage", "update": update}));
        }
        if kind == "tool_call" {
            self.said.clear();
            self.denied = None;
            return (self.tell)(json!({"type": kind, "title": update["title"], "kind": update["kind"]}));
        }
        if self.told_at.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            self.told_at = Some(Instant::now());
            (self.tell)(json!({ "type": kind }));
        }
    }

    /// What is known of a call by now: each message may leave out what an earlier one said.
    fn call(&mut self, said: &Value) -> Value {
        let id = said["toolCallId"].as_str().unwrap_or_default().to_owned();
        if self.calls.len() >= MOST_CALLS && !self.calls.contains_key(&id) {
            self.calls.pop_first();
        }
        let known = self.calls.entry(id).or_insert_with(|| json!({}));
        for part in ["kind", "title", "rawInput", "content", "locations"] {
            if !said[part].is_null() {
                known[part] = said[part].clone();
            }
        }
        known.clone()
    }

    /// Asks, and picks the client's own option that says so for this once: the hub remembers what is allowed longer.
    async fn permission(&mut self, params: &Value) -> Value {
        let question = question(&self.call(&params["toolCall"]));
        let answer = match question {
            Some(question) => (self.allow)(question).await,
            None => Err("A call that says nothing of itself is denied.".to_owned()),
        };
        let wanted = if answer.is_ok() { "allow_once" } else { "reject_once" };
        self.denied = answer.err();
        let options = params["options"].as_array().into_iter().flatten();
        match options.into_iter().find(|option| option["kind"] == wanted) {
            Some(option) => json!({"outcome": "selected", "optionId": option["optionId"]}),
            None => json!({"outcome": "cancelled"}),
        }
    }
}

/// What `ask_permission` is asked for a call: its kind is the tool, as `execute` or `edit`. Not every client says the
/// arguments; then a command is its title. Anything else has its title beside them, as one kind is many tools.
/// None where nothing says what it is.
fn question(call: &Value) -> Option<Value> {
    let tool = call["kind"].as_str().unwrap_or("other");
    let mut input = call["rawInput"].as_object().cloned().unwrap_or_default();
    if input.is_empty() && call["title"].as_str().unwrap_or_default().is_empty() {
        return None;
    }
    if tool == "execute" && input.is_empty() {
        input.insert("command".to_owned(), call["title"].clone());
    } else if !input.get("command").is_some_and(Value::is_string) {
        for part in ["title", "content", "locations"] {
            input.entry(part).or_insert_with(|| call[part].clone());
        }
    }
    Some(json!({"tool": tool, "input": input}))
}
