//! The client's own way of being woken: an agent whose client has one ends its turn instead of waiting in a call, and
//! costs no request to its model until there is something for it.
//!
//! ```text
//!   client                        proxy                              hub
//!    │ ── wait_for_prompt ──────►  │ ── the same, for two seconds ──► │
//!    │ ◄── a task, as ever ─────── │ ◄──── a task ──────────────────  │
//!    │ ◄── "you will be woken" ─── │ ◄──── nothing                    │
//!    │    (its turn ends)          │ ── wait, in the form `nudge` ──► │   parked for as long as it takes
//!    │ ◄══ one sentence, by the    │ ◄──── there is something         │   nothing is handed over with it
//!    │     client's own socket     │                                  │
//!    │ ── wait_for_prompt ──────►  │ ── …                             │   what it fetches is what is delivered
//! ```
//!
//! Known is Codex: since 0.171 its terminal is a view of a daemon (`codex app-server`) that has the MCP servers as its
//! children, says in each call to which thread it belongs (`_meta.threadId`), and takes a new turn for a thread on a
//! socket below `CODEX_HOME` (measured 2026-11-27 with 0.171.0: 0.15 to 0.2 s from there to the request to the model).
//! `codex exec` starts its servers itself and ends with its turn: it waits in the call.
//!
//! A terminal of Qwen Code takes new turns from a file (its setting `dualOutput.inputFile`), which it looks at every
//! 500 ms; its calls name no thread, since it has one. Without a terminal it reads no such file.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rustix::process::{getppid, getuid};
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::hook::NUDGE;
use crate::private_file;

/// How long one try may take, and how often it is tried, a second apart: the daemon may be starting anew.
const WITHIN: Duration = Duration::from_secs(5);
const TRIES: u32 = 3;

/// Where a client takes a new turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wake {
    /// At the socket of Codex' daemon.
    Socket(PathBuf),
    /// In a file to which turns are appended.
    File(PathBuf),
}

impl Wake {
    /// That of the program that started this one, where it has one.
    pub(super) fn of_parent() -> Option<Self> {
        let parent = getppid()?.as_raw_nonzero();
        let command = fs::read(format!("/proc/{parent}/cmdline")).ok()?;
        is_daemon(&command).then(|| Self::at(&codex_home()?)).flatten()
    }

    /// The file, emptied, where the program that started this one is a terminal's and so reads it; none where it is
    /// none, or the file cannot be written.
    pub(super) fn by_file(file: PathBuf) -> Option<Self> {
        let parent = getppid()?.as_raw_nonzero();
        let input = fs::read_link(format!("/proc/{parent}/fd/0")).ok()?;
        let command = fs::read(format!("/proc/{parent}/cmdline")).ok()?;
        if !is_terminal(&input) || is_one_prompt(&command) {
            return None;
        }
        file.parent().is_none_or(|folder| private_file::make_folder(folder).is_ok()).then_some(())?;
        private_file::replace_unsynced(&file, b"").ok().map(|()| Self::File(file))
    }

    /// Whether the client has one thread, and names none in its calls.
    pub(super) const fn has_one_thread(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// That of a daemon with this home: a socket of this user, or a link to one.
    fn at(home: &Path) -> Option<Self> {
        let socket = home.join("app-server-control/app-server-control.sock");
        let known = fs::metadata(&socket).ok()?;
        (known.file_type().is_socket() && known.uid() == getuid().as_raw()).then_some(Self::Socket(socket))
    }

    /// Begins a turn in the thread, with the one sentence.
    pub(super) async fn nudge(&self, thread: &str) -> Result<(), String> {
        let socket = match self {
            Self::Socket(socket) => socket,
            Self::File(file) => return append(file).map_err(|error| error.to_string()),
        };
        let mut tried = 0;
        loop {
            tried += 1;
            match timeout(WITHIN, turn(socket, thread)).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(why)) if tried >= TRIES => return Err(why),
                Err(_) if tried >= TRIES => return Err(format!("no answer within {} s", WITHIN.as_secs())),
                Ok(Err(_)) | Err(_) => sleep(Duration::from_secs(1)).await,
            }
        }
    }
}

/// A thread that nobody has: a turn of it disturbs no conversation, and costs nothing.
const NOBODYS: &str = "00000000-0000-7000-8000-000000000000";

/// Whether the daemon of Codex takes turns as a proxy begins them.
///
/// It is asked for one in a thread that nobody has, and has to say that it knows no such thread. None where no daemon
/// runs; the error is in its own words.
pub async fn codex_takes_turns() -> Option<Result<(), String>> {
    let Wake::Socket(socket) = Wake::at(&codex_home()?)? else { return None };
    let tried = timeout(WITHIN, knows_turns(&socket)).await;
    Some(tried.unwrap_or_else(|_| Err(format!("no answer within {} s", WITHIN.as_secs()))))
}

