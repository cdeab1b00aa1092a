//! An agent dies while it holds an offer that it has not acknowledged.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use crate::support::pause;
use crate::support::plain_http;

const WAIT: &str = "/api/v1/tools/wait_for_prompt";

/// On which way the first one waits.
#[derive(Clone, Copy)]
enum Way {
    /// Plain HTTP: one answer of known length.
    Plain,
    /// MCP without a session: an event stream, once it waited for a second.
    Mcp,
}

/// Two agents of one role, by their tokens.
fn two_agents(hub: &HubProcess) -> [String; 2] {
    ["fullstack-1", "fullstack-2"].map(|name| {
        let (_, made) = hub.post("/api/v1/tokens", &json!({ "agent": name }));
        let token = made["token"].as_str().unwrap().to_owned();
        let who = json!({ "agentId": name, "role": "full-stack-engineer" });
        assert_eq!(hub.post_as(&token, "/api/v1/tools/register_agent", &who).0, 200);
        token
    })
}

/// The first waits on a connection that stays open, and returns it once it is parked.
fn waits(hub: &HubProcess, token: &str, way: Way) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", hub.port())).unwrap();
    let timeout = json!({ "timeout": 40 });
    let request = match way {
        Way::Plain => plain_http::request(hub.port(), "POST", WAIT, token, "", &timeout),
        Way::Mcp => plain_http::call_of_mcp(hub.port(), token, "wait_for_prompt", &timeout),
    };
    stream.write_all(request.replace("Connection: close\r\n", "").as_bytes()).unwrap();
    until_waiting(hub, 1);
    if matches!(way, Way::Mcp) {
        read_until(&mut stream, ": waiting");
    }
    stream
}

fn read_until(stream: &mut TcpStream, words: &str) {
    let (mut answer, mut buffer) = (Vec::new(), [0; 65_536]);
    while !String::from_utf8_lossy(&answer).contains(words) {
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "it ended without `{words}`");
        answer.extend_from_slice(&buffer[..read]);
    }
}

fn until_waiting(hub: &HubProcess, agents: usize) {
    let parked = (0..200).any(|_| {
        pause(20);
        let (_, all) = hub.post("/api/v1/tools/list_agents", &json!({ "availability": "waiting" }));
        all["agents"].as_array().is_some_and(|waiting| waiting.len() == agents)
    });
    assert!(parked, "{agents} agents were to wait");
}

/// The first is offered a task while both wait, and then does what it does; what the second hears.
fn offered_to_the_first(hub: &HubProcess, way: Way, seconds: u64, then: impl FnOnce(TcpStream)) -> Value {
    let [first, second] = two_agents(hub);
    let stream = waits(hub, &first, way);
    thread::scope(|scope| {
        let wait = json!({ "timeout": seconds });
        let heir = scope.spawn(move || hub.post_as(&second, WAIT, &wait));
        until_waiting(hub, 2);
        let order = json!({ "targetAgentId": "role:full-stack-engineer", "prompt": "work" });
        let (_, receipt) = hub.post("/api/v1/tasks", &order);
        assert_eq!(receipt["queued"], false, "{receipt}");
        then(stream);
        heir.join().unwrap().1
    })
}

/// Drops it with the answer in its kernel's buffer, as when its program was killed.
fn dies_without_reading(stream: TcpStream) {
    let arrived = (0..400).any(|_| {
        pause(5);
        stream.peek(&mut [0]).is_ok_and(|bytes| bytes == 1)
    });
    assert!(arrived);
    drop(stream);
}

fn goes_to_the_next(way: Way, then: impl FnOnce(TcpStream)) {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let heard = offered_to_the_first(&hub, way, 40, then);
    assert_eq!((&heard["status"], &heard["leaseEpoch"]), (&json!("TASK"), &json!(2)), "{heard}");
}

fn stays_with_who_read_it(way: Way) {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let heard = offered_to_the_first(&hub, way, 2, |mut stream| {
        read_until(&mut stream, "\"taskId\"");
        drop(stream);
    });
    assert_eq!(heard["status"], "IDLE", "{heard}");
}

#[test]
fn an_offer_that_a_dead_agent_never_read_goes_to_the_next_who_waits() {
    goes_to_the_next(Way::Plain, dies_without_reading);
}

#[test]
fn an_event_that_a_dead_agent_never_read_goes_to_the_next_who_waits() {
    goes_to_the_next(Way::Mcp, dies_without_reading);
}

#[test]
fn an_offer_that_came_to_a_dead_agent_goes_to_the_next_who_waits() {
    goes_to_the_next(Way::Plain, drop);
}

#[test]
fn an_event_that_came_to_a_dead_agent_goes_to_the_next_who_waits() {
    goes_to_the_next(Way::Mcp, drop);
}

#[test]
fn an_offer_that_was_read_stays_with_its_agent_when_the_connection_ends() {
    stays_with_who_read_it(Way::Plain);
}

#[test]
fn an_event_that_was_read_stays_with_its_agent_when_the_connection_ends() {
    stays_with_who_read_it(Way::Mcp);
}
