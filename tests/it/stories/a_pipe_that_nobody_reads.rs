//! A proxy whose client reads no more, or is gone: a task that it did not take is somebody else's.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::{TIMEOUT, pause};

/// How a client reads what its proxy writes: a pipe, or a socket pair as Node makes it.
type Ways = (Box<dyn Read + Send>, Stdio);

fn a_pipe() -> Ways {
    let (reader, writer) = std::io::pipe().unwrap();
    (Box::new(reader), Stdio::from(writer))
}

fn a_socket_pair() -> Ways {
    let (reader, writer) = UnixStream::pair().unwrap();
    (Box::new(reader), Stdio::from(OwnedFd::from(writer)))
}

/// A client that waits as `fullstack-1`, and reads only what it is told to.
struct Client {
    proxy: Child,
    input: ChildStdin,
    output: Option<Box<dyn Read + Send>>,
}

impl Client {
    fn waits(hub: &HubProcess, (output, end): Ways) -> Self {
        let url = format!("http://127.0.0.1:{}", hub.port());
        let role = ["--role", "full-stack-engineer", "--url", &url];
        let mut command = hub.command(&["proxy", "--agent", "fullstack-1"]);
        let mut proxy = command.args(role).stdin(Stdio::piped()).stdout(end).stderr(Stdio::null()).spawn().unwrap();
        // With this goes our copy of the end that the proxy writes to.
        drop(command);
        let mut client = Self { input: proxy.stdin.take().unwrap(), proxy, output: Some(output) };
        let who = json!({"name": "claude-code", "version": "2"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who});
        client.says(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}));
        assert_eq!(client.reads_a_line()["id"], 1);
        client.says(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let wait = json!({"name": "wait_for_prompt", "arguments": {"timeout": 90}});
        client.says(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": wait}));
        until(|| agent(hub)["availability"] == "waiting");
        client
    }

    fn says(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Takes one line, and not a byte more.
    fn reads_a_line(&mut self) -> Value {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            line.extend(self.reads(1));
        }
        serde_json::from_slice(&line).unwrap()
    }

    fn reads(&mut self, bytes: usize) -> Vec<u8> {
        let mut taken = vec![0; bytes];
        self.output.as_mut().unwrap().read_exact(&mut taken).unwrap();
        taken
    }

    fn closes_its_reading_end(&mut self) {
        drop(self.output.take());
    }

    fn its_proxy_ends(&mut self) {
        until(|| self.proxy.try_wait().unwrap().is_some());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.proxy.kill());
        drop(self.proxy.wait());
    }
}

#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn until(mut is_so: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < TIMEOUT, "it never is so");
        pause(10);
    }
    began.elapsed()
}

fn agent(hub: &HubProcess) -> Value {
    hub.post("/api/v1/tools/get_agent_status", &json!({ "agentId": "fullstack-1" })).1
}

fn asks_for_work(hub: &HubProcess, prompt: &str) -> String {
    let (_, body) =
        hub.post("/api/v1/tasks", &json!({ "targetAgentId": "role:full-stack-engineer", "prompt": prompt }));
    body["taskId"].as_str().unwrap().to_owned()
}

fn state(hub: &HubProcess, task: &str) -> String {
    hub.get(&format!("/api/v1/tasks/{task}")).1["state"].as_str().unwrap().to_owned()
}

/// A hub that takes an offer back which nobody acknowledged in so many seconds.
fn hub_that_waits_for(seconds: u32) -> (HubProcess, TempDir, TempDir) {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    std::fs::write(config.path().join("hub.yaml"), format!("leases:\n  ackWithin: {seconds}s\n")).unwrap();
    let hub = HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    (hub, data_dir, config)
}

/// What another agent of the role is given, with the number of its offer.
fn another_gets(hub: &HubProcess) -> (Value, Value) {
    let other = Agent::register(hub, "fullstack-2", "full-stack-engineer");
    let heard = other.calls(hub, "wait_for_prompt", &json!({ "timeout": 30 }));
    assert!(heard["taskId"].is_string(), "{heard}");
    (heard["taskId"].clone(), heard["leaseEpoch"].clone())
}

