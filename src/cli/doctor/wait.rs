//! A real wait, by the command that the client would start, measured. Nobody is disturbed by it: an agent that somebody
//! speaks for just now is shown as it is, and one that has work waiting is left alone.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::finding::Finding;
use crate::cli::client::HubClient;
use crate::cli::connect::Client;
use crate::cli::exit::Exit;
use crate::cli::output::cell::str_at;

/// How long is waited, in seconds, and how much longer an answer may take.
const SECONDS: u64 = 1;
const PATIENCE: Duration = Duration::from_secs(10);

/// Tries it, unless that would disturb somebody.
pub(super) async fn tried(
    check: &str,
    hub: &HubClient,
    client: Client,
    command: &str,
    arguments: &[String],
) -> Finding {
    let at = arguments.iter().position(|argument| argument == "--agent");
    let Some(agent) = at.and_then(|at| arguments.get(at + 1)) else {
        return Finding::wrong(check, Exit::Configuration, "its entry names no agent")
            .next(format!("callboard connect {} --agent ID --role ROLE", client.name()));
    };
    let shown = hub.post(&["api", "v1", "tools", "get_agent_status"], &json!({ "agentId": agent })).await;
    if let Ok(known) = shown {
        let availability = str_at(&known, "availability").unwrap_or("unknown");
        let queued = known["queued"].as_u64().unwrap_or(0);
        if availability != "offline" {
            return Finding::good(check, format!("agent `{agent}` is {availability} just now: nothing was tried"));
        }
        if queued > 0 {
            let message = format!("agent `{agent}` is offline with work waiting: nothing was tried");
            return Finding::doubtful(check, message).next(format!("start {}", client.name()));
        }
    }
    match wait(client, command, arguments) {
        Ok((shook, waited)) => Finding::good(
            check,
            format!("its command shook hands in {shook:?}, and a wait of {SECONDS} s came back after {waited:?}"),
        ),
        Err(why) => Finding::wrong(check, Exit::Failed, format!("a wait by its command came to nothing: {why}"))
            .next(format!("{command} {}", arguments.join(" "))),
    }
}

/// How long the handshake took, and how long the wait.
fn wait(client: Client, command: &str, arguments: &[String]) -> Result<(Duration, Duration), String> {
    let mut command = Command::new(command);
    // The client's environment is not this one.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALLBOARD_")) {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let outcome = talk(client, &mut child);
    // Its input ends with this, and so does it, before it counts a task as read; if not, it is ended.
    drop(child.stdin.take());
    drop(child.kill());
    drop(child.wait());
    outcome
}

fn talk(client: Client, child: &mut Child) -> Result<(Duration, Duration), String> {
    let (send, heard) = mpsc::channel();
    let output = child.stdout.take().ok_or("it has no output")?;
    thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    let mut says = |message: &Value| {
        let input = child.stdin.as_mut().ok_or("it has no input")?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|error| error.to_string())
    };
    let began = Instant::now();
    let about = json!({ "name": client.declared(), "version": "doctor" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
    says(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }))?;
    answer(&heard, 1, PATIENCE)?;
    let shook = began.elapsed();
    says(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let params = json!({ "name": "wait_for_prompt", "arguments": { "timeout": SECONDS } });
    says(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }))?;
    let began = Instant::now();
    let said = answer(&heard, 2, Duration::from_secs(SECONDS) + PATIENCE)?;
    let waited = began.elapsed();
    let fields = &said["result"]["structuredContent"];
    // An agent that nobody has registered is told to: the way to the hub is as it is to be.
    let unregistered = str_at(fields, "code") == Some("NOT_REGISTERED");
    match str_at(fields, "status") {
        Some("IDLE" | "TASK" | "NOTICE" | "EVICTED") => Ok((shook, waited)),
        _ if unregistered => Ok((shook, waited)),
        Some(_) | None => Err(str_at(fields, "message").unwrap_or("it answers as no hub does").to_owned()),
    }
}

/// The answer under this id; what comes before it is passed over.
fn answer(heard: &Receiver<String>, id: u64, patience: Duration) -> Result<Value, String> {
    loop {
        let line = heard.recv_timeout(patience).map_err(|_| "it does not answer".to_owned())?;
        let said: Value = serde_json::from_str(&line).map_err(|_| "it says what is no message".to_owned())?;
        if said["id"] == id {
            return Ok(said);
        }
    }
}
