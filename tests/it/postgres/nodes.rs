//! Two real hubs on one database: one has the journal, and the other one takes it.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Server;
use super::{calls, private, said, state};
use crate::support::TIMEOUT;
use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::plain_http;

/// Two hubs to be, each with its port and its settings.
struct TwoHubs {
    server: Server,
    dir: tempfile::TempDir,
    data: PathBuf,
    hubs: [(u16, String); 2],
}

impl TwoHubs {
    fn new() -> Self {
        let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        private(&data);
        let hubs = ["a", "b"].map(|name| {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            (port, config(&dir.path().join(name), name, port, &server.url()))
        });
        Self { server, dir, data, hubs }
    }

    fn starts(&self, which: usize) -> HubProcess {
        let (port, config) = &self.hubs[which];
        HubProcess::start_at_with(&self.data, *port, &["--config", config])
    }

    /// Waits until this one serves; how long that took. What is sent to it
    /// meanwhile is refused, and never answered as something that is not there.
    fn serves(&self, which: usize) -> Duration {
        let since = Instant::now();
        loop {
            match plain_http::send(self.hubs[which].0, "GET", "/readyz", "", &Value::Null) {
                Ok((200, _)) => return since.elapsed(),
                Ok((status, body)) => assert_eq!(status, 503, "{body}"),
                Err(_) => {}
            }
            assert!(since.elapsed() < TIMEOUT, "it does not take the journal");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.data.join("hub.log")).unwrap()
    }
}

fn config(folder: &Path, name: &str, port: u16, url: &str) -> String {
    let public = format!("http://127.0.0.1:{port}");
    fs::create_dir(folder).unwrap();
    let text = format!("store: {url}\nnode: {{name: {name}, publicUrl: \"{public}\", sharedDisk: true}}\n");
    fs::write(folder.join("hub.yaml"), text).unwrap();
    folder.display().to_string()
}

