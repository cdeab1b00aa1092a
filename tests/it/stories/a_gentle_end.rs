//! SIGTERM and a new start, over real sockets: open waits hear "come back", leases go on, nobody loses work.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use crate::support::pause;
use crate::support::plain_http;

/// Twice as long as a gentle end may take: how busy the machine is, is not judged here.
const DRAIN: Duration = Duration::from_secs(20);
/// How many agents wait at once, and how many of them hold a task meanwhile.
const AGENTS: usize = 500;
const HOLDERS: usize = 50;

/// An agent that registered.
struct Agent {
    name: String,
    token: String,
}

impl Agent {
    fn registers(hub: &HubProcess, name: &str) -> Self {
        let (_, made) = hub.post("/api/v1/tokens", &json!({ "agent": name }));
        let agent = Self { name: name.to_owned(), token: made["token"].as_str().unwrap().to_owned() };
        let who = json!({ "agentId": name, "role": "full-stack-engineer" });
        assert_eq!(agent.uses(hub.port(), "register_agent", &who).0, 200);
        agent
    }

    fn uses(&self, port: u16, tool: &str, arguments: &Value) -> (u16, Value) {
        plain_http::send(port, "POST", &format!("/api/v1/tools/{tool}"), &self.token, arguments).unwrap()
    }

    fn takes(&self, port: u16) -> Value {
        let (status, offer) = self.uses(port, "wait_for_prompt", &json!({ "timeout": 10 }));
        assert_eq!((status, &offer["status"]), (200, &json!("TASK")), "{offer}");
        offer
    }
}

fn asks(hub: &HubProcess, target: &str) -> String {
    let (status, body) = hub.post("/api/v1/tasks", &json!({ "targetAgentId": target, "prompt": "work" }));
    assert!(status < 300, "{body}");
    body["taskId"].as_str().unwrap().to_owned()
}

/// Returns once so many agents wait.
fn until_wait(hub: &HubProcess, agents: usize) {
    for _ in 0..2_000 {
        let (_, all) = hub.post("/api/v1/tools/list_agents", &json!({ "availability": "waiting" }));
        if all["agents"].as_array().is_some_and(|agents_waiting| agents_waiting.len() >= agents) {
            return;
        }
        pause(50);
    }
    panic!("{agents} agents were to wait");
}

#[test]
fn open_waits_hear_that_they_are_to_come_back_at_both_doors() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agents = ["by-http", "by-mcp"].map(|name| Agent::registers(&hub, name));
    let port = hub.port();
    let wait = json!({ "timeout": 40 });
    let [by_http, by_mcp] = thread::scope(|scope| {
        let by_http = scope.spawn(|| agents[0].uses(port, "wait_for_prompt", &wait));
        let by_mcp = scope.spawn(|| plain_http::call_by_mcp(port, &agents[1].token, "wait_for_prompt", &wait).unwrap());
        until_wait(&hub, 2);
        ends_within(hub, DRAIN, 0);
        [by_http.join().unwrap(), by_mcp.join().unwrap()]
    });
    for (status, end) in [by_http, by_mcp] {
        assert_eq!((status, &end["success"], &end["status"]), (200, &json!(true), &json!("IDLE")), "{end}");
        assert!(end["prompt"].as_str().unwrap().contains("wait_for_prompt"), "{end}");
    }
}

#[test]
fn whoever_sends_a_request_without_end_holds_up_no_gentle_end() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let _slow = half_a_request(&hub);
    ends_within(hub, DRAIN, 0);
}

#[test]
fn a_second_signal_ends_at_once() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::registers(&hub, "fullstack-1");
    let task = asks(&hub, "fullstack-1");
    agent.takes(hub.port());
    let _slow = half_a_request(&hub);
    hub.is_told_to_end();
    // The first is being obeyed once nobody is let in any more.
    while TcpStream::connect(("127.0.0.1", hub.port())).is_ok() {
        pause(10);
    }
    // By its code it tells what ended it.
    ends_within(hub, DRAIN, 1);
    let hub = HubProcess::start(data_dir.path());
    let (status, ack) = agent.uses(hub.port(), "ack_task", &json!({ "taskId": task }));
    assert_eq!(status, 200, "{ack}");
}

/// Told to end, it ends in time and with that code.
#[expect(clippy::disallowed_methods, reason = "how long a process takes to end is a true time")]
fn ends_within(hub: HubProcess, span: Duration, code: i32) {
    let began = Instant::now();
    assert_eq!(hub.terminate().code(), Some(code));
    assert!(began.elapsed() < span, "{:?}", began.elapsed());
}

