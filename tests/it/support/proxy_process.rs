//! `callboard proxy` as an MCP client starts it: a child process with pipes, spoken to in lines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::hub_process::HubProcess;
use super::{TIMEOUT, pause};

/// A running proxy; killed when dropped.
pub(crate) struct ProxyProcess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    words: Option<JoinHandle<String>>,
    last: u64,
}

impl ProxyProcess {
    /// Starts it for an agent, without a token of its own.
    pub(crate) fn start(hub: &HubProcess, agent: &str) -> Self {
        Self::start_at(hub, agent, hub.port())
    }

    /// The same, with the hub behind another port.
    pub(crate) fn start_at(hub: &HubProcess, agent: &str, port: u16) -> Self {
        let url = format!("http://127.0.0.1:{port}");
        let mut command = hub.command(&["proxy", "--agent", agent, "--role", "full-stack-engineer", "--url", &url]);
        // To another address than its own the operator's token goes only when it is named.
        Self::of(if port == hub.port() { &mut command } else { command.env("CALLBOARD_TOKEN_FILE", hub.token_file()) })
    }

    /// One that is started by this command.
    pub(crate) fn of(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary was built");
        let (send, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || output.lines().map_while(Result::ok).for_each(|line| drop(send.send(line))));
        let mut said = child.stderr.take().unwrap();
        let words = thread::spawn(move || {
            let mut words = String::new();
            said.read_to_string(&mut words).map(|_| words).unwrap_or_default()
        });
        Self { input: child.stdin.take(), child, lines, words: Some(words), last: 0 }
    }

    /// One that has shaken hands, as most clients do.
    pub(crate) fn introduced(hub: &HubProcess, agent: &str) -> Self {
        let mut proxy = Self::start(hub, agent);
        proxy.shakes_hands();
        proxy
    }

    pub(crate) fn shakes_hands(&mut self) -> Value {
        let client = json!({"name": "claude-code", "version": "2"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let said = self.asks("initialize", &hello);
        self.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        said
    }

    /// Sends a request; its id.
    pub(crate) fn begins(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.says(&message);
        self.last
    }

    pub(crate) fn says(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("its input is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("it listens");
    }

    /// The next message.
    pub(crate) fn hears(&self) -> Value {
        let line = self.lines.recv_timeout(TIMEOUT).expect("an answer in time");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("standard output is for messages, and not for {line}"))
    }

    /// The next message, if there is one already.
    pub(crate) fn heard(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }

    /// Sends a request, and returns its answer.
    pub(crate) fn asks(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begins(method, params);
        let said = self.hears();
        assert_eq!(said["id"], id, "{said}");
        said["result"].clone()
    }

    /// Begins to call a tool.
    pub(crate) fn calls(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.begins("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool to its end.
    pub(crate) fn uses(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.calls(tool, arguments);
        let said = self.hears();
        assert_eq!(said["id"], id, "{said}");
        said["result"]["structuredContent"].clone()
    }

    /// The client ends its input, and listens on.
    pub(crate) fn says_no_more(&mut self) {
        drop(self.input.take());
    }

    /// The client ends its input; how the proxy ended, and how long that took.
    #[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
    pub(crate) fn input_ends(mut self) -> (ExitStatus, Duration) {
        let began = Instant::now();
        drop(self.input.take());
        while began.elapsed() < TIMEOUT {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, began.elapsed());
            }
            pause(5);
        }
        panic!("it outlives its client");
    }

    /// How it ended by itself, and what it said to people.
    pub(crate) fn ends_saying(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        (status, self.words.take().and_then(|words| words.join().ok()).unwrap_or_default())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for ProxyProcess {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