fn codex_home() -> Option<PathBuf> {
    let home = std::env::var_os("CODEX_HOME").map(PathBuf::from);
    home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".codex")))
}

async fn knows_turns(socket: &Path) -> Result<(), String> {
    let mut socket = opened(socket).await?;
    for (id, (method, params)) in (2..).zip(turn_of(NOBODYS)) {
        match ask(&mut socket, id, method, params).await {
            Err(why) if why.contains(NOBODYS) => {}
            Err(why) => return Err(why),
            Ok(_) => return Err(format!("{method}: it was done for a thread that nobody has")),
        }
    }
    drop(socket.close(None).await);
    Ok(())
}

/// Begins a turn of that thread at the daemon's socket.
async fn turn(socket: &Path, thread: &str) -> Result<(), String> {
    let mut socket = opened(socket).await?;
    for (id, (method, params)) in (2..).zip(turn_of(thread)) {
        ask(&mut socket, id, method, params).await?;
    }
    // It has been said; whether the goodbye arrives changes nothing.
    drop(socket.close(None).await);
    Ok(())
}

/// What the daemon is asked for one turn of a thread.
fn turn_of(thread: &str) -> [(&'static str, Value); 2] {
    let input = json!([{"type": "text", "text": NUDGE}]);
    let resume = json!({ "threadId": thread });
    [("thread/resume", resume), ("turn/start", json!({"threadId": thread, "input": input}))]
}

/// The daemon's socket, after the handshake.
async fn opened(socket: &Path) -> Result<Socket, String> {
    let stream = UnixStream::connect(socket).await.map_err(|error| error.to_string())?;
    let opened = tokio_tungstenite::client_async("ws://localhost/", stream).await;
    let mut socket = opened.map_err(|error| error.to_string())?.0;
    let client = json!({"name": "callboard", "title": "callboard", "version": env!("CARGO_PKG_VERSION")});
    let hello = json!({"clientInfo": client, "capabilities": {"experimentalApi": true}});
    ask(&mut socket, 1, "initialize", hello).await?;
    say(&mut socket, &json!({"jsonrpc": "2.0", "method": "initialized"})).await?;
    Ok(socket)
}

/// One more line in the file of turns.
fn append(file: &Path) -> io::Result<()> {
    let line = format!("{}\n", json!({"type": "submit", "text": NUDGE}));
    OpenOptions::new().append(true).open(file)?.write_all(line.as_bytes())
}

type Socket = WebSocketStream<UnixStream>;

async fn say(socket: &mut Socket, message: &Value) -> Result<(), String> {
    socket.send(Message::text(message.to_string())).await.map_err(|error| error.to_string())
}

/// Asks, and reads on until that is answered: what the daemon tells of its threads meanwhile is not for here.
async fn ask(socket: &mut Socket, id: u32, method: &str, params: Value) -> Result<Value, String> {
    say(socket, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
    while let Some(heard) = socket.next().await {
        let Message::Text(text) = heard.map_err(|error| error.to_string())? else { continue };
        let Ok(mut answer) = serde_json::from_str::<Value>(text.as_str()) else { continue };
        if answer["id"] != json!(id) || answer.get("method").is_some() {
            continue;
        }
        return match answer.get("error") {
            Some(error) => Err(format!("{method}: {}", error["message"].as_str().unwrap_or("refused"))),
            None => Ok(answer["result"].take()),
        };
    }
    Err(format!("{method}: the connection was closed"))
}

/// Whether what a program reads from is a terminal.
fn is_terminal(input: &Path) -> bool {
    ["/dev/pts", "/dev/tty", "/dev/console"].iter().any(|name| input.to_string_lossy().starts_with(name))
}

/// Whether a command line, with its words as the system keeps them, is that of one prompt: the client ends after it.
fn is_one_prompt(command: &[u8]) -> bool {
    command.split(|byte| *byte == 0).any(|word| matches!(word, b"-p" | b"--prompt") || word.starts_with(b"--prompt="))
}

/// Whether a command line, with its words as the system keeps them, is that of Codex' daemon.
fn is_daemon(command: &[u8]) -> bool {
    let mut words = command.split(|byte| *byte == 0).map(|word| {
        let word = OsString::from(String::from_utf8_lossy(word).into_owned());
        Path::new(&word).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    });
    words.any(|word| word == "codex" || word.starts_with("codex-")) && words.any(|word| word == "app-server")
}

#[cfg(test)]
mod tests;