fn signal(hub: &HubProcess, name: &str) {
    assert!(Command::new("kill").args([name, &hub.pid().to_string()]).status().unwrap().success());
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_stands_by_and_serves_when_the_other_one_is_killed_or_ends() {
    let house = TwoHubs::new();
    let first = house.starts(0);
    let agent = Agent::register(&first, "fullstack-1", "full-stack-engineer");
    let task = calls(&first, "fullstack-1", "Mend the login");
    let second = house.starts(1);
    for path in ["/api/v1/tasks", "/readyz", "/mcp", "/nowhere", "/"] {
        let (status, refused) = second.get(path);
        assert_eq!((status, &refused["code"]), (503, &json!("NOT_OWNER")), "{path}: {refused}");
        assert_eq!(refused["details"]["publicUrl"], format!("http://127.0.0.1:{}", house.hubs[0].0));
    }
    assert_eq!(second.get("/healthz").0, 200);
    let nodes = first.get("/admin/nodes").1;
    assert_eq!((&nodes["items"][0]["state"], &nodes["items"][1]["state"]), (&json!("owner"), &json!("standby")));
    let listed = printed(&first.command(&["nodes"]).output().unwrap());
    assert!(listed.contains("standby") && listed.contains(&format!(":{}", house.hubs[1].0)), "{listed}");
    let refused = said(&second.command(&["nodes"]).env("CALLBOARD_TOKEN_FILE", second.token_file()).output().unwrap());
    assert!(refused.contains("the hub `a` has the journal"), "{refused}");

    first.kill();
    println!("killed: the other one serves after {:?}", house.serves(1));
    let nodes = second.get("/admin/nodes").1;
    assert_eq!(
        (&nodes["items"][0]["state"], &nodes["items"][1]["state"]),
        (&json!("gone"), &json!("owner")),
        "{nodes}"
    );
    let offered = agent.calls(&second, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offered["taskId"], task.as_str());

    let first = house.starts(0);
    assert_eq!(first.get("/api/v1/tasks").1["code"], "NOT_OWNER");
    assert!(second.terminate().success());
    println!("ended: the other one serves after {:?}", house.serves(0));
    let later = calls(&first, "fullstack-1", "Then the logout");
    assert_eq!(state(&first, &later), "QUEUED");
    let second = house.starts(1);
    assert!(second.terminate().success(), "a hub that stands by ends gently, too");
    let alone = house.dir.path().join("alone");
    let config = super::settings(&house.dir.path().join("c"), &house.server.url());
    let refused = HubProcess::never_serves(&alone, &["--listen", "127.0.0.1:0", "--config", &config]);
    assert!(said(&refused).contains("is held by one of several hubs"), "{}", said(&refused));
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_that_was_stopped_confirms_nothing_when_it_wakes_and_ends() {
    let house = TwoHubs::new();
    let (first, second) = (house.starts(0), house.starts(1));
    Agent::register(&first, "fullstack-1", "full-stack-engineer");
    let (token, port) = (first.operator_token(), house.hubs[0].0);
    signal(&first, "-STOP");
    let stopped = Instant::now();
    let task = json!({ "targetAgentId": "fullstack-1", "prompt": "In vain" });
    let (orders, looks) = std::thread::scope(|scope| {
        let order = || plain_http::send(port, "POST", "/api/v1/tasks", &token, &task);
        let orders: Vec<_> = (0..8).map(|_| scope.spawn(order)).collect();
        let look = scope.spawn(|| plain_http::send(port, "GET", "/api/v1/tasks", &token, &Value::Null));
        println!("stopped: the other one serves after {:?}", house.serves(1));
        while stopped.elapsed() < Duration::from_secs(15) {
            calls(&second, "fullstack-1", "Meanwhile");
            std::thread::sleep(Duration::from_millis(200));
        }
        signal(&first, "-CONT");
        let orders: Vec<_> = orders.into_iter().map(|order| order.join().unwrap()).collect();
        (orders, look.join().unwrap())
    });
    for answer in orders.into_iter().chain([looks]).flatten() {
        // Refused at the door, or by the fence where the door was passed before it was known.
        let codes = [json!("NOT_OWNER"), json!("STORAGE_FAILED")];
        assert!(answer.0 == 503 && codes.contains(&answer.1["code"]), "{}", answer.1);
    }
    assert_eq!(first.ends().code(), Some(1), "{}", house.log());
    assert!(house.log().contains("this hub has the journal no more"), "{}", house.log());
    let titles = second.get("/api/v1/tasks").1.to_string();
    assert!(titles.contains("Meanwhile") && !titles.contains("In vain"), "{titles}");
    assert!(second.terminate().success());
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_whose_database_is_silent_ends_and_no_hub_answers_for_it() {
    let house = TwoHubs::new();
    let (first, second) = (house.starts(0), house.starts(1));
    house.server.is_sent("-STOP");
    let silent = Instant::now();
    assert_eq!(first.ends().code(), Some(1), "{}", house.log());
    println!("silent: it ended after {:?}", silent.elapsed());
    assert!(house.log().contains("the database has not answered this node for 4 s"), "{}", house.log());
    assert_eq!(second.get("/api/v1/tasks").1["code"], "NOT_OWNER");
    house.server.is_sent("-CONT");
    println!("it answers again: the other one serves after {:?}", house.serves(1));
    // It may not have said yet that it serves, and then a signal is no end in order.
    second.terminate();
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_whose_journal_was_taken_by_another_one_ends_by_itself() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    let config = super::settings(&dir.path().join("config"), &server.url());
    let [one, other] = ["one", "other"].map(|name| {
        let data = dir.path().join(name);
        fs::create_dir(&data).unwrap();
        private(&data);
        data
    });
    let first = HubProcess::start_with(&one, &["--config", &config]);
    let second = HubProcess::start_with(&other, &["--config", &config]);
    // What it asks for itself is the first thing to find that out.
    let (status, refused) = first.post("/api/v1/tasks", &json!({ "targetAgentId": "any", "prompt": "In vain" }));
    assert!(status >= 500, "{refused}");
    assert_eq!(first.ends().code(), Some(1));
    let log = fs::read_to_string(one.join("hub.log")).unwrap();
    assert!(log.contains("another hub has taken it"), "{log}");
    assert!(second.terminate().success());
}