/// A request of which the rest never comes.
fn half_a_request(hub: &HubProcess) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", hub.port())).unwrap();
    let body = json!({ "targetAgentId": "any", "prompt": "never sent" });
    let request = plain_http::request(hub.port(), "POST", "/api/v1/tasks", &hub.operator_token(), "", &body);
    stream.write_all(&request.as_bytes()[..request.len() - 10]).unwrap();
    // Whoever is answered after it was read after it.
    assert_eq!(hub.get("/healthz").0, 200);
    stream
}

#[test]
fn late_words_of_who_had_the_task_count_where_nobody_else_has_it() {
    let data_dir = TempDir::new().unwrap();
    let config = TempDir::new().unwrap();
    std::fs::write(config.path().join("hub.yaml"), "leases:\n  ackWithin: 1s\n").unwrap();
    let start = || HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    let hub = start();
    let (acks, reports) = (Agent::registers(&hub, "acks-late"), Agent::registers(&hub, "reports-late"));
    let tasks = [&acks, &reports].map(|agent| {
        let task = asks(&hub, &agent.name);
        assert_eq!(agent.takes(hub.port())["leaseEpoch"], 1);
        task
    });
    hub.kill();
    pause(1_500);

    let hub = start();
    for task in &tasks {
        let state = || hub.get(&format!("/api/v1/tasks/{task}")).1["state"].clone();
        let lapsed = (0..2_000).any(|_| {
            pause(20);
            state() == "QUEUED"
        });
        assert!(lapsed, "the offer's time was over while the hub was down, and it is {}", state());
    }
    let (status, ack) = acks.uses(hub.port(), "ack_task", &json!({ "taskId": tasks[0], "leaseEpoch": 1 }));
    assert_eq!(status, 200, "{ack}");
    let report = json!({ "taskId": tasks[1], "leaseEpoch": 1, "status": "COMPLETED", "message": "done" });
    let (status, said) = reports.uses(hub.port(), "send_response", &report);
    assert_eq!(status, 200, "{said}");
    assert_eq!(hub.get(&format!("/api/v1/tasks/{}", tasks[0])).1["state"], "IN_PROGRESS");
    assert_eq!(hub.get(&format!("/api/v1/tasks/{}", tasks[1])).1["state"], "COMPLETED");
}

#[test]
fn five_hundred_waiting_agents_come_back_after_a_restart_and_none_loses_its_task() {
    let data_dir = TempDir::new().unwrap();
    let config = TempDir::new().unwrap();
    std::fs::write(config.path().join("hub.yaml"), "limits:\n  requestsPerSecond: 5000\n  burst: 5000\n").unwrap();
    // Who works on one thing may wait for another.
    let roles = "roles:\n  full-stack-engineer:\n    maxConcurrent: 2\n";
    std::fs::write(config.path().join("agents.yaml"), roles).unwrap();
    let start = || HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    let hub = start();
    let agents: Vec<Agent> = (0..AGENTS).map(|n| Agent::registers(&hub, &format!("fullstack-{n}"))).collect();
    let held: BTreeMap<String, String> = agents[..HOLDERS]
        .iter()
        .map(|agent| {
            let task = asks(&hub, &agent.name);
            agent.takes(hub.port());
            assert_eq!(agent.uses(hub.port(), "ack_task", &json!({ "taskId": task })).0, 200);
            (agent.name.clone(), task)
        })
        .collect();
    let all_wait = |hub: HubProcess| {
        let port = hub.port();
        thread::scope(|scope| {
            let wait = || json!({ "timeout": 45 });
            let waits = agents.iter().map(|agent| scope.spawn(move || agent.uses(port, "wait_for_prompt", &wait())));
            let waits: Vec<_> = waits.collect();
            until_wait(&hub, AGENTS);
            assert_eq!(hub.terminate().code(), Some(0));
            for wait in waits {
                let (status, end) = wait.join().unwrap();
                assert_eq!((status, &end["status"]), (200, &json!("IDLE")), "{end}");
            }
        });
    };
    all_wait(hub);
    all_wait(start());
    let hub = start();
    for (agent, task) in &held {
        let shown = hub.get(&format!("/api/v1/tasks/{task}")).1;
        assert_eq!(shown["state"], "IN_PROGRESS");
        assert_eq!(shown["lease"]["agentId"], *agent);
        let offers = shown["history"].as_array().unwrap().iter().filter(|it| it["type"] == "task.offered");
        assert_eq!(offers.count(), 1, "`{task}` was handed out anew");
    }
}
