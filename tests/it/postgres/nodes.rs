//! Two real hubs on one database: one has the journal, and the other one takes it.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use callboard::domain::time::Timestamp;
use serde_json::{Value, json};

use super::server::Server;
use super::{calls, private, said, state};
use crate::support::TIMEOUT;
use crate::support::agent::Agent;
use crate::support::hub_process::{HubProcess, callboard};
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
                // A connection that ended with the hub before it answered.
                Ok((0, _)) | Err(_) => {}
                Ok((status, body)) => assert_eq!(status, 503, "{body}"),
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
    assert!(refused.contains("the hub `a` has the journal") && refused.contains("--config DIR"), "{refused}");
    let by_itself = ["nodes", "--config", &house.hubs[1].1];
    let listed = printed(&second.command(&by_itself).output().unwrap());
    assert!(listed.contains("owner") && listed.contains("standby"), "{listed}");
    let looks = ["doctor", "--no-wait", "--config", &house.hubs[1].1];
    let looked = second.command(&looks).output().unwrap();
    let words = printed(&looked);
    assert!(looked.status.success() && words.contains("stands by for `a`"), "{words}{}", said(&looked));

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
fn a_hub_that_could_never_take_over_is_refused_at_its_start_and_does_not_stand_by() {
    let house = TwoHubs::new();
    let _owner = house.starts(0);
    let refused =
        |data: &Path| said(&HubProcess::never_serves(data, &["--listen", "127.0.0.1:0", "--config", &house.hubs[1].1]));
    let with_a_file = made(&house.dir.path().join("with-a-file"));
    let hub = HubProcess::start(&with_a_file);
    Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    assert!(hub.terminate().success());
    let why = refused(&with_a_file);
    assert!(why.contains("is a file, and the database") && why.contains("callboard journal import"), "{why}");
    house.server.sql("CREATE DATABASE other");
    let elsewhere = made(&house.dir.path().join("elsewhere"));
    let config = super::settings(&house.dir.path().join("other"), &house.server.url_of("other"));
    let hub = HubProcess::start_with(&elsewhere, &["--config", &config]);
    Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    assert!(hub.terminate().success());
    let why = refused(&elsewhere);
    assert!(why.contains("belongs to the house"), "{why}");
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
    assert!(
        house.log().contains("the database has counted no beat of this node that was sent in the last "),
        "{}",
        house.log()
    );
    assert_eq!(second.get("/api/v1/tasks").1["code"], "NOT_OWNER");
    house.server.is_sent("-CONT");
    println!("it answers again: the other one serves after {:?}", house.serves(1));
    // It may not have said yet that it serves, and then a signal is no end in order.
    second.terminate();
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn of_two_hubs_without_a_name_or_of_one_name_the_second_is_refused_while_the_first_one_lives() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    let config = super::settings(&dir.path().join("config"), &server.url());
    let [one, other] = ["one", "other"].map(|name| made(&dir.path().join(name)));
    let first = HubProcess::start_with(&one, &["--config", &config]);
    let refused = said(&HubProcess::never_serves(&other, &["--config", &config]));
    assert!(refused.contains("a hub without `node.name` has the journal"), "{refused}");
    Agent::register(&first, "fullstack-1", "full-stack-engineer");
    calls(&first, "fullstack-1", "It is not disturbed");
    first.kill();
    let second = HubProcess::start_with(&other, &["--config", &config]);
    assert!(second.terminate().success());

    let house = TwoHubs::new();
    let first = house.starts(0);
    let alike = house.dir.path().join("alike");
    let refused = said(&HubProcess::never_serves(&alike, &["--listen", "127.0.0.1:0", "--config", &house.hubs[0].1]));
    assert!(refused.contains("another process runs as the node `a`"), "{refused}");
    assert_eq!(first.get("/readyz").0, 200);
    first.kill();
    assert!(house.starts(0).terminate().success(), "one that was killed is followed by the next at once");
}

fn made(data: &Path) -> PathBuf {
    fs::create_dir(data).unwrap();
    private(data);
    data.to_owned()
}

