//! Two real hubs on one database: one has the journal, and the other one takes it.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Server;
use super::{calls, private, state};
use crate::support::TIMEOUT;
use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::plain_http;

/// Two hubs to be, each with its port and its settings.
struct House {
    _server: Server,
    _dir: tempfile::TempDir,
    data: PathBuf,
    hubs: [(u16, String); 2],
}

impl House {
    fn new() -> Self {
        let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        private(&data);
        let hubs = ["a", "b"].map(|name| {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            (port, config(&dir.path().join(name), name, port, &server.url()))
        });
        Self { _server: server, _dir: dir, data, hubs }
    }

    fn starts(&self, which: usize) -> HubProcess {
        let (port, config) = &self.hubs[which];
        HubProcess::start_at_with(&self.data, *port, &["--config", config])
    }
}

fn config(folder: &Path, name: &str, port: u16, url: &str) -> String {
    let public = format!("http://127.0.0.1:{port}");
    fs::create_dir(folder).unwrap();
    let text = format!("store: {url}\nnode: {{name: {name}, publicUrl: \"{public}\", sharedDisk: true}}\n");
    fs::write(folder.join("hub.yaml"), text).unwrap();
    folder.display().to_string()
}

/// Waits until a hub serves on this port, where nobody listens for a moment; how long that took.
fn serves(port: u16) -> Duration {
    let since = Instant::now();
    while !plain_http::send(port, "GET", "/readyz", "", &Value::Null).is_ok_and(|(status, _)| status == 200) {
        assert!(since.elapsed() < TIMEOUT, "it does not take the journal");
        std::thread::sleep(Duration::from_millis(20));
    }
    since.elapsed()
}

fn signal(hub: &HubProcess, name: &str) {
    assert!(Command::new("kill").args([name, &hub.pid().to_string()]).status().unwrap().success());
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_stands_by_and_goes_on_when_the_other_is_killed_or_stopped_or_ends() {
    let house = House::new();
    let first = house.starts(0);
    let agent = Agent::register(&first, "fullstack-1", "full-stack-engineer");
    let task = calls(&first, "fullstack-1", "Mend the login");
    let second = house.starts(1);
    let (status, refused) = second.get("/api/v1/tasks");
    assert_eq!((status, &refused["code"]), (503, &json!("NOT_OWNER")), "{refused}");
    assert_eq!(refused["details"]["publicUrl"], format!("http://127.0.0.1:{}", house.hubs[0].0));
    assert_eq!((second.get("/readyz").0, second.get("/healthz").0), (503, 200));

    first.kill();
    println!("killed: the other one serves after {:?}", serves(house.hubs[1].0));
    let offered = agent.calls(&second, "wait_for_prompt", &json!({ "timeout": 10 }));
    assert_eq!(offered["taskId"], task.as_str());

    let first = house.starts(0);
    assert_eq!(first.get("/api/v1/tasks").1["code"], "NOT_OWNER");
    signal(&second, "-STOP");
    println!("stopped: the other one serves after {:?}", serves(house.hubs[0].0));
    let later = calls(&first, "fullstack-1", "Then the logout");
    signal(&second, "-CONT");
    assert_eq!(second.ends().code(), Some(1), "it woke, and has the journal no more");
    assert_eq!(state(&first, &later), "QUEUED");

    let second = house.starts(1);
    assert!(first.terminate().success());
    println!("ended: the other one serves after {:?}", serves(house.hubs[1].0));
    assert_eq!(state(&second, &later), "QUEUED");
}