#[test]
fn a_task_for_a_client_that_hangs_is_never_acknowledged_and_goes_to_another() {
    for ways in [a_pipe, a_socket_pair] {
        let (hub, _data_dir, _config) = hub_that_waits_for(4);
        let mut client = Client::waits(&hub, ways());
        let task = asks_for_work(&hub, "work");
        until(|| state(&hub, &task) == "ASSIGNED");
        assert_eq!(another_gets(&hub), (json!(task), json!(2)));
        // It wakes up, and reads what it was offered: that changes nothing any more.
        assert_eq!(client.reads_a_line()["result"]["structuredContent"]["taskId"], json!(task));
        pause(2_000);
        let (_, known) = hub.get(&format!("/api/v1/tasks/{task}"));
        assert_eq!((&known["state"], &known["lease"]["agentId"]), (&json!("ASSIGNED"), &json!("fullstack-2")));
    }
}

#[test]
fn a_client_that_closes_its_reading_end_gets_no_work_and_its_proxy_ends() {
    for ways in [a_pipe, a_socket_pair] {
        let data_dir = TempDir::new().unwrap();
        let hub = HubProcess::start(data_dir.path());
        let mut client = Client::waits(&hub, ways());
        client.closes_its_reading_end();
        client.its_proxy_ends();
        until(|| agent(&hub)["availability"] == "offline");
        let task = asks_for_work(&hub, "work");
        assert_eq!(another_gets(&hub), (json!(task), json!(1)));
    }
}

#[test]
fn what_lies_in_the_pipe_of_a_client_that_closes_it_goes_to_another_at_once() {
    for ways in [a_pipe, a_socket_pair] {
        let data_dir = TempDir::new().unwrap();
        let hub = HubProcess::start(data_dir.path());
        let mut client = Client::waits(&hub, ways());
        let task = asks_for_work(&hub, "work");
        until(|| state(&hub, &task) == "ASSIGNED");
        // The proxy has had the time to acknowledge it, had it done so.
        pause(2_500);
        assert_eq!(state(&hub, &task), "ASSIGNED");
        client.closes_its_reading_end();
        assert_eq!(another_gets(&hub), (json!(task), json!(2)));
    }
}

#[test]
fn a_task_behind_more_than_a_pipe_holds_is_acknowledged_when_the_client_comes_to_it() {
    for ways in [a_pipe, a_socket_pair] {
        let data_dir = TempDir::new().unwrap();
        let hub = HubProcess::start(data_dir.path());
        let mut client = Client::waits(&hub, ways());
        for id in 3..13 {
            client.says(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}}));
        }
        // What was asked before is answered before.
        pause(1_000);
        let task = asks_for_work(&hub, "work");
        until(|| state(&hub, &task) == "ASSIGNED");
        client.reads(10_000);
        pause(2_500);
        assert_eq!(state(&hub, &task), "ASSIGNED", "a part is not all");
        let (output, wanted) = (client.output.take().unwrap(), task.clone());
        let reading = thread::spawn(move || {
            let (mut lines, mut line, mut taken) = (BufReader::new(output), String::new(), 10_000);
            while !line.contains(&wanted) {
                line.clear();
                taken += lines.read_line(&mut line).unwrap();
            }
            (lines, taken)
        });
        until(|| state(&hub, &task) == "IN_PROGRESS");
        let (_open, taken) = reading.join().unwrap();
        assert!(taken > 65_536, "a pipe holds all of {taken} bytes");
    }
}

#[test]
fn a_client_that_reads_has_its_task_acknowledged_by_pipe_and_socket_alike() {
    for ways in [a_pipe, a_socket_pair] {
        let data_dir = TempDir::new().unwrap();
        let hub = HubProcess::start(data_dir.path());
        let mut client = Client::waits(&hub, ways());
        let task = asks_for_work(&hub, "work");
        assert_eq!(client.reads_a_line()["result"]["structuredContent"]["taskId"], json!(task));
        assert!(until(|| state(&hub, &task) == "IN_PROGRESS") < Duration::from_secs(8));
    }
}