/// A hub to be: its name, data directory, settings and port.
type HubToBe = (&'static str, PathBuf, PathBuf, u16);

fn init((name, data, config, port): &HubToBe, store: &str) -> Output {
    let mut init = callboard(data);
    init.args(["cluster", "init", "--store", store, "--node", name, "--config"]).arg(config);
    init.args(["--public-url", &format!("http://127.0.0.1:{port}")]).output().unwrap()
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_is_made_one_of_several_by_a_command_and_doctor_says_what_each_of_them_is() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    let url = server.url();
    let hubs: [HubToBe; 2] = ["hub-a", "hub-b"].map(|name| {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        (name, made(&dir.path().join(name)), dir.path().join(format!("{name}-config")), port)
    });
    fs::create_dir(&hubs[1].2).unwrap();
    fs::write(hubs[1].2.join("hub.yaml"), "leases:\n  ttl: 20m").unwrap();
    let mut running = Vec::new();
    for hub in &hubs {
        for _ in 0..2 {
            let done = init(hub, &url);
            assert!(done.status.success() && printed(&done).contains("next: callboard serve"), "{}", said(&done));
        }
        let other = said(&init(hub, &server.url_of("elsewhere")));
        assert!(other.contains("`store` is `"), "{other}");
        running.push(HubProcess::start_at_with(&hub.1, hub.3, &["--config", hub.2.to_str().unwrap()]));
    }
    let lines = fs::read_to_string(hubs[1].2.join("hub.yaml")).unwrap();
    assert_eq!(lines.matches("store:").count(), 1, "{lines}");
    let taken = ("hub-a", made(&dir.path().join("c")), dir.path().join("c-config"), 1);
    assert!(said(&init(&taken, &url)).contains("a hub runs as `hub-a`"));

    let addresses = format!("http://127.0.0.1:{},http://127.0.0.1:{}", hubs[1].3, hubs[0].3);
    let mut doctor = running[0].command(&["doctor", "--no-wait", "-o", "json", "--config"]);
    doctor.arg(&hubs[0].2).args(["--url", &addresses]).env("CALLBOARD_TOKEN_FILE", running[0].token_file());
    let findings: Value = serde_json::from_slice(&doctor.output().unwrap().stdout).unwrap();
    let said_of = |check: &str| {
        let all = findings["findings"].as_array().unwrap().iter().filter(|finding| finding["check"] == check);
        all.map(|finding| finding["message"].as_str().unwrap()).collect::<Vec<_>>()
    };
    let of_nodes = said_of("node");
    assert!(of_nodes[0].contains("stands by") && of_nodes[1].ends_with("has the journal"), "{findings}");
    assert!(said_of("hub")[0].contains("is ready"), "{findings}");
    assert!(said_of("store")[1].contains("other settings than `hub-b`"), "{findings}");
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_hub_goes_by_the_clock_of_its_database() {
    let (server, dir) = (Server::start(), tempfile::tempdir().unwrap());
    server.sql(
        "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
         'SELECT pg_catalog.clock_timestamp() + interval ''1 hour'''",
    );
    server.sql("ALTER DATABASE postgres SET search_path = public, pg_catalog");
    let config = super::settings(&dir.path().join("config"), &server.url());
    let hub = HubProcess::start_with(&made(&dir.path().join("data")), &["--config", &config]);
    let time = Timestamp::parse(hub.get("/api/v1/me").1["time"].as_str().unwrap()).unwrap();
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    assert!(time > Timestamp::default() + wall + Duration::from_secs(3_000));
    let doctor = printed(&hub.command(&["doctor", "--no-wait", "--config", &config]).output().unwrap());
    assert!(doctor.contains("ahead of this machine's, and hubs go by it"), "{doctor}");
    assert!(hub.terminate().success());
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn an_address_of_this_machine_in_a_list_goes_by_no_proxy() {
    let house = TwoHubs::new();
    let (hub, port) = (house.starts(0), house.hubs[0].0);
    let mut list = hub.command(&["task", "list", "--url", &format!("http://127.0.0.1:{port},https://hub.invalid")]);
    list.env("CALLBOARD_TOKEN_FILE", hub.token_file()).env("HTTP_PROXY", "http://127.0.0.1:1");
    let listed = list.env("http_proxy", "http://127.0.0.1:1").output().unwrap();
    assert!(listed.status.success(), "{}", said(&listed));
}
