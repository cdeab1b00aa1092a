//! Requests byte by byte, and the stage that they are sent to.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use crate::support::pause;

/// How long an answer may take; only a hang takes longer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A hub, and its folder.
pub(super) struct Stage {
    pub(super) hub: HubProcess,
    pub(super) data_dir: TempDir,
    _config: TempDir,
}

#[derive(Debug)]
pub(super) struct RawResponse {
    pub(super) status: u16,
    /// The status line and the headers, in lower case.
    pub(super) head: String,
    pub(super) body: String,
}

impl Stage {
    pub(super) fn open() -> Self {
        Self::with("")
    }

    /// With these settings in `hub.yaml`.
    pub(super) fn with(settings: &str) -> Self {
        let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        fs::write(config.path().join("hub.yaml"), settings).unwrap();
        let hub = HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
        Self { hub, data_dir, _config: config }
    }

    /// One whose files can be capped while it runs.
    pub(super) fn to_be_capped() -> Self {
        let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        Self { hub: HubProcess::start_to_be_capped(data_dir.path()), data_dir, _config: config }
    }

    /// SIGKILL, and a new hub on the same data directory.
    pub(super) fn crashes_and_restarts(self) -> Self {
        self.hub.kill();
        Self { hub: HubProcess::start(self.data_dir.path()), ..self }
    }

    pub(super) fn port(&self) -> u16 {
        self.hub.port()
    }

    /// A new token: itself, and its public id.
    pub(super) fn token(&self, wanted: &Value) -> (String, String) {
        let (status, made) = self.hub.post("/api/v1/tokens", wanted);
        assert_eq!(status, 201, "{made}");
        (made["token"].as_str().unwrap().to_owned(), made["id"].as_str().unwrap().to_owned())
    }

    /// A registered agent's token.
    pub(super) fn agent(&self, id: &str, role: &str) -> String {
        let (token, _) = self.token(&json!({ "agent": id }));
        let known = self.uses(&token, "register_agent", &json!({ "agentId": id, "role": role, "capabilities": [] }));
        assert_eq!(known["success"], true, "{known}");
        token
    }

    /// A person's token of that scope.
    pub(super) fn person(&self, scope: &str) -> String {
        self.token(&json!({ "scope": scope, "name": format!("{scope}er") })).0
    }

    /// Calls a tool, whatever comes of it.
    pub(super) fn uses(&self, token: &str, tool: &str, arguments: &Value) -> Value {
        self.hub.post_as(token, &format!("/api/v1/tools/{tool}"), arguments).1
    }

    /// Sends a request as it is, and reads the answer to its end.
    pub(super) fn sends(&self, request: &str) -> RawResponse {
        hears(&mut self.begins(request))
    }

    /// Sends a request as it is.
    pub(super) fn begins(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        // A refusal may come, and the connection go, before all of a large request is written.
        drop(stream.write_all(request.as_bytes()));
        stream
    }

    /// Asks with these headers beside `Host`.
    pub(super) fn asks(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> RawResponse {
        let host = format!("127.0.0.1:{}", self.port());
        let mut all = vec![("Host", host.as_str())];
        all.extend(headers);
        self.sends(&request(method, path, &all, body))
    }

    /// The lines of the audit that name this text.
    pub(super) fn audited(&self, text: &str) -> Vec<Value> {
        let all = fs::read_to_string(self.data_dir.path().join("audit.jsonl")).unwrap();
        let lines = all.lines().filter(|line| line.contains(text));
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The same once there is one: a line is written beside the answer that it tells of.
    pub(super) fn until_audited(&self, text: &str) -> Vec<Value> {
        for _ in 0..2_000 {
            let found = self.audited(text);
            if !found.is_empty() {
                return found;
            }
            pause(10);
        }
        panic!("the audit never says {text}");
    }

    /// Returns once the agent is seen so.
    pub(super) fn until(&self, agent: &str, wanted: &str) {
        for _ in 0..2_000 {
            let (_, said) = self.hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": agent }));
            if said["availability"] == wanted {
                return;
            }
            pause(10);
        }
        panic!("{agent} never is {wanted}");
    }

    /// How much memory the hub has for itself now.
    pub(super) fn memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.hub.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// What the hub wrote to its log.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.data_dir.path().join("hub.log")).unwrap()
    }
}

impl RawResponse {
    /// The value of a header; empty where there is none.
    pub(super) fn header(&self, name: &str) -> &str {
        let start = format!("{name}: ");
        self.head.lines().find_map(|line| line.strip_prefix(start.as_str())).unwrap_or_default()
    }

    pub(super) fn json(&self) -> Value {
        let start = self.body.find(['{', '[']).unwrap_or(0);
        let values = serde_json::Deserializer::from_str(&self.body[start..]).into_iter().next();
        values.and_then(Result::ok).unwrap_or_default()
    }

    pub(super) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A request with exactly these headers, and its length.
pub(super) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// Everything until the other side closes; an end by force counts as an end.
pub(super) fn hears(stream: &mut TcpStream) -> RawResponse {
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut all = Vec::new();
    let mut piece = [0; 4096];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => all.extend_from_slice(&piece[..length]),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                panic!("no end within {TIMEOUT:?}: {}", String::from_utf8_lossy(&all));
            }
            Err(_) => break,
        }
    }
    let all = String::from_utf8_lossy(&all).into_owned();
    let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
    let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    RawResponse { status, head: head.to_lowercase(), body: body.to_owned() }
}
