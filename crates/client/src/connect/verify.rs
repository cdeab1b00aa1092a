//! Whether what was written works: the proxy is started as the client would start it, and asked for its handshake.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::client::Client;
use super::entry::{Entry, VARIABLE};
use crate::domain::ids::AgentId;
use crate::domain::text::for_terminal;

/// How long it may take: a hub on this machine answers in a moment.
const TIMEOUT: Duration = Duration::from_secs(5);

const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
    r#""clientInfo":{"name":"callboard-connect","version":"1"}}}"#
);

/// What came of it, in words: no hub that serves now is no fault of the file. Over HTTP the token is not known here.
pub(super) fn tried(client: Client, entry: &Entry, agent: &AgentId) -> String {
    let (command, arguments) = match entry {
        Entry::Stdio { command, arguments } => (command, arguments),
        Entry::Http { .. } => {
            let made = format!("written; make a token by `callboard token create --agent {agent}`");
            return match client {
                Client::Vscode => format!("{made}: Visual Studio Code asks for it when it first starts the server"),
                Client::Claude
                | Client::Codex
                | Client::Gemini
                | Client::Qwen
                | Client::Cursor
                | Client::Opencode
                | Client::Json => format!("{made}, and start the client with {VARIABLE} set to it"),
            };
        }
    };
    match answered(command, arguments) {
        Ok(line) => of_answer(&line),
        Err(_) => NOBODY.to_owned(),
    }
}

const NOBODY: &str = "written; no hub answered just now: start one with `callboard serve`, then restart the client";

/// What the answer to a handshake means: the proxy says why the hub refused it, or that there is none.
fn of_answer(line: &str) -> String {
    let said: Value = serde_json::from_str(line).unwrap_or_default();
    if said["result"]["serverInfo"].is_object() {
        return "the proxy and the hub answer: restart the client".to_owned();
    }
    let error = &said["error"];
    match error["message"].as_str().filter(|_| error["data"]["code"] == "UNAUTHENTICATED") {
        Some(why) => format!(
            "written; the hub does not let it in: {}. `callboard doctor` says what to do",
            for_terminal(why.trim_end_matches('.'))
        ),
        None => NOBODY.to_owned(),
    }
}

fn answered(command: &str, arguments: &[String]) -> std::io::Result<String> {
    let mut command = Command::new(command);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let (send, heard) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
    }
    if let Some(input) = &mut child.stdin {
        writeln!(input, "{HELLO}")?;
    }
    let line = heard.recv_timeout(TIMEOUT);
    // Its input ends with this, and so does it; if not, it is ended.
    drop(child.stdin.take());
    child.kill()?;
    child.wait()?;
    line.map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests;
